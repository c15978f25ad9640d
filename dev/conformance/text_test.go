package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// planInline tells by the finding about a missing file whether a script was
// taken for a name.
func planInline(_ *bench, c *recorded) (plan, error) {
	var in struct{ Script string }
	var want bool
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	node := nodeText{{"id", "a"}, {"script", quote(in.Script)}, {"runtime", "bun"}}
	r := compile(header+node.String(), nil)
	named := slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code.Slug == "missing-file" })
	return judged(same("inline", fmt.Sprint(want), fmt.Sprint(!named))), nil
}

func planClassify(_ *bench, c *recorded) (plan, error) {
	var in struct{ Message string }
	var want string
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	names := map[flow.Class]string{flow.ClassUnknown: "UNKNOWN", flow.ClassTransient: "TRANSIENT", flow.ClassFatal: "FATAL"}
	return judged(same("class", want, names[outcomeOf(nil, errors.New(in.Message)).Class])), nil
}

func planCredit(_ *bench, c *recorded) (plan, error) {
	var in struct{ Text string }
	var want *string
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	notice := ""
	if want != nil {
		notice = *want
	}
	got := ""
	if f := outcomeOf(&agent.Reply{Text: in.Text}, nil); f.Reason == "credit" || f.Reason == "quota" {
		got = f.Message
	}
	return judged(same("notice", notice, got)), nil
}

// planStructured compares verdicts only: the wording of problems is wfc's own.
func planStructured(_ *bench, c *recorded) (plan, error) {
	var in struct{ Value, Schema json.RawMessage }
	var want struct{ Valid bool }
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	// A schema that cannot be used leaves the value as it is.
	problems, err := structured.Check(in.Schema, in.Value)
	return judged(same("valid", fmt.Sprint(want.Valid), fmt.Sprint(err != nil || len(problems) == 0))), nil
}

// outcomeOf returns the failure of a prompt whose agent ends its turn so, or a zero
// failure.
func outcomeOf(reply *agent.Reply, err error) flow.Failure {
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"": answering{reply, err}}})
	r := p.Perform(context.Background(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "r"}, Action: flow.Action{Key: "a", Payload: flow.Prompt{Text: "x"}}, Number: 1, Log: slog.New(slog.DiscardHandler),
	})
	if r.Failure == nil {
		return flow.Failure{}
	}
	return *r.Failure
}

// answering is an agent with one answer.
type answering struct {
	reply *agent.Reply
	err   error
}

// Capabilities implements agent.Agent.
func (answering) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent.
func (a answering) Turn(context.Context, *agent.Request) (*agent.Reply, error) { return a.reply, a.err }

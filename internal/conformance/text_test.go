package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
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
	named := slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code.Slug == "script-not-found" })
	return judged(same("inline", fmt.Sprint(want), fmt.Sprint(!named))), nil
}

func planClassify(_ *bench, c *recorded) (plan, error) {
	var in struct{ Message string }
	var want string
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	names := map[flow.Class]string{flow.ClassUnknown: "UNKNOWN", flow.ClassTransient: "TRANSIENT", flow.ClassFatal: "FATAL"}
	return judged(same("class", want, names[agent.Classify(errors.New(in.Message))])), nil
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
	return judged(same("notice", notice, agent.Exhaustion(in.Text))), nil
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

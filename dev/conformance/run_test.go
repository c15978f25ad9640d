package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

type runCase struct {
	YAML, Arguments, IssueContext string
	Inputs                        []string
	BaseBranch                    *string
	Files                         map[string]string
	AI                            map[string]json.RawMessage
	Steps                         []runStep
	Config                        struct {
		EnvVars map[string]string
	}
}

type runEnd struct {
	Status, Outcome string
	Nodes           map[string]struct {
		State, Reason string
		Output        string
	}
	Calls   []struct{ Node, Prompt, Resume string }
	Results []struct{ Summary *string }
}

// bestEffort are the providers that do not hold to schemas by themselves.
var bestEffort = []string{"pi", "copilot"}

func planRun(b *bench, c *recorded) (plan, error) {
	var in runCase
	var want runEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	r := compile(in.YAML, in.Files)
	if why := unfinished(r); why != "" {
		return skipped(why), nil
	}
	if r.HasErrors() {
		return judged(judgeRefused(r, &want)), nil
	}
	job := runner.Job{
		Inputs: inputs(in.Arguments, in.IssueContext), Given: in.Inputs, Run: flow.RunInfo{BaseBranch: "main"},
		Replies: replies(in.AI), BestEffort: bestEffort, Files: in.Files,
	}
	for _, step := range in.Steps {
		job.Steps = append(job.Steps, runner.Step(step))
	}
	if in.BaseBranch != nil {
		job.Run.BaseBranch = *in.BaseBranch
	}
	for _, name := range slices.Sorted(maps.Keys(in.Config.EnvVars)) {
		job.Environ = append(job.Environ, name+"="+in.Config.EnvVars[name])
	}
	return b.perform(r, job, func(out *runner.Outcome) []difference { return judgeRun(&want, out, newSteps(r.Workflow)) }), nil
}

// replies names the replies of agents by the steps of wfc.
func replies(recorded map[string]json.RawMessage) json.RawMessage {
	named := map[string]json.RawMessage{}
	for id, list := range recorded {
		if gate, ok := strings.CutSuffix(id, rework); ok {
			id = gate + "/rework"
		}
		named[id] = list
	}
	return json.RawMessage(jsonText(named))
}

// unfinished says what a workflow has that cannot be executed here.
func unfinished(r *compiler.Result) string {
	if r.Workflow == nil {
		return ""
	}
	for _, n := range r.Workflow.Workflow.Body.All() {
		switch a := n.Action.(type) {
		case *ir.Script:
			if missing := absentRuntime(a.Runtime); missing != "" {
				return missing
			}
		case *ir.Fail:
			if a.Step == "script" {
				return "" // it fails before its runtime is needed
			}
		}
	}
	return ""
}

// absentRuntime says that a runtime of scripts is not installed, or "".
func absentRuntime(name string) string {
	if name == "bun" && os.Getenv("WFC_TEST_BUN") != "" {
		return ""
	}
	if _, err := exec.LookPath(name); err == nil {
		return ""
	}
	if name == "bun" {
		return "bun is not on PATH, and WFC_TEST_BUN does not name it"
	}
	return name + " is not on PATH"
}

// judgeRefused compares a workflow that does not compile with a recorded run:
// it stands for a run that failed in the nodes that hold the errors.
func judgeRefused(r *compiler.Result, want *runEnd) []difference {
	agrees := want.Status == string(flow.Failed)
	for _, d := range errorsOf(r) {
		agrees = agrees && want.Nodes[findingNode(d)].State == string(flow.Failed)
	}
	if agrees {
		return nil
	}
	return []difference{{"compilation", want.Status, refusal(r)}}
}

func judgeRun(want *runEnd, out *runner.Outcome, steps steps) []difference {
	diffs := same("status", want.Status, string(out.End.Status))
	diffs = append(diffs, same("outcome", want.Outcome, out.End.Outcome)...)
	got := map[string]string{}
	for _, s := range out.Steps {
		if id, text, ok := steps.recorded(s); ok {
			got[id] = text
		}
	}
	expected := map[string]string{}
	for id, n := range want.Nodes {
		expected[id] = nodeForm(n.State, n.Output, n.Reason)
	}
	ids := slices.Sorted(maps.Keys(got))
	for id := range expected {
		if _, ok := got[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if expected[id] == "" && got[id] == string(flow.Failed) && want.Status == string(flow.Failed) {
			continue // the engine records no node that fails before it begins
		}
		diffs = append(diffs, same("node "+id, expected[id], got[id])...)
	}
	diffs = append(diffs, compareCalls(want, out, steps)...)
	if n := len(want.Results); n > 0 && want.Results[n-1].Summary != nil && len(*want.Results[n-1].Summary) <= longOutput {
		diffs = append(diffs, same("summary", *want.Results[n-1].Summary, out.End.Summary)...)
	}
	return diffs
}

// longOutput is the length of outputs that are compared by their sums, which
// people can read.
const longOutput = 10_000

func nodeForm(state, output, reason string) string {
	switch flow.Status(state) {
	case flow.Completed:
		if len(output) > longOutput {
			return fmt.Sprintf("%s with %d bytes of SHA-256 %x", state, len(output), sha256.Sum256([]byte(output)))
		}
		return fmt.Sprintf("%s %q", state, output)
	case flow.Skipped:
		return state + " " + reason
	}
	return state
}

// compareCalls compares what each node asked in order: the prompts, and which
// sessions they went on with.
func compareCalls(want *runEnd, out *runner.Outcome, steps steps) (diffs []difference) {
	prompts, sessions := comparison{}, comparison{}
	for _, call := range want.Calls {
		prompts.want(call.Node, corrected(call.Prompt))
		sessions.want(call.Node, call.Resume)
	}
	for _, turn := range out.Turns {
		id := steps.id(turn.Step)
		prompts.got(id, corrected(turn.Prompt))
		sessions.got(id, turn.Session)
	}
	return append(prompts.differences("prompts of "), sessions.differences("sessions of ")...)
}

// A comparison holds texts by node: those that are recorded and those of wfc.
type comparison map[string]*[2][]string

func (c comparison) want(id, text string) { c.add(0, id, text) }

func (c comparison) got(id, text string) { c.add(1, id, text) }

func (c comparison) add(side int, id, text string) {
	if c[id] == nil {
		c[id] = &[2][]string{}
	}
	c[id][side] = append(c[id][side], text)
}

func (c comparison) differences(what string) (diffs []difference) {
	for _, id := range slices.Sorted(maps.Keys(c)) {
		diffs = append(diffs, same(what+id, fmt.Sprintf("%q", c[id][0]), fmt.Sprintf("%q", c[id][1]))...)
	}
	return diffs
}

// corrected cuts off what a correction says: the words are wfc's own.
func corrected(prompt string) string {
	const mark = "--- CORRECTION ---"
	if before, _, ok := strings.Cut(prompt, mark); ok {
		return before + mark
	}
	return prompt
}

package conformance

import (
	"encoding/json"
	"path"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
)

// planExpand compares what a prompt with references becomes. The engine expands it alone;
// here it is the prompt of a step.
func planExpand(b *bench, c *recorded) (plan, error) {
	var in struct {
		Prompt string
		Files  map[string]string
		// Older says that the engine is the last one of the older format.
		Older bool
	}
	var want struct{ Prompt, Error string }
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	files := map[string]string{}
	for name, text := range in.Files {
		files[path.Join("/project", name)] = text
	}
	key := "agent"
	if in.Older {
		key = "prompt"
	}
	r := compileXprompt("steps:\n  - name: p\n    "+key+": "+quote(in.Prompt)+"\n", files)
	expected := want.Prompt
	if want.Error != "" {
		expected = failedStatus
	}
	if r.HasErrors() {
		got := refusal(r)
		if want.Error != "" {
			got = failedStatus
		}
		return judged(same("prompt", expected, got)), nil
	}
	asked := r.Workflow.Workflow.Body.All()[0].Action.(*ir.Prompt)
	if text, constant := asked.Text.Constant(); constant {
		return judged(same("prompt", expected, text)), nil
	}
	job := runner.Job{Inputs: json.RawMessage("{}"), Replies: json.RawMessage(`{"p":["ok"]}`), BestEffort: []string{"claude"}}
	return b.perform(r, job, func(out *runner.Outcome) []difference {
		got := failedStatus
		if len(out.Turns) > 0 {
			got = out.Turns[0].Prompt
		}
		return same("prompt", expected, got)
	}), nil
}

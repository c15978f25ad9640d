package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// The cases of graphloop are of two kinds. A step begins in the middle of a run:
// it names the node that an agent has just been asked at, what it answered, and
// what came of that. wfc is given a state file as the original's script would
// have had it, so the case also goes through what reads such files. A check is a
// workflow file with the findings that it is to get.

// readGraphs adds the cases of a folder of graphloop.
func (all *collection) readGraphs(dir string) error {
	from := len(all.cases)
	if err := all.read("graphloop", dir); err != nil {
		return err
	}
	for _, c := range all.cases[from:] {
		var in struct{ Cmd string }
		if err := c.decode(&in, nil); err != nil {
			return err
		}
		c.Op = in.Cmd
	}
	list := filepath.Join(dir, "validate", "expect.json")
	text, err := os.ReadFile(list)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("%s: %w", list, err)
	}
	for _, row := range rows {
		var in struct{ File string }
		if err := json.Unmarshal(row, &in); err != nil {
			return fmt.Errorf("%s: %w", list, err)
		}
		yaml, err := os.ReadFile(filepath.Join(dir, "validate", in.File))
		if err != nil {
			return err
		}
		all.cases = append(all.cases, &recorded{
			Group: "validate", Name: strings.TrimSuffix(in.File, ".yaml"), Op: "check", Input: []byte(jsonText(string(yaml))), Expect: row, dialect: "graphloop",
		})
	}
	return nil
}

// compileGraph compiles a file of graphloop.
func compileGraph(yaml string) *compiler.Result {
	return compiler.Compile(source.NewFile("w.yaml", []byte(yaml)), compiler.Options{
		Path: "/project/w.yaml", Dialect: "graphloop", Root: "/project", Home: "/home", Files: testkit.Memory{},
	})
}

// stepCase is a step: the run is at a node, whose agent says something.
type stepCase struct {
	YAML      string `json:"workflow_inline"`
	Node      string `json:"current_node"`
	Text      string `json:"agent_text"`
	Iteration int    `json:"it"`
	// Max is the limit of iterations, 0 for none; nil leaves that of the file.
	Max     *int   `json:"maxit"`
	Promise string `json:"promise"`
}

// stepEnd is what came of a step; of several things only some are recorded.
type stepEnd struct {
	Output, Next, Status, Limit string
	Node                        string `json:"current_node"`
	Reason                      string `json:"exit_reason"`
}

func planStep(b *bench, c *recorded) (plan, error) {
	var in stepCase
	var want stepEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	r := compileGraph(in.YAML)
	if r.HasErrors() {
		return judged(judgeRefusal(&want, r.Diagnostics)), nil
	}
	job := runner.Job{
		Replies: json.RawMessage(jsonText(map[string][]string{in.Node: {in.Text}, in.Node + "/again": {in.Text}, "*": {"[OUTPUT:done]"}})),
		Saved:   json.RawMessage(in.saved()),
	}
	if in.Max != nil {
		job.Iterations = in.Max
	}
	return b.perform(r, job, func(out *runner.Outcome) []difference { return judgeStep(&in, &want, out) }), nil
}

// saved is the state file as the script has it while the agent works.
func (in *stepCase) saved() string {
	if in.Iteration == 0 {
		in.Iteration = 1
	}
	return jsonText(map[string]any{
		"_workflow": "w", "_task_name": "w", "_mode": "hook-driven", "_current_node": in.Node, "_iteration": in.Iteration,
		"_started_at": "2030-01-01T00:00:00Z", "_updated_at": "2030-01-01T00:00:00Z", "_completion_promise": in.Promise, "_last_output": nil,
		"_exit_reason": nil, "nodes_executed": []string{}, "outputs": map[string]string{}, "variables": map[string]any{},
	})
}

// judgeStep compares what a step came to.
func judgeStep(in *stepCase, want *stepEnd, out *runner.Outcome) (diffs []difference) {
	s := out.State
	if s == nil {
		return []difference{{"state file", "one", "none"}}
	}
	add := func(what, want, got string) {
		if want != "" {
			diffs = append(diffs, same(what, want, got)...)
		}
	}
	add("status", want.Status, s.Status)
	add("reason", want.Reason, s.Reason)
	add("reason", want.Limit, s.Reason)
	add("current node", want.Node, s.Node)
	output := s.Outputs[in.Node]
	if s.Status == "failed" && s.Reason == "output_undetermined" {
		output = "error:undetermined"
	}
	add("output", want.Output, output)
	next := s.Node
	if len(s.Executed) > 1 {
		next = s.Executed[1]
	}
	add("next", want.Next, next)
	return diffs
}

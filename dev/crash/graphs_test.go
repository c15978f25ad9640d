//go:build unix

package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// command is a script as the command of a node of a state graph.
func command(script string) string {
	return "command: |\n      " + strings.ReplaceAll(preamble+script, "\n", "\n      ") + "\n"
}

// tourText is a state graph with a parallel, loops, an agent that has to be asked
// again, a script whose failure decides, a checkpoint, an interrupt that nobody
// answers, and a person.
func tourText() string {
	return `workflow: tour
description: A graph that leaves traces.
state:
  variables:
    seen: []
    last: ""
limits: {max_iterations: 40, max_time_minutes: 60}
nodes:
  fork: {type: parallel, branches: [left, middle, right], outputs: [all_done]}
  left:
    type: task
    agent: bash
    outputs: [done]
    on_output: {done: {append: {seen: output}}}
    ` + command("sleep 0.03; printf 'left'") + `
  middle: {type: task, agent: self, prompt: 'middle;', outputs: [done], on_output: {done: {append: {seen: output}}}}
  right:
    type: task
    agent: bash
    outputs: [done]
    on_output: {done: {append: {seen: output}}}
    ` + command("printf 'right'") + `
  meet: {type: join, wait_for: [left, middle, right], outputs: [ready]}
  keep: {type: checkpoint, outputs: [done]}
  work: {type: task, agent: self, prompt: 'work after (reference state.last) with (reference state.seen);', outputs: [done, blocked], on_output: {done: {set: {last: output}}, blocked: {set: {last: output}}}}
  test:
    type: task
    agent: bash
    outputs: [pass, fail]
    ` + command(`[ "$WFC_STEP_KEY" = "test@11" ]`) + `
  approval: {type: human, prompt: 'publish (reference state.last)?', outputs: [yes, no]}
  again: {type: decision, condition: "state.iteration < 14", outputs: [once_more, enough]}
interrupts:
  - {after: keep, prompt: 'go on?', required: false}
edges:
  - {from: START, to: fork}
  - {from: fork, to: meet}
  - {from: meet, to: keep}
  - {from: keep, to: work}
  - {from: work, to: work, condition: "blocked"}
  - {from: work, to: test, condition: "done"}
  - {from: test, to: work, condition: "fail"}
  - {from: test, to: approval, condition: "pass"}
  - {from: approval, to: again, condition: "yes"}
  - {from: approval, to: work, condition: "no"}
  - {from: again, to: approval, condition: "once_more"}
  - {from: again, to: END, condition: "enough"}
completion: [approval.yes]
`
}

// tourAgent is blocked at first, and once gives a reply without an output.
const tourAgent = `#!/bin/bash
read -r request
` + preamble + `sleep 0.05
prompt=${request#*'"prompt":"'}; prompt=${prompt%%';'*}
case $WFC_STEP_KEY in
  middle*) echo "middle" ;;
  work@7) echo "[OUTPUT:blocked] stuck" ;;
  work@8) echo "nobody knows" ;;
  work@8/again) echo "[OUTPUT:done]" ;;
  *) echo "$WFC_STEP_KEY $prompt [OUTPUT:done]" ;;
esac
`

// A state graph that is killed walks the way that it would have walked, and the
// folder of its task is the same in the end.
func TestGraphsKilledAndResumed(t *testing.T) {
	kills(t, load{name: "tour", text: tourText(), agent: tourAgent, as: "self", answers: []string{"answer", "latest", "y", "--no-resume"},
		peace: func(t *testing.T, d *document) {
			done := d.completed()
			if d.Status != "completed" || done["work@8"] != "nobody knows" || done["test@11"] != "" || !strings.Contains(done["work@10"], "nobody knows with left, middle, right") {
				t.Fatalf("undisturbed, the run is %s with %v", d.Status, done)
			}
		},
		left: task,
	}, quota(16))
}

// task is the content of the task's folder at the end, without times.
func task(e *episode) string {
	var b strings.Builder
	dir := filepath.Join(e.Work, ".graph-loop", "tour")
	files, _ := filepath.Glob(filepath.Join(dir, "history", "*.json"))
	for _, path := range append(files, filepath.Join(dir, "state.json")) {
		text, err := os.ReadFile(path)
		if err != nil {
			e.t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(text, &v); err != nil {
			e.t.Fatalf("%s: %v", path, err)
		}
		timeless(v)
		if inner, ok := v["state"].(map[string]any); ok {
			timeless(inner)
		}
		again, _ := json.Marshal(v)
		fmt.Fprintf(&b, "%s %s\n", filepath.Base(path), again)
	}
	memory, _ := os.ReadFile(filepath.Join(dir, "memory.md"))
	return b.String() + string(memory)
}

func timeless(v map[string]any) {
	for _, key := range []string{"_snapshot_at", "started_at", "last_updated", "usage", "run_id"} {
		delete(v, key)
	}
}

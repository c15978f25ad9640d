//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tale is a graph that goes on from folders.
const tale = `workflow: tale
state:
  variables:
    score: 0
    ready: false
    notes: []
nodes:
  begin: {type: task, agent: self, prompt: 'Begin about (user provides via state.topic)', outputs: [done], on_output: {done: {append: {notes: output}}}}
  middle: {type: task, agent: self, prompt: 'Middle with (reference state.score), (reference state.ready) of (reference state.topic)', outputs: [done, again]}
  finish: {type: task, agent: codex, prompt: Finish, outputs: [done]}
  last: {type: task, agent: self, prompt: Last, outputs: [done]}
edges:
  - {from: START, to: begin}
  - {from: begin, to: middle}
  - {from: middle, to: middle, condition: "again"}
  - {from: middle, to: finish, condition: "done"}
  - {from: finish, to: last}
  - {from: last, to: END}
limits: {max_iterations: 20}
`

// patient is a graph that takes its time.
const patient = `workflow: patient
nodes:
  wait: {type: task, agent: bash, command: 'touch begun; while ! test -e over; do sleep 0.02; done', outputs: [done]}
edges:
  - {from: START, to: wait}
  - {from: wait, to: END}
`

// folder writes a task's folder.
func (p *site) folder(name, state string) string {
	p.t.Helper()
	dir := filepath.Join(p.Work, ".graph-loop", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(state), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return filepath.Join(".graph-loop", name)
}

func TestGoingOnFromFolders(t *testing.T) {
	s := newSuite(t)
	s.add(t, tale, nil)
	s.add(t, patient, nil)
	s.build(t)
	replies := map[string]any{"begin": []string{"I learned to begin"}, "middle": []string{"[OUTPUT:again] because of x", "[OUTPUT:done]"}}
	from := func(p *site, code int, args ...string) *result {
		t.Helper()
		return p.json(code, append(append([]string{"run"}, args...), p.agents...)...)
	}
	described := `{"workflow": "tale", "version": "1.0", "current_node": "middle", "iteration": 1, "started_at": "2026-01-17T10:00:00Z",
		"last_updated": "2026-01-17T10:15:32Z", "status": "running", "nodes_executed": ["begin"], "outputs": {"begin": "done"},
		"variables": {"notes": ["a"], "score": 7, "ready": true, "topic": "cats"}, "limits": {"max_iterations": 20},
		"usage": {"iterations_used": 1, "time_elapsed_minutes": 15.5, "estimated_cost_dollars": 0.42}}`

	t.Run("as described", func(t *testing.T) {
		p := s.graphSite(t, tale, map[string]any{"middle": []string{"[OUTPUT:done]"}})
		dir := p.folder("chapter", described)
		p.call(0, append([]string{"run", "--dry-run", "--from", dir}, p.agents...)...)
		p.says("Middle with 7, true of cats")
		if k := p.task("chapter"); k.Status != "running" {
			t.Errorf("a plan has changed the folder: %+v", k)
		}
		r := from(p, 0, "--from", dir)
		k := p.task("chapter")
		if k.Status != "completed" || strings.Join(k.Executed, " ") != "begin middle finish last" || k.N != 4 || string(k.State["score"]) != "7" || k.Outputs["begin"] != "done" {
			t.Errorf("%+v", k)
		}
		if _, prompt, _ := r.node("finish"); prompt != "ECHO[Finish]" {
			t.Errorf("%q", prompt)
		}
		text := p.content(dir + "/state.json")
		if !strings.Contains(text, `"started_at": "2026-01-17T10:00:00Z"`) || !strings.Contains(text, `"estimated_cost_dollars": 0.42`) {
			t.Errorf("%s", text)
		}
		p.call(1, append([]string{"run", "--from", dir}, p.agents...)...)
		p.says("the run has completed; there is nothing to resume")
	})

	t.Run("by the scripts", func(t *testing.T) {
		p := s.graphSite(t, tale, replies)
		dir := p.folder("old", `{"_workflow":"tale","_task_name":"old","_mode":"hook-driven","_current_node":"START","_iteration":1,"_started_at":"2026-01-17T10:00:00Z","nodes_executed":[],"outputs":{},"variables":{},"score":3}`)
		p.call(2, append([]string{"run", "--from", dir}, p.agents...)...)
		p.says("missing input `topic`")
		from(p, 0, "--from", dir, "--topic", "dogs")
		k := p.task("old")
		if strings.Join(k.Executed, " ") != "begin middle middle finish last" || string(k.State["score"]) != "3" || string(k.State["topic"]) != `"dogs"` {
			t.Errorf("%+v", k)
		}
	})

	t.Run("what does not fit", func(t *testing.T) {
		p := s.graphSite(t, tale, replies)
		dir := p.folder("odd", `{"workflow":"tale","current_node":"gone","variables":{"score":"high","ready":1,"x":2}}`)
		p.call(1, append([]string{"run", "--topic", "x", "--from", dir}, p.agents...)...)
		p.says("no run can continue from "+dir, "the run is at the unknown node `gone`", "variable `score` is the string \"high\", and it must be an integer",
			"variable `ready` is the number 1, and it must be true or false", "unknown variable `x`")
		dir = p.folder("odd", `{"workflow":"story","current_node":"middle","variables":{"x":2}}`)
		p.call(1, append([]string{"run", "--topic", "x", "--from", dir}, p.agents...)...)
		p.says("it belongs to workflow `story`, and this is `tale`", "--force continues without")
		from(p, 0, "--topic", "x", "--from", dir, "--force")
		p.call(1, append([]string{"run", "--topic", "x", "--from", "nowhere"}, p.agents...)...)
		p.says("nowhere keeps no state")
	})

	t.Run("memory", func(t *testing.T) {
		p := s.graphSite(t, tale, map[string]any{"begin": []string{"I learned to begin"}, "middle": []string{"[OUTPUT:again] because of x", "<promise> ALL  SET </promise>"}})
		from(p, 0, "--topic", "x", "--promise", "ALL SET", "--task", "book")
		k := p.task("book")
		if *k.Reason != "completion_promise" || strings.Join(k.Executed, " ") != "begin middle middle" {
			t.Errorf("%+v", k)
		}
		want := "## Iteration 1\n\nI learned to begin\n\n## Iteration 2\n\n[OUTPUT:again] because of x\n"
		if got := p.content(".graph-loop/book/memory.md"); !strings.HasSuffix(got, want) {
			t.Errorf("%q", got)
		}
		// Who is shown it: self, everybody, nobody.
		for rule, shown := range map[string][2]bool{"self": {true, false}, "all": {true, true}, "none": {false, false}} {
			p := s.graphSite(t, tale, map[string]any{"begin": []string{"I learned to begin"}, "middle": []string{"done"}})
			r := from(p, 0, "--topic", "x", "--memory", rule)
			if _, echo, _ := r.node("last"); strings.Contains(echo, "Last\n\n## Memory from previous iterations\n\n# Memory of w\n") != shown[0] {
				t.Errorf("%s: %q", rule, echo)
			}
			if _, echo, _ := r.node("finish"); strings.Contains(echo, "I learned to begin") != shown[1] {
				t.Errorf("%s: %q", rule, echo)
			}
		}
		p.call(2, "run", "--topic", "x", "--memory", "some")
		p.call(2, "run", "--topic", "x", "--task", "../x")
		p.says("`--task`: `../x` begins or ends with a dot or space")
	})

	t.Run("one run at a time", func(t *testing.T) {
		p := s.site(t, patient, nil)
		first := p.Command(t.Context(), nil, "run", "--task", "slow")
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		for p.content("begun") == "" {
			if _, err := os.Stat(filepath.Join(p.Work, "begun")); err == nil {
				break
			}
			if first.ProcessState != nil {
				t.Fatal("the first run has ended")
			}
		}
		p.call(1, "run", "--task", "slow", "--state", t.TempDir())
		p.says("works on the task in", "give the task another name: --task NAME")
		p.file("over", "")
		if err := first.Wait(); err != nil {
			t.Error(err)
		}
	})
}

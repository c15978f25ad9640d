//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A graphScenario is one section of the requirement for state graphs.
type graphScenario struct {
	name, text string
	// replies are those of all agents, by node.
	replies map[string]any
	test    func(t *testing.T, p *site)
}

// TestGraphScenarios holds a subtest for each section of the requirement.
func TestGraphScenarios(t *testing.T) {
	s := newSuite(t)
	for _, c := range graphScenarios {
		s.add(t, c.text, nil)
	}
	s.build(t)
	for _, c := range graphScenarios {
		t.Run(c.name, func(t *testing.T) { c.test(t, s.graphSite(t, c.text, c.replies)) })
	}
}

// graphSite is a site whose agents give the replies.
func (s *suite) graphSite(t *testing.T, text string, replies map[string]any) *site {
	t.Helper()
	if replies == nil {
		return s.site(t, text, nil)
	}
	p := s.site(t, text, replies)
	file := strings.TrimPrefix(p.agents[1], "claude=")
	p.agents = nil
	for _, name := range []string{"self", "codex", "gemini"} {
		if strings.Contains(text, "agent: "+name) {
			p.agents = append(p.agents, "--agent", name+"="+file)
		}
	}
	return p
}

// kept is what a task's folder says of its run.
type kept struct {
	Workflow string                     `json:"workflow"`
	Current  string                     `json:"current_node"`
	Next     string                     `json:"next"`
	Status   string                     `json:"status"`
	Reason   *string                    `json:"exit_reason"`
	Success  *bool                      `json:"success"`
	N        int                        `json:"iteration"`
	Executed []string                   `json:"nodes_executed"`
	Outputs  map[string]string          `json:"outputs"`
	State    map[string]json.RawMessage `json:"variables"`
	Warnings []string                   `json:"warnings"`
}

// task reads the state file of a task.
func (p *site) task(name string) (k kept) {
	p.t.Helper()
	text := p.content(filepath.Join(".graph-loop", name, "state.json"))
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		p.t.Fatalf("%v: %q", err, text)
	}
	return k
}

// walked wants the task w to have gone a way.
func (p *site) walked(status string, way ...string) kept {
	p.t.Helper()
	k := p.task("w")
	if k.Status != status || !slices.Equal(k.Executed, way) || k.N != len(way) {
		p.t.Errorf("the task is %s after %q (%d), want %s after %q", k.Status, k.Executed, k.N, status, way)
	}
	return k
}

// says wants the last command to have said all of this.
func (p *site) says(parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if !strings.Contains(p.stderr+p.stdout, part) {
			p.t.Errorf("it does not say %q:\n%s%s", part, p.stderr, p.stdout)
		}
	}
}

func agree[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

// loop is a graph of a worker that is asked until a script is content.
const loop = `workflow: loop
state:
  variables:
    tries: []
nodes:
  work: {type: task, agent: self, prompt: Work, outputs: [done], on_output: {done: {append: {tries: output}}}}
  test: {type: task, agent: bash, command: 'test -e good', outputs: [pass, fail]}
edges:
  - {from: START, to: work}
  - {from: work, to: test}
  - {from: test, to: work, condition: "fail"}
  - {from: test, to: END, condition: "pass"}
limits: {max_iterations: 4}
`

var graphScenarios = []graphScenario{
	{name: "task", text: `workflow: task
state:
  variables:
    total: ""
nodes:
  count: {type: task, agent: bash, command: 'cat here; pwd', cwd: sub, outputs: [done], on_output: {done: {set: {total: output}}}}
  ask: {type: task, agent: self, prompt: 'Of (reference state.total) for (user provides via state.who)', outputs: [done, blocked], context_files: [notes.md]}
  greet: {type: task, agent: bash, command: 'echo "to:" (user provides via state.who)', outputs: [success, failure]}
edges:
  - {from: START, to: count}
  - {from: count, to: ask}
  - {from: ask, to: greet, condition: "done"}
  - {from: ask, to: END, condition: "blocked"}
  - {from: greet, to: END}
`, replies: map[string]any{"ask": []string{"nothing to tell by"}, "ask/again": []string{"[OUTPUT:done]"}}, test: func(t *testing.T, p *site) {
		if err := os.Mkdir(filepath.Join(p.Work, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		p.file("sub/here", "seven\n")
		p.file("notes.md", "")
		r := p.run(0, "--who", "$(touch pwned) 'ann'")
		k := p.walked("completed", "count", "ask", "greet")
		if !strings.HasPrefix(string(k.State["total"]), `"seven\n`) || !strings.HasSuffix(string(k.State["total"]), `/sub"`) {
			t.Errorf("%s", k.State["total"])
		}
		p.want(r, "greet", "to: $(touch pwned) 'ann'")
		if _, err := os.Stat(filepath.Join(p.Work, "pwned")); err == nil {
			t.Error("what the user provided was run")
		}
		if text := p.content(".graph-loop/w/workflow.yaml"); !strings.HasPrefix(text, "workflow: task\n") {
			t.Errorf("%q", text)
		}
		p.call(2, append([]string{"run"}, p.agents...)...)
		p.says("missing input `who`")
	}},
	{name: "decision", text: `workflow: decision
state:
  variables:
    score: 0
nodes:
  rate: {type: task, agent: self, prompt: Rate, outputs: [scored], on_output: {scored: {set: {score: output}}}}
  enough: {type: decision, condition: "state.score >= 8", outputs: [pass, fail]}
edges:
  - {from: START, to: rate}
  - {from: rate, to: enough}
  - {from: enough, to: END, condition: "pass"}
  - {from: enough, to: rate, condition: "fail"}
limits: {max_iterations: 20}
`, replies: map[string]any{"rate": []string{"score: 6/10", "I cannot say", "now the score is 8"}}, test: func(t *testing.T, p *site) {
		p.run(0)
		k := p.walked("completed", "rate", "enough", "rate", "enough", "rate", "enough")
		agree(t, "score", string(k.State["score"]), "8")
		if len(k.Warnings) != 1 || !strings.Contains(k.Warnings[0], "`score` keeps its value") {
			t.Errorf("%q", k.Warnings)
		}
	}},
	{name: "parallel and join", text: `workflow: fork
nodes:
  fork: {type: parallel, branches: [left, right], outputs: [all_done]}
  left: {type: task, agent: gemini, prompt: Left, outputs: [done]}
  right: {type: task, agent: bash, command: 'echo from the right', outputs: [done]}
  meet: {type: join, wait_for: [left, right], agent: codex, prompt: Compare, outputs: [ready]}
edges:
  - {from: START, to: fork}
  - {from: fork, to: meet}
  - {from: meet, to: END}
`, replies: map[string]any{"left": []string{"from the left"}}, test: func(t *testing.T, p *site) {
		r := p.run(0)
		p.walked("completed", "fork", "left", "right", "meet")
		p.want(r, "meet", "ECHO[Compare\n\n## Output of `left`\n\nfrom the left\n\n## Output of `right`\n\nfrom the right]")
		if snapshots, _ := filepath.Glob(filepath.Join(p.Work, ".graph-loop/w/history/*.json")); len(snapshots) != 4 {
			t.Errorf("%q", snapshots)
		}
	}},
	{name: "human", text: `workflow: human
nodes:
  gate: {type: human, prompt: Approve?, outputs: [yes, no, defer], timeout_minutes: 60, default_output: defer}
  rest: {type: checkpoint, outputs: [done]}
edges:
  - {from: START, to: gate}
  - {from: gate, to: END, condition: "yes"}
  - {from: gate, to: rest, condition: "any(no, defer)"}
  - {from: rest, to: gate}
limits: {max_iterations: 20}
`, test: func(t *testing.T, p *site) {
		r := p.run(3)
		if len(r.Questions) != 1 || r.Questions[0].Deadline.IsZero() {
			t.Errorf("%+v", r.Questions)
		}
		p.call(2, "answer", "latest", "perhaps")
		p.says("unknown answer `perhaps` to `gate@1#1`: use one of `yes`, `no`, `defer`")
		p.call(2, "answer", "latest")
		p.says("use one of `yes`, `no`, `defer`")
		p.call(3, "answer", "latest", "Def")
		p.call(3, "answer", "latest", "n", "--node", "gate")
		p.call(0, "answer", "latest", "--choice", "YES")
		k := p.walked("completed", "gate", "rest", "gate", "rest", "gate")
		agree(t, "outputs", k.Outputs, map[string]string{"gate": "yes", "rest": "done"})
		if text := p.content(".graph-loop/w/history/iteration-002.json"); !strings.Contains(text, `"_checkpoint": true`) || !strings.Contains(text, `"_node_completed": "rest"`) {
			t.Errorf("%s", text)
		}
	}},
	{name: "interrupts", text: `workflow: interrupts
nodes:
  build: {type: task, agent: bash, command: 'echo built >> log', outputs: [done]}
  deploy: {type: task, agent: bash, command: 'echo deployed >> log', outputs: [done]}
edges:
  - {from: START, to: build}
  - {from: build, to: deploy}
  - {from: deploy, to: END}
interrupts:
  - {after: build, prompt: 'Built. Go on?', required: false}
  - {before: deploy, prompt: 'Deploy at (reference state.iteration)?', required: true, condition: "state.iteration >= 1"}
`, test: func(t *testing.T, p *site) {
		r := p.run(3) // the first is not required, and nobody is here
		if len(r.Questions) != 1 || r.Questions[0].Message != "Deploy at 1?" {
			t.Errorf("%+v", r.Questions)
		}
		p.call(2, "answer", "latest", "skip") // it is required
		p.call(3, "answer", "latest", "stop")
		k := p.walked("stopped", "build")
		agree(t, "reason", *k.Reason, "stopped")
		agree(t, "next", k.Next, "deploy")
		p.call(3, "resume") // the question is asked again
		p.call(0, "answer", "latest", "Proceed")
		p.walked("completed", "build", "deploy")
		agree(t, "log", p.content("log"), "built\ndeployed\n")
	}},
	{name: "limits", text: loop, replies: map[string]any{}, test: func(t *testing.T, p *site) {
		p.call(5, append([]string{"run"}, p.agents...)...)
		k := p.walked("LIMIT_REACHED", "work", "test", "work", "test")
		agree(t, "reason", *k.Reason, "max_iterations")
		agree(t, "next", k.Next, "work")
		p.says("the limit `max_iterations` of 4 nodes is reached: 4 nodes used; the run continues at node `work`", "--max-iterations N")
		p.call(0, "status")
		p.says("at work: 4 of 4 nodes", "task: "+filepath.Join(p.Work, ".graph-loop", "w"))
		p.call(5, "resume")
		p.call(5, "resume", "--max-iterations", "6")
		p.walked("LIMIT_REACHED", "work", "test", "work", "test", "work", "test")
		p.file("good", "")
		p.call(0, "resume", "--max-iterations", "0")
		p.walked("completed", "work", "test", "work", "test", "work", "test", "work", "test")
		p.call(5, append([]string{"run", "--max-minutes", "0.0000001", "--task", "quick"}, p.agents...)...)
		agree(t, "reason", *p.task("quick").Reason, "max_time_minutes")
		p.call(2, "run", "--max-iterations", "-1")
	}},
	{name: "raised limits", text: `workflow: raised
nodes:
  ask: {type: human, prompt: More?, outputs: [more, enough]}
edges:
  - {from: START, to: ask}
  - {from: ask, to: ask, condition: "more"}
  - {from: ask, to: END, condition: "enough"}
limits: {max_iterations: 1}
`, test: func(t *testing.T, p *site) {
		p.call(3, "run")
		p.call(5, "answer", "latest", "more")
		p.call(3, "resume", "--max-iterations", "3")
		p.call(3, "answer", "latest", "more") // the limit is still the raised one
		p.call(5, "answer", "latest", "more")
		p.call(3, "resume", "--max-iterations", "0")
		p.call(0, "answer", "latest", "e")
		p.walked("completed", "ask", "ask", "ask", "ask")
	}},
	{name: "cost", text: strings.Replace(loop, "workflow: loop", "workflow: dear", 1), replies: map[string]any{"work": []any{map[string]any{"text": "done", "cost": 0.75}}}, test: func(t *testing.T, p *site) {
		p.call(5, append([]string{"run", "--max-cost", "1"}, p.agents...)...)
		k := p.walked("LIMIT_REACHED", "work", "test", "work")
		agree(t, "reason", *k.Reason, "max_cost_dollars")
		p.says("the limit `max_cost_dollars` of $1.00 is reached: $1.50 used", "--max-cost USD")
		p.call(5, "run", "--from", ".graph-loop/w", "--max-cost", "2", p.agents[0], p.agents[1])
		p.walked("LIMIT_REACHED", "work", "test", "work", "test") // of the workflow's own four
		p.call(1, "run", "--from", ".graph-loop/w", "--max-cost", "2", p.agents[0], p.agents[1])
		p.says("`max_iterations` is reached: 4 of 4; set a higher one: --max-iterations N")
		p.call(1, "run", "--from", ".graph-loop/w", "--max-cost", "1", "--max-iterations", "9", p.agents[0], p.agents[1])
		p.says("`max_cost_dollars` is reached: $1.50 of $1.00")
	}},
	{name: "completion", text: `workflow: completion
nodes:
  review: {type: task, agent: codex, prompt: Review, outputs: [P0, clean]}
edges:
  - {from: START, to: review}
  - {from: review, to: END}
completion: [review.clean]
`, replies: map[string]any{"review": []string{"P0: broken", "LGTM"}}, test: func(t *testing.T, p *site) {
		p.call(6, append([]string{"run"}, p.agents...)...)
		k := p.walked("completed", "review")
		agree(t, "success", *k.Success, false)
		p.says("has ended, but none of its completion conditions holds")
		if err := os.WriteFile(filepath.Join(p.State, "replies.json"), []byte(`{"review": ["<promise>all set</promise>, LGTM"]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		p.run(0)
		k = p.walked("completed", "review")
		agree(t, "success", *k.Success, true)
		if p.content(".graph-loop/w/earlier/001/state.json") == "" {
			t.Error("what the first run left is lost")
		}
		p.run(0, "--promise", "all  set")
		agree(t, "reason", *p.task("w").Reason, "completion_promise")
	}},
	{name: "retries", text: `workflow: retries
nodes:
  flaky: {type: task, agent: bash, command: 'echo x >> tries; test -e tried || { touch tried; exit 1; }', outputs: [pass, fail], retry_on_failure: true}
  broken: {type: task, agent: bash, command: 'exit 3', outputs: [done]}
edges:
  - {from: START, to: flaky}
  - {from: flaky, to: broken, condition: "pass"}
  - {from: flaky, to: END, condition: "fail"}
  - {from: broken, to: END}
`, test: func(t *testing.T, p *site) {
		r := p.run(1)
		agree(t, "tries", p.content("tries"), "x\nx\n")
		k := p.walked("failed", "flaky")
		agree(t, "next", k.Next, "broken")
		if status, _, _ := r.node("broken"); status != "failed" {
			t.Errorf("broken is %s", status)
		}
	}},
}

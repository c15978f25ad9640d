//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// releasing is a workflow that runs others: two deep, with a gate, and for the items of a
// list.
const releasing = `name: release
description: Builds, asks and publishes by other workflows.
mutates_checkout: false
nodes:
  - id: plan
    bash: cat plan
  - id: build
    workflow: build
    depends_on: [plan]
    with: {topic: "$ARGUMENTS", rounds: 2}
  - id: publish
    workflow: ask
    depends_on: [build]
    input: publish $build.output.version?
  - id: each
    workflow: one
    depends_on: [plan]
    fan_out: {items: $plan.output, as: name}
  - id: last
    depends_on: [publish, each]
    bash: printf '%s|' "$build.output.version" "$publish.output" "$each.output"
`

// strict is a workflow whose fan-out needs every item.
const strict = `name: strict
description: Runs a workflow for all items.
nodes:
  - id: plan
    bash: cat plan
  - id: each
    workflow: one
    depends_on: [plan]
    fan_out: {items: $plan.output, as: name, join: all_success, max_parallel: 1}
  - id: last
    depends_on: [each]
    bash: printf %s '$each.output'
`

// crowd is a workflow whose items would share the checkout.
const crowd = `name: crowd
description: Runs workflows side by side that change the checkout.
nodes:
  - id: plan
    bash: cat plan
  - id: each
    workflow: writer
    depends_on: [plan]
    fan_out: {items: $plan.output}
  - id: apart
    workflow: writer
    depends_on: [plan]
    fan_out: {items: $plan.output}
    isolation: worktree
  - id: after
    depends_on: [apart]
    trigger_rule: all_done
    bash: cat written 2>/dev/null || printf clean
`

var callees = testkit.Memory{
	"/project/.archon/workflows/build.yaml": `name: build
description: Builds a version.
mutates_checkout: false
inputs: {topic: {required: true}, rounds: {default: 1}}
returns: version
nodes:
  - {id: leaf, workflow: leaf, input: "leaf of $INPUTS.topic"}
  - id: version
    depends_on: [leaf]
    bash: 'printf ''{"version":"%s-%s-%s"}'' "$INPUTS_TOPIC" "$INPUTS_ROUNDS" "$leaf.output"'
    output_format: {type: object, properties: {version: {type: string}}, required: [version]}
  - {id: extra, bash: echo extra}
`,
	"/project/.archon/workflows/leaf.yaml": `name: leaf
description: The end.
mutates_checkout: false
nodes:
  - {id: first, bash: echo first >>tries}
  - {id: say, depends_on: [first], bash: 'test ! -e broken && printf "%s" "$ARGUMENTS"'}
`,
	"/project/.archon/workflows/ask.yaml": `name: ask
description: Asks a person.
mutates_checkout: false
nodes:
  - {id: before, bash: 'echo before >>tries; printf %s "$ARGUMENTS"'}
  - {id: gate, depends_on: [before], approval: {message: $before.output, capture_response: true}}
  - {id: done, depends_on: [gate], bash: 'printf "said %s" "$gate.output"'}
`,
	"/project/.archon/workflows/one.yaml": `name: one
description: One of many.
mutates_checkout: false
inputs: {name: {required: true}}
nodes:
  - {id: once, bash: 'echo "$INPUTS.name" >>tries'}
  - {id: say, depends_on: [once], bash: 'test ! -e "broken-$INPUTS.name" && printf "one %s" "$ARGUMENTS"'}
`,
	"/project/.archon/workflows/writer.yaml": `name: writer
description: Changes the checkout.
nodes:
  - {id: write, bash: 'echo "$ARGUMENTS" >>written; cat written'}
`,
}

// judging is a workflow whose gate is about what others say.
const judging = `name: judging
description: Asks after a child run and a fan-out, at the start of an include.
mutates_checkout: false
nodes:
  - {id: child, workflow: judge}
  - {id: each, include: judge, fan_out: {items: '["x", "y"]', as: what}}
  - {id: ask, depends_on: [child, each], include: gated}
`

var judges = map[string]string{
	"/project/.archon/workflows/judge.yaml": `name: judge
description: Asks an agent.
mutates_checkout: false
inputs: {what: {default: it}}
nodes:
  - {id: verdict, prompt: Judge $INPUTS.what}
`,
	"/project/.archon/workflows/gated.yaml": `name: gated
description: Asks a person.
mutates_checkout: false
nodes:
  - {id: gate, approval: {message: Ship it?}}
`,
}

// kin is the part of a document about the runs that a run began.
type kin struct {
	RunID    string `json:"run_id"`
	Status   string
	Error    string
	Children []struct{ ID, Workflow, Status string }
	CostUSD  float64 `json:"cost_usd"`
}

func (p *site) kin() (k kin) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.stdout), &k); err != nil {
		p.t.Fatal(err)
	}
	return k
}

// TestCalls runs workflows that run others, in real binaries.
func TestCalls(t *testing.T) {
	s := newSuite(t)
	for _, text := range []string{releasing, strict, crowd} {
		s.add(t, text, callees)
	}
	s.add(t, judging, judges)
	s.build(t)
	t.Run("gate after others", func(t *testing.T) {
		p := s.site(t, judging, map[string]any{"verdict": []string{"the child's verdict"}, "each[0].verdict": []string{"one"}, "each[1].verdict": []string{"two"}})
		p.call(0, "status", p.run(3).RunID)
		for _, want := range []string{"`child` says:", "the child's verdict", "`each` says:", "│ - one\n", "Ship it?"} {
			if !strings.Contains(p.stdout, want) {
				t.Errorf("the status does not say %q:\n%s", want, p.stdout)
			}
		}
	})
	t.Run("gate in a child", func(t *testing.T) {
		p := s.site(t, releasing, nil)
		p.file("plan", `["a", "b"]`)
		r := p.run(3, "v$(touch pwned)")
		child := r.RunID + "--publish"
		p.call(0, "status", r.RunID)
		for _, want := range []string{"run " + child, "run " + r.RunID + "--build--leaf", "publish v$(touch pwned)-2-leaf of v$(touch pwned)?"} {
			if !strings.Contains(p.stdout, want) {
				t.Errorf("the status does not say %q:\n%s", want, p.stdout)
			}
		}
		p.call(0, "approve", child, "yes, please")
		p.call(0, "status", r.RunID, "--json")
		if k := p.kin(); k.Status != "completed" || len(k.Children) != 5 {
			t.Errorf("the run is %+v", k)
		}
		done := p.json(0, "status", r.RunID)
		p.want(done, "last", `v$(touch pwned)-2-leaf of v$(touch pwned)|said yes, please|["one a","one b"]|`)
		if p.content("pwned") != "" {
			t.Error("the argument was run")
		}
		if got := strings.Count(p.content("tries"), "before"); got != 1 {
			t.Errorf("the child began %d times", got)
		}
	})
	t.Run("rejected", func(t *testing.T) {
		p := s.site(t, releasing, nil)
		p.file("plan", `[]`)
		r := p.run(3, "v")
		p.call(1, "reject", r.RunID+"--publish", "no")
		got := p.json(0, "status", r.RunID)
		p.fails(got, "publish", "run "+r.RunID+"--publish is cancelled")
	})
	t.Run("failed two deep", func(t *testing.T) {
		p := s.site(t, releasing, nil)
		p.file("plan", `["a"]`)
		p.file("broken", "")
		r := p.run(1, "v")
		p.fails(r, "build", "run "+r.RunID+"--build is failed: node `leaf`: run "+r.RunID+"--build--leaf is failed: Bash node 'say'")
		if err := os.Remove(filepath.Join(p.Work, "broken")); err != nil {
			t.Fatal(err)
		}
		again := p.json(3, "resume", r.RunID)
		p.want(again, "build", `{"version":"v-2-leaf of v"}`)
		if got := strings.Count(p.content("tries"), "first"); got != 1 {
			t.Errorf("the completed step of the child ran %d times", got)
		}
	})
	t.Run("items that fail", func(t *testing.T) {
		p := s.site(t, releasing, nil)
		p.file("plan", `["a", 2, "c"]`)
		p.file("broken-2", "")
		r := p.run(3, "v")
		_, output, _ := r.node("each")
		if !strings.HasPrefix(output, `["one a",{"archon_failed":true,"error":"run `+r.RunID+`--each-1-`) || !strings.HasSuffix(output, `"status":"failed"},"one c"]`) {
			t.Errorf("each is %s", output)
		}
	})
	t.Run("items that must not fail", func(t *testing.T) {
		p := s.site(t, strict, nil)
		p.file("plan", `["a", "b", "c"]`)
		p.file("broken-b", "")
		r := p.run(1)
		p.fails(r, "each", "each[1]: run "+r.RunID)
		if got := p.content("tries"); got != "a\nb\nc\n" {
			t.Errorf("these items ran: %q", got)
		}
		if err := os.Remove(filepath.Join(p.Work, "broken-b")); err != nil {
			t.Fatal(err)
		}
		again := p.json(0, "resume", r.RunID)
		p.want(again, "last", `["one a","one b","one c"]`)
		if got := p.content("tries"); got != "a\nb\nc\n" {
			t.Errorf("these items ran: %q", got)
		}
	})
	t.Run("items that are none", func(t *testing.T) {
		p := s.site(t, strict, nil)
		p.file("plan", `{"a": 1}`)
		p.fails(p.run(1), "each", "`$plan.output` is not a list in JSON", `{"a": 1}`)
		p.file("plan", `[]`)
		p.want(p.run(0), "each", "[]")
	})
	t.Run("checkout", func(t *testing.T) {
		p := s.site(t, crowd, nil)
		p.file("plan", `["a", "b"]`)
		for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = p.Work
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v %s", args, err, out)
			}
		}
		r := p.run(1)
		p.fails(r, "each", "2 runs would change one checkout at the same time", "`isolation: worktree`")
		p.want(r, "apart", `["a","b"]`)
		p.want(r, "after", "clean")
	})
	t.Run("plan", func(t *testing.T) {
		p := s.site(t, releasing, nil)
		p.call(0, "run", "--dry-run", "v")
		for _, want := range []string{"runs the workflow build", "runs the workflow leaf", "runs the workflow ask", "runs the workflow one", "once for each item"} {
			if !strings.Contains(p.stdout, want) {
				t.Errorf("the plan does not say %q:\n%s", want, p.stdout)
			}
		}
	})
	t.Run("info", func(t *testing.T) {
		p := s.site(t, releasing, nil)
		p.call(0, "info")
		if want := "build (node build), ask (node publish), one (node each), leaf (node leaf of build)"; !strings.Contains(p.stdout, want) {
			t.Errorf("info does not say %q:\n%s", want, p.stdout)
		}
	})
}

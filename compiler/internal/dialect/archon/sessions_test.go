package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
)

// Whose conversation each prompt continues with.
func TestSessions(t *testing.T) {
	const a = "  - {id: a, prompt: x}\n"
	tests := []struct{ name, yaml, want string }{
		{"one after the other", a + `
  - {id: b, prompt: y, depends_on: [a]}
  - {id: c, prompt: z, depends_on: [b], context: fresh}
  - {id: d, prompt: w, depends_on: [c]}
`, "b<-a d<-c"},
		{"a script between, then several at once", a + `
  - {id: s, bash: echo, depends_on: [a]}
  - {id: b, prompt: y, depends_on: [s]}
  - {id: p1, prompt: y, depends_on: [b]}
  - {id: p2, bash: 'true', depends_on: [b]}
  - {id: z, prompt: z, depends_on: [p1, p2]}
  - {id: e, prompt: z, depends_on: [z]}
`, "b<-a e<-z"},
		{"everything else leaves it alone", a + `
  - {id: s, script: 'f()', runtime: bun, depends_on: [a]}
  - {id: g, approval: {message: ok?}, depends_on: [s]}
  - {id: b, prompt: y, depends_on: [g], context: shared}
  - {id: stop, cancel: no, depends_on: [b], when: "$b.output == 'no'"}
  - {id: c, prompt: y, depends_on: [stop], trigger_rule: all_done}
`, "b<-a c<-b,a"},
		{"a loop begins anew and is gone on with", a + `
  - {id: l, loop: {prompt: 'p D', until: D, max_iterations: 2}, depends_on: [a]}
  - {id: b, prompt: y, depends_on: [l]}
`, "b<-l"},
		{"nodes that may have been skipped", a + `
  - {id: b, prompt: y, depends_on: [a], when: "$a.output == 'y'"}
  - {id: c, prompt: y, depends_on: [a, b], trigger_rule: one_success}
  - {id: d, prompt: y, depends_on: [c], trigger_rule: one_success}
  - {id: e, prompt: y, depends_on: [d], trigger_rule: none_failed_min_one_success}
  - {id: f, prompt: y, depends_on: [e, d], trigger_rule: none_failed_min_one_success}
`, "b<-a c<-b,a d<-c e<-d f<-e,d,c,b,a"},
		{"only with the same agent", a + `
  - {id: b, prompt: y, depends_on: [a], provider: codex}
  - {id: c, prompt: y, depends_on: [b], trigger_rule: all_done}
  - {id: d, prompt: y, depends_on: [c]}
`, "d<-c"},
		{"an unrelated node in the layer", a + `
  - {id: other, bash: 'true'}
  - {id: b, prompt: y, depends_on: [a]}
  - {id: c, prompt: y, depends_on: [b]}
`, "c<-b"},
		{"a reference orders nodes and makes no layers", a + `
  - {id: b, prompt: 'y $a.output'}
  - {id: c, prompt: y, depends_on: [b]}
`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, list := compile(t, project(nil), nodes(test.yaml))
			if hasError(list) {
				t.Fatalf("findings: %q", findings(list))
			}
			var got []string
			for _, n := range p.Workflow.Body.All() {
				if prompt, ok := n.Action.(*ir.Prompt); ok && len(prompt.Continues) > 0 {
					got = append(got, n.ID+"<-"+strings.Join(prompt.Continues, ","))
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Thousands of nodes that may all be skipped do not make thousands of
// candidates of each.
func TestSessionsOfManyNodes(t *testing.T) {
	var yaml strings.Builder
	yaml.WriteString("  - {id: n0, prompt: x}\n")
	for i := 1; i < 3000; i++ {
		fmt.Fprintf(&yaml, "  - {id: n%d, prompt: x, depends_on: [n%d], trigger_rule: all_done}\n", i, i-1)
	}
	p, _ := compile(t, project(nil), nodes(yaml.String()))
	all := p.Workflow.Body.All()
	if got := all[len(all)-1].Action.(*ir.Prompt).Continues; len(got) > 20 || got[0] != "n2998" {
		t.Errorf("the last prompt goes on with %d: %s", len(got), got)
	}
}

// Cycles are reported and end nothing else.
func TestSessionsOfCircles(t *testing.T) {
	_, list := compile(t, project(nil), nodes("  - {id: a, prompt: x, depends_on: [b]}\n  - {id: b, prompt: x, depends_on: [a]}\n  - {id: c, prompt: x, depends_on: [b]}\n"))
	if got := findings(list); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "dependency-cycle") }) {
		t.Errorf("findings %q", got)
	}
}

// A node's word on keeping its conversation goes before the workflow's.
func TestPersist(t *testing.T) {
	tests := []struct {
		top, node      string
		persist, fresh bool
	}{
		{"", "", false, false},
		{"", "persist_session: true", true, false},
		{"persist_sessions: true", "", true, false},
		{"persist_sessions: true", "persist_session: false", false, false},
		{"persist_sessions: false", "persist_session: true", true, false},
		{"persist_sessions: true", "context: fresh", false, true},
		{"persist_sessions: true", "context: fresh, persist_session: true", true, false},
	}
	for _, test := range tests {
		p, list := lint(t, project(nil), test.top+"\n"+nodes("  - {id: z, prompt: x}\n  - {id: a, prompt: x, depends_on: [z], "+test.node+"}\n"))
		if len(list) > 0 {
			t.Fatalf("findings: %q", findings(list))
		}
		prompt := p.Workflow.Body.All()[1].Action.(*ir.Prompt)
		if prompt.Persist != test.persist || prompt.Agent.FreshSession != test.fresh {
			t.Errorf("%q, %q: persist %v, fresh %v", test.top, test.node, prompt.Persist, prompt.Agent.FreshSession)
		}
		if own := strings.Contains(test.node, "fresh"); own != (len(prompt.Continues) == 0) {
			t.Errorf("%q, %q: goes on with %q", test.top, test.node, prompt.Continues)
		}
	}
	p, _ := lint(t, project(nil), "persist_sessions: true\n"+nodes("  - {id: a, loop: {prompt: x D, until: D, max_iterations: 2}}\n"))
	if p.Workflow.Body.All()[0].Action.(*ir.Loop).Body.All()[0].Action.(*ir.Prompt).Persist {
		t.Error("a loop's conversation is kept")
	}
}

package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// constant is a template's text.
func constant(t *template.Template) string {
	text, _ := t.Constant()
	return text
}

// option is the JSON of an option, or "".
func option(options []ir.Option, name string) string {
	for _, o := range options {
		if o.Name == name {
			return o.JSON
		}
	}
	return ""
}

// A node's own settings go before the workflow's.
func TestAgentInheritance(t *testing.T) {
	p, list := lint(t, project(nil), "provider: claude\nmodel: m\neffort: low\nbetas: [b]\npersist_sessions: true\n"+nodes(`
  - {id: own, prompt: x, effort: high, persist_session: false}
  - {id: other, prompt: x, provider: codex}
  - {id: loop, loop: {prompt: x, until: D, max_iterations: 2}}
`))
	if len(list) > 0 {
		t.Fatalf("findings: %q", findings(list))
	}
	describe := func(a ir.Agent) string {
		var parts []string
		for _, o := range a.Options {
			parts = append(parts, o.Name+"="+o.JSON)
		}
		slices.Sort(parts)
		return a.Name + " " + a.Model + " " + strings.Join(parts, " ")
	}
	all := p.Workflow.Body.All()
	got := []string{
		describe(all[0].Action.(*ir.Prompt).Agent),
		describe(all[1].Action.(*ir.Prompt).Agent),
		describe(all[2].Action.(*ir.Loop).Body.All()[0].Action.(*ir.Prompt).Agent),
	}
	want := []string{
		`claude m betas=["b"] effort="high"`,
		`codex  betas=["b"]`,
		`claude m betas=["b"] effort="low"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A gate that a person has let through is not asked again when a run is resumed,
// whatever the node says.
func TestGatesAreNotRunAlways(t *testing.T) {
	for node, want := range map[string]bool{
		"approval: {message: m}": false,
		"loop: {prompt: x D, until: D, max_iterations: 2, interactive: true, gate_message: g}": false,
		"loop: {prompt: x D, until: D, max_iterations: 2}":                                     true,
		"bash: x": true,
	} {
		p, list := lint(t, project(nil), nodes("  - {id: a, "+node+", always_run: true}\n"))
		if got := p.Workflow.Body.All()[0].AlwaysRun; got != want || (len(list) == 0) != want {
			t.Errorf("%s: always run %v, findings %q", node, got, findings(list))
		}
	}
}

// Nodes that ask an agent retry transient failures by default; other nodes do not.
func TestDefaultRetry(t *testing.T) {
	p, _ := lint(t, &dialect.Env{Root: "/repo", Files: everything{}}, nodes(`  - {id: ask, prompt: x}
  - {id: told, prompt: x, retry: {max_attempts: 4, delay_ms: 1500, on_error: all}}
  - {id: file, command: ok-cmd}
  - {id: run, bash: x}
  - {id: stop, cancel: x}
`))
	if p == nil {
		t.Fatal("no program")
	}
	want := map[string]string{"ask": "2 3s false", "told": "4 1.5s true", "file": "2 3s false", "run": "", "stop": ""}
	for _, n := range p.Workflow.Body.All() {
		got := ""
		if r := n.Retry; r != nil {
			got = describeRetry(r.Max, r.Delay, r.All)
		}
		if got != want[n.ID] {
			t.Errorf("%s is tried again %q, want %q", n.ID, got, want[n.ID])
		}
	}
}

func describeRetry(most int, delay time.Duration, all bool) string {
	return fmt.Sprint(most, " ", delay, " ", all)
}

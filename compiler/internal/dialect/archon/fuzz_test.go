package archon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// For every file, compiling ends without a panic, every finding has a place inside
// a file, and an accepted file has a whole program.
func FuzzFrontend(f *testing.F) {
	for _, code := range codes.All() {
		for _, e := range codes.DocumentOf(code).Examples {
			f.Add(e.Bad)
			f.Add(e.Good)
		}
	}
	f.Add(nodes("  - &a {id: a, bash: x}\n  - *a\n  - {<<: *a, id: b}\n"))
	f.Add(nodes("  - {id: a, hooks: {Stop: [[], null]}, agents: {x: 5}, thinking: [], sandbox: {network: []}, retry: [], deps: {}, loop: , approval: 5}\n"))
	env := project(testkit.Memory{"commands/c.md": "x $a.output", "scripts/s.ts": "1", "m.json": "{}"})
	f.Fuzz(func(t *testing.T, yaml string) {
		p, list := lint(t, env, yaml)
		for _, d := range list {
			if d.Message == "" || d.Span.File == nil || d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(d.Span.File.Content) {
				t.Errorf("%s at %d-%d: %q", d.Code.Slug, d.Span.Start, d.Span.End, d.Message)
			}
		}
		if hasError(list) {
			return
		}
		if p == nil {
			t.Fatal("accepted without a program")
		}
		for _, n := range p.Workflow.Body.All() {
			if n.ID == "" || n.Action == nil || n.Output == nil {
				t.Errorf("accepted with the node %+v", n)
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	var yaml strings.Builder
	for i := range 30 {
		fmt.Fprintf(&yaml, "  - id: n%d\n    prompt: |\n      do something with $ARGUMENTS\n      and report\n    model: sonnet\n    effort: high\n", i)
		if i > 0 {
			fmt.Fprintf(&yaml, "    depends_on: [n%d]\n", i-1)
		}
	}
	text, env := nodes(yaml.String()), project(nil)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, list := lint(b, env, text); len(list) > 0 {
			b.Fatal(findings(list))
		}
	}
}

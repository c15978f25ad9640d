//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fullExample is the full example in the text of the requirement.
func fullExample(t *testing.T) string {
	t.Helper()
	names, _ := filepath.Glob("../../../shared/requirements/004*")
	if len(names) != 1 {
		t.Skip("the text of the requirement is not here")
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## Full Example")
	_, rest, ok := strings.Cut(rest, "```yaml\n")
	example, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the text has no full example")
	}
	return example
}

// The full example of the requirement runs end to end: the tests fail once, the
// review finds something once, the first approval is denied.
func TestFullExampleOfGraphs(t *testing.T) {
	text := fullExample(t)
	s := newSuite(t)
	s.add(t, text, nil)
	s.build(t)
	if out, code := check(t, text); code != 0 || strings.Contains(out, "error[") {
		t.Errorf("%d %s", code, out)
	}
	p := s.graphSite(t, text, map[string]any{
		"implement": []string{"[OUTPUT:done]"}, "review": []string{"P1: rename it", "No issues, lgtm", "P2: maybe"},
	})
	tools := t.TempDir()
	npm := "#!/bin/sh\nif ! test -e failed; then touch failed; echo 'error: 1 failed'; exit 1; fi\necho \"All files coverage: 87%\"\n"
	if err := os.WriteFile(filepath.Join(tools, "npm"), []byte(npm), 0o700); err != nil {
		t.Fatal(err)
	}
	p.Environ = append(p.Environ, "PATH="+tools+":"+os.Getenv("PATH"))
	r := p.run(3, "--max-iterations", "40")
	// The interrupts of the example, then its person.
	for n := 0; len(r.Questions) > 0 && n < 20; n++ {
		words := "yes"
		if strings.HasPrefix(r.Questions[0].Message, "Approve for deployment") && n < 4 {
			words = "no"
		}
		out, errs, code, err := p.Run(t.Context(), nil, "answer", "latest", words)
		if err != nil || code != 3 && code != 0 {
			t.Fatalf("%d %v %s%s", code, err, errs, out)
		}
		r = p.json(0, "status")
	}
	k := p.task("w")
	way := strings.Join(k.Executed, " ")
	if k.Status != "completed" || !*k.Success || string(k.State["test_coverage"]) != "87" {
		t.Errorf("%+v", k)
	}
	agree(t, "approaches", k.State["approaches_researched"], json.RawMessage(`["approach_a","approach_b"]`))
	begin := "research research_approach_a research_approach_b aggregate save_research write_tests implement run_tests implement run_tests review implement run_tests review"
	if !strings.HasPrefix(way, begin) || !strings.HasSuffix(way, "approval") || k.Outputs["approval"] != "yes" {
		t.Errorf("%s\n%+v", way, k.Outputs)
	}
	p.call(0, "graph", "--format", "mermaid")
	p.says("flowchart TD", "any(P2, clean)")
	p.call(2, "graph", "--layers")
	p.says("--layers is for workflows whose nodes depend on each other")
	p.call(0, "info")
	p.says("limits", "20 nodes, 60 minutes, $10.00", filepath.Join(p.Work, ".graph-loop", "w"), "outputs      approval")
	p.call(0, "status")
	p.says("at END: ", " of 40 nodes")
}

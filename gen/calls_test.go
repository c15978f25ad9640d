package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// caller compiles a workflow without actions that runs one with the nodes.
func caller(nodes string) *ir.Program {
	return compile("caller.yaml", "name: caller\ndescription: d\nnodes:\n  - {id: a, workflow: middle}\n", testkit.Memory{
		"/project/.archon/workflows/middle.yaml": "name: middle\ndescription: d\nnodes:\n  - {id: b, workflow: called}\n",
		"/project/.archon/workflows/called.yaml": "name: called\ndescription: d\nnodes:\n" + nodes,
	})
}

// A program has what the workflows need that its own one runs.
func TestProgramsHaveTheNeedsOfCallees(t *testing.T) {
	defaults := settings.Project{
		Agents:      settings.Agents{{Name: "pi", Kind: "openai", BaseURL: "http://localhost"}, {Name: "other", Kind: "google"}},
		OnInterrupt: settings.Interrupts{Kinds: map[string]settings.Policy{"bash": settings.InterruptAsk, "script": settings.InterruptAsk}},
	}
	p := caller("  - {id: ask, prompt: hi, provider: pi, output_format: {type: object, properties: {a: {type: string}}, required: [a]}}\n  - {id: run, bash: echo}\n")
	for _, opt := range []gen.Options{{Main: true, Defaults: defaults}, {Engine: true, Defaults: defaults}} {
		code := squeeze(string(gen.Generate(p, opt)[1].Content))
		for _, want := range []string{"&shell.Performer{}", "openai.Kind()", "structured.Check", `Name: "pi"`, `"bash": "ask"`} {
			if !strings.Contains(code, want) {
				t.Errorf("the program has no %s:\n%s", want, code)
			}
		}
		for _, not := range []string{"google", "script"} {
			if strings.Contains(code, not) {
				t.Errorf("the program has %s:\n%s", not, code)
			}
		}
	}
}

// A change of a workflow changes the fingerprint of those that run it, and its file is a
// resource of theirs.
func TestCalleesAreParts(t *testing.T) {
	a, b, same := caller("  - {id: run, bash: echo}\n"), caller("  - {id: run, bash: echo x}\n"), caller("  # a comment\n  - {id: run, bash: echo}\n")
	if a.Fingerprint() == b.Fingerprint() {
		t.Error("another script has the same fingerprint")
	}
	if a.Fingerprint() != same.Fingerprint() {
		t.Error("a comment changes the fingerprint")
	}
	var names []string
	for _, f := range a.Resources {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != ".archon/workflows/middle.yaml .archon/workflows/called.yaml" {
		t.Errorf("the resources are %s", got)
	}
}

// Packages have names that mean nothing else in generated code.
func TestNamesOfCallees(t *testing.T) {
	files := testkit.Memory{}
	var nodes strings.Builder
	for i, name := range []string{"flow", "value", "string", "internal", "Re-View", "re view", "caller", "2fa", "go", "ünï"} {
		id := string(rune('a' + i))
		files["/project/.archon/workflows/"+id+".yaml"] = "name: " + name + "\ndescription: d\nmutates_checkout: false\nnodes:\n  - {id: " + id + ", bash: echo}\n"
		if name != "caller" {
			nodes.WriteString("  - {id: " + id + ", workflow: " + name + "}\n")
		}
	}
	delete(files, "/project/.archon/workflows/g.yaml")
	var got []string
	for _, f := range gen.Generate(compile("caller.yaml", "name: caller\ndescription: d\nnodes:\n"+nodes.String(), files), gen.Options{}) {
		got = append(got, f.Name)
	}
	want := "caller.go wfflow/wfflow.go wfvalue/wfvalue.go wfstring/wfstring.go wfinternal/wfinternal.go review/review.go review2/review2.go wf2fa/wf2fa.go wfgo/wfgo.go n/n.go"
	if strings.Join(got, " ") != want {
		t.Errorf("the files are %s", got)
	}
}

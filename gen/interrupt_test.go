package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A program takes the policies of its own nodes and kinds along, in one order.
func TestMainFileTakesInterruptPolicies(t *testing.T) {
	p := workflow("policies", `nodes:
  - {id: deploy, bash: "true"}
  - {id: pay, bash: "true"}
  - {id: fix, loop: {prompt: x DONE, until: DONE, max_iterations: 1, until_bash: "true"}}
`)
	for _, tt := range []struct {
		name string
		o    settings.Interrupts
		want string
	}{
		{"none", settings.Interrupts{}, ""},
		{"of others", settings.Interrupts{Kinds: map[string]settings.Policy{"script": "fail"}, Nodes: map[string]settings.Policy{"other": "ask"}}, ""},
		{"default", settings.Interrupts{Default: "ask"}, `OnInterrupt: settings.Interrupts{Default: "ask"},`},
		{"all", settings.Interrupts{
			Default: "rerun", Kinds: map[string]settings.Policy{"loop": "ask", "bash": "fail", "script": "ask"},
			Nodes: map[string]settings.Policy{"pay": "fail", "other": "ask", "deploy": "ask"},
		}, `OnInterrupt: settings.Interrupts{Default: "rerun", Kinds: map[string]settings.Policy{"bash": "fail", "loop": "ask"}, Nodes: map[string]settings.Policy{"deploy": "ask", "pay": "fail"}},`},
	} {
		files := gen.Generate(p, gen.Options{Main: true, Defaults: settings.Project{OnInterrupt: tt.o}})
		code := squeeze(string(files[1].Content))
		if !strings.Contains(code, squeeze(tt.want)) || tt.want == "" && strings.Contains(code, "OnInterrupt") {
			t.Errorf("%s: main.go has no %s:\n%s", tt.name, tt.want, files[1].Content)
		}
	}
}

package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

// Programs take along the project's agents: those that their workflow names and
// those that these use, with all that is said of them.
func TestAgentsOfTheProject(t *testing.T) {
	opt := gen.Options{Main: true, Defaults: gen.Defaults{Agents: []gen.Agent{
		{Name: "claude", Kind: "use", Argument: "careful", Model: "m", SystemPrompt: "be\nbrief"},
		{Name: "local", Kind: "command", Argument: "./my ask", Args: []string{}},
		{Name: "other", Kind: "use", Argument: "local"},
		{Name: "careful", Kind: "use", Argument: "local"},
		{Name: "unused", Kind: "command", Argument: "x"},
	}}}
	for _, s := range samples {
		if s.name != "triage" {
			continue
		}
		files := gen.Generate(s.make(), opt)
		code := strings.Join(strings.Fields(string(files[1].Content)), " ")
		want := `Agents: []engine.AgentChoice{ {Name: "claude", Kind: "use", Argument: "careful", Model: "m", SystemPrompt: "be\nbrief"}, ` +
			`{Name: "local", Kind: "command", Argument: "./my ask", Args: []string{}}, {Name: "careful", Kind: "use", Argument: "local"}, }`
		if !strings.Contains(code, want) {
			t.Errorf("main.go has no %s:\n%s", want, files[1].Content)
		}
		return
	}
	t.Fatal("there is no such sample")
}

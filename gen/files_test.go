package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The definition says where on a cluster a workflow can run.
func TestFilesAndTags(t *testing.T) {
	project := settings.Project{Agents: settings.Agents{
		{Name: "codex", Kind: "openai", Tags: []string{"trusted"}},
	}}
	for _, tt := range []struct{ name, nodes, want, not string }{
		{"bash", "{id: a, bash: 'true'}", "", "NoFiles"},
		{"service", "{id: a, prompt: hi, provider: codex}", "NoFiles: true,", "SessionNode"},
		{"program", "{id: a, prompt: hi, provider: claude}", "", "NoFiles"},
		{"gate", "{id: a, approval: {message: ok}}", "NoFiles: true,", ""},
		{"tags of the agent", "{id: a, prompt: hi, provider: codex}", `Tags: []string{"trusted"}`, ""},
		{"loop", "{id: a, provider: codex, loop: {prompt: hi, until: DONE, max_iterations: 3}}", `SessionNode: "a",`, ""},
		{"fresh loop", "{id: a, provider: codex, loop: {prompt: hi, until: DONE, max_iterations: 3, fresh_context: true}}", "", "SessionNode"},
	} {
		p := workflow("w", "nodes:\n  - "+tt.nodes+"\n")
		code := squeeze(string(gen.Generate(p, gen.Options{Defaults: project})[0].Content))
		if !strings.Contains(code, squeeze(tt.want)) || tt.not != "" && strings.Contains(code, tt.not) {
			t.Errorf("%s: the code lacks %q or has %q:\n%s", tt.name, tt.want, tt.not, code)
		}
	}
}

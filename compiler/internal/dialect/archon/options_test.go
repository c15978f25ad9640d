package archon_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// Options that only some agents take: by the newer rules, a sandbox that an agent would
// not have is an error.
func TestOptionsByRules(t *testing.T) {
	const sandbox, betas, sources, plugins = "sandbox: {enabled: true}", "betas: [b]", "settingSources: [user]", "plugins: [./p]"
	refused, warned := []string{"error unsupported-option sandbox"}, []string{"warning unsupported-option sandbox"}
	for _, test := range []struct {
		version, top, node string
		want               []string
	}{
		{"", "", "provider: codex, " + sandbox, warned},
		{"0.9", "", "provider: codex, " + sandbox, refused},
		{"0.9", "", "provider: opencode, " + sandbox, refused},
		{"0.9", "", "provider: plain, " + sandbox, refused},
		{"0.9", "", sandbox, nil},
		{"0.9", "", "provider: own, " + sandbox, nil},
		{"0.9", "", "provider: service, " + sandbox, warned},
		{"0.9", "", "provider: codex, sandbox: {enabled: false}", warned},
		{"0.9", sandbox, "provider: codex", refused},
		{"0.9", sandbox, "provider: codex, sandbox: {enabled: false}", warned},
		{"", sandbox, "provider: codex", nil},
		{"0.9", "provider: codex\n" + sandbox, "", refused},
		{"", "", "provider: codex, " + betas, nil},
		{"0.9", "", "provider: codex, " + betas, []string{"warning unsupported-option betas"}},
		{"0.9", "", betas + ", " + sources + ", " + plugins, nil},
		{"0.9", "", "provider: codex, " + sources, []string{"warning unsupported-option settingSources"}},
		{"0.9", "", "provider: pi, " + plugins, []string{"warning unsupported-option plugins"}},
	} {
		t.Run(test.version+"|"+test.top+"|"+test.node, func(t *testing.T) {
			env := project(nil)
			env.Settings.ArchonVersion = test.version
			env.Settings.Agents = []settings.Agent{
				{Name: "own", Kind: settings.KindCommand}, {Name: "service", Kind: "anthropic", Use: "anthropic"},
				{Name: "plain", Kind: "claude", Use: "claude", Options: []string{"effort"}},
			}
			_, list := lint(t, env, test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
			if got := findings(list); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

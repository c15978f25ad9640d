package settings_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestSandboxOf(t *testing.T) {
	type modes = map[string]settings.SandboxMode
	type grants = map[string][]string
	s := settings.Sandbox{
		Default: "report", Agents: modes{"claude": "off", "same": ""}, Kinds: modes{"bash": "on", "prompt": "on"}, Nodes: modes{"fix": "off", "fix.test": "on", "fix.a.b": "report"},
		Grants: settings.Grants{Default: []string{"go"}, Agents: grants{"claude": {"github", "go"}}, Kinds: grants{"bash": {"npm"}}, Nodes: grants{"fix": {"own"}, "fix.test": {"npm"}}},
	}
	for _, tt := range []struct {
		kind, agent, node string
		mode              settings.SandboxMode
		grants            []string
	}{
		{"script", "", "build", "report", []string{"go"}},
		{"bash", "", "build", "on", []string{"npm", "go"}},
		{"prompt", "claude", "build", "off", []string{"github", "go"}},
		{"prompt", "same", "", "on", []string{"go"}},
		{"prompt", "claude", "fix.test", "on", []string{"npm", "own", "github", "go"}},
		{"bash", "", "fix", "off", []string{"own", "npm", "go"}},
		{"bash", "", "fix.other", "off", []string{"own", "npm", "go"}},
		{"bash", "", "fix.a.b", "report", []string{"own", "npm", "go"}},
		{"bash", "", "fixes", "on", []string{"npm", "go"}},
	} {
		mode, names := s.Of(tt.kind, tt.agent, tt.node)
		if mode != tt.mode || !slices.Equal(names, tt.grants) {
			t.Errorf("%s %s %s: %s %q, want %s %q", tt.kind, tt.agent, tt.node, mode, names, tt.mode, tt.grants)
		}
	}
	none := settings.Sandbox{Agents: modes{"a": "off"}, Default: "off"}
	if mode, names := none.Of("bash", "", "x"); mode != settings.SandboxOff || len(names) > 0 || none.Wanted() {
		t.Error(mode, names)
	}
	if (&settings.Sandbox{Nodes: modes{"a": "report"}}).Wanted() != true || (&settings.Sandbox{}).Wanted() {
		t.Error("Wanted")
	}
	// The settings of a caller override those of a project, also by off.
	all := settings.Project{Sandbox: s}.With(settings.Project{Sandbox: settings.Sandbox{Default: "off", Nodes: modes{"build": "on"}}}).Sandbox
	if mode, _ := all.Of("script", "", "x"); mode != "off" {
		t.Error(mode)
	}
	if mode, _ := all.Of("script", "", "build"); mode != "on" || len(s.Nodes) != 3 {
		t.Error(mode, s.Nodes)
	}
}

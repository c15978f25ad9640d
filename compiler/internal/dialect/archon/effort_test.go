package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The effort of a prompt is that of the node, then of the workflow, then of the tier or
// alias that its model is.
func TestEffortOfTiers(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{{Name: "own", Kind: settings.KindCommand}, {Name: "plain", Kind: "claude", Use: "claude", Options: []string{"mcp"}}}
	env.Settings.Models = []settings.Model{
		{Name: "small", Agent: "claude", Model: "mini", Effort: "low"}, {Name: "large", Agent: "codex", Model: "big", Effort: "max"},
		{Name: "@mine", Agent: "own", Model: "m", Effort: "ultra"}, {Name: "@pi", Agent: "opencode", Model: "m", Effort: "high"},
		{Name: "@plain", Agent: "plain", Model: "m", Effort: "high"}, {Name: "bare", Model: "m"},
	}
	const none = "warning unsupported-option "
	for _, test := range []struct{ top, node, want string }{
		{"", "model: small", `claude/mini effort "low"`},
		{"", "model: bare", `claude/m`},
		{"", "model: large", `codex/big modelReasoningEffort "xhigh" note lowered-effort large`},
		{"", "model: '@mine'", `own/m effort "ultra"`},
		{"", "model: '@pi'", `opencode/m ` + none + "'@pi'"},
		{"", "model: '@plain'", `plain/m ` + none + "'@plain'"},
		{"", "model: small, effort: high", `claude/mini effort "high"`},
		{"effort: high", "model: small", `claude/mini effort "high"`},
		{"effort: high", "model: small, effort: max", `claude/mini effort "max"`},
		{"model: small", "", `claude/mini effort "low"`},
		{"model: small", "model: other", `claude/other`},
		{"model: small", "provider: codex", `codex/`},
		{"model: large", "", `codex/big modelReasoningEffort "xhigh" note lowered-effort large`},
		{"model: large", "provider: claude", `claude/`},
		{"modelReasoningEffort: low", "model: large", `codex/big modelReasoningEffort "low"`},
	} {
		t.Run(test.top+"|"+test.node, func(t *testing.T) {
			p, list := lint(t, env, test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
			agent := p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent
			got := []string{agent.Name + "/" + agent.Model}
			for _, o := range agent.Options {
				got = append(got, o.Name, o.JSON)
			}
			if got := strings.Join(append(got, findings(list)...), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

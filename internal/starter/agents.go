package starter

import (
	"cmp"
	"fmt"
	"os/exec"
	"strconv"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
)

// The agent of a project.
//
// The files of templates name the agent claude and limit its cost. For another agent,
// wfc.yaml names that one, and has a limit that its program can keep: codex reports
// tokens but not the cost, and programs with the Agent Client Protocol may report neither.

// AgentNames returns the agents that `wfc init` can choose: those that are programs.
// Services need a model and a price, which nobody can choose for a user.
func AgentNames() []string {
	var names []string
	for _, a := range catalog.Agents() {
		if kind, ok := catalog.KindNamed(a.Kind); ok && kind.StartsProgram() && a.Name != "self" {
			names = append(names, a.Name)
		}
	}
	return names
}

// InstalledAgent returns the first agent whose program is on PATH.
func InstalledAgent() (name string, found bool) {
	for _, name := range AgentNames() {
		a, _ := catalog.AgentNamed(name)
		kind, _ := catalog.KindNamed(a.Kind)
		if _, err := exec.LookPath(cmp.Or(a.Program, kind.Program)); err == nil {
			return name, true
		}
	}
	return AgentNames()[0], false
}

var (
	usesClaude  = lazyregexp.New(`\{use: claude\b`)
	limitsCosts = lazyregexp.New(`(?m)^limits: \{cost_usd: (\d+)\}.*$`)
)

// tokensPerDollar is the limit of tokens in place of a limit of one US dollar: about the
// tokens that a mid-sized model reads for it.
const tokensPerDollar = 300_000

// configured returns the wfc.yaml of a template for an agent.
func configured(text []byte, agent string) []byte {
	a, _ := catalog.AgentNamed(agent)
	kind, _ := catalog.KindNamed(a.Kind)
	text = usesClaude.ReplaceAll(text, []byte("{use: "+agent))
	switch {
	case kind.Cost == catalog.Always:
		return text
	case kind.Tokens == catalog.Always:
		dollars := 1
		if m := limitsCosts.FindSubmatch(text); m != nil {
			dollars, _ = strconv.Atoi(string(m[1])) // the pattern matches digits
		}
		return limitsCosts.ReplaceAll(text, fmt.Appendf(nil, "limits: {tokens: %d} # a run stops when its agents have read and written this many tokens", dollars*tokensPerDollar))
	}
	return limitsCosts.ReplaceAll(text, fmt.Appendf(nil, "# No limits: %s may not report the tokens that it uses.", agent))
}

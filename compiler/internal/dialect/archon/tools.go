package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
)

// settleTools reports tools that the agent does not have, as far as the catalog lists its
// tools. The agent itself ignores such a name silently.
func settleTools(d *decoder, v value, agent string) (string, bool) {
	kind, _ := d.env.Kind(agent)
	for _, item := range v.Node.Items {
		// A rule such as Bash(git:*) is about the tool Bash. Only a run knows the tools of MCP
		// servers.
		name, _, _ := strings.Cut(item.Value, "(")
		name = strings.TrimSpace(name)
		if kind.Tools == nil || name == "" || strings.HasPrefix(name, "mcp__") || slices.Contains(kind.Tools, name) {
			continue
		}
		text := item.Text()
		start := strings.Index(text.Value, name)
		d.Bag.Add(finding.UnknownTool(text.Span(start, start+len(name)), name, agent, kind.Tools))
	}
	return v.Node.JSON(), true
}

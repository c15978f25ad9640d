package archon

import "github.com/wfc-lang/wfc/internal/finding"

// buildCall makes a node that runs another workflow. It reports whether that is possible.
func (d *decoder) buildCall(n *nodeDecl, at value) bool {
	d.Bag.Add(finding.NewerNodeType(at.Key.Span, at.Path, modeSince[at.Path]))
	return false
}

package archon

import "github.com/wfc-lang/wfc/internal/finding"

// buildInclude makes an include: the nodes of another workflow in the place of one. It reports whether that is possible.
func (d *decoder) buildInclude(n *nodeDecl, at value) bool {
	d.Bag.Add(finding.NewerNodeType(at.Key.Span, at.Path, modeSince[at.Path]))
	return false
}

package archon

import "github.com/wfc-lang/wfc/internal/finding"

// buildGroup makes a loop_group: a loop whose body is nodes. It reports whether that is possible.
func (d *decoder) buildGroup(n *nodeDecl, at value) bool {
	d.Bag.Add(finding.NewerNodeType(at.Key.Span, at.Path, modeSince[at.Path]))
	return false
}

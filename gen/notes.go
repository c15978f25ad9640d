package gen

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
)

// noteUnread notes that a function reads outputs only because it must fail without them.
func (f actionWriter) noteUnread(values []expr.Expr) {
	var unread []string
	note := func(e expr.Expr, node string, path []string) {
		if ref := "`" + cleanLine(referenceText(e, node, path)) + "`"; f.g.mayFail(e) && !slices.Contains(unread, ref) {
			unread = append(unread, ref)
		}
	}
	for _, e := range values {
		expr.Walk(e, func(e expr.Expr) bool {
			switch e := e.(type) {
			case *expr.Output:
				note(e, e.Node, nil)
			case *expr.Field:
				note(e, e.Node, e.Path)
			}
			return true
		})
	}
	if len(unread) > 0 {
		f.addNote("As in archon, it fails if " + strings.Join(unread, " or ") + ", which `with` mentions, cannot be read, although it does not use the value.")
	}
}

package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnknownSession reports a session of an unknown node; near is a node with a similar id, or "".
func UnknownSession(at source.Span, node, near string) *diag.Diagnostic {
	d := report("WFC215", at, fmt.Sprintf("unknown node `%s` in `context`", node))
	if near != "" {
		return d.WithFix("replace with `"+near+"`", at, near, true)
	}
	return d.WithHelp("name an earlier node whose session the prompt continues")
}

// InvalidSession reports a session that a prompt cannot continue. problem is a clause, and
// source the node that has the session, if any.
func InvalidSession(at source.Span, problem, help string, source source.Span) *diag.Diagnostic {
	d := report("WFC215", at, problem).WithHelp(help)
	if source.IsValid() {
		d.WithRelated(source, "the node is here")
	}
	return d
}

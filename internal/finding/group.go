package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NotOnGroup reports a key that a loop_group cannot have.
func NotOnGroup(at source.Span, key string) *diag.Diagnostic {
	return report("WFC219", at, fmt.Sprintf("`loop_group` nodes cannot have `%s`", key)).
		WithHelp(fmt.Sprintf("write `%s` on the nodes inside", key))
}

// NotInGroup reports a node type that the body of a loop_group cannot have.
func NotInGroup(at source.Span, mode, group string) *diag.Diagnostic {
	return report("WFC219", at, fmt.Sprintf("`%s` nodes cannot be inside the loop_group `%s`", mode, group)).
		WithHelp("put the node before or after the `loop_group`")
}

// WaitInGroup reports a wait at a place of a body where it cannot be; why is a whole
// clause.
func WaitInGroup(at source.Span, group, why string) *diag.Diagnostic {
	return report("WFC219", at, fmt.Sprintf("this `wait` cannot be inside the loop_group `%s`: %s", group, why)).
		WithHelp("let all other nodes of the group come before the `wait`, in a group that is in no other one")
}

// PreviousOutsideGroup reports a reference to an output of the previous iteration in a
// string that belongs to no loop_group.
func PreviousOutsideGroup(at source.Span, ref string) *diag.Diagnostic {
	return report("WFC219", at, fmt.Sprintf("`%s` has a value only in the nodes of a loop_group", ref)).
		WithHelp("read the output of the `loop_group` node itself")
}

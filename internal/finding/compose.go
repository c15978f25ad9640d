package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// Workflows that use others.

// UnknownWorkflow reports the name of a workflow that no file declares; near is the name
// that is probably meant, or "".
func UnknownWorkflow(at source.Span, name, near string) *diag.Diagnostic {
	d := report("WFC380", at, fmt.Sprintf("unknown workflow `%s`", name))
	if offerNear(d, at, near) {
		return d
	}
	return d.WithHelp("write the `name:` of a workflow beside this file, in `.archon/workflows` or in that folder of your home folder")
}

// AmbiguousInclude reports the name of a workflow that several files declare.
func AmbiguousInclude(at source.Span, name string, files []string) *diag.Diagnostic {
	return report("WFC381", at, fmt.Sprintf("several workflows have the name `%s`: %s", name, quoteAll(files))).
		WithHelp("rename all but one of them")
}

// IncludeCircle reports workflow files that include each other; the first is the last,
// too.
func IncludeCircle(at source.Span, files []string) *diag.Diagnostic {
	if len(files) == 2 {
		return report("WFC382", at, "the workflow includes itself").WithHelp("remove this node, or repeat the nodes with `loop_group`")
	}
	return report("WFC382", at, "workflows include each other: "+strings.Join(files, " → ")).
		WithHelp("remove one of the includes")
}

// DeepInclude reports an include, the last of too many, at the first of them.
func DeepInclude(at source.Span, name string, most int, last source.Span) *diag.Diagnostic {
	return report("WFC383", at, fmt.Sprintf("include of `%s` is too deep: the limit is %d levels", name, most)).
		WithRelated(last, "this include is one too many").
		WithHelp("move the include of `" + name + "` nearer to this file")
}

// FaultyWorkflow reports the use of a workflow with errors; first is the first of them.
func FaultyWorkflow(at source.Span, name string, first *diag.Diagnostic) *diag.Diagnostic {
	if first.Code.ID == "WFC382" {
		return report("WFC382", at, first.Message).WithRelated(first.Span, "this include closes the circle").WithHelp("remove one of the includes")
	}
	d := report("WFC384", at, fmt.Sprintf("workflow `%s` has errors", name)).WithRelated(first.Span, first.Message)
	if first.Code == d.Code {
		d.Related = append(d.Related, first.Related...) // the cause
	}
	return d.WithHelp("correct the errors in the file of that workflow")
}

// UnknownArgument reports a value for an input that a workflow does not declare.
func UnknownArgument(at source.Span, workflow, name string, known []string) *diag.Diagnostic {
	d := report("WFC385", at, fmt.Sprintf("workflow `%s` has no input `%s`", workflow, name))
	if offer(d, at, name, known) {
		return d
	}
	if len(known) == 0 {
		return d.WithHelp("remove the value: the workflow declares no inputs")
	}
	known = slices.Sorted(slices.Values(known))
	return d.WithHelp("use one of " + quoteAll(known))
}

// MissingArgument reports an input of a workflow that gets no value; where is a place that
// needs it, and why says so in words.
func MissingArgument(at source.Span, workflow, name string, where source.Span, why string) *diag.Diagnostic {
	return report("WFC386", at, fmt.Sprintf("missing value for input `%s` of workflow `%s`", name, workflow)).
		WithRelated(where, why).
		WithHelp("add `" + name + "` under `with:`")
}

// ArgumentType reports a value that is not of the type of an input; want names the type.
func ArgumentType(at source.Span, workflow, name, want string, declared source.Span) *diag.Diagnostic {
	return report("WFC387", at, fmt.Sprintf("input `%s` of workflow `%s` must be %s", name, workflow, want)).
		WithRelated(declared, "its default decides the type")
}

// IncludeKey reports a key that an include cannot have.
func IncludeKey(at source.Span, key string) *diag.Diagnostic {
	return report("WFC388", at, fmt.Sprintf("`%s` is invalid on an `include` node", key)).
		WithHelp("remove it, or use a `workflow` node for a separate run")
}

// DroppedByInclude reports settings of an included workflow that count only for its own
// runs. Only whether its runs may share a checkout changes nothing in the block.
func DroppedByInclude(at source.Span, workflow string, keys []string) *diag.Diagnostic {
	d := report("WFC121", at, fmt.Sprintf("keys of workflow `%s` for its own runs are ignored: %s", workflow, quoteAll(keys))).
		WithHelp("set them in this file if its runs need them")
	if slices.Equal(keys, []string{"mutates_checkout"}) {
		d.Severity = diag.Note
	}
	return d
}

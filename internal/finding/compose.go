package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Workflows that use others.

// UnknownWorkflow reports the name of a workflow that no file declares; known are the names
// of the workflows that the node can use.
func UnknownWorkflow(at source.Span, name string, known []string) *diag.Diagnostic {
	d := codes.UnknownWorkflow.New(at, fmt.Sprintf("unknown workflow `%s`", name))
	if strings.HasPrefix(name, "archon-") && plain.Nearest(name, known) == "" {
		d.Shared = true
		return d.WithHelp("copy Archon's own workflows, `.archon/workflows/defaults` in its repository, to that folder of the project: wfc does not include them")
	}
	help := fmt.Sprintf("create a workflow file with `name: %s` in `.archon/workflows`", name)
	if strings.Contains(name, ":") {
		help = "add the pack that offers it with `wfc add`; `wfc add --list` shows the packs of this project"
	}
	return offerOr(d, at, name, known, help)
}

// LooseWorkflowName reports the name of a workflow that its file writes in another way.
func LooseWorkflowName(at source.Span, name, written, file string) *diag.Diagnostic {
	return codes.UnknownWorkflow.New(at, fmt.Sprintf("workflow `%s` has the name `%s` in `%s`", name, written, file)).
		WithFix("replace with `"+written+"`", at, written)
}

// AmbiguousWorkflow reports the name of a workflow that several files declare, or whose
// ends they declare. offered are the names under which packs offer these files.
func AmbiguousWorkflow(at source.Span, name string, files, offered []string) *diag.Diagnostic {
	d := codes.AmbiguousName.New(at, fmt.Sprintf("several workflows match the name `%s`: %s", name, quoteAll(files)))
	if len(offered) > 0 {
		return d.WithHelp("name the pack, too: " + quoteAll(offered))
	}
	return d.WithHelp("write the exact name, and rename all but one of the workflows with that name")
}

// WorkflowCycle reports workflow files that use each other; the first is the last, too.
func WorkflowCycle(at source.Span, name string, files []string) *diag.Diagnostic {
	if len(files) == 2 {
		return codes.Recursion.New(at, fmt.Sprintf("workflow `%s` uses itself", name)).
			WithHelp("remove this node, or repeat the nodes with `loop_group`")
	}
	return codes.Recursion.New(at, fmt.Sprintf("workflow `%s` uses itself: `%s`", name, strings.Join(files, "` → `"))).
		WithHelp("remove one of the `include` or `workflow` nodes of the cycle")
}

// FaultyWorkflow reports the use of a workflow with errors; first is the first of them, or
// nil if it is unknown.
func FaultyWorkflow(at source.Span, name string, first *diag.Diagnostic) *diag.Diagnostic {
	d := codes.FaultyWorkflow.New(at, fmt.Sprintf("workflow `%s` has errors", name))
	switch {
	case first == nil:
		return d.WithHelp("correct the errors in the file of that workflow")
	case first.Code == codes.Recursion:
		return codes.Recursion.New(at, first.Message).WithRelated(first.Span, "this node closes the cycle").WithHelp("remove one of the `include` or `workflow` nodes of the cycle")
	}
	d.WithRelated(first.Span, first.Message)
	if first.Code == d.Code {
		d.Related = append(d.Related, first.Related...) // the cause
	}
	return d.WithHelp(fmt.Sprintf("correct the errors in `%s`", first.Span.File.Name))
}

// UnknownArgument reports a value for an input that a workflow does not declare.
func UnknownArgument(at source.Span, workflow, name string, known []string) *diag.Diagnostic {
	d := codes.WrongArgument.New(at, fmt.Sprintf("workflow `%s` has no input `%s`", workflow, name))
	if offerNearestName(d, at, name, known) {
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
	return codes.WrongArgument.New(at, fmt.Sprintf("missing value for input `%s` of workflow `%s`", name, workflow)).
		WithRelated(where, why).
		WithHelp("add `" + name + "` under `with:`")
}

// ArgumentType reports a value that is not of the type of an input. want and got describe
// the types, and declared is the input.
func ArgumentType(at source.Span, workflow, name, want, got string, declared source.Span) *diag.Diagnostic {
	return codes.WrongArgument.New(at, fmt.Sprintf("input `%s` of workflow `%s` must be %s, got %s", name, workflow, want, got)).
		WithRelated(declared, "its default decides the type").
		WithHelp("write " + want + ", or change the default of the input")
}

// CompositionKey reports a key, or its value, that an `include` or `workflow` node, or
// another kind of node, cannot have; why is a whole clause.
func CompositionKey(at source.Span, why, help string) *diag.Diagnostic {
	return codes.UnsuitableKey.New(at, why).WithHelp(help)
}

// InnerReference reports a reference inside a list or a mapping of `with`, which stays as
// it is.
func InnerReference(at source.Span, path string) *diag.Diagnostic {
	return codes.LiteralReference.New(at, fmt.Sprintf("references inside the list or mapping of `%s` are not replaced", path)).
		WithHelp("pass the output as a separate input: `name: $node.output`")
}

// DroppedByInclude reports settings of an included workflow that count only for its own
// runs. Only whether its runs may share a checkout changes nothing in the block.
func DroppedByInclude(at source.Span, workflow string, keys []string) *diag.Diagnostic {
	d := codes.NoEffect.New(at, fmt.Sprintf("keys of workflow `%s` for its own runs are ignored: %s", workflow, quoteAll(keys))).
		WithHelp("set them in this file if its runs need them")
	if slices.Equal(keys, []string{"mutates_checkout"}) {
		d.Severity = diag.Note
	}
	return d
}

// Child runs.

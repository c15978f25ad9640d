package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// WorkflowNotFound reports a node that runs a workflow without a file; known are the names
// of the workflows that it could run.
func WorkflowNotFound(at source.Span, name string, known []string) *diag.Diagnostic {
	d := report("WFC390", at, fmt.Sprintf("unknown workflow `%s`", name))
	offerNear(d, at, Nearest(name, known))
	return d.WithHelp(fmt.Sprintf("create a workflow file with `name: %s` in `.archon/workflows`", name))
}

// LooseWorkflowName reports the name of a workflow that its file writes in another way.
func LooseWorkflowName(at source.Span, name, written, file string) *diag.Diagnostic {
	return report("WFC390", at, fmt.Sprintf("workflow `%s` has the name `%s` in `%s`", name, written, file)).
		WithFix("replace with `"+written+"`", at, written, false)
}

// AmbiguousWorkflow reports the name of a workflow that several files declare.
func AmbiguousWorkflow(at source.Span, name string, files []string) *diag.Diagnostic {
	return report("WFC391", at, fmt.Sprintf("workflow `%s` has several files: %s", name, quoteAll(files))).
		WithHelp("change the `name` of one of them")
}

// BrokenWorkflow reports the use of a workflow that has errors, of which fault is the
// first.
func BrokenWorkflow(at source.Span, name string, fault *diag.Diagnostic) *diag.Diagnostic {
	d := report("WFC391", at, fmt.Sprintf("workflow `%s` has errors", name))
	if fault == nil {
		return d.WithHelp("correct its file")
	}
	return d.WithRelated(fault.Span, fault.Message).WithHelp(fmt.Sprintf("correct `%s`", fault.Span.File.Name))
}

// WorkflowCircle reports a workflow that runs itself, through the workflows of the files.
func WorkflowCircle(at source.Span, name string, files []string) *diag.Diagnostic {
	message := fmt.Sprintf("workflow `%s` runs itself", name)
	if len(files) > 2 {
		message += ": `" + strings.Join(files, "` → `") + "`"
	}
	return report("WFC391", at, message).WithHelp("remove one of the `workflow` nodes of the circle")
}

// MissingInput reports a workflow node that does not set a required input.
func MissingInput(at source.Span, workflow, input string, declared source.Span) *diag.Diagnostic {
	return report("WFC392", at, fmt.Sprintf("workflow `%s` needs the input `%s`", workflow, input)).
		WithRelated(declared, fmt.Sprintf("`%s` is required here", input)).
		WithHelp(fmt.Sprintf("add `%s` to `with`", input))
}

// WrongInput reports a value that does not have the type of the input for which it is.
func WrongInput(at source.Span, workflow, input, want, got string, declared source.Span) *diag.Diagnostic {
	return report("WFC392", at, fmt.Sprintf("input `%s` of workflow `%s` is %s, not %s", input, workflow, aType(want), aType(got))).
		WithRelated(declared, "its default decides the type").
		WithHelp("write a value of the type " + want)
}

// aType is the name of a type with its article.
func aType(name string) string {
	if name == "null" {
		return name
	}
	if slices.Contains([]string{"a", "e", "i", "o"}, name[:1]) {
		return "an " + name
	}
	return "a " + name
}

// CallKey reports a key, or its value, that a workflow node cannot have; why is a whole
// clause.
func CallKey(at source.Span, why, help string) *diag.Diagnostic {
	return report("WFC393", at, why).WithHelp(help)
}

// InnerReference reports a reference inside a list or a mapping of `with`, which stays as
// it is.
func InnerReference(at source.Span, path string) *diag.Diagnostic {
	return report("WFC396", at, fmt.Sprintf("references inside the list or mapping of `%s` are not replaced", path)).
		WithHelp("pass the output as a separate input: `name: $node.output`")
}

// FanOutGate reports a fan-out of a workflow that waits for people or times.
func FanOutGate(at source.Span, workflow, node string, gate source.Span) *diag.Diagnostic {
	return report("WFC394", at, fmt.Sprintf("`fan_out` cannot run workflow `%s`: its node `%s` waits", workflow, node)).
		WithRelated(gate, "this node waits").
		WithHelp("ask before or after the `fan_out`, or use the workflow without `fan_out`")
}

// CrowdedCheckout reports a node whose child run can meet that of another node in the
// checkout.
func CrowdedCheckout(at source.Span, node, other string, otherAt source.Span) *diag.Diagnostic {
	return report("WFC395", at, fmt.Sprintf("the runs of `%s` and `%s` can change one checkout at the same time", other, node)).
		WithRelated(otherAt, fmt.Sprintf("`%s` is here", other)).
		WithHelp(fmt.Sprintf("add `%s` to `depends_on`, or set `isolation: worktree`, or `mutates_checkout: false` in a workflow that runs", other))
}

// SharedCheckout reports a fan-out whose runs would change one checkout at the same time.
func SharedCheckout(at source.Span, workflow string) *diag.Diagnostic {
	return report("WFC394", at, fmt.Sprintf("runs of workflow `%s` would change one checkout at the same time", workflow)).
		WithHelp("set `isolation: worktree` or `max_parallel: 1`, or `mutates_checkout: false` in the workflow that runs")
}

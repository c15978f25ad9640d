package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// StepAction reports a step without an action, or with the several in have.
func StepAction(at source.Span, step string, have []string) *diag.Diagnostic {
	if len(have) == 0 {
		return codes.NodeAction.New(at, fmt.Sprintf("step `%s` has no action", step)).
			WithHelp("add one of `prompt`, `bash`, `python` and `parallel`")
	}
	return codes.NodeAction.New(at, fmt.Sprintf("step `%s` has %s", step, bothAnd(have))).
		WithHelp("split it: a step does one thing")
}

// StepLoops reports two loops that exclude each other, at the key of the second.
func StepLoops(at source.Span, step, first, second string) *diag.Diagnostic {
	return codes.StepLoops.New(at, fmt.Sprintf("step `%s` has both `%s` and `%s`", step, first, second)).
		WithHelp("keep one of them: only `for` and `parallel` work together")
}

// MisplacedStep reports an invalid parallel or `finally`, in words.
func MisplacedStep(at source.Span, problem string) *diag.Diagnostic {
	return codes.MisplacedNode.New(at, problem)
}

// StepName reports a name that templates cannot read; kind is "step" or the like, and
// usable says that the name is valid elsewhere.
func StepName(at source.Span, kind, name, better string, usable bool) *diag.Diagnostic {
	d := codes.UnreadableName.New(at, fmt.Sprintf("templates cannot read %s `%s` by this name", kind, name))
	if !usable {
		d = codes.UnreadableName.New(at, fmt.Sprintf("invalid name `%s` for %s %s", name, indefiniteArticle(kind), kind))
		d.Severity = diag.Error
	}
	d.WithHelp("use letters, digits and `_`, and do not start with a digit")
	if better != "" {
		d.WithFix("rename it to `"+better+"`", at, better)
	}
	return d
}

// DuplicateStep reports a step with the name of an earlier one. For children of a
// parallel it is an error.
func DuplicateStep(at source.Span, name string, first source.Span, child bool) *diag.Diagnostic {
	d := codes.DuplicateStep.New(at, fmt.Sprintf("duplicate step name `%s`", name)).
		WithRelated(first, "first used here")
	if child {
		d.Severity = diag.Error
		return d.WithHelp("rename it: results of a parallel are stored by name")
	}
	return d.WithHelp("rename it: later steps see only the output of this one")
}

// UnknownType reports an unknown type. means is the type that the engine uses instead,
// which makes it a warning, or "".
func UnknownType(at source.Span, owner, name, means string, known []string) *diag.Diagnostic {
	if means != "" {
		d := codes.UnknownValue.New(at, fmt.Sprintf("unknown type `%s` of %s: it means `%s`", name, owner, means))
		d.Severity = diag.Warning
		for _, t := range []string{means, "text"} {
			d.WithFix("write `"+t+"`", at, t)
			if means == "text" {
				break
			}
		}
		return d
	}
	return offerOr(codes.UnknownValue.New(at, fmt.Sprintf("unknown type `%s` of %s", name, owner)), at, name, known, "use one of "+quoteAll(known))
}

// UnsupportedType reports a type of the successor that wfc does not have.
func UnsupportedType(at source.Span, owner, name, help string) *diag.Diagnostic {
	return codes.UnknownValue.New(at, fmt.Sprintf("wfc does not support the type `%s` of %s", name, owner)).WithHelp(help)
}

// EnumChoices reports a fault of the values that an input may have.
func EnumChoices(at source.Span, problem, help string) *diag.Diagnostic {
	return codes.WrongValue.New(at, problem).WithHelp(help)
}

// RepeatableInput reports an input that takes all remaining arguments and is not the last.
func RepeatableInput(at source.Span, name, next string) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("`%s` takes all remaining arguments, so the input `%s` cannot follow it", name, next)).
		WithHelp("move the `repeatable` input to the end, or remove `repeatable`")
}

// BadDefault reports a default of the wrong type; want is the right one, as in "an
// int".
func BadDefault(at source.Span, owner, want string) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("the default of %s must be %s", owner, want))
}

// UnusedInput reports an input that the workflow never reads.
func UnusedInput(at source.Span, name string) *diag.Diagnostic {
	return codes.UnusedValue.New(at, fmt.Sprintf("unused input `%s`", name))
}

// StepOrder reports a read of an output that does not exist yet, or not under this
// name; declared is the place of its step.
func StepOrder(at source.Span, problem string, declared source.Span) *diag.Diagnostic {
	return codes.ReferenceOrder.New(at, problem).WithRelated(declared, "the step is here")
}

// LoopVariable reports a read of a loop's variable outside its body; why is a
// whole clause.
func LoopVariable(at source.Span, name, why string, declared source.Span) *diag.Diagnostic {
	return codes.UndefinedVariable.New(at, fmt.Sprintf("`%s` has no value here: %s", name, why)).WithRelated(declared, "the loop variable")
}

// MaybeSkippedStep reports an unguarded read of an output that may be missing; why is
// a whole clause, and cause labels the place of the reason.
func MaybeSkippedStep(at source.Span, step, why, cause string, where source.Span) *diag.Diagnostic {
	return codes.MaybeMissing.New(at, fmt.Sprintf("`%s` may have no output here: %s", step, why)).
		WithRelated(where, cause).
		WithHelp(fmt.Sprintf("write `{{ %s.… if %s is defined else … }}`, or put this between `{%% if %s is defined %%}` and `{%% endif %%}`", step, step, step))
}

// ConstantTest reports a condition with the same result in every run; key is "`if`" or
// the like, effect the consequence, and instead a replacement, or "".
func ConstantTest(at source.Span, key string, result bool, effect, instead string) *diag.Diagnostic {
	d := codes.ConstantCondition.New(at, fmt.Sprintf("%s is always %t: %s", key, result, effect))
	if instead == "" {
		return d.WithHelp("read an input or the output of a step in it, or remove it")
	}
	return d.WithHelp("write `" + instead + "` to evaluate it; a string without `{{ }}` is constant")
}

// UnchangingLoop reports a loop whose condition reads nothing that changes between
// iterations.
func UnchangingLoop(at source.Span, step string, until bool) *diag.Diagnostic {
	verb := "while"
	if until {
		verb = "until"
	}
	return codes.UnchangingLoop.New(at, fmt.Sprintf("the `%s` of step `%s` never changes between iterations", verb, step)).
		WithHelp(fmt.Sprintf("read the output of the step itself: `%s`", step))
}

// LoopLists reports a list whose length differs from that of another one, with first
// items. An empty list has no other one, and first is 0.
func LoopLists(at source.Span, name string, items int, other string, first int, where source.Span) *diag.Diagnostic {
	if other == "" {
		d := codes.LoopLists.New(at, fmt.Sprintf("the list of `%s` is empty: the step never runs", name))
		d.Severity = diag.Warning
		return d
	}
	return codes.LoopLists.New(at, fmt.Sprintf("`%s` has %s, but `%s` has %s", name, Count(items, "item"), other, Count(first, "item"))).
		WithRelated(where, "the other list").WithHelp("make the lists equally long: a `for` reads them together")
}

// UnknownPrompt reports a reference that would reach the agent as text; near is the name
// that is probably meant, or "". It is a warning if the text need not be a reference.
func UnknownPrompt(at source.Span, name, near string, certain bool) *diag.Diagnostic {
	d := codes.UnknownPrompt.New(at, fmt.Sprintf("unknown prompt `#%s`: the reference would reach the agent as text", name))
	if near != "" {
		return Meant(d, at, "#"+near, "#"+near)
	}
	if !certain {
		d.Severity = diag.Warning
	}
	return d.WithHelp(fmt.Sprintf("write the prompt to a file such as `macros/%s.md`, or, %s: `` `#%s` ``", name, asText, name))
}

// asText says how a text that looks like a reference stays text.
const asText = "if the text is not a reference, put it between backquotes"

// GluedPrompt reports the name of a prompt behind a # where no reference can begin.
func GluedPrompt(at source.Span, name string) *diag.Diagnostic {
	return codes.UnknownPrompt.New(at, fmt.Sprintf("`#%s` would reach the agent as text: no reference begins inside a word", name)).
		WithHelp("put a space or a line break before the `#`, or, " + asText)
}

// ComputedPrompt reports a reference to a prompt that a value names. It is a warning if the
// text need not be a reference.
func ComputedPrompt(at source.Span, name string, certain bool) *diag.Diagnostic {
	d := codes.UnknownPrompt.New(at, fmt.Sprintf("`#%s` would reach the agent as text: wfc inserts prompts at compile time", name)).
		WithHelp("write a reference for each value, between `{% if … %}` and `{% endif %}`, or, " + asText)
	if !certain {
		d.Severity = diag.Warning
	}
	return d
}

// ForeignPrompt reports a reference whose name has letters beyond ASCII. It is a warning if
// the text need not be a reference.
func ForeignPrompt(at source.Span, name string, certain bool) *diag.Diagnostic {
	d := codes.UnknownPrompt.New(at, fmt.Sprintf("`#%s` would reach the agent as text: prompt names contain only `A-Z`, `a-z`, digits and `_`", name)).
		WithHelp("rename the prompt, or, " + asText)
	if !certain {
		d.Severity = diag.Warning
	}
	return d
}

// QuotedPrompt reports a reference in a string of an expression.
func QuotedPrompt(at source.Span, name string) *diag.Diagnostic {
	return codes.UnknownPrompt.New(at, fmt.Sprintf("`#%s` would reach the agent as text: strings of expressions insert no prompts", name)).
		WithHelp("write the reference outside of the expression, between `{% if … %}` and `{% endif %}`")
}

// LaunchedWorkflow reports #!name in a prompt.
func LaunchedWorkflow(at source.Span, name string) *diag.Diagnostic {
	return codes.UnknownPrompt.New(at, fmt.Sprintf("`#!%s` starts a workflow, which a prompt cannot do", name)).
		WithHelp("move the steps of that workflow to this one; `#NAME` inserts a prompt from a Markdown file")
}

// InsertedWorkflow reports a reference to the file of a workflow.
func InsertedWorkflow(at source.Span, name, file string) *diag.Diagnostic {
	return codes.UnknownPrompt.New(at, fmt.Sprintf("`#%s` names the workflow %s, and wfc inserts only prompts", name, file)).
		WithHelp(fmt.Sprintf("write its `prompt_part` to the file `%s.md` beside it, and move its other steps to this workflow", name))
}

// PromptReview reports !! or ?? behind the name of a prompt.
func PromptReview(at source.Span, suffix string) *diag.Diagnostic {
	return codes.UnknownPrompt.New(at, fmt.Sprintf("`%s` concerns the reviews of a workflow: a prompt has none", suffix)).
		WithHelp("remove it, and write `hitl: true` on the step whose answer needs a review")
}

// PromptDirective reports a directive of the successor in a prompt.
func PromptDirective(at source.Span, name, help string) *diag.Diagnostic {
	return codes.PromptDirective.New(at, fmt.Sprintf("the directive `%%%s` would reach the agent as text", name)).WithHelp(help)
}

// PromptSegments reports a prompt that is the prompts of several agents.
func PromptSegments(at source.Span, name string) *diag.Diagnostic {
	return codes.InvalidImport.New(at, fmt.Sprintf("`#%s` holds the prompts of several agents, separated by `---`", name)).
		WithHelp("write each to a separate file, and ask for them in steps of a `parallel`; a line `***` is a line across the page")
}

// PromptCall reports invalid arguments; near is the name that is probably meant, or
// "".
func PromptCall(at source.Span, prompt, problem, near string) *diag.Diagnostic {
	return suggestNear(codes.WrongArgument.New(at, fmt.Sprintf("prompt `#%s` %s", prompt, problem)), at, near)
}

// PromptCycle reports a chain of prompts that refer to each other.
func PromptCycle(at source.Span, chain []string) *diag.Diagnostic {
	return codes.Recursion.New(at, "this prompt refers to itself: `#"+strings.Join(chain, "` -> `#")+"`")
}

// PromptFile reports an invalid prompt.
func PromptFile(at source.Span, name, problem string) *diag.Diagnostic {
	return codes.InvalidImport.New(at, fmt.Sprintf("invalid prompt `#%s`: %s", name, problem))
}

// The findings about keys that only the successor of the xprompt format has.

// EmptyPart reports a prompt_part that inserts nothing.
func EmptyPart(at source.Span) *diag.Diagnostic {
	d := codes.EmptyValue.New(at, "`prompt_part` is empty: the agent gets an empty prompt")
	d.Severity = diag.Warning
	return d.WithHelp("write what the agent is to do, or remove the step and run the others around the step of another workflow")
}

// StepImport reports a `use` whose step cannot be imported, in words.
func StepImport(at source.Span, problem string) *diag.Diagnostic {
	return codes.InvalidImport.New(at, problem)
}

// UnknownStepFile reports a `use` of a missing file; known are the names of the files
// that exist.
func UnknownStepFile(at source.Span, name string, known []string) *diag.Diagnostic {
	return offerOr(codes.InvalidImport.New(at, fmt.Sprintf("unknown step `%s`", name)), at, name, known, "create the file `xprompts/steps/"+name+".yml` with the keys of the step")
}

// ArtifactStep reports an `artifact` on a step that prints nothing; step describes it.
func ArtifactStep(at source.Span, step string) *diag.Diagnostic {
	return codes.UnsuitableKey.New(at, "`artifact` cannot be on "+step).
		WithHelp("use it on a `bash` or `python` step: it keeps what the program prints")
}

// VariableName reports an invalid name of an environment variable.
func VariableName(at source.Span, name string) *diag.Diagnostic {
	return codes.InvalidName.New(at, fmt.Sprintf("invalid name `%s` for an environment variable", name)).
		WithHelp("use letters, digits and `_`, and do not start with a digit")
}

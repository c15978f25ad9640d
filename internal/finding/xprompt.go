package finding

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// StepAction reports a step with no execution type, or with those in have.
func StepAction(at source.Span, step string, have []string) *diag.Diagnostic {
	if len(have) == 0 {
		return report("WFC242", at, fmt.Sprintf("step `%s` does nothing", step)).
			WithHelp("give it one of `prompt`, `bash`, `python` and `parallel`")
	}
	return report("WFC242", at, fmt.Sprintf("step `%s` has %s, but can do only one of them", step, quoteAll(have))).
		WithHelp("make a step of each")
}

// StepLoops reports loops that do not go together, the second at its key.
func StepLoops(at source.Span, step, first, second string) *diag.Diagnostic {
	return report("WFC243", at, fmt.Sprintf("step `%s` has `%s` and `%s`, which do not go together", step, first, second)).
		WithHelp("only `for` and `parallel` do")
}

// ParallelShape reports something that a parallel cannot be or have.
func ParallelShape(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC244", at, problem)
}

// StepName reports a name, what it names as "step", that templates cannot spell;
// usable says that it can be a name at all.
func StepName(at source.Span, what, name, better string, usable bool) *diag.Diagnostic {
	d := report("WFC245", at, fmt.Sprintf("no template can read %s `%s`: it is no name there", what, name))
	if !usable {
		d = report("WFC245", at, fmt.Sprintf("`%s` cannot be the name of %s %s", name, article(what), what))
		d.Severity = diag.Error
	}
	d.WithHelp("names are made of letters, digits and `_`, and do not begin with a digit")
	if better != "" {
		d.WithFix("rename to `"+better+"`", at, better, false)
	}
	return d
}

func article(what string) string {
	if strings.ContainsRune("aeiou", rune(what[0])) {
		return "an"
	}
	return "a"
}

// DuplicateStep reports a step with the name of an earlier one; of children of a
// parallel it is an error.
func DuplicateStep(at source.Span, name string, first source.Span, child bool) *diag.Diagnostic {
	d := report("WFC246", at, fmt.Sprintf("there is a step `%s` already", name)).
		WithRelated(first, "the first one")
	if child {
		d.Severity = diag.Error
		return d.WithHelp("the results of a parallel are told apart by name")
	}
	return d.WithHelp("steps after this one see only its output")
}

// UnknownType reports the name of a type that there is not. means is what it is
// taken for all the same, which makes it a warning, or "".
func UnknownType(at source.Span, what, name, means string, known []string) *diag.Diagnostic {
	if means != "" {
		d := report("WFC247", at, fmt.Sprintf("the type of %s is `%s`, which is taken for `%s`", what, name, means))
		d.Severity = diag.Warning
		for _, t := range []string{means, "text"} {
			d.WithFix("write `"+t+"`", at, t, false)
			if means == "text" {
				break
			}
		}
		return d
	}
	d := report("WFC247", at, fmt.Sprintf("the type of %s cannot be `%s`", what, name))
	if near := Nearest(name, known); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d.WithHelp("the types are " + quoteAll(known))
}

// BadDefault reports a default that is no value of the type want, as "an int".
func BadDefault(at source.Span, what, want string) *diag.Diagnostic {
	return report("WFC248", at, fmt.Sprintf("the default of %s is not %s", what, want))
}

// UnusedInput reports an input that nothing reads.
func UnusedInput(at source.Span, name string) *diag.Diagnostic {
	return report("WFC249", at, fmt.Sprintf("nothing reads the input `%s`", name))
}

// StepOrder reports a read of an output that is not there yet, or not under this
// name; declared is where its step stands.
func StepOrder(at source.Span, problem string, declared source.Span) *diag.Diagnostic {
	return report("WFC268", at, problem).WithRelated(declared, "the step is here")
}

// LoopVariable reports a read of a loop's variable outside its body; why is a
// whole clause.
func LoopVariable(at source.Span, name, why string, declared source.Span) *diag.Diagnostic {
	return report("WFC269", at, fmt.Sprintf("`%s` has no value here: %s", name, why)).WithRelated(declared, "the loop's variable")
}

// MaybeSkippedStep reports an unguarded read of an output that may not be there;
// cause is where the reason stands.
func MaybeSkippedStep(at source.Span, step, why, cause string, where source.Span) *diag.Diagnostic {
	return report("WFC270", at, fmt.Sprintf("`%s` may have no output here: %s", step, why)).
		WithRelated(where, cause).
		WithHelp(fmt.Sprintf("write `{{ %s.… if %s is defined else … }}`, or put it between `{%% if %s is defined %%}` and `{%% endif %%}`", step, step, step))
}

// ConstantTest reports a condition, as "`if`", that is a constant; effect is what
// follows from it, and instead what to write, or "".
func ConstantTest(at source.Span, what string, result bool, effect, instead string) *diag.Diagnostic {
	d := report("WFC271", at, fmt.Sprintf("%s is always %t: %s", what, result, effect))
	if instead != "" {
		d.WithHelp("a text without {{ }} is itself; write `" + instead + "` to have it decided")
	}
	return d
}

// UnchangingLoop reports a loop whose condition does not read what its rounds
// give.
func UnchangingLoop(at source.Span, step string, until bool) *diag.Diagnostic {
	verb := "while"
	if until {
		verb = "until"
	}
	return report("WFC272", at, fmt.Sprintf("the `%s` of step `%s` cannot change from one round to the next", verb, step)).
		WithHelp(fmt.Sprintf("only the output of the step itself does: read `%s`", step))
}

// LoopLists reports a list whose length does not fit: another one has as many
// items as first; an empty list goes alone, with first 0.
func LoopLists(at source.Span, name string, items int, other string, first int, where source.Span) *diag.Diagnostic {
	if other == "" {
		d := report("WFC273", at, fmt.Sprintf("the list of `%s` is empty, so the step never does anything", name))
		d.Severity = diag.Warning
		return d
	}
	return report("WFC273", at, fmt.Sprintf("`%s` has %s, but `%s` has %s", name, count(items, "item"), other, count(first, "item"))).
		WithRelated(where, "the other list").WithHelp("the variables of a `for` go through their lists side by side")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// NearPrompt reports a reference to no prompt that resembles one.
func NearPrompt(at source.Span, name, near string) *diag.Diagnostic {
	return report("WFC274", at, fmt.Sprintf("there is no prompt `#%s`", name)).
		WithHelp("did you mean `#"+near+"`?").WithFix("replace with `#"+near+"`", at, "#"+near, false)
}

// PromptCall reports arguments that do not fit; near is the name that was perhaps
// meant, or "".
func PromptCall(at source.Span, prompt, problem, near string) *diag.Diagnostic {
	d := report("WFC275", at, fmt.Sprintf("#%s %s", prompt, problem))
	if near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return d
}

// PromptCycle reports a chain of prompts without an end.
func PromptCycle(at source.Span, chain []string) *diag.Diagnostic {
	return report("WFC276", at, "expanding this prompt never ends: #"+strings.Join(chain, " -> #"))
}

// PromptFile reports a prompt that cannot be read.
func PromptFile(at source.Span, name, problem string) *diag.Diagnostic {
	return report("WFC277", at, fmt.Sprintf("the prompt `#%s` cannot be used: %s", name, problem))
}

// PromptCommand reports a command substitution in a prompt.
func PromptCommand(at source.Span) *diag.Diagnostic {
	return report("WFC278", at, "this command is not run: it goes to the agent as text").
		WithHelp("run it in a `bash` step before, and read its output")
}

// LooseCall reports arguments without an end.
func LooseCall(at source.Span, name string) *diag.Diagnostic {
	return report("WFC279", at, fmt.Sprintf("the arguments of `#%s` have no end, so it is taken for one without arguments", name))
}

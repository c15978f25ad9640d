package diag

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 242 to 249 and 268 to 279: sequences of steps, their inputs and outputs, and
// references to prompts.
var xpromptCodes = []*Code{
	stepAction, stepLoops, parallelShape, stepName, duplicateStep, unknownType, badDefault, unusedInput,
	stepOrder, loopVariable, maybeSkippedStep, constantTest, unchangingLoop, loopLists,
	nearPrompt, promptCall, promptCycle, promptFile, promptCommand, looseCall,
}

// stepExample is a sequence of steps, lines with their indentation.
func stepExample(steps string) string { return "name: w\nsteps:\n" + steps }

var stepAction = &Code{
	ID: "WFC242", Slug: "step-action", Severity: Error,
	Doc: `A step does nothing, or more than one thing. Each step has exactly one of the keys
prompt, bash, python and parallel; an empty one does not count. The original
engine does not load such a file, and says no more than that there is no such
workflow.

Give the step what it lacks, or make two steps of it.`,
	Bad:  stepExample("  - name: a\n    bash: echo hi\n    python: print(1)\n"),
	Good: stepExample("  - name: a\n    bash: echo hi\n  - name: b\n    python: print(1)\n"),
}

// StepAction reports a step with no execution type, or with those in have.
func StepAction(at source.Span, step string, have []string) *Diagnostic {
	if len(have) == 0 {
		return stepAction.new(at, fmt.Sprintf("step `%s` does nothing", step)).
			WithHelp("give it one of `prompt`, `bash`, `python` and `parallel`")
	}
	return stepAction.new(at, fmt.Sprintf("step `%s` has %s, but can do only one of them", step, quoteAll(have))).
		WithHelp("make a step of each")
}

var stepLoops = &Code{
	ID: "WFC243", Slug: "step-loops", Severity: Error,
	Doc: `A step is repeated in more than one way: it has more than one of for, while and
repeat, or it is a parallel with while or repeat. Only for goes together with
parallel.

Put one of the loops into a workflow of its own, or into the script.`,
	Bad:  stepExample("  - name: a\n    bash: echo \"v={{ i }}\"\n    for: {i: \"[1, 2]\"}\n    while: \"{{ a.v }}\"\n"),
	Good: stepExample("  - name: a\n    bash: echo \"v={{ i }}\"\n    for: {i: \"[1, 2]\"}\n"),
}

// StepLoops reports loops that do not go together, the second at its key.
func StepLoops(at source.Span, step, first, second string) *Diagnostic {
	return stepLoops.new(at, fmt.Sprintf("step `%s` has `%s` and `%s`, which do not go together", step, first, second)).
		WithHelp("only `for` and `parallel` do")
}

var parallelShape = &Code{
	ID: "WFC244", Slug: "parallel-shape", Severity: Error,
	Doc: `A parallel is not one that can run. It has at least two steps with names of their
own. Those steps are bash, python or prompt steps: they are not repeated (for,
while, repeat), hold no parallel, and nobody is asked about them (hitl), just as
nobody is asked about the parallel itself.

Ask in a step behind the parallel instead, and repeat the parallel as a whole
with for.`,
	Bad:  stepExample("  - name: p\n    parallel:\n      - {name: a, bash: echo x=1, hitl: true}\n      - {name: b, bash: echo x=2}\n"),
	Good: stepExample("  - name: p\n    parallel:\n      - {name: a, bash: echo x=1}\n      - {name: b, bash: echo x=2}\n"),
}

// ParallelShape reports something that a parallel cannot be or have.
func ParallelShape(at source.Span, problem string) *Diagnostic { return parallelShape.new(at, problem) }

var stepName = &Code{
	ID: "WFC245", Slug: "step-name", Severity: Warning,
	Doc: `A step or an input has a name that no template can spell, so nothing can read
it: {{ my-step.x }} subtracts, and {{ not.x }} negates. Names are made of
letters, digits and underscores and do not begin with a digit; the words of
templates, such as in and not, are no names.

A name with anything but letters, digits, "_" and "-" is an error: results are
kept under names.`,
	Bad:  stepExample("  - name: get-status\n    bash: git status\n"),
	Good: stepExample("  - name: get_status\n    bash: git status\n"),
}

// StepName reports a name, what it names as "step", that templates cannot spell;
// usable says that it can be a name at all.
func StepName(at source.Span, what, name, better string, usable bool) *Diagnostic {
	d := stepName.new(at, fmt.Sprintf("no template can read %s `%s`: it is no name there", what, name))
	if !usable {
		d = stepName.new(at, fmt.Sprintf("`%s` cannot be the name of %s %s", name, article(what), what))
		d.Severity = Error
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

var duplicateStep = &Code{
	ID: "WFC246", Slug: "duplicate-step", Severity: Warning,
	Doc: `Two steps have the same name. The output of the later one hides that of the
earlier one from all steps after it.

Give each step a name of its own. Within a parallel it is an error.`,
	Bad:  stepExample("  - name: a\n    bash: echo x=1\n  - name: a\n    bash: echo x=2\n"),
	Good: stepExample("  - name: a\n    bash: echo x=1\n  - name: b\n    bash: echo x=2\n"),
}

// DuplicateStep reports a step with the name of an earlier one; of children of a
// parallel it is an error.
func DuplicateStep(at source.Span, name string, first source.Span, child bool) *Diagnostic {
	d := duplicateStep.new(at, fmt.Sprintf("there is a step `%s` already", name)).
		WithRelated(first, "the first one")
	if child {
		d.Severity = Error
		return d.WithHelp("the results of a parallel are told apart by name")
	}
	return d.WithHelp("steps after this one see only its output")
}

var unknownType = &Code{
	ID: "WFC247", Slug: "unknown-type", Severity: Error,
	Doc: `An input or a field of an output has a type that there is not. The types are word
(no white space), line (no line break), text, path, int, bool and float; integer
and boolean mean int and bool. Inputs of an unknown type are lines in the original
engine, without a word; so is the type string, which is a warning.`,
	Bad:  "name: w\ninput: {n: itn}\nsteps:\n  - name: a\n    bash: echo \"{{ n }}\"\n",
	Good: "name: w\ninput: {n: int}\nsteps:\n  - name: a\n    bash: echo \"{{ n }}\"\n",
}

// UnknownType reports the name of a type that there is not. means is what it is
// taken for all the same, which makes it a warning, or "".
func UnknownType(at source.Span, what, name, means string, known []string) *Diagnostic {
	if means != "" {
		d := unknownType.new(at, fmt.Sprintf("the type of %s is `%s`, which is taken for `%s`", what, name, means))
		d.Severity = Warning
		for _, t := range []string{means, "text"} {
			d.WithFix("write `"+t+"`", at, t, false)
			if means == "text" {
				break
			}
		}
		return d
	}
	d := unknownType.new(at, fmt.Sprintf("the type of %s cannot be `%s`", what, name))
	if near := Nearest(name, known); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d.WithHelp("the types are " + quoteAll(known))
}

var badDefault = &Code{
	ID: "WFC248", Slug: "bad-default", Severity: Error,
	Doc: `The default of an input or of a field is no value of its type. A default is
converted as a given value is: "3" and 3 are the same int, and "yes", "on", "1" and
true the same bool.`,
	Bad:  "name: w\ninput: {n: {type: int, default: many}}\nsteps:\n  - name: a\n    bash: echo \"{{ n }}\"\n",
	Good: "name: w\ninput: {n: {type: int, default: 3}}\nsteps:\n  - name: a\n    bash: echo \"{{ n }}\"\n",
}

// BadDefault reports a default that is no value of the type want, as "an int".
func BadDefault(at source.Span, what, want string) *Diagnostic {
	return badDefault.new(at, fmt.Sprintf("the default of %s is not %s", what, want))
}

var unusedInput = &Code{
	ID: "WFC249", Slug: "unused-input", Severity: Warning,
	Doc: `Nothing reads an input, so whatever is given for it changes nothing. The original
engine refuses to run such a workflow; it also refuses some that do read the input,
where it does not recognise it.`,
	Bad:  "name: w\ninput: {who: word}\nsteps:\n  - name: a\n    bash: echo hi\n",
	Good: "name: w\ninput: {who: word}\nsteps:\n  - name: a\n    bash: echo \"hi {{ who }}\"\n",
}

// UnusedInput reports an input that nothing reads.
func UnusedInput(at source.Span, name string) *Diagnostic {
	return unusedInput.new(at, fmt.Sprintf("nothing reads the input `%s`", name))
}

var stepOrder = &Code{
	ID: "WFC268", Slug: "step-order", Severity: Error,
	Doc: `A step reads an output that is not there when it runs: that of a later step, its
own, or that of a step beside it in the same parallel. Steps run one after the
other, in the order of the file; those of a parallel see what was there before it.

Move the step that is read before the one that reads it. Outputs of a parallel's
steps are read behind it, as {{ parallel.step.field }}.`,
	Bad:  stepExample("  - name: a\n    bash: echo \"{{ b.x }}\"\n  - name: b\n    bash: echo x=1\n"),
	Good: stepExample("  - name: b\n    bash: echo x=1\n  - name: a\n    bash: echo \"{{ b.x }}\"\n"),
}

// StepOrder reports a read of an output that is not there yet, or not under this
// name; declared is where its step stands.
func StepOrder(at source.Span, problem string, declared source.Span) *Diagnostic {
	return stepOrder.new(at, problem).WithRelated(declared, "the step is here")
}

var loopVariable = &Code{
	ID: "WFC269", Slug: "loop-variable", Severity: Error,
	Doc: `A variable of a for is read where it has no value. It has one in the body of its
own step only. A condition (if) is decided once, before the first item; in the
original engine such a condition is false and the step is silently skipped.

Leave out items in the list itself, as in {{ items | select("odd") | list }}, or
decide in the script.`,
	Bad:  stepExample("  - name: a\n    bash: echo \"v={{ i }}\"\n    if: \"{{ i > 1 }}\"\n    for: {i: \"[1, 2]\"}\n"),
	Good: stepExample("  - name: a\n    bash: echo \"v={{ i }}\"\n    for: {i: \"{{ [1, 2] | select('gt', 1) | list }}\"}\n"),
}

// LoopVariable reports a read of a loop's variable outside its body; why is a
// whole clause.
func LoopVariable(at source.Span, name, why string, declared source.Span) *Diagnostic {
	return loopVariable.new(at, fmt.Sprintf("`%s` has no value here: %s", name, why)).WithRelated(declared, "the loop's variable")
}

var maybeSkippedStep = &Code{
	ID: "WFC270", Slug: "maybe-skipped-step", Severity: Warning,
	Doc: `The output of a step is read that may not be there: the step has a condition and
may be skipped, or it is the step's own output, which the first round of a loop does
not have. When it is not there, reading it fails the reading step.

Say what is to happen then: {{ a.x if a is defined else "none" }}, or
{% if a is defined %}…{% endif %}, or a condition on the reading step. In
conditions a field of a skipped step is false, so they need no such care.`,
	Bad: "name: w\ninput: {deep: bool}\n" + "steps:\n  - name: a\n    if: \"{{ deep }}\"\n    bash: echo x=1\n" +
		"  - name: b\n    bash: echo \"{{ a.x }}\"\n",
	Good: "name: w\ninput: {deep: bool}\n" + "steps:\n  - name: a\n    if: \"{{ deep }}\"\n    bash: echo x=1\n" +
		"  - name: b\n    bash: echo \"{{ a.x if a is defined else 'none' }}\"\n",
}

// MaybeSkippedStep reports an unguarded read of an output that may not be there;
// cause is where the reason stands.
func MaybeSkippedStep(at source.Span, step, why, cause string, where source.Span) *Diagnostic {
	return maybeSkippedStep.new(at, fmt.Sprintf("`%s` may have no output here: %s", step, why)).
		WithRelated(where, cause).
		WithHelp(fmt.Sprintf("write `{{ %s.… if %s is defined else … }}`, or put it between `{%% if %s is defined %%}` and `{%% endif %%}`", step, step, step))
}

var constantTest = &Code{
	ID: "WFC271", Slug: "constant-test", Severity: Warning,
	Doc: `A condition is always true, or always false. A text without {{ }} is just that
text, and a text is true unless it is empty or one of false, none, 0, [] and {}: "not
done" is true, and so are "no" and "off".

Write what is to be decided between {{ and }}.`,
	Bad:  stepExample("  - name: a\n    bash: echo done=true\n  - name: b\n    if: not a.done\n    bash: echo hi\n"),
	Good: stepExample("  - name: a\n    bash: echo done=true\n  - name: b\n    if: \"{{ not a.done }}\"\n    bash: echo hi\n"),
}

// ConstantTest reports a condition, as "`if`", that is a constant; effect is what
// follows from it, and instead what to write, or "".
func ConstantTest(at source.Span, what string, result bool, effect, instead string) *Diagnostic {
	d := constantTest.new(at, fmt.Sprintf("%s is always %t: %s", what, result, effect))
	if instead != "" {
		d.WithHelp("a text without {{ }} is itself; write `" + instead + "` to have it decided")
	}
	return d
}

var unchangingLoop = &Code{
	ID: "WFC272", Slug: "unchanging-loop", Severity: Warning,
	Doc: `Nothing that the condition of a while or repeat reads can change from one round to
the next. The only thing that does is the step's own output, under its own name. So
the loop ends after its first round, or runs as often as it may and fails.`,
	Bad:  "name: w\ninput: {ready: bool}\n" + "steps:\n  - name: a\n    bash: echo ok=true\n    repeat: {until: \"{{ ready }}\", max: 3}\n",
	Good: stepExample("  - name: a\n    bash: echo ok=true\n    output: {ok: bool}\n    repeat: {until: \"{{ a.ok }}\", max: 3}\n"),
}

// UnchangingLoop reports a loop whose condition does not read what its rounds
// give.
func UnchangingLoop(at source.Span, step string, until bool) *Diagnostic {
	verb := "while"
	if until {
		verb = "until"
	}
	return unchangingLoop.new(at, fmt.Sprintf("the `%s` of step `%s` cannot change from one round to the next", verb, step)).
		WithHelp(fmt.Sprintf("only the output of the step itself does: read `%s`", step))
}

var loopLists = &Code{
	ID: "WFC273", Slug: "loop-lists", Severity: Error,
	Doc: `The lists of a for have different lengths, although all its variables go through
theirs side by side. A list that is empty by its text is a warning: the step never
does anything.`,
	Bad:  stepExample("  - name: a\n    bash: echo \"{{ x }}{{ y }}\"\n    for: {x: \"[1, 2]\", y: \"[1]\"}\n"),
	Good: stepExample("  - name: a\n    bash: echo \"{{ x }}{{ y }}\"\n    for: {x: \"[1, 2]\", y: \"[1, 1]\"}\n"),
}

// LoopLists reports a list whose length does not fit: another one has as many
// items as first; an empty list goes alone, with first 0.
func LoopLists(at source.Span, name string, items int, other string, first int, where source.Span) *Diagnostic {
	if other == "" {
		d := loopLists.new(at, fmt.Sprintf("the list of `%s` is empty, so the step never does anything", name))
		d.Severity = Warning
		return d
	}
	return loopLists.new(at, fmt.Sprintf("`%s` has %s, but `%s` has %s", name, count(items, "item"), other, count(first, "item"))).
		WithRelated(where, "the other list").WithHelp("the variables of a `for` go through their lists side by side")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

var nearPrompt = &Code{
	ID: "WFC274", Slug: "near-prompt", Severity: Warning,
	Doc: `A word with # in front resembles the name of a prompt, but is none. It stays in
the text as it is.`,
	Bad:  "name: w\nxprompts: {_greet: Say hello.}\nsteps:\n  - name: a\n    prompt: \"#_gret #_greet\"\n",
	Good: "name: w\nxprompts: {_greet: Say hello.}\nsteps:\n  - name: a\n    prompt: \"#_greet\"\n",
}

// NearPrompt reports a reference to no prompt that resembles one.
func NearPrompt(at source.Span, name, near string) *Diagnostic {
	return nearPrompt.new(at, fmt.Sprintf("there is no prompt `#%s`", name)).
		WithHelp("did you mean `#"+near+"`?").WithFix("replace with `#"+near+"`", at, "#"+near, false)
}

var promptCall = &Code{
	ID: "WFC275", Slug: "prompt-call", Severity: Error,
	Doc: `The arguments of a reference do not fit the inputs of its prompt: one that is
required is missing, one has a name that the prompt does not know, there are too
many, or one is no value of its type.`,
	Bad:  "name: w\nxprompts:\n  _greet: {input: {who: word}, content: \"Greet {{ who }}.\"}\nsteps:\n  - name: a\n    prompt: \"#_greet(whom=bob)\"\n",
	Good: "name: w\nxprompts:\n  _greet: {input: {who: word}, content: \"Greet {{ who }}.\"}\nsteps:\n  - name: a\n    prompt: \"#_greet(who=bob)\"\n",
}

// PromptCall reports arguments that do not fit; near is the name that was perhaps
// meant, or "".
func PromptCall(at source.Span, prompt, problem, near string) *Diagnostic {
	d := promptCall.new(at, fmt.Sprintf("#%s %s", prompt, problem))
	if near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return d
}

var promptCycle = &Code{
	ID: "WFC276", Slug: "prompt-cycle", Severity: Error,
	Doc: `A prompt refers to itself, directly or through others, so expanding it would never
end; or prompts refer to each other more than 100 deep.`,
	Bad:  "name: w\nxprompts: {_a: \"Once more: #_a\"}\nsteps:\n  - name: s\n    prompt: \"#_a\"\n",
	Good: "name: w\nxprompts: {_a: Once more.}\nsteps:\n  - name: s\n    prompt: \"#_a\"\n",
}

// PromptCycle reports a chain of prompts without an end.
func PromptCycle(at source.Span, chain []string) *Diagnostic {
	return promptCycle.new(at, "expanding this prompt never ends: #"+strings.Join(chain, " -> #"))
}

var promptFile = &Code{
	ID: "WFC277", Slug: "prompt-file", Severity: Error,
	Doc: `The file of a prompt, or an entry of xprompts, is not one: the part between the two
lines "---" on its top must be a mapping with the keys name, input and output, and a
prompt must have a text.`,
	Bad:  "name: w\nxprompts: {_greet: {input: {who: word}}}\nsteps:\n  - name: a\n    prompt: \"#_greet(bob)\"\n",
	Good: "name: w\nxprompts: {_greet: {input: {who: word}, content: \"Greet {{ who }}\"}}\nsteps:\n  - name: a\n    prompt: \"#_greet(bob)\"\n",
}

// PromptFile reports a prompt that cannot be read.
func PromptFile(at source.Span, name, problem string) *Diagnostic {
	return promptFile.new(at, fmt.Sprintf("the prompt `#%s` cannot be used: %s", name, problem))
}

var promptCommand = &Code{
	ID: "WFC278", Slug: "prompt-command", Severity: Warning,
	Doc: `A prompt holds $(…). The original engine runs that as a shell command, also when
it came in with a value, and puts what it prints into the prompt. wfc does not: the
text goes to the agent as it is.

Run the command in a bash step before, and read its output.`,
	Bad:  stepExample("  - name: a\n    prompt: Today is $(date).\n"),
	Good: stepExample("  - name: day\n    bash: date\n  - name: a\n    prompt: Today is {{ day._output }}.\n"),
}

// PromptCommand reports a command substitution in a prompt.
func PromptCommand(at source.Span) *Diagnostic {
	return promptCommand.new(at, "this command is not run: it goes to the agent as text").
		WithHelp("run it in a `bash` step before, and read its output")
}

var looseCall = &Code{
	ID: "WFC279", Slug: "loose-call", Severity: Warning,
	Doc: `A reference to a prompt has an opening parenthesis that is never closed, so the
original engine takes it for one without arguments, and so does wfc. A quotation mark
within quotes is the usual cause: \" ends the quotes too.

Use the other kind of quotes, or [[…]].`,
	Bad:  "name: w\nxprompts: {_greet: Say hello.}\nsteps:\n  - name: a\n    prompt: \"#_greet(bob\"\n",
	Good: "name: w\nxprompts: {_greet: Say hello.}\nsteps:\n  - name: a\n    prompt: \"#_greet\"\n",
}

// LooseCall reports arguments without an end.
func LooseCall(at source.Span, name string) *Diagnostic {
	return looseCall.new(at, fmt.Sprintf("the arguments of `#%s` have no end, so it is taken for one without arguments", name))
}

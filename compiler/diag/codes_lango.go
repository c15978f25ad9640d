package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 28x: agent steps whose prompts take in results: names, durations, templates.
var langoCodes = []*Code{
	unnamedAgent, badDuration, promptSyntax, promptAction, promptStep, promptOrder, badTarget, otherWork,
}

const langoHead = "name: w\ndeliver_to: [slack]\nsteps:\n"

var unnamedAgent = &Code{
	ID: "WFC280", Slug: "unnamed-agent", Severity: Warning,
	Doc: `The step names an agent that neither the format nor wfc.yaml knows. When the
workflow is run, it has to be said what stands behind the name: in wfc.yaml under
agents, or with --agent.`,
	Bad:  langoHead + "  - id: a\n    agent: reseacher\n    prompt: look it up\n",
	Good: langoHead + "  - id: a\n    agent: researcher\n    prompt: look it up\n",
}

// UnnamedAgent warns of an agent of which nothing is known.
func UnnamedAgent(at source.Span, name string, known []string) *Diagnostic {
	x := unnamedAgent.new(at, fmt.Sprintf("nothing says what stands behind the agent `%s`", name))
	if near := Nearest(name, known); near != "" {
		return x.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return x.WithHelp("define it in wfc.yaml under `agents`, or give --agent " + name + "=KIND when it runs; known are " + joinAnd(known))
}

var badDuration = &Code{
	ID: "WFC281", Slug: "bad-duration", Severity: Error,
	Doc: `A time limit is a number with a unit, or several of them: 90s, 5m, 1h30m. Units
are ms, s, m and h.`,
	Bad:  langoHead + "  - id: a\n    prompt: hi\n    timeout: 5 minutes\n",
	Good: langoHead + "  - id: a\n    prompt: hi\n    timeout: 5m\n",
}

// BadDuration reports a duration that cannot be read; meant is the one that was
// perhaps meant, or "".
func BadDuration(at source.Span, path, text, meant string) *Diagnostic {
	x := badDuration.new(at, fmt.Sprintf("`%s` is `%s`, which is no duration", path, text)).
		WithHelp("write a number with its unit, such as `90s`, `5m` or `1h30m`")
	if meant != "" {
		x.WithFix("replace with `"+meant+"`", at, meant, false)
	}
	return x
}

var promptSyntax = &Code{
	ID: "WFC282", Slug: "prompt-syntax", Severity: Error,
	Doc: `An action in a prompt cannot be read. Between {{ and }} stands the result of a
step, as in {{fetch.result}}, or an action of Go's text/template. Braces that are
meant as text are written {{"{{"}}.`,
	Bad:  langoHead + "  - id: a\n    prompt: hi\n  - id: b\n    depends_on: [a]\n    prompt: \"{{ if a.result }}yes\"\n",
	Good: langoHead + "  - id: a\n    prompt: hi\n  - id: b\n    depends_on: [a]\n    prompt: \"{{ if a.result }}yes{{ end }}\"\n",
}

// PromptSyntax reports an action that cannot be read.
func PromptSyntax(at source.Span, problem string) *Diagnostic {
	return promptSyntax.new(at, problem).WithHelp("braces that are meant as text are written `{{\"{{\"}}`")
}

var promptAction = &Code{
	ID: "WFC283", Slug: "prompt-action", Severity: Error,
	Doc: `An action in a prompt does something that cannot work: it calls a function that
does not exist, gives it arguments that it does not take, or reads something else of
a step than its result.`,
	Bad:  langoHead + "  - id: a\n    prompt: hi\n  - id: b\n    depends_on: [a]\n    prompt: \"{{a.output}}\"\n",
	Good: langoHead + "  - id: a\n    prompt: hi\n  - id: b\n    depends_on: [a]\n    prompt: \"{{a.result}}\"\n",
}

// PromptAction reports an action that cannot work.
func PromptAction(at source.Span, problem string) *Diagnostic { return promptAction.new(at, problem) }

var promptStep = &Code{
	ID: "WFC284", Slug: "prompt-step", Severity: Error,
	Doc: `A prompt reads the result of a step that the workflow does not have. The
original engine fails the step when it comes to it.`,
	Bad:  langoHead + "  - id: fetch\n    prompt: hi\n  - id: b\n    depends_on: [fetch]\n    prompt: \"{{fech.result}}\"\n",
	Good: langoHead + "  - id: fetch\n    prompt: hi\n  - id: b\n    depends_on: [fetch]\n    prompt: \"{{fetch.result}}\"\n",
}

// PromptStep reports the result of a step that is not there. at is the step's id.
func PromptStep(at source.Span, id string, ids []string) *Diagnostic {
	x := promptStep.new(at, fmt.Sprintf("there is no step `%s`", id))
	if near := Nearest(id, ids); near != "" {
		return x.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return x.WithHelp("the steps are " + joinAnd(ids))
}

var promptOrder = &Code{
	ID: "WFC285", Slug: "prompt-order", Severity: Error,
	Doc: `A prompt reads the result of a step that need not have ended by then: it is none
of the steps that this one depends on, directly or through others. The original
engine fails the step, or not, as chance has it.`,
	Bad:  langoHead + "  - id: a\n    prompt: hi\n  - id: b\n    prompt: \"{{a.result}}\"\n",
	Good: langoHead + "  - id: a\n    prompt: hi\n  - id: b\n    depends_on: [a]\n    prompt: \"{{a.result}}\"\n",
}

// PromptOrder reports the result of a step that the reader does not come after. way
// is the way by which the read step comes after the reader, from the reader on, or
// nil when it does not; fix adds the dependency, or is nil.
func PromptOrder(at source.Span, reader, id string, way []string, fix *Fix) *Diagnostic {
	switch {
	case reader == id:
		return promptOrder.new(at, fmt.Sprintf("step `%s` reads its own result", id))
	case way != nil:
		return promptOrder.new(at, fmt.Sprintf("step `%s` reads the result of `%s`, which comes after it: %s", reader, id, strings.Join(way, " → ")))
	}
	x := promptOrder.new(at, fmt.Sprintf("step `%s` reads the result of `%s`, but does not depend on it", reader, id)).
		WithHelp("add `" + id + "` to its `depends_on`")
	if fix != nil {
		x.Fixes = append(x.Fixes, *fix)
	}
	return x
}

var badTarget = &Code{
	ID: "WFC286", Slug: "bad-target", Severity: Error,
	Doc: `A place that results are delivered to is not one. It is the name of a channel,
with the receiver behind a colon if that is not the channel's own: slack,
telegram:42, webhook:ci.`,
	Bad:  "name: w\ndeliver_to: [webhook]\nsteps:\n  - id: a\n    prompt: hi\n",
	Good: "name: w\ndeliver_to: [\"webhook:ci\"]\nsteps:\n  - id: a\n    prompt: hi\n",
}

// BadTarget reports a target that names no place.
func BadTarget(at source.Span, problem string) *Diagnostic { return badTarget.new(at, problem) }

var otherWork = &Code{
	ID: "WFC126", Slug: "other-work", Severity: Error,
	Doc: `A lango step asks an agent, and does nothing else: it has no scripts, conditions,
loops or gates. The key belongs to another format. The original engine ignores it, so
that the agent would be asked with an empty prompt, or the step would run although a
condition says otherwise.

Write the work into the prompt, or write the workflow in a dialect that has the key.`,
	Bad:  "name: w\nsteps:\n  - id: a\n    agent: planner\n    prompt: Plan the work.\n  - id: b\n    depends_on: [a]\n    bash: make\n",
	Good: "name: w\nsteps:\n  - id: a\n    agent: planner\n    prompt: Plan the work.\n  - id: b\n    agent: executor\n    depends_on: [a]\n    prompt: Run make.\n",
}

// OtherWork reports a key of a step that only steps of other formats have.
func OtherWork(at source.Span, key string) *Diagnostic {
	return otherWork.new(at, fmt.Sprintf("a lango step has no `%s`: it asks an agent and does nothing else", key)).
		WithHelp("write the work into the `prompt`, or use archon or xprompt, whose steps run programs")
}

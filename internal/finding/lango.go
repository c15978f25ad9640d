package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnnamedAgent warns of an agent of which nothing is known.
func UnnamedAgent(at source.Span, name string, known []string) *diag.Diagnostic {
	x := report("WFC280", at, fmt.Sprintf("nothing says what stands behind the agent `%s`", name))
	if near := Nearest(name, known); near != "" {
		return x.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return x.WithHelp("define it in wfc.yaml under `agents`, or give --agent " + name + "=KIND when it runs; known are " + joinAnd(known))
}

// BadDuration reports a duration that cannot be read; meant is the one that was
// perhaps meant, or "".
func BadDuration(at source.Span, path, text, meant string) *diag.Diagnostic {
	x := report("WFC281", at, fmt.Sprintf("`%s` is `%s`, which is no duration", path, text)).
		WithHelp("write a number with its unit, such as `90s`, `5m` or `1h30m`")
	if meant != "" {
		x.WithFix("replace with `"+meant+"`", at, meant, false)
	}
	return x
}

// PromptSyntax reports an action that cannot be read.
func PromptSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC282", at, problem).WithHelp("braces that are meant as text are written `{{\"{{\"}}`")
}

// PromptAction reports an action that cannot work.
func PromptAction(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC283", at, problem)
}

// PromptStep reports the result of a step that is not there. at is the step's id.
func PromptStep(at source.Span, id string, ids []string) *diag.Diagnostic {
	x := report("WFC284", at, fmt.Sprintf("there is no step `%s`", id))
	if near := Nearest(id, ids); near != "" {
		return x.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return x.WithHelp("the steps are " + joinAnd(ids))
}

// PromptOrder reports the result of a step that the reader does not come after. way
// is the way by which the read step comes after the reader, from the reader on, or
// nil when it does not; fix adds the dependency, or is nil.
func PromptOrder(at source.Span, reader, id string, way []string, fix *diag.Fix) *diag.Diagnostic {
	switch {
	case reader == id:
		return report("WFC285", at, fmt.Sprintf("step `%s` reads its own result", id))
	case way != nil:
		return report("WFC285", at, fmt.Sprintf("step `%s` reads the result of `%s`, which comes after it: %s", reader, id, strings.Join(way, " → ")))
	}
	x := report("WFC285", at, fmt.Sprintf("step `%s` reads the result of `%s`, but does not depend on it", reader, id)).
		WithHelp("add `" + id + "` to its `depends_on`")
	if fix != nil {
		x.Fixes = append(x.Fixes, *fix)
	}
	return x
}

// BadTarget reports a target that names no place.
func BadTarget(at source.Span, problem string) *diag.Diagnostic { return report("WFC286", at, problem) }

// OtherWork reports a key of a step that only steps of other formats have.
func OtherWork(at source.Span, key string) *diag.Diagnostic {
	return report("WFC126", at, fmt.Sprintf("a lango step has no `%s`: it asks an agent and does nothing else", key)).
		WithHelp("write the work into the `prompt`, or use archon or xprompt, whose steps run programs")
}

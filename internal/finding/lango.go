package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// UnnamedAgent warns of an agent that nothing defines.
func UnnamedAgent(at source.Span, name string, known []string) *diag.Diagnostic {
	x := codes.UnnamedAgent.New(at, fmt.Sprintf("unknown agent `%s`", name))
	if offerNearestName(x, at, name, known) {
		return x
	}
	x.Shared = true
	return x.WithHelp(defineAgent(name)).WithHelp("pass `--agent " + name + "=KIND` to each run instead").
		WithHelp("use one of " + quoteAll(known) + ", which also need a definition")
}

// BadDuration reports an invalid duration; meant is the one that is probably meant,
// or "".
func BadDuration(at source.Span, path, text, meant string) *diag.Diagnostic {
	x := codes.WrongValue.New(at, fmt.Sprintf("`%s` must be a duration, got `%s`", path, text)).
		WithHelp("write a number with a unit, such as `90s`, `5m` or `1h30m`")
	if meant != "" {
		x.WithFix("replace with `"+meant+"`", at, meant)
	}
	return x
}

// PromptSyntax reports an action that cannot be parsed.
func PromptSyntax(at source.Span, problem string) *diag.Diagnostic {
	return codes.TemplateSyntax.New(at, problem).WithHelp("write literal braces as `{{\"{{\"}}`")
}

// PromptStep reports the result of an unknown step; at is the step's id.
func PromptStep(at source.Span, id string, ids []string) *diag.Diagnostic {
	return offerOr(codes.UnknownNode.New(at, fmt.Sprintf("unknown step `%s`", id)), at, id, ids, "use one of "+quoteAll(ids))
}

// PromptOrder reports the result of a step that may not have ended when the reader
// starts. If the step depends on the reader, way leads from the reader to it, else
// way is nil; fix adds the dependency, or is nil.
func PromptOrder(at source.Span, reader, id string, way []string, fix *diag.Fix) *diag.Diagnostic {
	switch {
	case reader == id:
		return codes.ReferenceOrder.New(at, fmt.Sprintf("step `%s` reads its own result", id))
	case way != nil:
		return codes.ReferenceOrder.New(at, fmt.Sprintf("step `%s` reads the result of `%s`, which runs later", reader, id)).
			WithHelp("break the order " + strings.Join(way, " → ") + ", or read an earlier step")
	}
	return addNeed(codes.ReferenceOrder.New(at, fmt.Sprintf("step `%s` reads the result of `%s` without depending on it", reader, id)), reader, id, fix)
}

// BadTarget reports an invalid delivery target.
func BadTarget(at source.Span, problem string) *diag.Diagnostic {
	return codes.BadTarget.New(at, problem)
}

// UnknownChannel reports a delivery target whose channel is not one of the known ones. It is
// an error if the channel is close to one of them. Else it is a warning, because the settings
// of a run may configure it.
func UnknownChannel(at source.Span, channel string, known []string) *diag.Diagnostic {
	d := codes.BadTarget.New(at, fmt.Sprintf("unknown channel `%s`: the result would reach nobody", channel))
	if !offerNearestName(d, at, channel, known) {
		d.Severity = diag.Warning
		d.WithHelp("use one of " + quoteAll(known) + ", or configure `" + channel + "` in wfc.yaml, under `delivery.channels`")
	}
	return d
}

package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// PayloadName is the name of what arrived, in the conditions of triggers.
const PayloadName = "payload"

// NotPayload reports a name in the condition of a trigger that isn't the payload; example is a
// name that is.
func NotPayload(at source.Span, name, example string) *diag.Diagnostic {
	return codes.ConditionSyntax.New(at, fmt.Sprintf("unknown name `%s`: the condition of a trigger reads only its payload", name)).
		WithHelp("write a value of the payload, such as `" + example + "`")
}

// NoConditions reports a condition of a trigger whose workflow has a format without conditions.
func NoConditions(at source.Span, setting, format string) *diag.Diagnostic {
	return codes.UnsuitableKey.New(at, fmt.Sprintf("`%s` has no meaning: the format %s has no conditions", setting, format)).
		WithHelp("use `events` to select events, or test the inputs in the workflow")
}

// TriggerKey reports a setting of a trigger that another one excludes; with names that.
func TriggerKey(at source.Span, setting, with string) *diag.Diagnostic {
	return codes.UnsuitableKey.New(at, fmt.Sprintf("`%s` has no effect with `%s`", setting, with)).WithHelp("remove it")
}

// TriggerInput reports an input that a trigger sets and its workflow doesn't have.
func TriggerInput(at source.Span, setting, name string, known []string) *diag.Diagnostic {
	d := codes.UnknownInput.New(at, fmt.Sprintf("unknown input `%s` in `%s`", name, setting))
	if len(known) == 0 {
		return d.WithHelp("remove it: the workflow has no inputs")
	}
	return offerOr(d, at, name, known, "use one of "+quoteAll(known))
}

// TriggerWithoutInput reports a required input that a trigger doesn't set.
func TriggerWithoutInput(at source.Span, setting, name string, declared source.Span) *diag.Diagnostic {
	d := codes.MissingKey.New(at, fmt.Sprintf("`%s` doesn't set the required input `%s`", setting, name)).
		WithHelp(fmt.Sprintf("add it under `inputs`, as in `%s: /title`", name))
	if declared.IsValid() {
		d.WithRelated(declared, "declared here")
	}
	return d
}

// TriggerField reports a place in the payload of a watcher that no payload has.
func TriggerField(at source.Span, pointer string, known []string) *diag.Diagnostic {
	return offerOr(codes.UnknownValue.New(at, fmt.Sprintf("the payload has nothing at `%s`", pointer)), at, pointer, known, "use one of "+quoteAll(known))
}

// TriggerEvent reports an event for which no node of the workflow waits.
func TriggerEvent(at source.Span, event string, known []string) *diag.Diagnostic {
	d := codes.UnknownValue.New(at, fmt.Sprintf("no node waits for the event `%s`", event))
	if len(known) == 0 {
		return d.WithHelp("remove `signal` to start runs: no node of the workflow waits for an event")
	}
	return offerOr(d, at, event, known, "use one of "+quoteAll(known))
}

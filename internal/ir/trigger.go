package ir

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Trigger is an entry of `triggers` in wfc.yaml.
type Trigger struct {
	settings.Trigger
	// Setting is its full name, for messages.
	Setting string
	Span    source.Span
	// Workflow is the name of the workflow that a trigger of Archon's configuration starts, or "".
	Workflow string
	// When is the condition as written, or the zero Text, and Filter what it means; nil means
	// none.
	When   source.Text
	Filter expr.Expr
	// InputPlaces are those of Inputs, MatchPlaces those of Signal.Match, and EventSpan is the
	// place of Signal.Event.
	InputPlaces, MatchPlaces []MappedPlace
	EventSpan                source.Span
}

// MappedPlace is where a mapped value is written: the name and the rest.
type MappedPlace struct{ Name, Value source.Span }

package expr

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
)

// Payload is a value in the payload of a trigger, of which nothing is known before it arrives.
// One that is missing is null. Only the conditions of triggers have it. Their other
// expressions are Compare with a Literal or a Payload on either side, Logic, Not and Contains. As
// a condition, null, false, 0 and what is empty are false, as Python decides it.
type Payload struct {
	At source.Span
	// Path are the keys to follow; none is the whole payload.
	Path []string
}

// Contains reports whether a list in the payload has an item, or an object a key, or a string
// a part.
type Contains struct {
	At   source.Span
	Item Expr
	In   *Payload
}

func (*Payload) Type() types.Type  { return types.Any }
func (*Contains) Type() types.Type { return types.Bool }

func (e *Payload) Span() source.Span  { return e.At }
func (e *Contains) Span() source.Span { return e.At }

func (*Payload) visitOperands(func(*Expr))       {}
func (e *Contains) visitOperands(do func(*Expr)) { do(&e.Item) }

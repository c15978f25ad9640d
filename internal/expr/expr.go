// Package expr is the one typed expression tree into which every dialect's
// conditions and holes are parsed.
//
// The meaning of a dialect's operators is explicit: a comparison says whether it compares
// strings or numbers, so no stage after the front ends asks for the dialect of an
// expression.
package expr

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
)

// An Expr is a node of the tree.
type Expr interface {
	// Type is the type of its value.
	Type() types.Type
	// Span is its place in the file.
	Span() source.Span
	// visitOperands calls do with a pointer to every operand, in the order in which they are
	// evaluated; nil operands are left out.
	visitOperands(do func(*Expr))
}

// Presence lists the reasons why a referenced value may be absent when it is read.
// The zero Presence means "always there".
type Presence uint8

const (
	// MaybeSkipped: the producer may have been skipped.
	MaybeSkipped Presence = 1 << iota
	// MaybeFailed: the producer may have failed.
	MaybeFailed
	// MaybeAbsent: the producer ran, but the value is an optional field.
	MaybeAbsent
)

// Always reports whether the value exists whenever it is read.
func (p Presence) Always() bool { return p == 0 }

// A Literal is a constant.
type Literal struct {
	At source.Span
	// Text is the constant as text: of a number and a boolean the text as
	// written, of a list or an object its compact JSON, of Null "null".
	Text string
	Typ  types.Type
}

// Output is a node's whole output as text. A skipped producer gives empty
// text; a failed one fails the reader.
type Output struct {
	At source.Span
	// Node is the producer's id.
	Node     string
	Presence Presence
	// Needed says that a skipped producer fails the reader, too.
	Needed bool `fingerprint:"optional"`
	// Previous reads the output in the previous iteration of the loop around both nodes.
	// It is empty text in the first iteration.
	Previous bool `fingerprint:"optional"`
}

// Field is a value inside a node's structured output. A producer that was
// skipped or failed fails the reader.
type Field struct {
	At source.Span
	// Node is the producer's id.
	Node string
	// Path are the names to follow, at least one.
	Path []string
	// Typ is the field's declared type, or Any for a producer without schema.
	Typ types.Type
	// Declared says that the producer declares its fields. Absent and null
	// declared fields read as empty text; undeclared ones fail the reader.
	Declared bool
	Presence Presence
	// Previous is as in Output: in the first iteration the value is absent.
	Previous bool `fingerprint:"optional"`
	// Scalar says that an object or a list fails the reader.
	Scalar bool `fingerprint:"optional"`
}

// Input is one of the workflow's inputs.
type Input struct {
	At   source.Span
	Name string
	Typ  types.Type
	// Given says that reading an optional input fails the reader if the caller gave no
	// value.
	Given bool `fingerprint:"optional"`
}

// Joined is the concatenation of its parts; its type is Text.
type Joined struct {
	At    source.Span
	Parts []Expr
}

// Fallback is X, an Output or a Field, or Else if the producer of X was skipped. A
// failed producer fails the reader.
type Fallback struct {
	At   source.Span
	X    Expr
	Else *Literal
}

// Variable names a value that the run itself supplies.
type Variable int

// The run's variables.
const (
	// RunID is the run's id.
	RunID Variable = iota
	// ArtifactsDir is the run's folder for artifacts.
	ArtifactsDir
	// BaseBranch is the branch that changes are made against; reading it fails
	// when it is not known.
	BaseBranch
	// DocsDir is the project's documentation folder.
	DocsDir
	// LoopUserInput is the person's answer at the gate of the enclosing loop.
	LoopUserInput
	// LoopPrevOutput is the output of the enclosing loop's previous iteration.
	LoopPrevOutput
	// RejectionReason is why a person rejected the enclosing approval.
	RejectionReason
	// LogDir is the run's folder for logs.
	LogDir
	// StateDir is the folder that all runs of a project share.
	StateDir
	// ArtifactList is the file that lists the run's typed artifacts.
	ArtifactList
)

var variableNames = [...]string{
	"run id", "artifacts folder", "base branch", "docs folder", "loop input", "previous loop output", "rejection reason", "log folder", "state folder",
	"list of artifacts",
}

func (v Variable) String() string { return variableNames[v] }

// Var is a run variable; its type is Text.
type Var struct {
	At  source.Span
	Var Variable
}

// CompareOp is a comparison with its rule.
type CompareOp int

const (
	// TextEqual compares both sides exactly as strings. Numbers are rendered as in
	// JavaScript.
	TextEqual CompareOp = iota
	// TextNotEqual is the opposite of TextEqual.
	TextNotEqual
	// NumberLess and the next three read both sides as numbers by their
	// longest numeric prefix, as JavaScript's parseFloat does, and fail the
	// node when one has none.
	NumberLess
	NumberLessEqual
	NumberGreater
	NumberGreaterEqual
	// ValueEqual compares two values of the same type, or one with null. Values
	// of different types, of which nothing was known before, are different.
	ValueEqual
	// ValueNotEqual is the opposite of ValueEqual.
	ValueNotEqual
	// ValueLess and the next three compare two numbers, or two strings byte by byte. With
	// a null or values of different types they are false.
	ValueLess
	ValueLessEqual
	ValueGreater
	ValueGreaterEqual
)

var compareNames = [...]string{"==", "!=", "<", "<=", ">", ">=", "==", "!=", "<", "<=", ">", ">="}

func (op CompareOp) String() string { return compareNames[op] }

// IsNumeric reports whether op reads both sides as numbers.
func (op CompareOp) IsNumeric() bool { return op >= NumberLess && op <= NumberGreaterEqual }

// Mirrored returns the operator that compares values alike with its operands exchanged.
func (op CompareOp) Mirrored() CompareOp {
	switch op {
	case ValueLess:
		return ValueGreater
	case ValueGreater:
		return ValueLess
	case ValueLessEqual:
		return ValueGreaterEqual
	case ValueGreaterEqual:
		return ValueLessEqual
	}
	return op
}

// HoldsFor reports whether the result of an operator such as < is true for the order of its
// operands: negative if the left one is less, 0 if they are equal.
func (op CompareOp) HoldsFor(order int) bool {
	switch op {
	case NumberLess, ValueLess:
		return order < 0
	case NumberLessEqual, ValueLessEqual:
		return order <= 0
	case NumberGreater, ValueGreater:
		return order > 0
	case NumberGreaterEqual, ValueGreaterEqual:
		return order >= 0
	}
	panic("the operator " + op.String() + " needs no order")
}

// IsValue reports whether op compares values by their types.
func (op CompareOp) IsValue() bool { return op >= ValueEqual }

// Compare is a comparison; its type is Bool.
type Compare struct {
	At   source.Span
	Op   CompareOp
	X, Y Expr
}

// LogicOp is a connective.
type LogicOp int

// The connectives. Both are lazy: Y is not evaluated when X decides.
const (
	And LogicOp = iota
	Or
)

// Logic connects two conditions; its type is Bool.
type Logic struct {
	At   source.Span
	Op   LogicOp
	X, Y Expr
}

// Join connects conditions; those that are nil don't count.
func Join(at source.Span, op LogicOp, list ...Expr) (all Expr) {
	for _, e := range list {
		switch {
		case all == nil:
			all = e
		case e != nil:
			all = &Logic{At: at, Op: op, X: all, Y: e}
		}
	}
	return all
}

// Not negates a condition; its type is Bool.
type Not struct {
	At source.Span
	X  Expr
}

// Bad is where something could not be parsed or resolved and was reported.
type Bad struct {
	At source.Span
}

func (e *Literal) Type() types.Type { return e.Typ }
func (e *Output) Type() types.Type  { return types.Text }
func (e *Field) Type() types.Type   { return e.Typ }
func (e *Input) Type() types.Type   { return e.Typ }
func (e *Joined) Type() types.Type  { return types.Text }
func (e *Var) Type() types.Type     { return types.Text }
func (e *Compare) Type() types.Type { return types.Bool }
func (e *Logic) Type() types.Type   { return types.Bool }
func (e *Not) Type() types.Type     { return types.Bool }
func (e *Bad) Type() types.Type     { return types.Invalid }

// Type is that of both values, or Any.
func (e *Fallback) Type() types.Type {
	if types.Identical(e.X.Type(), e.Else.Typ) {
		return e.Else.Typ
	}
	return types.Any
}

func (e *Literal) Span() source.Span  { return e.At }
func (e *Output) Span() source.Span   { return e.At }
func (e *Field) Span() source.Span    { return e.At }
func (e *Input) Span() source.Span    { return e.At }
func (e *Joined) Span() source.Span   { return e.At }
func (e *Fallback) Span() source.Span { return e.At }
func (e *Var) Span() source.Span      { return e.At }
func (e *Compare) Span() source.Span  { return e.At }
func (e *Logic) Span() source.Span    { return e.At }
func (e *Not) Span() source.Span      { return e.At }
func (e *Bad) Span() source.Span      { return e.At }

func (*Literal) visitOperands(func(*Expr))       {}
func (*Output) visitOperands(func(*Expr))        {}
func (*Field) visitOperands(func(*Expr))         {}
func (*Input) visitOperands(func(*Expr))         {}
func (e *Joined) visitOperands(do func(*Expr))   { eachExpr(e.Parts, do) }
func (e *Fallback) visitOperands(do func(*Expr)) { do(&e.X) }
func (*Var) visitOperands(func(*Expr))           {}
func (e *Compare) visitOperands(do func(*Expr))  { do(&e.X); do(&e.Y) }
func (e *Logic) visitOperands(do func(*Expr))    { do(&e.X); do(&e.Y) }
func (e *Not) visitOperands(do func(*Expr))      { do(&e.X) }
func (*Bad) visitOperands(func(*Expr))           {}

// Walk calls visit for e and, while visit returns true, for the expressions inside
// e, including those in templates.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	e.visitOperands(func(operand *Expr) { Walk(*operand, visit) })
	if r, ok := e.(*Rendered); ok {
		r.Text.Exprs(visit)
	}
}

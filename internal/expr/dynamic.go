package expr

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
)

// Expressions of template languages: variables that templates declare, values of
// any type, operators, calls, filters and tests. Their values behave like Python's;
// see runtime/value/py. Where a type is known, the generator writes plain Go, so
// front ends set types as exactly as they can prove them. Any means that the type
// is unknown.

// A Declared is something that a template or a loop gives a name: the variable
// of a loop, of a set statement, the parameter of a macro. Names that mean the
// same thing share one.
type Declared struct {
	Name string
	Typ  types.Type
	// Maybe says that it may have no value where it is read, because the
	// statement that gives it one is in a branch.
	Maybe bool
	// At is where it is declared.
	At source.Span
}

// A Local reads something declared.
type Local struct {
	At source.Span
	Of *Declared
}

// A StepValue is a step's output as a value, not as its text. In a step that was
// skipped it is undefined.
type StepValue struct {
	At source.Span
	// Node is the producer's id.
	Node     string
	Typ      types.Type
	Presence Presence
}

// A Global is one of the functions that templates find: range, dict, cycler,
// joiner, namespace.
type Global struct {
	At   source.Span
	Name string
}

// An UndefinedName reads a name that is declared nowhere, where that is not an
// error: `x is defined`, `x | default(1)`.
type UndefinedName struct {
	At   source.Span
	Name string
}

// An Attr is X.Name: an attribute, else the item of that key.
type Attr struct {
	At   source.Span
	X    Expr
	Name string
	// NameSpan is the place of the name.
	NameSpan source.Span
	// Typ is the type of the value that is found.
	Typ types.Type
	// Presence has MaybeAbsent when X may lack it, which makes it undefined.
	Presence Presence
	// Lenient says that the attribute of a step that was skipped is a value that
	// counts as false and equals only that, rather than an error: conditions have
	// that.
	Lenient bool
}

// An Item is X[Key]: the item, else the attribute of that name.
type Item struct {
	At     source.Span
	X, Key Expr
	Typ    types.Type
}

// A Slice is X[Low:High:Step]; each of the three may be nil.
type Slice struct {
	At              source.Span
	X               Expr
	Low, High, Step Expr
}

// An Arg is an argument of a call, a filter or a test.
type Arg struct {
	// Name is the keyword, or "".
	Name  string
	Value Expr
	// Stars is 1 of *Value and 2 of **Value.
	Stars int
}

// A Call is Fn(Args). When Fn is an Attr it calls a method.
type Call struct {
	At   source.Span
	Fn   Expr
	Args []Arg
	Typ  types.Type
}

// A Filter is X | Name(Args). The names are those of internal/shared/pynames.
type Filter struct {
	At       source.Span
	X        Expr
	Name     string
	NameSpan source.Span
	Args     []Arg
	Typ      types.Type
}

// A Test is X is Name(Args), or its opposite; its type is Bool.
type Test struct {
	At       source.Span
	X        Expr
	Name     string
	NameSpan source.Span
	Not      bool
	Args     []Arg
}

// ArithOp is an operator on two values.
type ArithOp int

// The operators, as Python has them.
const (
	Add ArithOp = iota
	Sub
	Mul
	Div
	FloorDiv
	Mod
	Pow
)

var arithNames = [...]string{"+", "-", "*", "/", "//", "%", "**"}

func (op ArithOp) String() string { return arithNames[op] }

// Arith computes with two values.
type Arith struct {
	At   source.Span
	Op   ArithOp
	X, Y Expr
	Typ  types.Type
}

// Sign is -X or +X.
type Sign struct {
	At       source.Span
	Negative bool
	X        Expr
	Typ      types.Type
}

// Concat joins values as strings, converted as by Str; its type is Text.
type Concat struct {
	At    source.Span
	Parts []Expr
}

// RelationOp compares two values.
type RelationOp int

// The comparisons, as Python has them.
const (
	Equal RelationOp = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	In
	NotIn
)

var relationNames = [...]string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"}

func (op RelationOp) String() string { return relationNames[op] }

// A Relation is a chain of comparisons: X op Y op Z. Each operand is evaluated
// once, and none after the first comparison that does not hold. Its type is Bool.
type Relation struct {
	At    source.Span
	X     Expr
	Links []Link
}

// A Link is one comparison of a Relation.
type Link struct {
	Op RelationOp
	Y  Expr
}

// Either is `X and Y` or `X or Y` on values: its value is one of the two. Y is
// not evaluated when X decides.
type Either struct {
	At   source.Span
	Op   LogicOp
	X, Y Expr
	Typ  types.Type
}

// Negation is `not X` on the truth of a value; its type is Bool.
type Negation struct {
	At source.Span
	X  Expr
}

// Choose is `Then if If else Else`. Else may be nil: then the value is undefined
// and its text empty.
type Choose struct {
	At             source.Span
	If, Then, Else Expr
	Typ            types.Type
}

// ListOf is a list of values, or a tuple.
type ListOf struct {
	At    source.Span
	Items []Expr
	Tuple bool
	Typ   types.Type
}

// DictOf is an object; keys may be any values.
type DictOf struct {
	At   source.Span
	Keys []Expr
	// Values are as many as Keys.
	Values []Expr
}

// A Rendered is the text that a template makes; its type is Text.
type Rendered struct {
	At source.Span
	// Text is a *template.Template.
	Text Body
}

// A Body is a template inside an expression.
type Body interface {
	// Exprs calls visit for the expressions of the template as Walk does.
	Exprs(visit func(Expr) bool)
	// Folded is Fold for the template.
	Folded() Body
	// Rewrite is Rewrite for the expressions of the template.
	Rewrite(f func(Expr) Expr)
}

// Holds is a condition made of a text: it is false when the text of X, without
// white space around it and in lower case, is one of "", false, none, 0, [] and
// {}. Its type is Bool.
type Holds struct {
	At source.Span
	X  Expr
}

// Str is the text of a value as Python prints it; its type is Text.
type Str struct {
	At source.Span
	X  Expr
}

// Convert reads a text as a value of a basic type, like an input on a command line.
// A text without such a value fails the node.
type Convert struct {
	At source.Span
	X  Expr
	To types.Type
	// What names the converted value in the message: "the argument `n` of #greet".
	What string
}

// A GoCall calls a function of Go's text templates on values whose types are known:
// print, printf, println, len, html, js, urlquery, slice.
type GoCall struct {
	At   source.Span
	Func string
	Args []Expr
	Typ  types.Type
}

// Approved reports whether a person accepted the output of a reviewed step. It is
// false if the step was skipped. Its type is Bool.
type Approved struct {
	At   source.Span
	Node string
}

// Type implements Expr.
func (e *Local) Type() types.Type { return e.Of.Typ }

// Type implements Expr.
func (e *StepValue) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Attr) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Item) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Slice) Type() types.Type {
	if types.IsText(e.X.Type()) {
		return types.Text
	}
	if l, ok := e.X.Type().(*types.List); ok {
		return l
	}
	return types.Any
}

// Type implements Expr.
func (e *Call) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Filter) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Arith) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Sign) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Either) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Choose) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *ListOf) Type() types.Type { return e.Typ }

// Type implements Expr.
func (*Global) Type() types.Type { return types.Any }

// Type implements Expr.
func (*UndefinedName) Type() types.Type { return types.Any }

// Type implements Expr.
func (*DictOf) Type() types.Type { return types.Any }

// Type implements Expr.
func (*Test) Type() types.Type { return types.Bool }

// Type implements Expr.
func (*Relation) Type() types.Type { return types.Bool }

// Type implements Expr.
func (*Negation) Type() types.Type { return types.Bool }

// Type implements Expr.
func (*Holds) Type() types.Type { return types.Bool }

// Type implements Expr.
func (*Approved) Type() types.Type { return types.Bool }

// Type implements Expr.
func (*Concat) Type() types.Type { return types.Text }

// Type implements Expr.
func (e *Convert) Type() types.Type { return e.To }

// Type implements Expr.
func (e *GoCall) Type() types.Type { return e.Typ }

// Type implements Expr.
func (*Str) Type() types.Type { return types.Text }

// Type implements Expr.
func (*Rendered) Type() types.Type { return types.Text }

// Span implements Expr.
func (e *Local) Span() source.Span { return e.At }

// Span implements Expr.
func (e *StepValue) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Global) Span() source.Span { return e.At }

// Span implements Expr.
func (e *UndefinedName) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Attr) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Item) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Slice) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Call) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Filter) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Test) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Arith) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Sign) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Concat) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Relation) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Either) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Negation) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Choose) Span() source.Span { return e.At }

// Span implements Expr.
func (e *ListOf) Span() source.Span { return e.At }

// Span implements Expr.
func (e *DictOf) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Rendered) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Convert) Span() source.Span { return e.At }

// Span implements Expr.
func (e *GoCall) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Str) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Holds) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Approved) Span() source.Span { return e.At }

func (*Local) visitOperands(func(*Expr))         {}
func (*StepValue) visitOperands(func(*Expr))     {}
func (*Global) visitOperands(func(*Expr))        {}
func (*UndefinedName) visitOperands(func(*Expr)) {}
func (e *Attr) visitOperands(do func(*Expr))     { do(&e.X) }
func (e *Item) visitOperands(do func(*Expr))     { do(&e.X); do(&e.Key) }

func (e *Slice) visitOperands(do func(*Expr)) {
	for _, operand := range []*Expr{&e.X, &e.Low, &e.High, &e.Step} {
		if *operand != nil {
			do(operand)
		}
	}
}

func (e *Call) visitOperands(do func(*Expr))   { do(&e.Fn); eachArg(e.Args, do) }
func (e *Filter) visitOperands(do func(*Expr)) { do(&e.X); eachArg(e.Args, do) }
func (e *Test) visitOperands(do func(*Expr))   { do(&e.X); eachArg(e.Args, do) }
func (e *Arith) visitOperands(do func(*Expr))  { do(&e.X); do(&e.Y) }
func (e *Sign) visitOperands(do func(*Expr))   { do(&e.X) }
func (e *Concat) visitOperands(do func(*Expr)) { eachExpr(e.Parts, do) }

func (e *Relation) visitOperands(do func(*Expr)) {
	do(&e.X)
	for i := range e.Links {
		do(&e.Links[i].Y)
	}
}

func (e *Either) visitOperands(do func(*Expr))   { do(&e.X); do(&e.Y) }
func (e *Negation) visitOperands(do func(*Expr)) { do(&e.X) }

func (e *Choose) visitOperands(do func(*Expr)) {
	do(&e.If)
	do(&e.Then)
	if e.Else != nil {
		do(&e.Else)
	}
}

func (e *ListOf) visitOperands(do func(*Expr)) { eachExpr(e.Items, do) }

func (e *DictOf) visitOperands(do func(*Expr)) {
	for i := range e.Keys {
		do(&e.Keys[i])
		do(&e.Values[i])
	}
}

func (*Rendered) visitOperands(func(*Expr))     {}
func (e *Holds) visitOperands(do func(*Expr))   { do(&e.X) }
func (e *Str) visitOperands(do func(*Expr))     { do(&e.X) }
func (e *GoCall) visitOperands(do func(*Expr))  { eachExpr(e.Args, do) }
func (e *Convert) visitOperands(do func(*Expr)) { do(&e.X) }
func (*Approved) visitOperands(func(*Expr))     {}

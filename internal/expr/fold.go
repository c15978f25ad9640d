package expr

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
)

// Fold returns e with every part computed that does not depend on the run. e
// itself is not changed.
//
// An operand is dropped only when it would not be evaluated: reading an output
// may fail the node, and a failure must not be folded away. So `false && x` is
// false, but `x && false` stays.
func Fold(e Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *Compare:
		return foldCompare(&Compare{At: e.At, Op: e.Op, X: Fold(e.X), Y: Fold(e.Y)})
	case *Logic:
		return foldLogic(&Logic{At: e.At, Op: e.Op, X: Fold(e.X), Y: Fold(e.Y)})
	case *Not:
		x := Fold(e.X)
		if value, ok := Constant(x); ok {
			return boolLiteral(e, !value)
		}
		return &Not{At: e.At, X: x}
	case *Str:
		return foldStr(&Str{At: e.At, X: Fold(e.X)})
	case *Rendered:
		return &Rendered{At: e.At, Text: e.Text.Folded()}
	default:
		folded := cloneExpr(e)
		folded.visitOperands(func(operand *Expr) { *operand = Fold(*operand) })
		return folded
	}
}

// Constant returns the truth of a constant condition.
func Constant(e Expr) (value, ok bool) {
	lit, isLiteral := e.(*Literal)
	if !isLiteral || lit.Typ != types.Bool {
		return false, false
	}
	return lit.Text == "true", true
}

// falseTexts are the texts that count as false, in lower case.
var falseTexts = []string{"", "false", "none", "0", "[]", "{}"}

// IsFalseText reports whether Holds is false for a text.
func IsFalseText(text string) bool {
	return slices.Contains(falseTexts, strings.ToLower(strings.TrimSpace(text)))
}

// WrittenIn reports whether the author wrote the constant as such, within a place. Other
// constants replace a name: of an argument, or of an input that the build sets.
func (e *Literal) WrittenIn(at source.Span) bool {
	if e.At.File != at.File || e.At.Start < at.Start || e.At.End > at.End {
		return false
	}
	text := e.At.Text()
	switch strings.ToLower(text) {
	case "true", "false", "none", "null":
		return true
	}
	return text != "" && (strings.HasPrefix(text, "{{") || strings.ContainsRune(`'"\+-.0123456789`, rune(text[0])))
}

func boolLiteral(e Expr, value bool) Expr {
	text := "false"
	if value {
		text = "true"
	}
	return &Literal{At: e.Span(), Text: text, Typ: types.Bool}
}

func foldCompare(e *Compare) Expr {
	x, constant := e.X.(*Literal)
	y, both := e.Y.(*Literal)
	if !constant || !both || x.Typ == types.Invalid || y.Typ == types.Invalid {
		return e
	}
	if e.Op.IsValue() {
		return boolLiteral(e, valuesHold(e.Op, x, y))
	}
	switch e.Op {
	case TextEqual:
		return boolLiteral(e, x.Text == y.Text)
	case TextNotEqual:
		return boolLiteral(e, x.Text != y.Text)
	}
	a, isNumber := numberPrefix(x.Text)
	b, areNumbers := numberPrefix(y.Text)
	if !isNumber || !areNumbers {
		return e // it fails the node, which is for the run to say
	}
	return boolLiteral(e, e.Op.HoldsFor(cmp.Compare(a, b)))
}

// valuesHold compares two constants by their types: numbers as numbers, other values as
// strings. Values of different types are different and in no order, and so are a null and
// anything else.
func valuesHold(op CompareOp, x, y *Literal) bool {
	order, ordered := compareValues(x, y)
	switch op {
	case ValueEqual:
		return ordered && order == 0
	case ValueNotEqual:
		return !ordered || order != 0
	}
	return x.Typ != types.Null && ordered && op.HoldsFor(order)
}

// compareValues orders two constants of the same type; ok is false for others.
func compareValues(x, y *Literal) (order int, ok bool) {
	if types.IsNumber(x.Typ) && types.IsNumber(y.Typ) {
		a, errA := strconv.ParseFloat(x.Text, 64)
		b, errB := strconv.ParseFloat(y.Text, 64)
		return cmp.Compare(a, b), errA == nil && errB == nil
	}
	same := x.Typ == y.Typ || types.IsText(x.Typ) && types.IsText(y.Typ)
	return strings.Compare(x.Text, y.Text), same
}

func foldLogic(e *Logic) Expr {
	decides := e.Op == Or // the value of X with which Y is not evaluated
	if value, ok := Constant(e.X); ok {
		if value == decides {
			return boolLiteral(e, decides)
		}
		return e.Y
	}
	if value, ok := Constant(e.Y); ok && value != decides {
		return e.X
	}
	return e
}

// foldStr makes a constant of a constant's text, but for floating-point numbers and
// lists, whose text Python makes of their value.
func foldStr(e *Str) Expr {
	lit, ok := e.X.(*Literal)
	if !ok {
		return e
	}
	text := lit.Text
	switch lit.Typ {
	case types.Float, types.Any, types.Invalid:
		return e
	case types.Bool:
		text = map[string]string{"true": "True", "false": "False"}[text]
	case types.Null:
		text = "None"
	default:
		if !types.IsText(lit.Typ) && lit.Typ != types.Int {
			return e
		}
	}
	return &Literal{At: e.At, Text: text, Typ: types.Text}
}

// numberPrefix reads the longest number that a text starts with, as
// JavaScript's parseFloat does; ok is false when there is none or when it is
// infinite.
func numberPrefix(text string) (f float64, ok bool) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	f, err := strconv.ParseFloat(scalar.NumberPrefix(text), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

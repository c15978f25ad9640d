package py

import (
	"math"
	"math/big"
	"strings"
)

// Add is `a + b`.
func Add(a, b Value) (Value, error) {
	if x, y := number(a), number(b); x != nil && y != nil {
		return addNumbers(x, y, false)
	}
	if err := undefinedOperand(a, b); err != nil {
		return nil, err
	}
	switch a := a.(type) {
	case Str:
		if b, ok := b.(Str); ok {
			return concat(string(a), string(b))
		}
		return nil, cannotConcatenate("str", b)
	case *List:
		if b, ok := b.(*List); ok {
			items, err := joinItems(a.items, b.items)
			return NewList(items...), err
		}
		return nil, cannotConcatenate("list", b)
	case *Tuple:
		if b, ok := b.(*Tuple); ok {
			items, err := joinItems(a.items, b.items)
			return NewTuple(items...), err
		}
		return nil, cannotConcatenate("tuple", b)
	}
	return nil, wrongOperands("+", a, b)
}

func cannotConcatenate(name string, b Value) error {
	return typeError(`can only concatenate %s (not "%s") to %s`, name, b.typeName(), name)
}

func wrongOperands(op string, a, b Value) error {
	return typeError("unsupported operand type(s) for %s: '%s' and '%s'", op, a.typeName(), b.typeName())
}

func concat(a, b string) (Value, error) {
	if err := checkText(int64(len(a)) + int64(len(b))); err != nil {
		return nil, err
	}
	return Str(a + b), nil
}

func joinItems(a, b []Value) ([]Value, error) {
	if err := checkItems(int64(len(a)) + int64(len(b))); err != nil {
		return nil, err
	}
	out := make([]Value, 0, len(a)+len(b))
	return append(append(out, a...), b...), nil
}

// addNumbers adds or subtracts.
func addNumbers(a, b Value, minus bool) (Value, error) {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		if minus {
			if d := x - y; (d < x) == (y > 0) {
				return d, nil
			}
		} else if s := x + y; (s > x) == (y > 0) {
			return s, nil
		}
	}
	if i, j := bigOf(a), bigOf(b); i != nil && j != nil {
		if minus {
			return checkInt(new(big.Int).Sub(i, j))
		}
		return checkInt(new(big.Int).Add(i, j))
	}
	f, g, err := floats(a, b)
	if minus {
		return Float(f - g), err
	}
	return Float(f + g), err
}

// floats returns two numbers as floats.
func floats(a, b Value) (f, g float64, err error) {
	if f, err = floatOf(a); err != nil {
		return 0, 0, err
	}
	g, err = floatOf(b)
	return f, g, err
}

// Sub is `a - b`.
func Sub(a, b Value) (Value, error) {
	if x, y := number(a), number(b); x != nil && y != nil {
		return addNumbers(x, y, true)
	}
	if err := undefinedOperand(a, b); err != nil {
		return nil, err
	}
	return nil, wrongOperands("-", a, b)
}

// Mul is `a * b`.
func Mul(a, b Value) (Value, error) {
	if x, y := number(a), number(b); x != nil && y != nil {
		return mulNumbers(x, y)
	}
	if err := undefinedOperand(a, b); err != nil {
		return nil, err
	}
	if isSequence(a) {
		return repeat(a, b)
	}
	if isSequence(b) {
		return repeat(b, a)
	}
	return nil, wrongOperands("*", a, b)
}

func mulNumbers(a, b Value) (Value, error) {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		if p := x * y; x == 0 || p/x == y && (x != -1 || y != math.MinInt64) {
			return p, nil
		}
	}
	if i, j := bigOf(a), bigOf(b); i != nil && j != nil {
		if i.BitLen()+j.BitLen() > maxBits+1 {
			return nil, tooLarge()
		}
		return checkInt(new(big.Int).Mul(i, j))
	}
	f, g, err := floats(a, b)
	return Float(f * g), err
}

func isSequence(v Value) bool {
	switch v.(type) {
	case Str, *List, *Tuple:
		return true
	}
	return false
}

// repeat is a sequence times a number.
func repeat(v, times Value) (Value, error) {
	n, ok := indexOf(times)
	if !ok {
		return nil, typeError("can't multiply sequence by non-int of type '%s'", times.typeName())
	}
	if _, isBig := times.(*Big); isBig {
		return nil, raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	}
	n = min(max(n, 0), math.MaxInt32)
	if s, ok := v.(Str); ok {
		if err := checkText(int64(len(s)) * int64(n)); err != nil {
			return nil, err
		}
		if s == "" {
			return s, nil
		}
		return Str(strings.Repeat(string(s), n)), nil
	}
	list, isList := v.(*List)
	var items []Value
	if isList {
		items = list.items
	} else {
		items = v.(*Tuple).items
	}
	if err := checkItems(int64(len(items)) * int64(n)); err != nil {
		return nil, err
	}
	out := make([]Value, 0, len(items)*n)
	for len(items) > 0 && len(out) < cap(out) {
		out = append(out, items...)
	}
	if isList {
		return NewList(out...), nil
	}
	return NewTuple(out...), nil
}

// Neg is `-v`.
func Neg(v Value) (Value, error) {
	switch n := number(v).(type) {
	case Int:
		if n != math.MinInt64 {
			return -n, nil
		}
		return NewInt(new(big.Int).Neg(bigOf(n))), nil
	case *Big:
		return NewInt(new(big.Int).Neg(n.i)), nil
	case Float:
		return -n, nil
	}
	return nil, wrongOperand("-", v)
}

// Pos is `+v`.
func Pos(v Value) (Value, error) {
	if n := number(v); n != nil {
		return n, nil
	}
	return nil, wrongOperand("+", v)
}

func wrongOperand(op string, v Value) error {
	if err := undefinedOperand(v); err != nil {
		return err
	}
	return typeError("bad operand type for unary %s: '%s'", op, v.typeName())
}

// Concat is `a ~ b ~ …`: the texts of the values one after the other.
func Concat(values ...Value) (Value, error) {
	var b strings.Builder
	for _, v := range values {
		s, err := Text(v)
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
		if err := checkText(int64(b.Len())); err != nil {
			return nil, err
		}
	}
	return Str(b.String()), nil
}

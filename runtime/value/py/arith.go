package py

import (
	"math"
	"math/big"
	"strings"
)

// add is `a + b`.
func add(a, b Value) Value {
	if x, y := toNumber(a), toNumber(b); x != nil && y != nil {
		return addNumbers(x, y, false)
	}
	undefinedOperand(a, b)
	switch a := a.(type) {
	case Str:
		if b, ok := b.(Str); ok {
			return concatText(string(a), string(b))
		}
		panic(cannotConcatenate("str", b))
	case *List:
		if b, ok := b.(*List); ok {
			return NewList(joinItems(a.items, b.items)...)
		}
		panic(cannotConcatenate("list", b))
	case *tuple:
		if b, ok := b.(*tuple); ok {
			return newTuple(joinItems(a.items, b.items)...)
		}
		panic(cannotConcatenate("tuple", b))
	}
	panic(wrongOperands("+", a, b))
}

func cannotConcatenate(name string, b Value) error {
	return typeError(`can only concatenate %s (not "%s") to %s`, name, b.typeName(), name)
}

func wrongOperands(op string, a, b Value) error {
	return typeError("unsupported operand type(s) for %s: '%s' and '%s'", op, a.typeName(), b.typeName())
}

func concatText(a, b string) Value {
	checkText(int64(len(a)) + int64(len(b)))
	return Str(a + b)
}

func joinItems(a, b []Value) []Value {
	checkItems(int64(len(a)) + int64(len(b)))
	return append(append(make([]Value, 0, len(a)+len(b)), a...), b...)
}

// addNumbers adds or subtracts.
func addNumbers(a, b Value, minus bool) Value {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		if minus {
			if d := x - y; (d < x) == (y > 0) {
				return d
			}
		} else if s := x + y; (s > x) == (y > 0) {
			return s
		}
	}
	if i, j := bigOf(a), bigOf(b); i != nil && j != nil {
		if minus {
			return checkInt(new(big.Int).Sub(i, j))
		}
		return checkInt(new(big.Int).Add(i, j))
	}
	f, g := toFloats(a, b)
	if minus {
		return Float(f - g)
	}
	return Float(f + g)
}

// toFloats returns two numbers as floats.
func toFloats(a, b Value) (f, g float64) {
	f = floatOf(a)
	g = floatOf(b)
	return f, g
}

// sub is `a - b`.
func sub(a, b Value) Value {
	x, y := numericOperands("-", a, b)
	return addNumbers(x, y, true)
}

// numericOperands returns the numbers that the operands of an operator must be.
func numericOperands(op string, a, b Value) (x, y Value) {
	x, y = toNumber(a), toNumber(b)
	if x == nil || y == nil {
		undefinedOperand(a, b)
		panic(wrongOperands(op, a, b))
	}
	return x, y
}

// mul is `a * b`.
func mul(a, b Value) Value {
	if x, y := toNumber(a), toNumber(b); x != nil && y != nil {
		return mulNumbers(x, y)
	}
	undefinedOperand(a, b)
	if isSequence(a) {
		return repeatSequence(a, b)
	}
	if isSequence(b) {
		return repeatSequence(b, a)
	}
	panic(wrongOperands("*", a, b))
}

func mulNumbers(a, b Value) Value {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		if p := x * y; x == 0 || p/x == y && (x != -1 || y != math.MinInt64) {
			return p
		}
	}
	if i, j := bigOf(a), bigOf(b); i != nil && j != nil {
		if i.BitLen()+j.BitLen() > maxBits+1 {
			panic(tooLarge())
		}
		return checkInt(new(big.Int).Mul(i, j))
	}
	f, g := toFloats(a, b)
	return Float(f * g)
}

func isSequence(v Value) bool {
	switch v.(type) {
	case Str, *List, *tuple:
		return true
	}
	return false
}

// repeatSequence is a sequence times a number.
func repeatSequence(v, times Value) Value {
	n, ok := indexOf(times)
	if !ok {
		panic(typeError("can't multiply sequence by non-int of type '%s'", times.typeName()))
	}
	if _, isBig := times.(*bigInt); isBig {
		panic(newException("OverflowError", "cannot fit 'int' into an index-sized integer"))
	}
	n = min(max(n, 0), math.MaxInt32)
	if s, ok := v.(Str); ok {
		checkText(int64(len(s)) * int64(n))
		if s == "" {
			return s
		}
		return Str(strings.Repeat(string(s), n))
	}
	list, isList := v.(*List)
	var items []Value
	if isList {
		items = list.items
	} else {
		items = v.(*tuple).items
	}
	checkItems(int64(len(items)) * int64(n))
	out := make([]Value, 0, len(items)*n)
	for len(items) > 0 && len(out) < cap(out) {
		out = append(out, items...)
	}
	if isList {
		return NewList(out...)
	}
	return newTuple(out...)
}

// negate is `-v`.
func negate(v Value) Value {
	switch n := toNumber(v).(type) {
	case Int:
		if n != math.MinInt64 {
			return -n
		}
		return newInt(new(big.Int).Neg(bigOf(n)))
	case *bigInt:
		return newInt(new(big.Int).Neg(n.i))
	case Float:
		return -n
	}
	panic(wrongOperand("-", v))
}

// unaryPlus is `+v`.
func unaryPlus(v Value) Value {
	if n := toNumber(v); n != nil {
		return n
	}
	panic(wrongOperand("+", v))
}

func wrongOperand(op string, v Value) error {
	undefinedOperand(v)
	return typeError("bad operand type for unary %s: '%s'", op, v.typeName())
}

// concatAll is `a ~ b ~ …`: the values as strings one after the other.
func concatAll(values ...Value) Value {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strOf(v))
		checkText(int64(b.Len()))
	}
	return Str(b.String())
}

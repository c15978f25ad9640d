package py

import (
	"math"
	"math/big"
)

// number returns v as Int, *Big or Float: a Bool counts as 0 or 1. It is nil
// when v is no number.
func number(v Value) Value {
	switch v := v.(type) {
	case Bool:
		return Int(boolInt(v))
	case Int, *Big, Float:
		return v
	}
	return nil
}

// bigOf returns a whole number as one of any size; nil when v is none.
func bigOf(v Value) *big.Int {
	switch v := v.(type) {
	case Bool:
		return big.NewInt(boolInt(v))
	case Int:
		return big.NewInt(int64(v))
	case *Big:
		return v.i
	}
	return nil
}

// indexOf returns a whole number as an int, cut off at the ends; false when v is
// none.
func indexOf(v Value) (int, bool) {
	switch v := v.(type) {
	case Bool:
		return int(boolInt(v)), true
	case Int:
		return int(v), true
	case *Big:
		if v.i.Sign() < 0 {
			return math.MinInt, true
		}
		return math.MaxInt, true
	}
	return 0, false
}

// wantInt returns the whole number that an argument must be.
func wantInt(v Value) (int, error) {
	if _, isBig := v.(*Big); isBig {
		return 0, raise("OverflowError", "Python int too large to convert to C ssize_t")
	}
	if n, ok := indexOf(v); ok {
		return n, nil
	}
	if u, ok := v.(*Undefined); ok {
		return 0, u.fail()
	}
	return 0, typeError("'%s' object cannot be interpreted as an integer", v.typeName())
}

// floatOf returns a number as a float.
func floatOf(v Value) (float64, error) {
	switch v := v.(type) {
	case Bool:
		return float64(boolInt(v)), nil
	case Int:
		return float64(v), nil
	case Float:
		return float64(v), nil
	case *Big:
		f, _ := new(big.Float).SetInt(v.i).Float64()
		if math.IsInf(f, 0) {
			return 0, raise("OverflowError", "int too large to convert to float")
		}
		return f, nil
	}
	return 0, typeError("must be real number, not %s", v.typeName())
}

// compareNumbers compares two numbers exactly; false when one is nan.
func compareNumbers(a, b Value) (int, bool) {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		return compareOrdered(x, y), true
	}
	f, fok := a.(Float)
	g, gok := b.(Float)
	switch {
	case fok && gok:
		return compareOrdered(f, g), f == f && g == g
	case fok:
		c, ok := compareWithFloat(bigOf(b), float64(f))
		return -c, ok
	case gok:
		return compareWithFloat(bigOf(a), float64(g))
	}
	return bigOf(a).Cmp(bigOf(b)), true
}

func compareWithFloat(i *big.Int, f float64) (int, bool) {
	if math.IsNaN(f) {
		return 0, false
	}
	if math.IsInf(f, 0) {
		return -int(math.Copysign(1, f)), true
	}
	exact := new(big.Float).SetPrec(uint(max(64, i.BitLen()))).SetInt(i)
	return exact.Cmp(big.NewFloat(f)), true
}

func compareOrdered[T Int | Float | Str](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// truncated returns the whole number that a float begins with.
func truncated(f float64) (Value, error) {
	if math.IsNaN(f) {
		return nil, valueError("cannot convert float NaN to integer")
	}
	if math.IsInf(f, 0) {
		return nil, raise("OverflowError", "cannot convert float infinity to integer")
	}
	i, _ := big.NewFloat(f).Int(nil)
	return NewInt(i), nil
}

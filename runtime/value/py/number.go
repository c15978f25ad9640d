package py

import (
	"cmp"
	"math"
	"math/big"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// toNumber returns v as Int, *Big or Float: a Bool counts as 0 or 1. It is nil if v is not
// a number.
func toNumber(v Value) Value {
	switch v := v.(type) {
	case Bool:
		return Int(boolInt(v))
	case Int, *bigInt, Float:
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
	case *bigInt:
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
	case *bigInt:
		if v.i.Sign() < 0 {
			return math.MinInt, true
		}
		return math.MaxInt, true
	}
	return 0, false
}

// wantInt returns the whole number that an argument must be.
func wantInt(v Value) int {
	if _, isBig := v.(*bigInt); isBig {
		panic(newException("OverflowError", "Python int too large to convert to C ssize_t"))
	}
	if n, ok := indexOf(v); ok {
		return n
	}
	undefinedOperand(v)
	panic(typeError("'%s' object cannot be interpreted as an integer", v.typeName()))
}

// floatOf returns a number as a float.
func floatOf(v Value) float64 {
	switch v := v.(type) {
	case Bool:
		return float64(boolInt(v))
	case Int:
		return float64(v)
	case Float:
		return float64(v)
	case *bigInt:
		f, _ := new(big.Float).SetInt(v.i).Float64()
		if math.IsInf(f, 0) {
			panic(newException("OverflowError", "int too large to convert to float"))
		}
		return f
	}
	panic(typeError("must be real number, not %s", v.typeName()))
}

// compareNumbers compares two numbers exactly; false when one is nan.
func compareNumbers(a, b Value) (int, bool) {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		return cmp.Compare(x, y), true
	}
	f, fok := a.(Float)
	g, gok := b.(Float)
	switch {
	case fok && gok:
		return cmp.Compare(f, g), f == f && g == g
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
	return new(big.Float).SetPrec(uint(max(64, i.BitLen()))).SetInt(i).Cmp(big.NewFloat(f)), true
}

// truncateFloat returns the whole number that a float begins with.
func truncateFloat(f float64) Value {
	if math.IsNaN(f) {
		panic(valueError("cannot convert float NaN to integer"))
	}
	if math.IsInf(f, 0) {
		panic(newException("OverflowError", "cannot convert float infinity to integer"))
	}
	i, _ := big.NewFloat(f).Int(nil)
	return newInt(i)
}

// parseInt is Python's int(text, base); base 0 takes it from a prefix such as 0x.
func parseInt(text string, base int) Value {
	if base != 0 && (base < 2 || base > 36) {
		panic(valueError("int() base must be >= 2 and <= 36, or 0"))
	}
	digits, digitsBase, ok := scalar.Digits(text, base)
	switch {
	case !ok:
		panic(valueError("invalid literal for int() with base %d: %s", base, quoteRepr(text)))
	case digitsBase == 10:
		return parseDigits(digits)
	case len(digits) > maxBits/5:
		panic(tooLarge())
	}
	i, _ := new(big.Int).SetString(digits, digitsBase)
	return newInt(i)
}

// parseFloat is Python's float(text).
func parseFloat(text string) float64 {
	f, ok := scalar.ParseFloat(text)
	if !ok {
		panic(valueError("could not convert string to float: %s", quoteRepr(text)))
	}
	return f
}

// toInt is Python's int(v).
func toInt(v Value) Value {
	switch v := v.(type) {
	case Str:
		return parseInt(string(v), 10)
	case Float:
		return truncateFloat(float64(v))
	case Bool, Int, *bigInt:
		return toNumber(v)
	case *undefined:
		panic(v.useError())
	}
	panic(typeError("int() argument must be a string, a bytes-like object or a real number, not '%s'", v.typeName()))
}

// toFloat is Python's float(v).
func toFloat(v Value) float64 {
	switch v := v.(type) {
	case Str:
		return parseFloat(string(v))
	case Bool, Int, *bigInt, Float:
		return floatOf(v)
	case *undefined:
		panic(v.useError())
	}
	panic(typeError("float() argument must be a string or a real number, not '%s'", v.typeName()))
}

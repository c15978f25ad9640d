package py

import (
	"math"
	"math/big"
	"strconv"
)

// Abs is the filter abs.
func (filterSet) Abs(v Value, a Args) Value {
	a.bind("abs", 0)
	switch n := toNumber(v).(type) {
	case Float:
		return Float(math.Abs(float64(n)))
	case Int, *bigInt:
		if bigOf(n).Sign() < 0 {
			return negate(n)
		}
		return n
	}
	undefinedOperand(v)
	panic(typeError("bad operand type for abs(): '%s'", v.typeName()))
}

// Int is the filter int. A value that is not a number becomes the default.
func (filterSet) Int(v Value, a Args) Value {
	args := a.bind("int", 0, "default", "base")
	n := orDefault(args[0], Int(0))
	base := -1 // if it is not an int, Python finds out in the first attempt, and makes the second
	tryCatch(func() { base = intArg(args[1], 10) })
	if tryCatch(func() {
		if s, ok := v.(Str); ok {
			n = parseInt(string(s), base)
		} else {
			n = toInt(v)
		}
	}, "TypeError", "ValueError") != nil {
		tryCatch(func() { n = truncateFloat(toFloat(v)) }, "TypeError", "ValueError", "OverflowError")
	}
	return n
}

// Float is the filter float. A value that is not a number becomes the default.
func (filterSet) Float(v Value, a Args) Value {
	f := orDefault(a.bind("float", 0, "default")[0], Float(0))
	tryCatch(func() { f = Float(toFloat(v)) }, "TypeError", "ValueError")
	return f
}

// Round is the filter round: half to even, up with "ceil", down with
// "floor".
func (filterSet) Round(v Value, a Args) Value {
	args := a.bind("round", 0, "precision", "method")
	method := "common"
	if s, ok := args[1].(Str); ok {
		method = string(s)
	} else if args[1] != nil {
		hashOf(args[1], 0)
		method = ""
	}
	precision := orDefault(args[0], Int(0))
	switch method {
	case "common":
		return roundHalfEven(v, precision)
	case "ceil", "floor":
		return roundToward(method, v, precision)
	}
	panic(newException("FilterArgumentError", "method must be common, ceil or floor"))
}

// roundToward moves the point, rounds, and moves it back.
func roundToward(method string, v, precision Value) Value {
	power := pow(Int(10), precision)
	moved := mul(v, power)
	f, isFloat := moved.(Float)
	if isFloat {
		down := math.Floor(float64(f))
		if method == "ceil" {
			down = math.Ceil(float64(f))
		}
		moved = truncateFloat(down)
	} else if toNumber(moved) == nil {
		panic(typeError("must be real number, not %s", moved.typeName()))
	}
	return div(moved, power)
}

func roundHalfEven(v, precision Value) Value {
	undefinedOperand(v)
	x := toNumber(v)
	if x == nil {
		panic(typeError("type %s doesn't define __round__ method", v.typeName()))
	}
	_, none := precision.(None)
	n := 0
	if !none {
		n = wantInt(precision)
	}
	f, isFloat := x.(Float)
	switch {
	case !isFloat && n >= 0:
		return x
	case !isFloat:
		return roundInt(bigOf(x), n)
	case none:
		return truncateFloat(math.RoundToEven(float64(f)))
	}
	return roundFloat(float64(f), n)
}

// roundInt rounds to a power of ten; n is negative.
func roundInt(i *big.Int, n int) Value {
	if n < -maxBits {
		return Int(0)
	}
	if -n > i.BitLen() {
		return Int(0)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-n)), nil)
	quotient, rest := new(big.Int).DivMod(i, unit, new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(unit) {
	case 1:
		quotient.Add(quotient, big.NewInt(1))
	case 0:
		quotient.Add(quotient, new(big.Int).And(quotient, big.NewInt(1)))
	}
	return checkInt(quotient.Mul(quotient, unit))
}

// roundFloat rounds the exact value to n decimal places.
func roundFloat(f float64, n int) Value {
	const finest, coarsest = 323, -308
	if math.IsNaN(f) || math.IsInf(f, 0) || n > finest {
		return Float(f)
	}
	if n < coarsest {
		return Float(math.Copysign(0, f))
	}
	if n >= 0 {
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
		if err != nil {
			panic(newException("OverflowError", "rounded value too large to represent"))
		}
		return Float(rounded)
	}
	// Rounding the whole part is exact unless a fraction decides a tie.
	whole, _ := big.NewFloat(f).Int(nil)
	if f != math.Trunc(f) {
		whole.Mul(whole, big.NewInt(2)).Add(whole, big.NewInt(int64(math.Copysign(1, f))))
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-n)), nil)
		quotient, rest := new(big.Int).DivMod(whole, unit.Lsh(unit, 1), new(big.Int))
		if rest.Lsh(rest, 1).Cmp(unit) > 0 {
			quotient.Add(quotient, big.NewInt(1))
		}
		return signedFloat(quotient.Mul(quotient, unit.Rsh(unit, 1)), f)
	}
	return signedFloat(bigOf(roundInt(whole, n)), f)
}

// signedFloat is a whole number as a float; zero keeps the sign of f.
func signedFloat(i *big.Int, f float64) Value {
	x, _ := new(big.Float).SetInt(i).Float64()
	if x == 0 {
		x = math.Copysign(0, f)
	}
	return Float(x)
}

// Filesizeformat is the filter filesizeformat.
func (filterSet) Filesizeformat(v Value, a Args) Value {
	binary := truthArg(a.bind("filesizeformat", 0, "binary")[0])
	size := toFloat(v)
	base, suffix := 1000.0, "B"
	units := []string{"k", "M", "G", "T", "P", "E", "Z", "Y"}
	if binary {
		base, suffix = 1024, "iB"
		units[0] = "K"
	}
	if size == 1 {
		return Str("1 Byte")
	}
	if size < base {
		return concatAll(truncateFloat(size), Str(" Bytes"))
	}
	unit, name := base, ""
	for _, name = range units {
		if unit *= base; size < unit {
			break
		}
	}
	return Str(floatDigits(base*size/unit, 'f', 1, false) + " " + name + suffix)
}

package py

import (
	"math"
	"math/big"
	"strconv"
)

// FilterAbs is the filter abs.
func FilterAbs(v Value, a Args) (Value, error) {
	if _, err := a.bind("abs", 0); err != nil {
		return nil, err
	}
	switch n := number(v).(type) {
	case Float:
		return Float(math.Abs(float64(n))), nil
	case Int, *Big:
		if bigOf(n).Sign() < 0 {
			return Neg(n)
		}
		return n, nil
	}
	if err := undefinedOperand(v); err != nil {
		return nil, err
	}
	return nil, typeError("bad operand type for abs(): '%s'", v.typeName())
}

// FilterInt is the filter int. What is no number becomes the default.
func FilterInt(v Value, a Args) (Value, error) {
	args, err := a.bind("int", 0, "default", "base")
	if err != nil {
		return nil, err
	}
	base, err := intArg(args[1], 10)
	if err != nil {
		base = -1 // Python finds out in the first attempt, and goes on to the second
	}
	var n Value
	if s, ok := v.(Str); ok {
		n, err = ParseInt(string(s), base)
	} else {
		n, err = toInt(v)
	}
	if err == nil || !isKind(err, "TypeError", "ValueError") {
		return n, err
	}
	f, err := toFloat(v)
	if err == nil {
		n, err = truncated(f)
	}
	if err == nil || !isKind(err, "TypeError", "ValueError", "OverflowError") {
		return n, err
	}
	if args[0] == nil {
		return Int(0), nil
	}
	return args[0], nil
}

// FilterFloat is the filter float. What is no number becomes the default.
func FilterFloat(v Value, a Args) (Value, error) {
	args, err := a.bind("float", 0, "default")
	if err != nil {
		return nil, err
	}
	f, err := toFloat(v)
	if err == nil || !isKind(err, "TypeError", "ValueError") {
		return Float(f), err
	}
	if args[0] == nil {
		return Float(0), nil
	}
	return args[0], nil
}

// FilterRound is the filter round: half to even, up with "ceil", down with
// "floor".
func FilterRound(v Value, a Args) (Value, error) {
	args, err := a.bind("round", 0, "precision", "method")
	if err != nil {
		return nil, err
	}
	method := "common"
	if s, ok := args[1].(Str); ok {
		method = string(s)
	} else if args[1] != nil {
		if _, err := hashOf(args[1], 0); err != nil {
			return nil, err
		}
		method = ""
	}
	precision := args[0]
	if precision == nil {
		precision = Int(0)
	}
	switch method {
	case "common":
		return roundHalfEven(v, precision)
	case "ceil", "floor":
		return roundToward(method, v, precision)
	}
	return nil, raise("FilterArgumentError", "method must be common, ceil or floor")
}

// roundToward moves the point, rounds, and moves it back.
func roundToward(method string, v, precision Value) (Value, error) {
	power, err := Pow(Int(10), precision)
	if err != nil {
		return nil, err
	}
	moved, err := Mul(v, power)
	if err != nil {
		return nil, err
	}
	f, isFloat := moved.(Float)
	if isFloat {
		down := math.Floor(float64(f))
		if method == "ceil" {
			down = math.Ceil(float64(f))
		}
		if moved, err = truncated(down); err != nil {
			return nil, err
		}
	} else if number(moved) == nil {
		return nil, typeError("must be real number, not %s", moved.typeName())
	}
	return Div(moved, power)
}

func roundHalfEven(v, precision Value) (Value, error) {
	if err := undefinedOperand(v); err != nil {
		return nil, err
	}
	x := number(v)
	if x == nil {
		return nil, typeError("type %s doesn't define __round__ method", v.typeName())
	}
	_, none := precision.(None)
	n := 0
	if !none {
		var err error
		if n, err = wantInt(precision); err != nil {
			return nil, err
		}
	}
	f, isFloat := x.(Float)
	switch {
	case !isFloat && n >= 0:
		return x, nil
	case !isFloat:
		return roundInt(bigOf(x), n)
	case none:
		return truncated(math.RoundToEven(float64(f)))
	}
	return roundFloat(float64(f), n)
}

// roundInt rounds to a power of ten; n is negative.
func roundInt(i *big.Int, n int) (Value, error) {
	if n < -maxBits {
		return Int(0), nil
	}
	if -n > i.BitLen() {
		return Int(0), nil
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
func roundFloat(f float64, n int) (Value, error) {
	const finest, coarsest = 323, -308
	if math.IsNaN(f) || math.IsInf(f, 0) || n > finest {
		return Float(f), nil
	}
	if n < coarsest {
		return Float(math.Copysign(0, f)), nil
	}
	if n >= 0 {
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
		if err != nil {
			return nil, raise("OverflowError", "rounded value too large to represent")
		}
		return Float(rounded), nil
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
		rounded := quotient.Mul(quotient, unit.Rsh(unit, 1))
		return signedFloat(rounded, f), nil
	}
	rounded, err := roundInt(whole, n)
	if err != nil {
		return nil, err
	}
	return signedFloat(bigOf(rounded), f), nil
}

// signedFloat is a whole number as a float; zero keeps the sign of f.
func signedFloat(i *big.Int, f float64) Value {
	x, _ := new(big.Float).SetInt(i).Float64()
	if x == 0 {
		x = math.Copysign(0, f)
	}
	return Float(x)
}

// FilterFilesizeformat is the filter filesizeformat.
func FilterFilesizeformat(v Value, a Args) (Value, error) {
	args, err := a.bind("filesizeformat", 0, "binary")
	if err != nil {
		return nil, err
	}
	binary, err := truthArg(args[0])
	if err != nil {
		return nil, err
	}
	size, err := toFloat(v)
	if err != nil {
		return nil, err
	}
	base, suffix := 1000.0, "B"
	units := []string{"k", "M", "G", "T", "P", "E", "Z", "Y"}
	if binary {
		base, suffix = 1024, "iB"
		units[0] = "K"
	}
	if size == 1 {
		return Str("1 Byte"), nil
	}
	if size < base {
		n, err := truncated(size)
		if err != nil {
			return nil, err
		}
		return Concat(n, Str(" Bytes"))
	}
	unit, name := base, ""
	for _, name = range units {
		if unit *= base; size < unit {
			break
		}
	}
	return Str(floatDigits(base*size/unit, 'f', 1, false) + " " + name + suffix), nil
}

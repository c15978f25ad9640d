package py

import (
	"math"
	"math/big"
)

// div is `a / b`, always a float.
func div(a, b Value) Value {
	x, y := numericOperands("/", a, b)
	if i, j := bigOf(x), bigOf(y); i != nil && j != nil {
		return divideInts(i, j)
	}
	f, g := toFloats(x, y)
	if g == 0 {
		panic(zeroDivision("float division by zero"))
	}
	return Float(f / g)
}

// divideInts rounds the quotient once, also when the numbers have more digits
// than a float.
func divideInts(i, j *big.Int) Value {
	if j.Sign() == 0 {
		panic(zeroDivision("division by zero"))
	}
	const exact = 53
	if i.BitLen() <= exact && j.BitLen() <= exact {
		return Float(float64(i.Int64()) / float64(j.Int64()))
	}
	f, _ := new(big.Rat).SetFrac(i, j).Float64()
	if i.Sign() == 0 && j.Sign() < 0 {
		f = math.Copysign(0, -1)
	}
	if math.IsInf(f, 0) {
		panic(newException("OverflowError", "integer division result too large for a float"))
	}
	return Float(f)
}

func zeroDivision(message string) error { return newException("ZeroDivisionError", "%s", message) }

// floorDiv is `a // b`, rounded down.
func floorDiv(a, b Value) Value { return floorDivMod("//", a, b) }

// mod is `a % b`, with the sign of b; of a text it is the formatting of b.
func mod(a, b Value) Value {
	if s, ok := a.(Str); ok {
		return percentFormat(string(s), b)
	}
	return floorDivMod("%", a, b)
}

func floorDivMod(op string, a, b Value) Value {
	x, y := numericOperands(op, a, b)
	if i, j := bigOf(x), bigOf(y); i != nil && j != nil {
		return divmodInts(op, i, j)
	}
	f, g := toFloats(x, y)
	if g == 0 {
		if op == "%" {
			panic(zeroDivision("float modulo"))
		}
		panic(zeroDivision("float floor division by zero"))
	}
	quotient, rest := divmodFloats(f, g)
	if op == "%" {
		return Float(rest)
	}
	return Float(quotient)
}

func divmodInts(op string, i, j *big.Int) Value {
	if j.Sign() == 0 {
		if op == "%" {
			panic(zeroDivision("integer modulo by zero"))
		}
		panic(zeroDivision("integer division or modulo by zero"))
	}
	quotient, rest := new(big.Int).QuoRem(i, j, new(big.Int))
	if rest.Sign() != 0 && rest.Sign() != j.Sign() {
		quotient.Sub(quotient, big.NewInt(1))
		rest.Add(rest, j)
	}
	if op == "%" {
		return newInt(rest)
	}
	return newInt(quotient)
}

// divmodFloats computes from the exact remainder, as Python does, so that
// quotient and rest fit together.
func divmodFloats(f, g float64) (quotient, rest float64) {
	rest = math.Mod(f, g)
	quotient = (f - rest) / g
	switch {
	case rest == 0:
		rest = math.Copysign(0, g)
	case (g < 0) != (rest < 0):
		rest += g
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, f/g), rest
	}
	whole := math.Floor(quotient)
	if quotient-whole > 0.5 {
		whole++
	}
	return whole, rest
}

// pow is `a ** b`.
func pow(a, b Value) Value {
	x, y := numericOperands("** or pow()", a, b)
	if i, j := bigOf(x), bigOf(y); i != nil && j != nil && j.Sign() >= 0 {
		return powInts(i, j)
	}
	return powFloats(toFloats(x, y))
}

func powInts(i, j *big.Int) Value {
	if i.BitLen() <= 1 { // -1, 0 and 1 stay small with any exponent
		if i.Sign() < 0 && j.Bit(0) == 0 || j.Sign() == 0 {
			return Int(1)
		}
		return newInt(i)
	}
	if !j.IsInt64() || j.Int64() > maxBits || int64(i.BitLen()-1)*j.Int64() > maxBits {
		panic(tooLarge())
	}
	return checkInt(new(big.Int).Exp(i, j, nil))
}

func powFloats(f, g float64) Value {
	if f == 0 && g < 0 {
		panic(zeroDivision("0.0 cannot be raised to a negative power"))
	}
	if f < 0 && g != math.Trunc(g) && !math.IsInf(f, 0) && !math.IsInf(g, 0) && !math.IsNaN(g) {
		panic(unsupportedError("a negative number to a power that is not whole is a complex number"))
	}
	p := floatPower(f, g)
	if math.IsInf(p, 0) && !math.IsInf(f, 0) && !math.IsInf(g, 0) {
		panic(newException("OverflowError", "(34, 'Numerical result out of range')"))
	}
	return Float(p)
}

// powerBits is the precision in which powers are computed, so much more than
// that of a float that the result is the nearest one, as it is with the C
// library that Python uses. Go's own math.Pow can be off in the last digits.
const powerBits = 256

// floatPower returns f to the power of g. Only finite results of ordinary numbers
// need care; for all else math.Pow follows the C standard.
func floatPower(f, g float64) float64 {
	quick := math.Pow(f, g)
	if quick == 0 || math.IsInf(quick, 0) || math.IsNaN(quick) || f == 1 || g == 0 || g == 1 || math.Abs(f) == 1 {
		return quick
	}
	x := newPower(math.Abs(f))
	y := newPower(g)
	exact, _ := bigExp(y.Mul(y, bigLog(x))).Float64()
	return math.Copysign(exact, quick)
}

func newPower(f float64) *big.Float { return new(big.Float).SetPrec(powerBits).SetFloat64(f) }

// bigLog is the natural logarithm of a positive number.
func bigLog(x *big.Float) *big.Float {
	mantissa := newPower(0)
	exponent := x.MantExp(mantissa)
	if mantissa.Cmp(newPower(math.Sqrt2/2)) < 0 {
		mantissa.Mul(mantissa, newPower(2))
		exponent--
	}
	one := newPower(1)
	sum := areaTangent(newPower(0).Quo(newPower(0).Sub(mantissa, one), newPower(0).Add(mantissa, one)))
	return sum.Add(sum, newPower(0).Mul(logarithmOfTwo(), newPower(float64(exponent))))
}

// logarithmOfTwo is ln 2.
func logarithmOfTwo() *big.Float { return areaTangent(newPower(0).Quo(newPower(1), newPower(3))) }

// areaTangent is twice the inverse hyperbolic tangent, for |z| up to 1/3.
func areaTangent(z *big.Float) *big.Float {
	square := newPower(0).Mul(z, z)
	sum, term := newPower(0), newPower(0).Set(z)
	for n := 1; n < powerBits; n += 2 {
		sum.Add(sum, newPower(0).Quo(term, newPower(float64(n))))
		term.Mul(term, square)
	}
	return sum.Mul(sum, newPower(2))
}

// bigExp is e to the power of x.
func bigExp(x *big.Float) *big.Float {
	ln2 := logarithmOfTwo()
	quotient, _ := newPower(0).Quo(x, ln2).Float64()
	whole := math.Round(quotient)
	rest := newPower(0).Sub(x, newPower(0).Mul(ln2, newPower(whole)))
	const halvings = 8
	rest.SetMantExp(rest, -halvings)
	sum, term := newPower(1), newPower(1)
	for n := 1; n < powerBits/6; n++ {
		term.Quo(term.Mul(term, rest), newPower(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(whole))
}

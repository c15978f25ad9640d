package py

import (
	"math"
	"math/big"
)

// powerBits is the precision in which powers are computed, so much more than
// that of a float that the result is the nearest one, as it is with the C
// library that Python uses. Go's own math.Pow can be off in the last digits.
const powerBits = 256

// power returns f to the power of g. Only finite results of ordinary numbers
// need care; for all else math.Pow follows the C standard.
func power(f, g float64) float64 {
	quick := math.Pow(f, g)
	if quick == 0 || math.IsInf(quick, 0) || math.IsNaN(quick) || f == 1 || g == 0 || g == 1 || math.Abs(f) == 1 {
		return quick
	}
	x := newPower(math.Abs(f))
	y := newPower(g)
	exact, _ := exponential(y.Mul(y, logarithm(x))).Float64()
	return math.Copysign(exact, quick)
}

func newPower(f float64) *big.Float { return new(big.Float).SetPrec(powerBits).SetFloat64(f) }

// logarithm is the natural logarithm of a positive number.
func logarithm(x *big.Float) *big.Float {
	mantissa := newPower(0)
	exponent := x.MantExp(mantissa)
	if mantissa.Cmp(newPower(math.Sqrt2/2)) < 0 {
		mantissa.Mul(mantissa, newPower(2))
		exponent--
	}
	one := newPower(1)
	sum := areaTangent(newPower(0).Quo(newPower(0).Sub(mantissa, one), newPower(0).Add(mantissa, one)))
	ln2 := newPower(0).Mul(logarithmOfTwo(), newPower(float64(exponent)))
	return sum.Add(sum, ln2)
}

// logarithmOfTwo is ln 2.
func logarithmOfTwo() *big.Float {
	return areaTangent(newPower(0).Quo(newPower(1), newPower(3)))
}

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

// exponential is e to the power of x.
func exponential(x *big.Float) *big.Float {
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

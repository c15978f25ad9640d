package py

import (
	"math"
	"math/big"
)

// Div is `a / b`, always a float.
func Div(a, b Value) (Value, error) {
	x, y := number(a), number(b)
	if x == nil || y == nil {
		if err := undefinedOperand(a, b); err != nil {
			return nil, err
		}
		return nil, wrongOperands("/", a, b)
	}
	i, j := bigOf(x), bigOf(y)
	if i != nil && j != nil {
		return divideInts(i, j)
	}
	f, g, err := floats(x, y)
	if err != nil {
		return nil, err
	}
	if g == 0 {
		return nil, zeroDivision("float division by zero")
	}
	return Float(f / g), nil
}

// divideInts rounds the quotient once, also when the numbers have more digits
// than a float.
func divideInts(i, j *big.Int) (Value, error) {
	if j.Sign() == 0 {
		return nil, zeroDivision("division by zero")
	}
	const exact = 53
	if i.BitLen() <= exact && j.BitLen() <= exact {
		return Float(float64(i.Int64()) / float64(j.Int64())), nil
	}
	f, _ := new(big.Rat).SetFrac(i, j).Float64()
	if i.Sign() == 0 && j.Sign() < 0 {
		f = math.Copysign(0, -1)
	}
	if math.IsInf(f, 0) {
		return nil, raise("OverflowError", "integer division result too large for a float")
	}
	return Float(f), nil
}

func zeroDivision(message string) error { return raise("ZeroDivisionError", "%s", message) }

// FloorDiv is `a // b`, rounded down.
func FloorDiv(a, b Value) (Value, error) {
	return divmod("//", a, b)
}

// Mod is `a % b`, with the sign of b; of a text it is the formatting of b.
func Mod(a, b Value) (Value, error) {
	if s, ok := a.(Str); ok {
		return percentFormat(string(s), b)
	}
	return divmod("%", a, b)
}

func divmod(op string, a, b Value) (Value, error) {
	x, y := number(a), number(b)
	if x == nil || y == nil {
		if err := undefinedOperand(a, b); err != nil {
			return nil, err
		}
		return nil, wrongOperands(op, a, b)
	}
	i, j := bigOf(x), bigOf(y)
	if i != nil && j != nil {
		return divmodInts(op, i, j)
	}
	f, g, err := floats(x, y)
	if err != nil {
		return nil, err
	}
	if g == 0 {
		if op == "%" {
			return nil, zeroDivision("float modulo")
		}
		return nil, zeroDivision("float floor division by zero")
	}
	quotient, rest := divmodFloats(f, g)
	if op == "%" {
		return Float(rest), nil
	}
	return Float(quotient), nil
}

func divmodInts(op string, i, j *big.Int) (Value, error) {
	if j.Sign() == 0 {
		if op == "%" {
			return nil, zeroDivision("integer modulo by zero")
		}
		return nil, zeroDivision("integer division or modulo by zero")
	}
	quotient, rest := new(big.Int).QuoRem(i, j, new(big.Int))
	if rest.Sign() != 0 && rest.Sign() != j.Sign() {
		quotient.Sub(quotient, big.NewInt(1))
		rest.Add(rest, j)
	}
	if op == "%" {
		return NewInt(rest), nil
	}
	return NewInt(quotient), nil
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

// Pow is `a ** b`.
func Pow(a, b Value) (Value, error) {
	x, y := number(a), number(b)
	if x == nil || y == nil {
		if err := undefinedOperand(a, b); err != nil {
			return nil, err
		}
		return nil, wrongOperands("** or pow()", a, b)
	}
	i, j := bigOf(x), bigOf(y)
	if i != nil && j != nil && j.Sign() >= 0 {
		return powInts(i, j)
	}
	f, g, err := floats(x, y)
	if err != nil {
		return nil, err
	}
	return powFloats(f, g)
}

func powInts(i, j *big.Int) (Value, error) {
	if i.BitLen() <= 1 { // -1, 0 and 1 stay small with any exponent
		if i.Sign() < 0 && j.Bit(0) == 0 || j.Sign() == 0 {
			return Int(1), nil
		}
		return NewInt(i), nil
	}
	if !j.IsInt64() || j.Int64() > maxBits || int64(i.BitLen()-1)*j.Int64() > maxBits {
		return nil, tooLarge()
	}
	return checkInt(new(big.Int).Exp(i, j, nil))
}

func powFloats(f, g float64) (Value, error) {
	if f == 0 && g < 0 {
		return nil, zeroDivision("0.0 cannot be raised to a negative power")
	}
	if f < 0 && g != math.Trunc(g) && !math.IsInf(f, 0) && !math.IsInf(g, 0) && !math.IsNaN(g) {
		return nil, unsupported("a negative number to a power that is not whole is a complex number")
	}
	p := power(f, g)
	if math.IsInf(p, 0) && !math.IsInf(f, 0) && !math.IsInf(g, 0) {
		return nil, raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return Float(p), nil
}

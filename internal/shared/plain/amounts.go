package plain

import (
	"math"
	"strconv"
	"strings"
)

// Dollars returns an amount of US dollars, rounded to cents from a dollar up. Smaller ones have two
// to four decimals, as many as they need.
func Dollars(usd float64) string {
	if usd >= 1 {
		return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
	}
	text := strings.TrimSuffix(strconv.FormatFloat(usd, 'f', 4, 64), "0")
	return "$" + strings.TrimSuffix(text, "0")
}

// RoundDollars returns a sum of US dollars without the inexact last digits of adding floats:
// 0.7999999999999999 is 0.8.
func RoundDollars(usd float64) float64 { return math.Round(usd*1e9) / 1e9 }

// Thousands returns a number with a comma before each group of three digits. The
// number must not be negative.
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Count returns a number with its noun: "1 file", "5 files".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

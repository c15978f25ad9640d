package flow

import (
	"strconv"
	"strings"
)

// TinyCost is less than any amount of US dollars that matters: sums of costs are
// not exact, so what differs by no more than this is the same.
const TinyCost = 1e-9

// Dollars is an amount of US dollars for people, with as many digits as it needs,
// two to four.
func Dollars(usd float64) string {
	text := strconv.FormatFloat(usd, 'f', 4, 64)
	for range 2 {
		text = strings.TrimSuffix(text, "0")
	}
	return "$" + text
}

// Thousands is a number that is not negative, for people: its digits are set
// apart in threes.
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

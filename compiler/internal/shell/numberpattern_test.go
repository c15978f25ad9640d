package shell

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestNumberPatterns compares the verdict about random expressions with their matches in
// random texts: no match of an accepted one is anything but a number.
func TestNumberPatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same values every time
	join := func(parts []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	pieces := []string{
		"[0-9]", "[0-9]+", "[0-9]*", "[[:digit:]]", "[0-9.]", "[.:]", "[0-9-]", "[^a]", "[0-9a]", "7", `\.`, "-", ":", ".", "a",
		"(", ")", "|", "?", "*", "+", "{2}", "{0,3}", "^", "$", `\b`, `\+`, "[", "]", "{", "}", `\`,
	}
	number := regexp.MustCompile(`^([0-9]+([.:-][0-9]+)*)?$`)
	accepted := 0
	for range 40_000 {
		pattern := join(pieces, 8)
		if !isNumberPattern(pattern, extendedPattern) {
			continue
		}
		if accepted++; isNumberPattern(pattern+"|a", extendedPattern) || isNumberPattern("a?"+pattern, extendedPattern) {
			t.Errorf("%s with a letter is accepted", pattern)
		}
		expression, err := regexp.Compile(pattern)
		if err != nil {
			continue // grep rejects it, too, or reads it as another accepted one
		}
		expression.Longest()
		for range 20 {
			for _, match := range expression.FindAllString(join([]string{"1", "23", ".", "-", ":", "a", " "}, 12), -1) {
				if !number.MatchString(match) {
					t.Fatalf("%s matches %q", pattern, match)
				}
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d expressions are accepted", accepted)
	}
}

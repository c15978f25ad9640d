// Package kinds holds the types of inputs, arguments and fields of the xprompt
// format: their names, and how texts are read as values of theirs.
package kinds

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/types"
)

// Names are the types as files name them.
func Names() []string { return []string{"word", "line", "text", "path", "int", "bool", "float"} }

// Named returns the type of a name, in any case.
func Named(name string) (types.Type, bool) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "word":
		return types.Word, true
	case "line":
		return types.Line, true
	case "text":
		return types.Text, true
	case "path":
		return types.Path, true
	case "int", "integer":
		return types.Int, true
	case "bool", "boolean":
		return types.Bool, true
	case "float", "number":
		return types.Float, true
	}
	return types.Invalid, false
}

// Describe names a value of a type, as "an int".
func Describe(t types.Type) string {
	if t == types.Int {
		return "an int"
	}
	return "a " + t.String()
}

// Lacks describes why a text is not of a type: that it has white space.
func Lacks(t types.Type) string {
	switch t {
	case types.Word, types.Path:
		return "it has white space"
	case types.Line:
		return "it has a line break"
	case types.Bool:
		return "it is none of true, yes, on, 1, false, no, off and 0"
	}
	return "it cannot be read as one"
}

// Convert reads a text as a value of a basic type, as the format converts
// arguments: numbers as Python reads them, booleans by their usual words. The
// result is the value's text, of numbers and booleans as JSON has it.
func Convert(text string, t types.Type) (string, bool) {
	switch t {
	case types.Int:
		return intText(text)
	case types.Float:
		return floatText(text)
	case types.Bool:
		return boolText(text)
	case types.Word, types.Path:
		return text, !strings.ContainsFunc(text, isSpace)
	case types.Line:
		return text, !strings.ContainsAny(text, "\n")
	}
	return text, true
}

func isSpace(r rune) bool { return strings.ContainsRune(" \t\n\r\v\f", r) }

func boolText(text string) (string, bool) {
	word := strings.ToLower(strings.TrimSpace(text))
	switch {
	case slices.Contains([]string{"true", "1", "yes", "on"}, word):
		return "true", true
	case slices.Contains([]string{"false", "0", "no", "off"}, word):
		return "false", true
	}
	return "", false
}

// digits returns a number without the underscores between its digits; ok is false
// if an underscore is elsewhere.
func digits(text string) (string, bool) {
	text = strings.TrimFunc(text, isSpace)
	for i := range len(text) {
		if text[i] != '_' {
			continue
		}
		if i == 0 || i == len(text)-1 || !isDigit(text[i-1]) || !isDigit(text[i+1]) {
			return "", false
		}
	}
	return strings.ReplaceAll(text, "_", ""), true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func intText(text string) (string, bool) {
	s, ok := digits(text)
	if !ok {
		return "", false
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || !n.IsInt64() {
		return "", false
	}
	return n.String(), true
}

func floatText(text string) (string, bool) {
	s, ok := digits(text)
	if !ok || strings.ContainsAny(s, "xXpP") {
		return "", false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

// JSON is a value of a basic type, as Convert gives it, in JSON.
func JSON(text string, t types.Type) string {
	if t == types.Int || t == types.Bool {
		return text
	}
	if t == types.Float {
		f, _ := strconv.ParseFloat(text, 64)
		b, _ := json.Marshal(f)
		return string(b)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text)
	return strings.TrimSuffix(b.String(), "\n")
}

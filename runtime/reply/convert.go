package reply

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// ReadAny is Read for a variable that may hold any JSON value: its value is the text itself,
// as a JSON string without spaces around it.
func ReadAny(text string) json.RawMessage {
	return plain.MustEncodeJSON(strings.TrimSpace(text))
}

// ReadInto sets *field to the value that a text gives for the variable; see Read. If Read
// fails, *field keeps its value, and ReadInto calls warn, such as the Warn of a graph.Walk.
// A pointer type is for variables that may have no value.
func ReadInto[T int64 | float64 | bool | *int64 | *float64 | *bool](field *T, name, text string, warn func(format string, args ...any)) {
	var err error
	switch field := any(field).(type) {
	case *int64:
		err = setField(field, name, text)
	case *float64:
		err = setField(field, name, text)
	case *bool:
		err = setField(field, name, text)
	case **int64:
		err = setPointer(field, name, text)
	case **float64:
		err = setPointer(field, name, text)
	case **bool:
		err = setPointer(field, name, text)
	}
	if err != nil {
		warn("variable `%s` keeps its value: %v", name, err)
	}
}

func setField[T int64 | float64 | bool](field *T, name, text string) error {
	v, err := Read[T](name, text)
	if err == nil {
		*field = v
	}
	return err
}

func setPointer[T int64 | float64 | bool](field **T, name, text string) error {
	v, err := Read[T](name, text)
	if err == nil {
		*field = &v
	}
	return err
}

// Read returns the value that a text gives for the variable with the given name. It is an
// error if the text gives none or is ambiguous.
//
// A bool is true if the text is true, yes, on, 1, pass, ok, done or success, and
// false if it is false, no, off, 0, fail, error or failure, in any case.
//
// A number is the text itself if it is one; else the number that follows the
// variable's name or the name's last word (an underscore being a space), with a
// colon, an equals sign or `is` between them; else the only number in the text. N/M
// and N% are N. An int64 must be a whole number.
func Read[T int64 | float64 | bool](name, text string) (v T, err error) {
	switch p := any(&v).(type) {
	case *bool:
		*p, err = parseBool(text)
	case *float64:
		*p, err = numberOf(name, text)
	case *int64:
		var f float64
		if f, err = numberOf(name, text); err == nil && (f != math.Trunc(f) || math.Abs(f) >= 1<<63) {
			err = fmt.Errorf("%v is not an integer", f)
		}
		*p = int64(f)
	}
	return v, err
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(text), ".!`'\"*")) {
	case "true", "yes", "y", "on", "1", "pass", "passed", "ok", "done", "success":
		return true, nil
	case "false", "no", "n", "off", "0", "fail", "failed", "error", "failure":
		return false, nil
	}
	return false, fmt.Errorf("%s says neither yes nor no", quoteStart(text))
}

func numberOf(name, text string) (float64, error) {
	text = strings.TrimSpace(text)
	if n, rest, ok := leadingNumber(text); ok && rest == "" {
		return n, nil
	}
	spoken := strings.ReplaceAll(strings.ToLower(name), "_", " ")
	words := strings.Fields(spoken)
	lower := strings.ReplaceAll(strings.ToLower(text), "_", " ")
	for _, word := range append([]string{spoken}, words[max(0, len(words)-1):]...) {
		if n, ok := numberAfter(lower, word); ok {
			return n, nil
		}
	}
	all := findNumbers(text)
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return 0, fmt.Errorf("%s has no number", quoteStart(text))
	}
	return 0, fmt.Errorf("%s has several numbers, and none of them follows `%s`", quoteStart(text), spoken)
}

// numberAfter returns the number after a word.
func numberAfter(text, word string) (n float64, ok bool) {
	anyOccurrence(text, word, func(before, after string) bool {
		if !endsAtBoundary(before) || !beginsAtBoundary(after) || word == "" {
			return false
		}
		after = strings.TrimLeft(after, " \t*`")
		is := false
		for _, sign := range []string{":", "=", "is "} {
			if rest, cut := strings.CutPrefix(after, sign); cut {
				after, is = strings.TrimLeft(rest, " \t*`"), true
				break
			}
		}
		if is {
			n, _, ok = leadingNumber(after)
		}
		return ok
	})
	return n, ok
}

// findNumbers returns the numbers in a text.
func findNumbers(text string) (all []float64) {
	for at := 0; at < len(text); {
		if endsAtBoundary(text[:at]) { // so a long number is not read once more at each of its digits
			if n, rest, ok := leadingNumber(text[at:]); ok {
				all = append(all, n)
				at = len(text) - len(rest)
				continue
			}
		}
		at++
	}
	return all
}

// leadingNumber reads the number at the start of a text, with the form around it: N/M and N% are
// N. A word that begins with digits is not a number.
func leadingNumber(text string) (n float64, rest string, ok bool) {
	size := decimalLength(text)
	if size == 0 {
		return 0, text, false
	}
	n, err := strconv.ParseFloat(text[:size], 64)
	if err != nil {
		return 0, text, false
	}
	rest = text[size:]
	switch {
	case strings.HasPrefix(rest, "%"):
		rest = rest[1:]
	case strings.HasPrefix(strings.TrimLeft(rest, " "), "/"):
		of := strings.TrimLeft(strings.TrimLeft(rest, " ")[1:], " ")
		if whole := decimalLength(of); whole > 0 {
			rest = of[whole:]
		}
	}
	return n, rest, beginsAtBoundary(rest)
}

// decimalLength is the length of the decimal number that a text begins with, or 0.
func decimalLength(text string) int {
	i := 0
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		i++
	}
	run := func() int {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i - from
	}
	if run() == 0 {
		return 0
	}
	if i+1 < len(text) && text[i] == '.' && '0' <= text[i+1] && text[i+1] <= '9' {
		i++
		run()
	}
	return i
}

// quoteStart quotes the beginning of a text for a message.
func quoteStart(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "an empty string"
	}
	return plain.Quoted(text)
}

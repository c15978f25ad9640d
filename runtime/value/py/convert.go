package py

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What follows reads texts as values of the basic types that inputs have. What is
// converted is named for the message: "the argument `n` of #greet".

// ToInt reads a whole number.
func (e *Eval) ToInt(text, what string) int64 {
	v, err := ParseInt(text, 10)
	n, ok := v.(Int)
	if err != nil || !ok {
		e.refuse(what, fmt.Errorf("%s is not a whole number of 64 bits", excerpt(text)))
	}
	return int64(n)
}

// ToFloat reads a number.
func (e *Eval) ToFloat(text, what string) float64 {
	f, err := ParseFloat(text)
	if err != nil {
		e.refuse(what, fmt.Errorf("%s is not a number", excerpt(text)))
	}
	return f
}

// ToBool reads a truth value: true, 1, yes, on or false, 0, no, off, in any case.
func (e *Eval) ToBool(text, what string) bool {
	switch toLower(strings.TrimFunc(text, isSpace)) {
	case "true", "1", "yes", "on":
		return true
	case "false", "0", "no", "off":
	default:
		e.refuse(what, fmt.Errorf("%s is neither true nor false", excerpt(text)))
	}
	return false
}

// ToWord checks that a text has no white space and is not empty.
func (e *Eval) ToWord(text, what string) string {
	if text == "" || strings.ContainsFunc(text, isSpace) {
		e.refuse(what, fmt.Errorf("%s is not one word", excerpt(text)))
	}
	return text
}

// ToLine checks that a text has one line.
func (e *Eval) ToLine(text, what string) string {
	if strings.ContainsAny(text, "\r\n") {
		e.refuse(what, errors.New("the text has more than one line"))
	}
	return text
}

// ToPath checks that a text names a file that exists, or a folder. A ~ in front is
// the home folder.
func (e *Eval) ToPath(text, what string) string {
	e.ToWord(text, what)
	path := text
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if _, err := os.Stat(path); err != nil {
		e.refuse(what, fmt.Errorf("there is no file %s", excerpt(text)))
	}
	return text
}

func (e *Eval) refuse(what string, why error) {
	if !e.failed() {
		e.fail(valueError("%s: %v", what, why))
	}
}

// excerpt is a text for a message, in quotes.
func excerpt(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return quote(text)
}

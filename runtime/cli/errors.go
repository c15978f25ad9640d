package cli

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/internal/exitcode"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// exitError is an error with its exit code. A nil err was already reported.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }

func (e *exitError) Unwrap() error { return e.err }

// failed is an error of a command that could not do its work.
func failed(err error) error {
	var exit *exitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	return &exitError{exitcode.Failed, err}
}

func usage(format string, args ...any) error {
	return &exitError{exitcode.Usage, fmt.Errorf(format, args...)}
}

// after is a text behind another, or nothing when it is empty.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// quoted is a text as a word of a command line, or "" when there is none.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return plain.ShellWord(text)
}

// didYouMean is the end of a message about an unknown name: a question about
// the nearest known one, or nothing when none is near.
func didYouMean(name string, known []string) string {
	if near := closest(name, known); near != "" {
		return "; did you mean `" + near + "`?"
	}
	return ""
}

// closest returns the known name that is nearest to a misspelt one, or "" when
// none is near: at most a third of the letters may differ.
func closest(name string, known []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to be inserted, removed, replaced or swapped with
// their neighbour to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}

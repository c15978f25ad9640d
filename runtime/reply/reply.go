// Package reply determines the label of a node of a state graph from the reply of an agent,
// or from the output and the exit code of a script. A label is one of the names in a node's
// `outputs`; the edges of the node depend on it. The package also reads the values of
// variables from such texts:
//
//	label, err := reply.Label("Two tests fail.\n[OUTPUT:rework]", []string{"approved", "rework"}) // rework
//	score, err := reply.Read[int64]("score", "The score is 7 of 10.")                             // 7
//
// The package does not guess: an ambiguous text is an error, so that the caller can ask
// the agent again.
package reply

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Label returns the label that an agent's text means. The first of these rules that
// applies decides:
//
//   - the last marker, [OUTPUT:name], which must name a label;
//   - the only label that there is;
//   - the first row of the table with a label of the node and a word of the text, in any
//     case;
//   - the only label that the text has as a whole word.
//
// In the table, p0, p1, p2, clean and done count only as whole words:
//
//	labels                                words in the text
//	P0                                    p0, critical
//	P1                                    p1, should fix
//	P2                                    p2, minor, nice to have
//	clean                                 clean, lgtm, no issues
//	done, completed, success, pass        done, completed, success
//	failure, fail, failed, error, blocked error, blocked, words that begin with fail
//
// The error says why the text means no label.
func Label(text string, labels []string) (string, error) {
	if name, ok := lastMarker(text); ok {
		if slices.Contains(labels, name) {
			return name, nil
		}
		return "", fmt.Errorf("`%s` is not one of its outputs, which are %s", name, formatNames(labels))
	}
	if len(labels) == 1 {
		return labels[0], nil
	}
	lower := strings.ToLower(text)
	for _, c := range classes {
		if label := firstLabel(c.labels, labels); label != "" && c.matchesText(lower) {
			return label, nil
		}
	}
	var named []string
	for _, l := range labels {
		if hasWord(text, l) && !slices.Contains(named, l) {
			named = append(named, l)
		}
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		return "", fmt.Errorf("the text names none of its outputs, which are %s", formatNames(labels))
	}
	return "", fmt.Errorf("the text names several of its outputs: %s", formatNames(named))
}

// A class is a kind of output with the words for it, in small letters.
type class struct {
	labels []string
	// whole are whole words, inside ones may be parts of words, and starts the beginnings
	// of words.
	whole, inside, starts []string
	// loose are words in a row with one character between two of them, or none.
	loose [][]string
}

// classes are tried in this order: by urgency, then good before bad.
var classes = []class{
	{labels: []string{"P0"}, whole: []string{"p0"}, inside: []string{"critical"}},
	{labels: []string{"P1"}, whole: []string{"p1"}, loose: [][]string{{"should", "fix"}}},
	{labels: []string{"P2"}, whole: []string{"p2"}, inside: []string{"minor"}, loose: [][]string{{"nice", "to", "have"}}},
	{labels: []string{"clean"}, whole: []string{"clean"}, inside: []string{"lgtm"}, loose: [][]string{{"no", "issues"}}},
	{labels: []string{"done", "completed", "success", "pass"}, whole: []string{"done"}, inside: []string{"completed", "success"}},
	{labels: []string{"failure", "fail", "failed", "error", "blocked"}, inside: []string{"error", "blocked"}, starts: []string{"fail"}},
}

func (c *class) matchesText(lower string) bool {
	for _, w := range c.whole {
		if hasWord(lower, w) {
			return true
		}
	}
	for _, w := range c.inside {
		if strings.Contains(lower, w) {
			return true
		}
	}
	for _, w := range c.starts {
		if startsWord(lower, w) {
			return true
		}
	}
	return slices.ContainsFunc(c.loose, func(words []string) bool {
		return anyOccurrence(lower, words[0], func(_, after string) bool { return startsWithWords(after, words[1:]) })
	})
}

// firstLabel returns the first of the labels that is one of the names, or "".
func firstLabel(names, labels []string) string {
	for _, l := range labels {
		if slices.Contains(names, l) {
			return l
		}
	}
	return ""
}

// lastMarker returns the name in the last marker of a text.
func lastMarker(text string) (name string, ok bool) {
	const open = "[OUTPUT:"
	for {
		at := strings.LastIndex(text, open)
		if at < 0 {
			return "", false
		}
		inside, _, closed := strings.Cut(text[at+len(open):], "]")
		name = strings.TrimSpace(inside)
		if closed && name != "" && !strings.ContainsAny(inside, "\n[") {
			return name, true
		}
		text = text[:at]
	}
}

// hasWord reports whether a text has a word with no letter, digit or underscore on
// either side.
func hasWord(text, word string) bool {
	return anyOccurrence(text, word, func(before, after string) bool { return endsAtBoundary(before) && beginsAtBoundary(after) })
}

// startsWord reports whether a word of the text begins with start.
func startsWord(text, start string) bool {
	return anyOccurrence(text, start, func(before, _ string) bool { return endsAtBoundary(before) })
}

// startsWithWords reports whether a text begins with the words in a row, each after at most one
// other character.
func startsWithWords(text string, words []string) bool {
	if len(words) == 0 {
		return true
	}
	_, size := utf8.DecodeRuneInString(text)
	for _, rest := range []string{text, text[size:]} {
		if after, ok := strings.CutPrefix(rest, words[0]); ok && startsWithWords(after, words[1:]) {
			return true
		}
	}
	return false
}

// anyOccurrence reports whether one of the places at which a text has a part is right.
func anyOccurrence(text, part string, right func(before, after string) bool) bool {
	for from := 0; part != ""; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			break
		}
		at += from
		if right(text[:at], text[at+len(part):]) {
			return true
		}
		from = at + 1
	}
	return false
}

func endsAtBoundary(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || !wordRune(r)
}

func beginsAtBoundary(after string) bool {
	r, size := utf8.DecodeRuneInString(after)
	return size == 0 || !wordRune(r)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// failures are the labels that mean failure, and exits those that an exit code of a
// script can mean.
var (
	exits    = []string{"fail", "failure", "failed", "error", "blocked"}
	failures = append([]string{"no", "timeout"}, exits...)
)

// ScriptLabel returns the label for the end of a script. The labels fail, failure, failed,
// error, blocked, no and timeout mean failure, all others success.
//
// After exit code 0 the result is the first label that means success. After any other code
// it is the first label that means failure, except no and timeout; if no label means
// failure, it is the last label, unless there is only one. A marker [OUTPUT:name] in the
// printed text chooses another label that means success after code 0, and failure after any
// other code. It is an error if no label fits.
func ScriptLabel(printed string, exit int, labels []string) (string, error) {
	failed := exit != 0
	if name, ok := lastMarker(printed); ok && slices.Contains(labels, name) && slices.Contains(failures, name) == failed {
		return name, nil
	}
	var good, bad []string
	for _, l := range labels {
		if slices.Contains(failures, l) {
			bad = append(bad, l)
		} else {
			good = append(good, l)
		}
	}
	switch {
	case !failed && len(good) > 0:
		return good[0], nil
	case !failed:
		return "", fmt.Errorf("the script exited with 0, but all its outputs mean failure: %s", formatNames(labels))
	}
	if label := firstLabel(exits, labels); label != "" {
		return label, nil
	}
	if len(labels) > 1 && len(bad) == 0 {
		return labels[len(labels)-1], nil
	}
	return "", fmt.Errorf("no output of the node means a failure: add `%s` to its `outputs`, and an edge from it, to handle one", exits[0])
}

func formatNames(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

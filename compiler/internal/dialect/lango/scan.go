package lango

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// Prompts are Go text templates in which results are written as the format does:
// {{fetch-changes.result}}. Go's parser would treat that as a function `fetch`
// followed by a stray `-`. So before it sees the text each such name is replaced by
// an identifier of the same length, which leaves every place where it is.

const (
	openBraces  = "{{"
	closeBraces = "}}"
	resultField = "result"
)

// An action is the text between braces, with the braces, as offsets into the text.
// An action that is not closed ends with the text.
type action struct {
	start, end int
	open       bool
}

// scanActions finds the actions of a text.
func scanActions(text string) []action {
	var list []action
	for at := 0; ; {
		i := strings.Index(text[at:], openBraces)
		if i < 0 {
			return list
		}
		a := action{start: at + i}
		a.end, a.open = actionEnd(text, a.start+len(openBraces))
		list = append(list, a)
		if a.open {
			return list
		}
		at = a.end
	}
}

// actionEnd returns the end of an action whose inside begins at a place; open says
// that it has no end.
func actionEnd(text string, at int) (end int, open bool) {
	if inside := strings.TrimPrefix(strings.TrimPrefix(text[at:], "-"), " "); strings.HasPrefix(inside, "/*") {
		i := strings.Index(text[at:], "*/")
		if i < 0 {
			return len(text), true
		}
		at += i + len("*/")
	}
	for at < len(text) {
		switch c := text[at]; {
		case strings.HasPrefix(text[at:], closeBraces):
			return at + len(closeBraces), false
		case c == '"' || c == '\'' || c == '`':
			at = literalEnd(text, at)
		default:
			at++
		}
	}
	return len(text), true
}

// literalEnd returns the end of the literal that begins at a place: with its line
// when it is not closed there, but for raw ones.
func literalEnd(text string, at int) int { return at + len(literalForm().FindString(text[at:])) }

// literalForm is a literal of Go as far as it goes.
var literalForm = lazyregexp.New("(?s)^(?:" + `"(?:[^"\\\n]|\\.)*(?:"|\\$)?|'(?:[^'\\\n]|\\.)*(?:'|\\$)?` + "|`[^`]*`?)")

// maxDepth bounds how deep actions, and the pipelines in them, may be nested.
const maxDepth = 150

// tooDeep returns the first action that is nested deeper than maxDepth, or nil. Go's parser
// nests an `else if` in the branch before it, and a value in each command that it is piped to.
func tooDeep(text string, actions []action) *action {
	var open []int // how deep the branches of each open block are nested
	depth := 0
	for i, a := range actions {
		switch word := actionKeyword(text[a.start:a.end]); word {
		case "if", "with", "range", "block", "define":
			open, depth = append(open, 1), depth+1
		case "else":
			if len(open) > 0 && a.end-a.start > len("{{- else -}}") {
				open[len(open)-1]++
				depth++
			}
		case "end":
			if len(open) > 0 {
				depth -= open[len(open)-1]
				open = open[:len(open)-1]
			}
		}
		if depth+pipelineDepth(text[a.start:a.end]) > maxDepth {
			return &actions[i]
		}
	}
	return nil
}

// pipelineDepth returns how deep the pipelines of an action are nested at most.
func pipelineDepth(action string) (most int) {
	var outer []int
	depth := 0
	for at := 0; at < len(action); {
		switch action[at] {
		case '"', '\'', '`':
			at = literalEnd(action, at)
			continue
		case '(':
			outer, depth = append(outer, depth), depth+1
		case '|':
			depth++
		case ')':
			if len(outer) > 0 {
				depth, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
		}
		most = max(most, depth)
		at++
	}
	return most
}

// maskNames replaces the names of steps in the actions of a text by identifiers of the
// same length, and returns the names by their offsets.
func maskNames(text string, actions []action) (masked string, names map[int]string) {
	b, names := []byte(text), map[int]string{}
	for _, a := range actions {
		for at := a.start + len(openBraces); at < a.end; {
			switch c := text[at]; {
			case c == '"' || c == '\'' || c == '`':
				at = literalEnd(text, at)
			case !isWord(c) || c == '-':
				at++
			default:
				end := at
				for end < a.end && (isWord(text[end]) || text[end] == '.') {
					end++
				}
				if name, ok := strings.CutSuffix(text[at:end], "."+resultField); ok && !isContinuation(text, at) {
					names[at] = name
					hideName(b[at : at+len(name)])
				}
				at = end
			}
		}
	}
	return string(b), names
}

// isContinuation reports whether the text at a place belongs to the text before it: the
// name of a variable, or a field of a value other than the results.
func isContinuation(text string, at int) bool {
	switch text[at-1] {
	case '$':
		return true
	case '.':
		before := text[at-2] // at least the braces
		return isWord(before) || before == ')'
	}
	return false
}

// hideName makes an identifier of a name.
func hideName(name []byte) {
	for i, c := range name {
		if !isWord(c) || c == '-' || i == 0 && c >= '0' && c <= '9' {
			name[i] = '_'
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

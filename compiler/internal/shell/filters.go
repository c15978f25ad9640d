package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A filter reads text and prints a part of it. Where the analysis knows all options
// of a filter, its output is hostile only if its input is:
//
//   - grep -o with a pattern of numbers prints only numbers; see numberPattern. The
//     same holds for tr -cd with a set of digits.
//   - sort, tac, head, tail and uniq print lines of their input, cut prints fields of
//     them, tr -d leaves characters out. The result of numbers is numbers.
//
// Numbers never run as code, so they carry no origin. A translation such as
// tr 0-9 a-j makes other text of them, and every filter with an option or an operand
// that is not listed here may: its output stays lost.

// filtered returns the output of a filter for its input. It reports false for other
// commands, and for filters with arguments that it does not know.
func (t *tracker) filtered(name string, c *command, in value) (value, bool) {
	switch name {
	case "grep", "egrep":
		return t.matches(c, name == "egrep")
	case "tr":
		return t.translated(c, in)
	}
	known, ok := lineFilters[name]
	if !ok || !t.onlyOptions(c.words[1:], known) {
		return value{}, false
	}
	return in.changed(), true
}

// lineFilters are the programs that print lines of their input, or fields of these,
// with the options that change nothing about that: flags are letters, and values are
// letters with a value that the function accepts.
var lineFilters = map[string]filterOptions{
	"sort": {flags: "bdfghiMnrRuV", values: map[byte]func(string) bool{'k': isText, 't': isText}, long: []string{"--numeric-sort", "--reverse", "--unique", "--version-sort"}},
	"head": {flags: "q0123456789", values: map[byte]func(string) bool{'n': isText}},
	"tail": {flags: "q0123456789", values: map[byte]func(string) bool{'n': isText}},
	"uniq": {flags: "diu"},
	"cut":  {flags: "s", values: map[byte]func(string) bool{'d': isDelimiter, 'f': isText}},
	"tac":  {},
}

type filterOptions struct {
	flags  string
	values map[byte]func(string) bool
	long   []string
}

func isText(text string) bool { return text != "" }

// isDelimiter reports whether a text may separate fields of numbers: cut at a digit
// would leave a dot at the start.
func isDelimiter(text string) bool { return len(text) == 1 && !isDigit(text[0]) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// onlyOptions reports whether words are options of a filter, and nothing else.
func (t *tracker) onlyOptions(words []*syntax.Word, known filterOptions) bool {
	for i := 0; i < len(words); i++ {
		text, ok := t.s.fixedText(words[i])
		switch {
		case !ok:
			return false
		case slices.Contains(known.long, text):
			continue
		case len(text) < 2 || text[0] != '-' || text[1] == '-':
			return false
		}
		for j := 1; j < len(text); j++ {
			accepts := known.values[text[j]]
			if accepts == nil {
				if strings.IndexByte(known.flags, text[j]) < 0 {
					return false
				}
				continue
			}
			value := text[j+1:]
			if value == "" {
				if i++; i == len(words) {
					return false
				}
				if value, ok = t.s.fixedText(words[i]); !ok {
					return false
				}
			}
			if !accepts(value) {
				return false
			}
			break
		}
	}
	return true
}

// fixedText returns the value of a word that bash does not expand. Bash may replace an
// unquoted pattern by names of files: [0-9]* in grep -o [0-9]* is not fixed.
func (s *script) fixedText(w *syntax.Word) (string, bool) {
	a := s.read(w)
	if !a.full {
		return "", false
	}
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[]{}~\\") {
				return "", false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				return "", false
			}
		}
	}
	return a.text, true
}

// translated returns the output of tr -d and tr -s with a set of characters that are
// not digits, and of tr -cd with a set of digits.
func (t *tracker) translated(c *command, in value) (value, bool) {
	flags, set := "", ""
	for i, w := range c.words[1:] {
		text, ok := t.s.fixedText(w)
		switch {
		case !ok:
			return value{}, false
		case i < len(c.words)-2 && len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "cCds") == "":
			flags += strings.ToLower(text[1:])
		case i == len(c.words)-2:
			set = text
		default:
			return value{}, false
		}
	}
	keeps := strings.Contains(flags, "c")
	switch {
	case set == "" || strings.Contains(flags, "d") == strings.Contains(flags, "s"):
		return value{}, false
	case keeps && strings.Contains(flags, "d") && isDigitSet(strings.TrimSuffix(set, `\n`)):
		v := number()
		v.text = strings.HasSuffix(set, `\n`)
		return v, true
	case !keeps && isPlainSet(set):
		return in.changed(), true
	}
	return value{}, false
}

// isDigitSet reports whether a set of tr holds digits and nothing else.
func isDigitSet(set string) bool {
	return set == "0-9" || set == "[:digit:]" || set != "" && strings.Trim(set, "0123456789") == ""
}

// isPlainSet reports whether a set of tr is a list of characters without digits. A
// class, a range or an escape in octal may hold digits.
func isPlainSet(set string) bool {
	set = strings.NewReplacer(`\n`, "", `\r`, "", `\t`, "", `\\`, "").Replace(set)
	return !strings.ContainsAny(set, `0123456789[\`) && strings.IndexByte(strings.Trim(set, "-"), '-') < 0
}

// matches returns the output of grep -o with patterns of numbers. The names of files
// are in its messages, so their origins are in the output.
func (t *tracker) matches(c *command, extended bool) (value, bool) {
	g := grep{syntax: basicPattern}
	if extended {
		g.syntax = extendedPattern
	}
	if !t.readGrep(&g, c.words[1:]) || !g.only || len(g.files) > 1 || strings.Contains(t.s.src, "GREP_OPTIONS") ||
		slices.ContainsFunc(g.patterns, func(p string) bool { return !isNumberPattern(p, g.syntax) }) {
		return value{}, false
	}
	v := anyText()
	for _, w := range g.files {
		named := t.word(w)
		text, fixed := t.s.fixedText(w)
		if t.s.isSplitWord(w) || t.s.read(w).full && !fixed || !g.ended && (len(text) > 1 && text[0] == '-' || slices.ContainsFunc(named.consts, isOption)) {
			return value{}, false
		}
		v.join(value{origins: named.changed().origins})
	}
	return v, true
}

func isOption(text string) bool { return len(text) > 1 && text[0] == '-' }

// grep is a command line of grep.
type grep struct {
	syntax   patternSyntax
	only     bool // -o
	ended    bool // the options, by --
	patterns []string
	files    []*syntax.Word
}

// readGrep reads a command line of grep. It reports false for options by which grep
// prints something else than matches, such as file names, counts or colours.
func (t *tracker) readGrep(g *grep, words []*syntax.Word) bool {
	var operands []*syntax.Word
	for i := 0; i < len(words); i++ {
		prefix := t.s.read(words[i]).text
		text, fixed := t.s.fixedText(words[i])
		if g.ended || !isOption(prefix) {
			operands = append(operands, words[i])
			continue
		}
		if !fixed {
			return false
		}
		if text == "--" {
			g.ended = true
			continue
		}
		if name, ok := grepLong[text]; ok {
			text = "-" + name
		}
		for j := 1; j < len(text); j++ {
			if strings.IndexByte("em", text[j]) < 0 {
				if !g.flag(text[j]) {
					return false
				}
				continue
			}
			value, ok := text[j+1:], true
			if value == "" {
				if i++; i == len(words) {
					return false
				}
				value, ok = t.s.fixedText(words[i])
			}
			if !ok {
				return false
			}
			if text[j] == 'e' {
				g.patterns = append(g.patterns, value)
			}
			break
		}
	}
	if len(g.patterns) == 0 {
		if len(operands) == 0 {
			return false
		}
		pattern, ok := t.s.fixedText(operands[0])
		if !ok {
			return false
		}
		g.patterns, operands = []string{pattern}, operands[1:]
	}
	g.files = operands
	return true
}

var grepLong = map[string]string{
	"--only-matching": "o", "--extended-regexp": "E", "--perl-regexp": "P", "--basic-regexp": "G", "--ignore-case": "i",
	"--word-regexp": "w", "--line-regexp": "x", "--no-filename": "h", "--text": "a", "--no-messages": "s", "--color=never": "h",
}

// flag notes a flag of grep; false means that it is none of those known.
func (g *grep) flag(letter byte) bool {
	switch letter {
	case 'o':
		g.only = true
	case 'E':
		g.syntax = extendedPattern
	case 'P':
		g.syntax = perlPattern
	case 'G':
		g.syntax = basicPattern
	case 'i', 'y', 'w', 'x', 'h', 'a', 's':
	default:
		return false
	}
	return true
}

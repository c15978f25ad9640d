package shell

import "strings"

// patternSyntax is a syntax of regular expressions of grep.
type patternSyntax int

const (
	basicPattern patternSyntax = iota
	extendedPattern
	perlPattern
)

// isNumberPattern reports whether every match of a regular expression is empty or a
// number: digits with single separators, `.`, `-` or `:`, between them, as versions,
// dates and times have. So a match is never an option or the name of a folder.
//
// It reports false for every expression that it does not know in full.
func isNumberPattern(pattern string, in patternSyntax) bool {
	if at := strings.LastIndex(pattern, `\K`); at >= 0 && in == perlPattern {
		// \K drops the text that is matched before it.
		if strings.ContainsAny(pattern, "|()") || strings.Contains(pattern, `\\`) || strings.Contains(pattern, `\Q`) {
			return false
		}
		pattern = pattern[at+2:]
	}
	pattern = strings.TrimPrefix(pattern, "^")
	if strings.HasSuffix(pattern, "$") && !strings.HasSuffix(pattern, `\$`) {
		pattern = strings.TrimSuffix(pattern, "$")
	}
	p := &patternReader{rest: pattern, in: in}
	s := p.alternatives(0)
	return !p.failed && p.rest == "" && !s.opens && !s.closes
}

// A numberShape says of the matches of a piece of a pattern whether one may be
// empty, begin with a separator or end with one.
type numberShape struct{ empty, opens, closes bool }

// A patternReader reads a regular expression.
type patternReader struct {
	rest   string
	in     patternSyntax
	failed bool // a match may be something else than a number
}

func (p *patternReader) fail() { p.failed, p.rest = true, "" }

// take removes an operator from the text, which is written with a backslash in basic
// expressions and without one in others.
func (p *patternReader) take(operator string) bool {
	if p.in == basicPattern && operator != "*" {
		operator = `\` + operator
	}
	rest, ok := strings.CutPrefix(p.rest, operator)
	p.rest = rest
	return ok
}

// mostNested bounds how deep groups of a pattern may nest.
const mostNested = 8

func (p *patternReader) alternatives(depth int) numberShape {
	s := p.sequence(depth)
	for !p.failed && p.take("|") {
		o := p.sequence(depth)
		s = numberShape{s.empty || o.empty, s.opens || o.opens, s.closes || o.closes}
	}
	return s
}

func (p *patternReader) sequence(depth int) numberShape {
	s := numberShape{empty: true}
	for !p.failed && p.rest != "" && !p.ends() {
		next := p.repeated(depth)
		if s.closes && next.opens {
			p.fail()
		}
		s = numberShape{
			empty:  s.empty && next.empty,
			opens:  s.opens || s.empty && next.opens,
			closes: next.closes || next.empty && s.closes,
		}
	}
	return s
}

// ends reports whether an alternative ends here.
func (p *patternReader) ends() bool {
	q := *p
	return q.take("|") || q.take(")")
}

// repeated reads an atom with the operators behind it.
func (p *patternReader) repeated(depth int) numberShape {
	s := p.atom(depth)
	for !p.failed {
		switch {
		case p.take("?"):
			s.empty = true
			continue
		case p.take("*"):
			s.empty = true
		case p.take("+"):
		case p.take("{"):
			least, ok := p.bounds()
			if !ok {
				p.fail()
			}
			s.empty = s.empty || least == ""
		default:
			return s
		}
		if s.opens && s.closes {
			p.fail() // two separators side by side
		}
	}
	return s
}

// bounds reads the bounds of a repetition, and returns the lower one without zeros at
// its start.
func (p *patternReader) bounds() (least string, ok bool) {
	end := strings.IndexByte(p.rest, '}')
	if end < 0 {
		return "", false
	}
	text := p.rest[:end]
	p.rest = p.rest[end+1:]
	if p.in == basicPattern {
		if text, ok = strings.CutSuffix(text, `\`); !ok {
			return "", false
		}
	}
	least, most, _ := strings.Cut(text, ",")
	return strings.TrimLeft(least, "0"), strings.Trim(least+most, "0123456789") == ""
}

func (p *patternReader) atom(depth int) numberShape {
	digit, separator := numberShape{}, numberShape{opens: true, closes: true}
	switch {
	case p.take("("):
		if p.in == perlPattern {
			p.rest = strings.TrimPrefix(p.rest, "?:")
		}
		if depth == mostNested {
			p.fail()
			return digit
		}
		s := p.alternatives(depth + 1)
		if !p.take(")") {
			p.fail()
		}
		return s
	case strings.HasPrefix(p.rest, "["):
		return p.bracket()
	}
	for _, boundary := range []string{`\b`, `\<`, `\>`} {
		if rest, ok := strings.CutPrefix(p.rest, boundary); ok {
			p.rest = rest
			return numberShape{empty: true}
		}
	}
	if rest, ok := strings.CutPrefix(p.rest, `\d`); ok && p.in == perlPattern {
		p.rest = rest
		return digit
	}
	if rest, ok := strings.CutPrefix(p.rest, `\.`); ok {
		p.rest = rest
		return separator
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	switch {
	case isDigit(c):
		return digit
	case c == '-' || c == ':':
		return separator
	}
	p.fail()
	return digit
}

// bracket reads a bracket expression of digits and separators.
func (p *patternReader) bracket() numberShape {
	rest := p.rest[1:]
	var s numberShape
	for first := true; ; first = false {
		switch {
		case strings.HasPrefix(rest, "[:digit:]"):
			rest = rest[len("[:digit:]"):]
		case len(rest) > 2 && isDigit(rest[0]) && rest[1] == '-' && isDigit(rest[2]):
			rest = rest[3:]
		case len(rest) > 1 && isDigit(rest[0]) && (rest[1] != '-' || rest[2:] != "" && rest[2] == ']'):
			rest = rest[1:]
		case len(rest) > 1 && (rest[0] == '.' || rest[0] == ':') && rest[1] != '-', len(rest) > 1 && rest[0] == '-' && (first || rest[1] == ']'):
			s.opens, s.closes = true, true
			rest = rest[1:]
		case strings.HasPrefix(rest, "]") && !first:
			p.rest = rest[1:]
			return s
		default:
			p.fail()
			return s
		}
	}
}

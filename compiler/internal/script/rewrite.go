package script

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
)

// rewriter turns holes into edits and bindings.
type rewriter struct {
	p        *program
	names    *bind.Names
	vars     map[use]string
	edits    []bind.Edit
	bindings []bind.Binding
}

// use is a hole together with the form in which its value is wanted.
type use struct {
	label, name string
	literal     bool
}

// rewrite returns the program with a variable for each live hole.
func (p *program) rewrite() *Script {
	r := p.newRewriter()
	return &Script{Text: bind.Apply(p.src, r.edits), Bindings: r.bindings}
}

// newRewriter returns a rewriter that has made the edits of a program.
func (p *program) newRewriter() *rewriter {
	r := &rewriter{p: p, names: bind.NewNames(p.src), vars: map[use]string{}}
	for i := range p.toks {
		switch t := &p.toks[i]; {
		case t.kind == hole:
			r.replaceHole(t.spot, "", "", true)
		case t.kind == text && (len(t.lit.spots) > 0 || p.isForced(t.lit)):
			r.rewriteLiteral(t.lit)
		}
	}
	return r
}

// holeVariable returns the variable of a hole.
func (r *rewriter) holeVariable(s *spot, literal bool) string {
	u := use{s.Label, s.Name, literal}
	name, ok := r.vars[u]
	if !ok {
		name = r.names.Take(suggestedName(s, literal))
		r.vars[u] = name
		r.bindings = append(r.bindings, bind.Binding{Name: name, Hole: s.index, Literal: literal})
	}
	return name
}

// suggestedName is the name for a hole's variable.
func suggestedName(s *spot, literal bool) string {
	if literal {
		return variableName(s.Name + "_value")
	}
	return variableName(s.Name)
}

func (r *rewriter) replaceRange(start, end int, text string) {
	r.edits = append(r.edits, bind.Edit{Start: start, End: end, Text: text})
}

func (r *rewriter) replaceHole(s *spot, before, after string, literal bool) {
	r.edits = append(r.edits, bind.Edit{Start: s.Start, End: s.End, Name: r.holeVariable(s, literal), Hole: s.index, Place: bind.Place{
		Before: before, After: after, Name: suggestedName(s, literal), Literal: literal,
	}})
}

func (r *rewriter) rewriteLiteral(l *literal) {
	switch {
	case r.p.lang == JavaScript && l.holds:
		r.rewriteTemplate(l)
	case r.p.lang == JavaScript:
		r.rewriteAsConcat(l)
	case l.holds:
		for _, s := range l.spots {
			r.replaceHole(s, "{", "}", false)
		}
	default:
		r.rewriteAsFString(l)
	}
}

// rewriteTemplate puts variables into a template literal. A backslash before a hole
// can only be there in a raw one; it would make the substitution text, so it is
// substituted too.
func (r *rewriter) rewriteTemplate(l *literal) {
	for _, s := range l.spots {
		start, text := s.Start, "${"+r.holeVariable(s, false)+"}"
		if countTrailingBackslashes(r.p.src[l.body[0]:start])%2 == 1 {
			start, text = start-1, `${"\\"}`+text
		}
		r.replaceRange(start, s.End, text)
	}
}

func countTrailingBackslashes(s string) int { return len(s) - len(strings.TrimRight(s, `\`)) }

// rewriteAsConcat makes a call of a string literal: 'a HOLE b' is 'a '.concat(V, ' b'). It
// begins with a literal as the one before did, so that no line in front of it
// continues into it, and binds as tightly, so that it needs no parentheses.
func (r *rewriter) rewriteAsConcat(l *literal) {
	src, q := r.p.src, l.quote
	first := l.spots[0]
	if len(l.spots) == 1 && first.Start == l.body[0] && first.End == l.body[1] {
		r.replaceRange(l.start, l.end, r.holeVariable(first, false))
		return
	}
	var out strings.Builder
	out.WriteString(src[l.start:first.Start] + q + ".concat(")
	for i, s := range l.spots {
		end := l.body[1]
		if i+1 < len(l.spots) {
			end = l.spots[i+1].Start
		}
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(r.holeVariable(s, false))
		if s.End < end {
			out.WriteString(", " + q + src[s.End:end] + q)
		}
	}
	out.WriteString(")")
	r.replaceRange(l.start, l.end, out.String())
}

// rewriteAsFString makes an f-string of a string literal: 'a HOLE b' is f'a {V} b'. It
// stays a literal, so that the strings beside it are still joined to it.
func (r *rewriter) rewriteAsFString(l *literal) {
	r.replaceRange(l.start, l.body[0], "f"+strings.ReplaceAll(l.prefix, "u", "")+l.quote)
	at := l.body[0]
	for _, s := range l.spots {
		r.bracedText(at, s.Start, l.raw)
		r.replaceHole(s, "{", "}", false)
		at = s.End
	}
	r.bracedText(at, l.body[1], l.raw)
}

// bracedText makes text of an f-string out of the text from start to end of a
// string, piece by piece when the program is a form.
func (r *rewriter) bracedText(start, end int, raw bool) {
	if r.p.form == nil {
		r.replaceRange(start, end, doubleBraces(r.p.src[start:end], raw))
		return
	}
	for _, p := range r.p.form.Pieces {
		if from, to := max(start, p.Start), min(end, p.End); from < to {
			r.replaceRange(from, to, doubleBraces(r.p.src[from:to], raw))
		}
	}
}

// doubleBraces doubles the braces of a string's text but for those that are a part
// of the escape sequence of a named character.
func doubleBraces(text string, raw bool) string {
	if !strings.ContainsAny(text, "{}") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && !raw && i+1 < len(text) && text[i+1] != '{' && text[i+1] != '}' {
			end := i + 2
			if strings.HasPrefix(text[i:], `\N{`) {
				if n := strings.IndexByte(text[i:], '}'); n > 0 {
					end = i + n + 1
				}
			}
			out.WriteString(text[i:end])
			i = end - 1
			continue
		}
		out.WriteByte(text[i])
		if text[i] == '{' || text[i] == '}' {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// variableName makes a name from a suggestion. Its prefix keeps it apart from keywords
// and from names that the language defines.
func variableName(suggestion string) string { return "wfc_" + bind.Word(suggestion) }

// replaceLabel puts a hole's label into advice.
func replaceLabel(help, label string) string { return strings.ReplaceAll(help, "LABEL", label) }

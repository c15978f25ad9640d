package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// A script holds others: the text of `bash -c`, of eval and trap, a here-document
// that a shell reads. Where such a text is fixed it is analysed like a script, with
// the variables and parameters that it sees; a value that is quoted for a shell is
// in it like a hole. No guard can be put there, so that arithmetic on anything
// hostile is refused.

// sees returns the values of an inner program's variables and parameters at its
// start, and false for those that only the environment sets.
type sees func(name string) (value, bool)

// maxInner bounds how many programs deep the analysis goes.
const maxInner = 4

// checkShellCode refuses hostile text in a program of a shell, and analyses the
// program when its text is known. The words are joined by spaces.
func (s *script) checkShellCode(words []*syntax.Word, program, safe string, given sees) {
	refused := false
	for _, w := range words {
		if w == nil {
			continue
		}
		for _, k := range s.tracker.carriers(w) {
			if !k.quoted {
				refused = true
				s.refuseText(k, program, safe)
			}
		}
	}
	if refused || !s.tracker.lossy || len(words) == 0 || words[0] == nil {
		return
	}
	p := &innerText{s: s, t: s.tracker}
	for i, w := range words {
		if i > 0 {
			p.text.WriteByte(' ')
		}
		p.add(w.Parts)
	}
	if text := p.text.String(); strings.TrimSpace(text) != "" {
		s.checkInner(words, text, p.holes, program, safe, given)
	}
}

// innerText puts the text of an inner program together.
type innerText struct {
	s     *script
	t     *tracker
	text  strings.Builder
	holes []bind.Hole
}

func (p *innerText) add(parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			for _, quoted := range part.Parts {
				p.addPart(quoted, "$`\"\\\n")
			}
		default:
			p.addPart(part, "")
		}
	}
}

func (p *innerText) addPart(part syntax.WordPart, special string) {
	switch part := part.(type) {
	case *syntax.Lit:
		p.text.WriteString(unescape(part.Value, special))
		return
	case *syntax.SglQuoted:
		p.text.WriteString(part.Value)
		return
	}
	v := p.t.part(part)
	switch {
	case v.hostile():
		start := p.text.Len()
		p.text.WriteString("VALUE")
		p.holes = append(p.holes, bind.Hole{Start: start, End: p.text.Len(), Name: "value", Label: p.label(v, part), Type: types.Text})
	case len(v.consts) == 1 && !v.open:
		p.text.WriteString(v.consts[0])
	default:
		p.text.WriteString("_")
	}
}

// label is the name of a quoted value in messages.
func (p *innerText) label(v value, part syntax.WordPart) string {
	if spot := v.origins[0].seed.spot; spot != nil {
		return spot.Label
	}
	start, end := offsets(part)
	return p.s.src[start:end]
}

// checkInner analyses a fixed program.
func (s *script) checkInner(words []*syntax.Word, text string, holes []bind.Hole, program, safe string, given sees) {
	start, _ := offsets(words[0])
	_, end := offsets(words[len(words)-1])
	if s.depth >= maxInner {
		s.report(finding.ShellTooComplex(s.span(start, end), "too many nested programs"))
		return
	}
	r := NewRewriter(Options{Programs: s.options.Programs, Check: func(string) Verdict { return Unknown }})
	inner := newScript(r, source.PlainText(text), holes)
	inner.inner, inner.hostile, inner.given, inner.depth, inner.outer = true, true, given, s.depth+1, s
	inner.passed, inner.passedAt = s.passing, s.passingAt
	inner.fed, s.feeding = s.feeding, false
	if !inner.parse() {
		return // no program at all
	}
	if !inner.findPlaces() {
		s.reportInner(inner, start, end, program)
		return
	}
	for _, p := range inner.spots {
		if !p.place.dead && p.place.quoting != bare {
			inner.refuse(p, finding.ShellProgramText(inner.span(p.Start, p.End), "`"+p.Label+"`", program).
				WithHelp("remove the second pair of quotes").WithHelp(strings.ReplaceAll(safe, "LABEL", p.Label)))
		}
	}
	inner.check()
	s.reportInner(inner, start, end, program)
}

// reportInner reports the first error of an inner program at its place.
func (s *script) reportInner(inner *script, start, end int, program string) {
	i := slices.IndexFunc(inner.found, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
	if i < 0 || s.flagged[start] {
		return
	}
	d := inner.found[i]

	s.flagged[start] = true
	s.report(finding.ShellInnerProgram(s.span(start, end), program, d.Message, d.Code))
}

// sameSees are the variables of a program that runs in this shell: eval, trap.
func (s *script) sameSees(c *command) sees {
	at := int(c.words[0].Pos().Offset())
	return func(name string) (value, bool) {
		if name == "0" {
			return s.tracker.variable(name, at), true
		}
		if isPositional(name) {
			return s.tracker.parameter(name, at), true
		}
		v := s.tracker.ever(name)
		if len(v.consts) == 0 && !v.open {
			v.join(s.tracker.environment(name))
		}
		return v, true
	}
}

// childSees are the variables of a program that another process runs: exported ones
// and the given arguments, of which the first is $0.
func (s *script) childSees(c *command, args []*syntax.Word, nodes []syntax.Node) sees {
	s.feeding = s.tracker.feeds(nodes)
	all := value{}
	for _, w := range args[min(1, len(args)):] {
		all.join(s.tracker.word(w))
	}
	several := slices.ContainsFunc(args, func(w *syntax.Word) bool { return w != nil && mayBeSeveral(w) })
	var assigns []*syntax.Assign
	if call, ok := nodes[len(nodes)-1].(*syntax.CallExpr); ok {
		assigns = call.Assigns
	}
	return func(name string) (value, bool) {
		if isPositional(name) || name == "0" {
			var i int
			if _, err := fmt.Sscanf(name, "%d", &i); err == nil && !several && i < len(args) {
				return s.tracker.word(args[i]), true
			}
			v := all
			if several && len(args) > 0 && args[0] != nil {
				v.join(s.tracker.word(args[0]))
			}
			if len(v.consts) == 0 && !v.open {
				v.join(constant(""))
			}
			return v, true
		}
		v, known := value{}, false
		for _, a := range assigns {
			if a.Name != nil && a.Name.Value == name && a.Value != nil {
				v.join(s.tracker.word(a.Value))
				known = true
			}
		}
		for o := c; o != nil; o = o.behind {
			for _, w := range o.words {
				if n, _, ok := strings.Cut(s.read(w).text, "="); ok && n == name {
					v.join(s.tracker.word(w).changed())
					known = true
				}
			}
		}
		if s.tree.exported[name] || s.tree.exported["*"] {
			v.join(s.tracker.ever(name))
			known = true
		}
		if !known || slices.Contains(s.options.Variables, name) {
			v.join(s.tracker.environment(name))
		}
		return v, true
	}
}

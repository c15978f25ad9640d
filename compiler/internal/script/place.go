package script

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkPlaces refuses the holes that are where no expression can.
func (p *program) checkPlaces() {
	for i := range p.toks {
		t := &p.toks[i]
		switch {
		case t.kind == hole && !t.spot.refused:
			d := p.checkJoined(t.spot)
			if d == nil && p.lang == JavaScript {
				d = p.javaScriptCode(i)
			} else if d == nil {
				d = p.pythonCode(i)
			}
			if d != nil {
				p.refuse(t.spot, d)
			}
		case t.kind == text && len(t.lit.spots) > 0:
			if p.lang == JavaScript {
				p.javaScriptText(i)
			} else {
				p.pythonText(i)
			}
		}
	}
}

// checkJoined refuses a hole that is a part of a name or of a number.
func (p *program) checkJoined(s *spot) *diag.Diagnostic {
	before := s.Start > 0 && isWordByte(p.src[s.Start-1], p.lang)
	after := s.End < len(p.src) && isWordByte(p.src[s.End], p.lang)
	if !before && !after {
		return nil
	}
	return p.asName(s, "part of a name").WithHelp("put quotes around the whole string: " + p.quoted(s))
}

// quoted is a hole as a string, for advice.
func (p *program) quoted(s *spot) string { return "`'…" + s.Label + "…'`" }

// asName says that a hole is where a name belongs.
func (p *program) asName(s *spot, what string) *diag.Diagnostic {
	return finding.ScriptHoleAsName(p.at(s), s.Label, what)
}

// noExpression says that a literal with a hole is where no expression can.
func (p *program) noExpression(i int, d func(s *spot) *diag.Diagnostic) {
	for _, s := range p.toks[i].lit.spots {
		p.refuse(s, d(s))
	}
}

func escapeError(p *program, s *spot, escape string) *diag.Diagnostic {
	return finding.ScriptHole(p.at(s), s.Label, fmt.Sprintf("in the middle of the escape sequence `%s…`", escape)).
		WithHelp("write all digits of the escape sequence, or double the backslash")
}

func regexError(p *program, s *spot) *diag.Diagnostic {
	return finding.ScriptHole(p.at(s), s.Label, "in a regular expression literal").
		WithHelp("search for the value: `text.includes('" + s.Label + "')`").
		WithHelp("use the value as a pattern: `new RegExp('" + s.Label + "')`")
}

// aloneError says that a hole is a whole statement.
func aloneError(p *program, s *spot) *diag.Diagnostic {
	print := "console.log"
	if p.lang == Python {
		print = "print"
	}
	return finding.ScriptHoleAlone(p.at(s), s.Label).
		WithHelp(fmt.Sprintf("print the value: `%s(%s)`", print, s.Label))
}

// assignments are the operators that assign to the expression before them.
var assignments = []string{
	"=", "+=", "-=", "*=", "/=", "%=", "**=", "//=", "<<=", ">>=", ">>>=", "&=", "|=", "^=",
	"&&=", "||=", "??=", "@=", ":=",
}

func (p *program) isAssignment(i int) bool {
	return p.isKind(i, op) && slices.Contains(assignments, p.toks[i].text)
}

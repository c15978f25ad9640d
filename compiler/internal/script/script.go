// Package script puts run-time values into Python and JavaScript programs without
// making them part of the program: a hole becomes an expression that reads a
// variable, which the runtime sets before the program starts.
//
// The original engines paste a value's text into the program, so agent text becomes
// code. Here a lexer for each language finds the context of a hole. A parser is not
// needed: only the literal around a hole and the tokens next to it matter. The
// steps are:
//
//   - lexer.go and javascript.go read the program into tokens, with holes as separate
//     tokens in code and as parts of string literals;
//   - place.go refuses holes at places without an expression;
//   - outline.go reads functions, bindings and calls, and taint.go follows values through
//     them; judge.go refuses those that something would run as code;
//   - rewrite.go turns the rest into edits.
//
// In code, the value has the type that its text has as a literal; in a string, it
// is text. A program that a lexer cannot read is not a fault by itself, because its
// interpreter will report it better; only a hole after that place is.
package script

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Language is the language of a script.
type Language int

const (
	// JavaScript is JavaScript or TypeScript, run by bun.
	JavaScript Language = iota
	// Python is Python 3, run by uv.
	Python
)

// A Hole is a place of a script where a value belongs.
type Hole = bind.Hole

// A Script is a program whose holes are replaced by expressions.
type Script = bind.Script

// Rewrite returns the program to run in place of text, whose holes are inside it
// and do not overlap. It reports faults to bag; the result is nil after an error.
//
// variables are the environment variables in which the script gets run-time values.
func Rewrite(lang Language, text source.Text, holes []Hole, bag *diag.Bag, variables ...string) *Script {
	if len(holes) == 0 && !mentionsVariable(text.Value, variables) {
		return &Script{Text: text.Value}
	}
	p := newProgram(lang, text, holes)
	p.vars = variables
	p.analyseHoles()
	bag.Add(p.found...)
	if diag.HasErrors(p.found) {
		return nil
	}
	return p.rewrite()
}

// program is the state of one Rewrite.
type program struct {
	lang  Language
	text  source.Text
	src   string
	spots []*spot
	toks  []token
	fault *fault // where the lexer gave up, or nil
	found []*diag.Diagnostic
	// form is set when the program is one of the forms of a template; forced are
	// the strings that become f-strings because of other forms.
	form     *bind.Form
	vars     []string // environment variables that hold run-time values
	steps    int      // operands and bindings that the analysis visited
	forced   map[bind.Point]bool
	comments [][2]int
	starts   []int  // what lineStart returns for each token, once it was asked
	joined   [2]int // what adjacent returned last
}

// mostHoles bounds the holes of a program: for each of them the analysis may look at all of
// the statement around it.
const mostHoles = 2000

// A spot is a hole in the course of analysis. Spots are in order of place.
type spot struct {
	Hole
	index int // in the caller's slice
	place place
	// lit is the literal that the spot is in, or nil.
	lit     *literal
	refused bool // an error about it is reported
}

// A place is the context of a hole.
type place int

const (
	// unread is behind the place where the lexer gave up.
	unread place = iota
	// inCode is a place for an expression.
	inCode
	// inText is within a string literal.
	inText
	// inComment is where nothing reads it.
	inComment
	// escaped is behind a backslash of a string.
	escaped
)

// mentionsVariable reports whether a program names one of some variables.
func mentionsVariable(program string, variables []string) bool {
	return slices.ContainsFunc(variables, func(v string) bool { return strings.Contains(program, v) })
}

func newProgram(lang Language, text source.Text, holes []Hole) *program {
	p := &program{lang: lang, text: text, src: text.Value}
	for i, h := range holes {
		p.spots = append(p.spots, &spot{Hole: h, index: i})
	}
	slices.SortStableFunc(p.spots, func(a, b *spot) int { return a.Start - b.Start })
	end := 0
	for _, s := range p.spots {
		if s.Start < end || s.End <= s.Start || s.End > len(p.src) {
			panic("script: holes overlap, are empty or lie outside the text")
		}
		end = s.End
	}
	return p
}

// analyseHoles finds the places of the holes and their faults. It reports false if it
// did not reach all of them.
func (p *program) analyseHoles() bool {
	if len(p.spots) > mostHoles {
		p.report(finding.ScriptTooLong(p.holeSpan(p.spots[mostHoles])))
		return false
	}
	p.lex()
	if p.fault != nil && !p.checkRead() {
		return false // the other holes may be read wrongly
	}
	p.checkPlaces()
	p.checkEvaluators()
	p.noteEscapes()
	return true
}

// checkRead reports the first hole that the lexer did not reach, if any. The token
// in which the lexer gave up ends with the text.
func (p *program) checkRead() bool {
	for _, s := range p.spots {
		if s.place == unread {
			p.refuseHole(s, finding.ScriptUnreadable(p.holeSpan(s), s.Label, p.fault.problem).
				WithRelated(p.sourceSpan(p.fault.at, min(p.fault.at+1, len(p.src))), "here"))
			return false
		}
	}
	for i := range p.toks {
		if t := &p.toks[i]; t.kind == text && t.lit.end == 0 {
			t.lit.body[1], t.lit.end = len(p.src), len(p.src)
		}
	}
	return true
}

func (p *program) noteEscapes() {
	for _, s := range p.spots {
		if s.place == escaped {
			p.report(finding.EscapedReference(p.sourceSpan(s.Start, s.End), s.Label))
		}
	}
}

func (p *program) sourceSpan(start, end int) source.Span { return p.text.Span(start, end) }

func (p *program) holeSpan(s *spot) source.Span { return p.sourceSpan(s.Start, s.End) }

func (p *program) report(d *diag.Diagnostic) { p.found = append(p.found, d) }

// refuseHole reports an error about a hole, once for each hole: the first is the
// one to mend.
func (p *program) refuseHole(s *spot, d *diag.Diagnostic) {
	if !s.refused {
		s.refused = true
		p.report(d)
	}
}

// A Rewriter puts values into the programs of one file. It keeps them, so that
// they can be checked together. It is not safe for concurrent use.
type Rewriter struct {
	// Ask asks the language's interpreter about programs; with nil, Check looks only at
	// strings and brackets.
	Ask Checker
	// Variables are environment variables whose values outsiders choose: they must
	// not become code either.
	Variables []string

	lang Language
	// kept are the programs to check, each in one or more forms.
	kept [][]*bind.Form
}

// NewRewriter returns a rewriter for programs of a language.
func NewRewriter(lang Language) *Rewriter { return &Rewriter{lang: lang} }

// Rewrite is like the function Rewrite.
func (r *Rewriter) Rewrite(text source.Text, holes []Hole, bag *diag.Bag) *Script {
	out := Rewrite(r.lang, text, holes, bag, r.Variables...)
	if out != nil {
		whole := bind.Piece{End: len(text.Value)}
		r.kept = append(r.kept, []*bind.Form{{Text: text, Holes: holes, Pieces: []bind.Piece{whole}}})
	}
	return out
}

// Check asks the language's interpreter about the programs that were rewritten
// without an error since the last Check, all at once, and reports those that it
// cannot read. Nothing of them is run. Without an interpreter, it still checks
// strings and brackets. Only Python is checked.
func (r *Rewriter) Check(bag *diag.Bag) {
	kept := r.kept
	r.kept = nil
	if len(kept) == 0 || r.lang != Python {
		return
	}
	var sources []string
	for _, forms := range kept {
		sources = append(sources, plain.Texts(forms, maskHoles)...)
	}
	var faults []*Fault
	if r.Ask != nil {
		faults = r.Ask(sources)
	}
	for _, forms := range kept {
		found := make([]*Fault, len(forms))
		for i, f := range forms {
			if faults != nil {
				found[i], faults = faults[0], faults[1:]
			} else {
				found[i] = lexerFault(f)
			}
		}
		reportFaults(forms, found, bag)
	}
}

// reportFaults reports the first fault of a program that is one in all forms with
// some piece: a form of which nothing is new may never come to be.
func reportFaults(forms []*bind.Form, faults []*Fault, bag *diag.Bag) {
	readable := map[int]bool{}
	for i, f := range forms {
		for _, p := range f.Pieces {
			readable[p.ID] = readable[p.ID] || faults[i] == nil
		}
	}
	for i, f := range forms {
		for _, p := range f.Pieces {
			if faults[i] != nil && !readable[p.ID] {
				at := faults[i]
				bag.Add(finding.ScriptSyntax(f.Text.Span(at.Start, at.End), "Python", at.Problem))
				return
			}
		}
	}
}

// lexerFault returns the fault that the lexer here finds, or nil.
func lexerFault(f *bind.Form) *Fault {
	p := newProgram(Python, f.Text, f.Holes)
	p.lex()
	if p.fault == nil {
		return nil
	}
	return &Fault{p.fault.at, min(p.fault.at+1, len(p.src)), p.fault.problem}
}

// maskHoles returns a program with a name of the same length over each hole, which
// is a value in code and text in a string. Offsets stay what they are.
func maskHoles(f *bind.Form) string {
	text := []byte(f.Text.Value)
	for _, h := range f.Holes {
		for i := h.Start; i < h.End; i++ {
			text[i] = 'x'
		}
		text[h.Start] = '_'
	}
	return string(text)
}

// Package shell binds values into bash scripts without ever making them code.
//
// A script is text with holes: places where the workflow's author wrote a reference
// such as `$classify.output`. The original engines paste the value's text there, so
// agent text becomes shell syntax. Here each hole becomes a shell variable that is
// set before the script starts, in a form that bash treats as plain text at the
// place of the hole. Where bash would run the value despite the quotes, the script
// is refused.
//
// The stages, each reading only what those before it made. A parsed is the result of the
// first two, a script has the values in it, too, and a writer is the last one:
//
//   - parse.go lays a word of the same length over each hole, so that offsets in
//     the masked script are offsets in the author's text, and parses the masked
//     script as bash;
//   - place.go reads the path from the script's root to each hole and decides
//     what bash does at that place;
//   - flow.go is the graph of the script's variables, which collect.go makes: it says
//     where a value may be. inner.go adds the programs inside the script;
//   - command.go and interpreters.go find the text that programs run, and sinks.go
//     refuses values in it. guard.go finds the numbers and names that bash evaluates,
//     and checks them at run time;
//   - rewrite.go turns the decisions into edits, with heredoc.go for here-documents
//     whose quoted delimiter has to lose its quotes.
//
// This package does not ask what a program does with its arguments, its files and its
// environment: a sandbox contains it.
//
// A script with template statements (`{% if %}`) is analysed in several forms; see
// forms.go. The place of a hole is a function of the masked parse alone. So this
// package must not read the text between holes other than through the masked
// script.
package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Hole is a place of a script that receives a value.
type Hole = bind.Hole

// A Script is bash with its holes replaced by variables.
type Script = bind.Script

// Options adapt the analysis to the dialect a script belongs to.
type Options struct {
	// Variables are shell variables whose values outsiders choose, without
	// the dollar sign: they get a warning where bash would split them and
	// errors where bash would run them.
	Variables []string
	// SplicesQuoted says that the original engine inserts outputs in its own single
	// quotes, so its result differs wherever the author also wrote quotes.
	SplicesQuoted bool
	// Echo is for scripts into which a template engine pasted values before sh ran
	// them. Their `echo` interprets backslashes (xpg_echo), so that those of values
	// have to be kept from it; and a bare hole among the words of a `for` loop
	// represents as many words as its value has, and not for one.
	Echo bool
	// Runner are the names of holes whose values the runner itself makes: no outsider
	// chooses them.
	Runner []string
	// Programs are programs of the project: they say which arguments these run as code.
	Programs map[string]settings.CodeRunner
	// Check asks bash itself about a script that the parser here rejects; nil rejects it.
	Check Checker
}

// DefaultOptions are those of archon's bash nodes.
func DefaultOptions() Options {
	return Options{
		Variables: []string{
			"ARGUMENTS", "USER_MESSAGE", "LOOP_USER_INPUT", "LOOP_PREV_OUTPUT",
			"REJECTION_REASON", "CONTEXT", "EXTERNAL_CONTEXT", "ISSUE_CONTEXT",
		},
		Runner:        []string{"WORKFLOW_ID", "ARTIFACTS_DIR", "STATE_DIR", "TYPED_ARTIFACTS_FILE", "DOCS_DIR"},
		SplicesQuoted: true,
	}
}

// A Rewriter binds the holes of one script after the other. It keeps only buffers between
// scripts, so one Rewriter for several scripts saves time and memory. It is not safe for
// concurrent use.
type Rewriter struct {
	options Options
	space   workspace
}

// A workspace holds the buffers for one script after the other. Nothing in it
// outlives the work on a script, so the next script may overwrite it.
type workspace struct {
	parser *syntax.Parser
	nodes  []treeNode
	path   []syntax.Node
	places []place
}

// NewRewriter returns a rewriter with the options of o.
func NewRewriter(o Options) *Rewriter {
	return &Rewriter{options: o, space: workspace{parser: newParser(), nodes: make([]treeNode, 0, 256)}}
}

// Options are those of the rewriter.
func (r *Rewriter) Options() Options { return r.options }

// Rewrite binds the holes of a script with the options of the rewriter. It reports faults
// to bag and returns nil after an error.
//
// The holes may have any order, but must be in the text and must not overlap.
func (r *Rewriter) Rewrite(text source.Text, holes []Hole, bag *diag.Bag) *Script {
	s := newScript(r, text, holes)
	s.analyseHoles()
	var out *Script
	if !diag.HasErrors(s.found) {
		w := writer{s}
		out, _ = w.rewriteHoles()
		if s.tree != nil {
			out.Calls = s.calledPrograms()
		}
		w.verifyRewrite(out)
	}
	bag.Add(s.found...)
	if diag.HasErrors(s.found) {
		return nil
	}
	return out
}

// Unread reports for each hole whether bash never reads it as a reference: it is in
// a comment or after a backslash. For a script that cannot be parsed, all are
// false.
func Unread(text source.Text, holes []Hole) []bool {
	unread := make([]bool, len(holes))
	r := NewRewriter(Options{})
	s := newScript(r, text, holes)
	if !s.parseMasked() || !s.findPlaces() {
		return unread
	}
	for _, p := range s.spots {
		unread[p.index] = p.place.dead
	}
	return unread
}

// parsed is a script as bash reads it: the masked script as a tree, and the place of each
// hole in it.
type parsed struct {
	options Options
	space   *workspace
	text    source.Text
	src     string // the script as written
	masked  string // the same with each hole masked by a word
	spots   []*spot
	found   []*diag.Diagnostic
	tree    *tree
	// around is the place of an inner program in the outermost script.
	around *source.Span

	// form is set when the script is one of the forms of a template. unquoted are the
	// here-documents that lose the quotes of their delimiter in every form, because some form
	// has a hole in them; first are the holes, by their ids, that begin an argument of echo in
	// some form.
	form     *bind.Form
	unquoted map[bind.Point]bool
	first    map[int]bool
}

// script is the state of one Rewrite: a parsed script, with the values in it and what bash
// does with them. Its inner programs are scripts, too. A writer writes it anew.
type script struct {
	parsed
	flow    *flow
	isLossy bool         // it handles values of outsiders
	flagged map[int]bool // pieces with an error about them, by offset
	guards  []*guarded
	// functions are the ranges of functions' bodies.
	functions []reach

	// State of an inner program: the script around it, where it starts there, its depth, the
	// scope of its parameters, and its input.
	outer *script
	start int
	depth int
	scope string
	given []piece
}

// A spot is a hole in the course of analysis. Spots are in order of place.
type spot struct {
	Hole
	index   int // in the caller's slice
	place   place
	found   bool   // its place was read
	name    string // of its variable, when it has one
	refused bool   // an error about it is reported
	integer bool   // must be a whole number
	// part is the piece of another script that the spot of an inner program is.
	part   syntax.WordPart
	partOf *script
}

func newScript(r *Rewriter, text source.Text, holes []Hole) *script {
	s := &script{parsed: parsed{options: r.options, space: &r.space, text: text, src: text.Value}, flagged: map[int]bool{}}
	spots := make([]spot, len(holes))
	s.spots = make([]*spot, len(holes))
	for i, h := range holes {
		if h.Type == nil {
			h.Type = types.Any
		}
		spots[i] = spot{Hole: h, index: i}
		s.spots[i] = &spots[i]
	}
	if byPlace := func(a, b *spot) int { return a.Start - b.Start }; !slices.IsSortedFunc(s.spots, byPlace) {
		slices.SortStableFunc(s.spots, byPlace)
	}
	end := 0
	for _, p := range s.spots {
		if p.Start < end || p.End <= p.Start || p.End > len(s.src) {
			panic("shell: holes overlap, are empty or lie outside the text")
		}
		end = p.End
	}
	return s
}

// analyseHoles finds the place of every hole and reports faults. It reports false if it
// could not read the script.
func (s *script) analyseHoles() bool {
	if !s.parseMasked() || !s.findPlaces() {
		return false
	}
	s.isLossy = s.handlesOutsideValues()
	if s.isLossy || s.tree.arithmetic {
		s.checkFlow()
	}
	s.checkQuotes()
	return true
}

// handlesOutsideValues reports whether the script handles values of outsiders.
func (s *parsed) handlesOutsideValues() bool {
	return slices.ContainsFunc(s.spots, func(p *spot) bool { return !p.place.dead }) ||
		slices.ContainsFunc(s.options.Variables, func(v string) bool { return strings.Contains(s.src, v) })
}

// checkFlow follows the values of a parsed script, and reports faults.
func (s *script) checkFlow() {
	newFlow(s)
	s.findGuards()
	if s.isLossy {
		s.checkSinks()
		s.checkVariables()
		s.noteQuotes()
	}
}

// sourceSpan returns the place of the bytes from start to end of the script; of an inner
// program, the place of all of it.
func (s *parsed) sourceSpan(start, end int) source.Span {
	if s.around != nil {
		return *s.around
	}
	return s.text.Span(start, end)
}

func (s *parsed) report(d *diag.Diagnostic) { s.found = append(s.found, d) }

// refuseHole reports an error about a hole, once for each hole: the first is the
// one to mend.
func (s *parsed) refuseHole(p *spot, d *diag.Diagnostic) {
	if !p.refused {
		p.refused = true
		s.report(d)
	}
}

// holesIn returns the spots that lie between two offsets.
func (s *parsed) holesIn(start, end int) []*spot {
	i, _ := slices.BinarySearchFunc(s.spots, start, func(p *spot, at int) int { return p.Start - at })
	j := i
	for j < len(s.spots) && s.spots[j].End <= end {
		j++
	}
	return s.spots[i:j]
}

// liveIn returns the first spot between two offsets that needs a variable, or
// nil.
func (s *parsed) liveIn(start, end int) *spot {
	for _, p := range s.holesIn(start, end) {
		if !p.place.dead {
			return p
		}
	}
	return nil
}

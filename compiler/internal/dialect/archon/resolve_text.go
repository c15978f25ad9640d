package archon

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/markdown"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A scanner cuts the text of one surface into literal text and holes.
type scanner struct {
	*resolver
	s *surface
	// text is the text up to the next value that is spliced in, which is not scanned.
	text string
	code markdown.Code
	// parts are the finished parts; they contain literal text up to done.
	parts []template.Part
	done  int

	// chosen is the first variable whose value an outsider chooses, and refers says
	// that there is a reference to a node.
	chosen source.Span
	refers bool

	// comments are the offsets of references that are in comments of a bash script;
	// nil until it is asked for.
	comments map[int]bool
}

// scanTemplate scans a surface for variables and references.
func (r *resolver) scanTemplate(s *surface) *template.Template {
	c := &scanner{resolver: r, s: s}
	if s.kind.isProse() {
		c.code = markdown.FindCode(s.text.Value)
	}
	at := 0
	for _, p := range s.patches {
		c.scanRange(at, p.start)
		c.insertPatch(p)
		at = p.end
	}
	c.scanRange(at, len(s.text.Value))
	c.addLiteral(len(c.text))
	c.unsupportedEnvironment()
	if len(c.parts) == 0 {
		c.parts = append(c.parts, &template.Text{})
	}
	if c.refers && c.chosen.IsValid() && !s.kind.isShell() {
		r.bag.Add(codes.InsertedTextScanned.New(c.chosen, "the original engine also replaces references inside this value"))
	}
	return &template.Template{Source: s.text, Parts: slices.Clip(c.parts)}
}

// scanRange reads the text between two offsets.
func (c *scanner) scanRange(from, to int) {
	c.text = c.s.text.Value[:to]
	for at := c.findDollar(from); at >= 0; at = c.findDollar(at) {
		at = c.scanDollar(at)
	}
}

// findDollar returns the offset of the next `$`, or -1.
func (c *scanner) findDollar(from int) int {
	if i := strings.IndexByte(c.text[from:], '$'); i >= 0 {
		return from + i
	}
	return -1
}

// scanDollar reads the variable or reference at the `$` at offset and returns the
// offset after it.
func (c *scanner) scanDollar(at int) int {
	if name, end := scanInput(c.text, at); name != "" && !(c.s.kind.isShell() && c.inComment(at)) {
		nameAt := c.s.text.Span(end-len(name), end)
		c.addHole(at, end, c.resolveInput(c.s, name, c.s.text.Span(at, end), nameAt))
		return end
	}
	if v, end := c.scanVariable(c.text, at, c.s.kind); v != nil {
		c.addVariable(v, at, end)
		return end
	}
	ref, ok := scanRef(c.text, at)
	switch {
	case !ok || ref.previous && !c.rules.Holds(formats.PreviousOutputs):
		if end := c.reportUnsupported(at); end > at {
			return end
		}
		c.checkMistake(at)
		return at + 1
	case ref.previous:
		if c.s.kind.isShell() && c.siblings[ref.node] != nil && c.inComment(at) {
			return ref.end
		}
		c.refers = true
		c.addHole(ref.start, ref.end, c.bindPrevious(c.s, ref, c.s.text.Span(ref.start, ref.end)))
		c.runOn(ref)
		return ref.end
	case c.code.Contains(at) && (c.nodes[ref.node] == nil && (!c.rules.Holds(formats.UnknownNodes) || c.readsLate(c.s)) || c.nodes[ref.node] != nil && c.nodes[ref.node] == c.readerNode(c.s, c.nodes[ref.node])):
		// A prompt explains the syntax to its reader.
		return ref.end
	case c.s.kind.isShell() && c.inComment(at):
		if c.rules.Holds(formats.UnknownNodes) && c.nodes[ref.node] == nil {
			c.bindReference(c.s, ref) // the original reads comments, too
		}
		return ref.end
	}
	c.refers = true
	c.addHole(ref.start, ref.end, c.bindReference(c.s, ref))
	c.runOn(ref)
	return ref.end
}

// setsVariable reports whether a script may set a shell variable.
func setsVariable(script, name string) bool {
	return regexp.MustCompile(`\b(?:for|read|mapfile|readarray|printf -v)\b[^\n;]*\b` + name + `\b|\b` + name + `\+?=`).MatchString(script)
}

func (c *scanner) addVariable(v *variable, at, end int) {
	span := c.s.text.Span(at, end)
	if v.outsider && !c.chosen.IsValid() {
		c.chosen = span
	}
	if !v.atHome(c.s) && !c.code.Contains(at) {
		c.bag.Add(codes.EmptyVariable.New(span, fmt.Sprintf("`$%s` is always empty here: it has a value only in %s", v.name, v.place)))
	}
	if tail := c.wordTail(end); tail != "" {
		c.bag.Add(finding.RunOnVariable(c.s.text.Span(at, end+len(tail)), v.name, tail, c.s.kind.isShell() && setsVariable(c.s.text.Value, v.name+tail)))
	}
	c.addHole(at, end, v.exprAt(span, c.s))
}

// wordTail is the rest of the word that runs on at offset.
func (c *scanner) wordTail(at int) string {
	end := at
	for end < len(c.text) && isIdentPart(c.text[end]) {
		end++
	}
	return c.text[at:end]
}

// runOn warns when the text behind a reference looks as if it were meant to
// belong to it.
func (c *scanner) runOn(ref nodeRef) {
	label := c.text[ref.start:ref.end]
	if c.nodes[ref.node] == nil || ref.previous && c.siblings[ref.node] == nil {
		return
	}
	if tail := c.wordTail(ref.end); tail != "" {
		c.bag.Add(finding.RunOnReference(c.s.text.Span(ref.start, ref.end+len(tail)), label, tail))
		return
	}
	if ref.field == "" || ref.end >= len(c.text) || c.text[ref.end] != '.' {
		return
	}
	end := identEnd(c.text, ref.end+1, false)
	if end == ref.end+1 || !c.mayHoldFields(ref) {
		return
	}
	c.bag.Add(finding.NestedField(c.s.text.Span(ref.start, end), label, c.text[ref.end:end], c.rules.Holds(formats.NestedFields) && c.s.kind != commandSurface))
}

// mayHoldFields reports whether a referenced field may be an object.
func (c *scanner) mayHoldFields(ref nodeRef) bool {
	fields := declaredFields(c.nodes[ref.node])
	if fields == nil {
		return true
	}
	f := fields.Field(ref.field)
	if f == nil {
		return false // reported as unknown
	}
	typ := types.WithoutNull(f.Type)
	_, object := typ.(*types.Struct)
	return object || typ == types.Any
}

// addHole ends the literal text before it and adds a hole. In texts for readers
// a constant needs no hole.
func (c *scanner) addHole(start, end int, e expr.Expr) {
	c.addLiteral(start)
	c.done = end
	lit, constant := e.(*expr.Literal)
	program := c.s.kind.isShell() || c.s.kind == scriptSurface || c.s.kind == callSurface
	switch {
	case !constant || program:
		c.parts = append(c.parts, &template.Hole{Expr: e, Start: start, End: end})
	case lit.Text != "":
		c.parts = append(c.parts, &template.Text{Value: lit.Text, Start: start})
	}
}

func (c *scanner) addLiteral(end int) {
	if end > c.done {
		c.parts = append(c.parts, &template.Text{Value: c.text[c.done:end], Start: c.done})
		c.done = end
	}
}

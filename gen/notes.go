package gen

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
)

// A note is a sentence of a function's comment. One about all functions of the file is only
// in the first comment that has it.
type note struct {
	text    string
	general bool
}

// note adds a sentence to the comment of the function.
func (f *function) note(sentence string) { f.addNote(note{text: sentence}) }

// explain adds a sentence that is as true of the other functions for which it is noted.
func (f *function) explain(sentence string) { f.addNote(note{sentence, true}) }

func (f *function) addNote(n note) {
	if !slices.Contains(f.notes, n) {
		f.notes = append(f.notes, n)
	}
}

// noted is a comment with its notes, as it is written to the file.
func (g *generator) noted(text string, notes []note) string {
	for _, n := range notes {
		if n.general && g.explained[n.text] {
			continue
		}
		g.explained[n.text] = true
		text += " " + n.text
	}
	return text
}

// noteUntrimmed explains the line break at the end of a text that is not the whole of a node.
func (f *function) noteUntrimmed(t *template.Template) {
	if t != nil && strings.HasSuffix(t.Source.Value, "\n") {
		f.explain("As in archon, prompts and tests of loops, and prompts after a rejection, keep their last line break.")
	}
}

// afterField is the beginning of a second field behind a reference.
var afterField = lazyregexp.New(`^\.[\pL_][\pL\pN_]*`)

// noteReferences notes that the references of a text end before a second field.
func (f *function) noteReferences(t *template.Template) {
	var rest []string
	for _, h := range t.Holes() {
		text := t.Source.Value
		if _, field := h.Expr.(*expr.Field); field && text[h.Start] == '$' {
			if found := "`" + afterField().FindString(text[h.End:]) + "`"; found != "``" && !slices.Contains(rest, found) {
				rest = append(rest, found)
			}
		}
	}
	if len(rest) > 0 {
		f.note("A reference reads one field at most: the text after it stays as it is, here " + conjunction(rest) + ".")
	}
}

// noteIncluded notes which node of an included workflow a reference to the including node
// reads, where there are several that could be it.
func (f *function) noteIncluded(n *node, ref string) {
	if n.Within == nil || ref != "$"+n.Within.Local()+".output" {
		return
	}
	ends := 0
	for _, m := range f.g.byID {
		if m.Within == n.Within && !m.leads {
			ends++
		}
	}
	if ends > 1 {
		f.note("As in archon, " + ref + " is the output of its first node on which no other depends, `" + cleanLine(n.ID) + "`.")
	}
}

// decides has the function run only if a condition holds. Then the nodes that the
// condition reads have completed, even if they need not have.
func (f *function) decides(when expr.Expr) {
	f.decided = map[string]bool{}
	expr.Walk(when, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Output:
			f.decided[e.Node] = f.decided[e.Node] || gone(e.Presence)
		case *expr.Field:
			f.decided[e.Node] = f.decided[e.Node] || gone(e.Presence)
		}
		return true
	})
}

// noteUnread notes that a function reads outputs only because it must fail without them.
func (f *function) noteUnread(values []expr.Expr) {
	var unread []string
	note := func(e expr.Expr, node string, path []string) {
		if ref := "`" + cleanLine(reference(e, node, path)) + "`"; f.g.fallible(e) && !slices.Contains(unread, ref) {
			unread = append(unread, ref)
		}
	}
	for _, e := range values {
		expr.Walk(e, func(e expr.Expr) bool {
			switch e := e.(type) {
			case *expr.Output:
				note(e, e.Node, nil)
			case *expr.Field:
				note(e, e.Node, e.Path)
			}
			return true
		})
	}
	if len(unread) > 0 {
		f.note("As in archon, it fails if " + strings.Join(unread, " or ") + ", which `with` mentions, cannot be read, although it does not use the value.")
	}
}

// completed notes why a node whose output is read must have completed, if only the
// condition says so.
func (f *function) completed(node string) {
	if f.decided[node] {
		f.note("The condition has already read `" + node + "`, so Output cannot panic.")
	}
}

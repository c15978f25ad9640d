package gen

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
)

// note adds a sentence to the comment of the function.
func (f *function) note(sentence string) {
	if sentence = " " + sentence; !slices.Contains(f.notes, sentence) {
		f.notes = append(f.notes, sentence)
	}
}

// doc is a comment of the function with its notes.
func (f *function) doc(text string) string { return text + strings.Join(f.notes, "") }

// noteProgram notes how a program gets its values, where its code does not show it.
// original is the program as written; t makes it if it has statements.
func (f *function) noteProgram(t *template.Template, list []ir.Binding, script string, original *template.Template) {
	var echoed, literal bool
	looped := "" // a variable of a loop, without its ending
	for _, b := range list {
		echoed, literal = echoed || b.Echoed, literal || b.Literal
	}
	if t != nil {
		template.WalkParts(t.Parts, func(p template.Part) bool {
			switch p := p.(type) {
			case *template.Text:
				script += p.Value
			case *template.Bound:
				echoed, literal, script = echoed || p.Echoed, literal || p.Literal, script+p.Before+p.After
			case *template.For:
				template.WalkParts(p.Body, func(p template.Part) bool {
					b, ok := p.(*template.Bound)
					if name, indexed := "", false; ok && looped == "" {
						if name, indexed = strings.CutSuffix(b.Name, "_i"); indexed {
							looped = name
						}
					}
					return true
				})
			}
			return true
		})
	}
	if strings.Contains(script, `//\\/\\\\}`) {
		f.note("In this script `echo` interprets backslashes, so the script doubles the backslashes in values.")
	}
	if echoed {
		f.note("Echoed protects a value at the start of an argument of `echo`, which could look like an option.")
	}
	if looped != "" {
		f.note("Each iteration of a loop has variables of its own: Bind makes " + looped + "_i, " + looped + "_i_2, …")
	}
	if literal {
		f.note("A Literal value becomes the value that its text spells, such as 7 or [1, 2], as in the original engine; any other text becomes a string.")
	}
	f.noteReferences(original)
	for _, h := range original.Holes() {
		text := original.Source.Value
		line := text[strings.LastIndexByte(text[:h.Start], '\n')+1 : h.Start]
		if strings.Contains(line, "#") && strings.Contains(script, line+text[h.Start:h.End]) {
			f.note("In a comment of the script, " + cleanLine(text[h.Start:h.End]) + " stays as it is.")
		}
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
			if found := "`" + afterField.FindString(text[h.End:]) + "`"; found != "``" && !slices.Contains(rest, found) {
				rest = append(rest, found)
			}
		}
	}
	if len(rest) > 0 {
		f.note("A reference reads one field at most: the text after it stays as it is, here " + conjunction(rest) + ".")
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

package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"mvdan.cc/sh/v3/syntax"
)

// guardEdits writes the guards into the script.
func (s writer) guardEdits() []bind.Edit {
	var edits []bind.Edit
	for _, c := range s.guards {
		var before []*operand
		saves := s.readsStatus(c.stmt)
		for _, o := range c.operands {
			inPlace := !o.fixed && (o.lazy || o.text == "" || s.form != nil)
			if !inPlace {
				before = append(before, o)
				continue
			}
			edits = append(edits, s.guardInPlace(o)...)
		}
		if len(before) > 0 {
			edits = append(edits, s.guardBefore(c.stmt, before, saves)...)
		}
	}
	return edits
}

// guardInPlace writes the guard of one operand in its place.
func (s writer) guardInPlace(o *operand) []bind.Edit {
	open, end := "$("+guardInPlace+" "+guardLabel(o.label)+` "`, `")`
	if len(s.holesIn(o.start, o.end)) == 0 && (o.expanded != "" || s.form != nil) {
		return []bind.Edit{{Start: o.start, End: o.end, Text: open + cmp.Or(o.expanded, s.src[o.start:o.end]) + end}}
	}
	return []bind.Edit{{Start: o.start, End: o.start, Text: open}, {Start: o.end, End: o.end, Text: end}}
}

// guardBefore writes the guards of a command before it, and braces around both.
func (s writer) guardBefore(st *syntax.Stmt, operands []*operand, status []bind.Edit) []bind.Edit {
	start, end := commandOffsets(st)
	var text strings.Builder
	text.WriteString(" { ")
	if len(status) > 0 {
		text.WriteString(savedStatus)
	}
	var written []string
	for i, o := range operands {
		guard, argument := guardBefore, guardLabel(o.label)+` "`+o.text+`"`
		if o.name {
			guard, argument = guardName, map[bool]string{true: "fixed ", false: "any "}[o.strictName]+argument
		}
		if slices.Contains(written, argument) {
			continue
		}
		written = append(written, argument)
		// An operand with a subscript is expanded when the subscript is checked.
		if i > 0 && !o.name && !operands[i-1].name && !strings.ContainsAny(o.text, "[:") {
			text.WriteString(" " + argument)
			continue
		}
		if i > 0 {
			text.WriteString(" && ")
		}
		text.WriteString(guard + " " + argument)
	}
	text.WriteString(" && ")
	if s.form == nil {
		return append(status, bind.Edit{Start: start, End: start, Text: text.String()}, bind.Edit{Start: end, End: end, Text: "; }"})
	}
	if len(s.holesIn(start, start+1)) > 0 || s.coversHole(end-1) || s.coversHole(start) {
		for _, p := range s.spots {
			s.refuseUndecided(p)
			break
		}
		return nil
	}
	if start == end-1 {
		return nil
	}
	return append(status,
		bind.Edit{Start: start, End: start + 1, Text: text.String() + s.src[start:start+1]},
		bind.Edit{Start: end - 1, End: end, Text: s.src[end-1:end] + "; }"})
}

// coversHole reports whether a hole covers an offset.
func (s writer) coversHole(at int) bool {
	return slices.ContainsFunc(s.spots, func(p *spot) bool { return p.Start <= at && at < p.End && !p.place.dead })
}

// savedStatus keeps the exit status of the last command for the command after a
// guard.
const savedStatus = `__wfc_status=$? __wfc_pipe=("${PIPESTATUS[@]}"); `

// readsStatus returns the edits by which a command reads the status in savedStatus.
func (s writer) readsStatus(st *syntax.Stmt) []bind.Edit {
	var edits []bind.Edit
	walk := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return n == st
		case *syntax.ParamExp:
			if n.Param == nil {
				return true
			}
			start, end := nodeOffsets(n.Param)
			switch n.Param.Value {
			case "?":
				edits = append(edits, bind.Edit{Start: start, End: end, Text: "__wfc_status"})
				if n.Short {
					edits[len(edits)-1].Text = "{__wfc_status}"
				}
			case "PIPESTATUS":
				edits = append(edits, bind.Edit{Start: start, End: end, Text: "__wfc_pipe"})
			}
		case *syntax.Lit:
			if n.Value == "PIPESTATUS" {
				start, end := nodeOffsets(n)
				if !slices.ContainsFunc(edits, func(e bind.Edit) bool { return e.Start == start }) {
					edits = append(edits, bind.Edit{Start: start, End: end, Text: "__wfc_pipe"})
				}
			}
		}
		return true
	}
	if st != nil {
		syntax.Walk(st, walk)
	}
	return edits
}

// guardLabel writes a name for messages as a word without anything to expand.
func guardLabel(label string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && (bind.IsNameByte(byte(r)) || strings.ContainsRune("[]@%.:/- #", r)) {
			return r
		}
		return -1
	}, label)
	if clean == label && isName(label) || clean != "" && strings.Trim(clean, "0123456789") == "" {
		return clean
	}
	return `"` + clean + `"`
}

// commandOffsets returns where a statement starts and ends, without a `!` before
// it, a separator behind it and the bodies of its here-documents.
func commandOffsets(st *syntax.Stmt) (start, end int) {
	start, end = nodeOffsets(st)
	if st.Cmd != nil {
		start, end = nodeOffsets(st.Cmd)
	} else if len(st.Redirs) > 0 {
		start, end = int(st.Redirs[0].Pos().Offset()), 0
	}
	for _, r := range st.Redirs {
		start = min(start, redirectStart(r))
		end = max(end, endOf(r.Word))
	}
	return start, end
}

func redirectStart(r *syntax.Redirect) int {
	if r.N != nil {
		return int(r.N.Pos().Offset())
	}
	return int(r.OpPos.Offset())
}

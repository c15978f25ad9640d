package shell

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"mvdan.cc/sh/v3/syntax"
)

// An edit replaces the bytes from start to end of the script by a text or, in
// place of a hole, by the name of its variable with text before and after it.
type edit struct {
	start, end int
	text       string
	hole       *spot
	after      string
}

// rewrite writes the script with its holes as variables. All holes are at places
// that can hold a variable.
func (s *script) rewrite() *Script {
	out := &Script{}
	out.Text = apply(s.src, s.edits(out))
	return out
}

// edits names the variables, and returns the changes.
func (s *script) edits(out *Script) []edit {
	s.bind(out)
	edits := s.guardEdits()
	var bodies map[*syntax.Redirect][]*spot
	for _, p := range s.spots {
		switch {
		case p.place.dead:
			edits = append(edits, commentEdit(p, s.src)...)
		case p.place.quoting == plainHeredoc:
			if bodies == nil {
				bodies = map[*syntax.Redirect][]*spot{}
			}
			bodies[p.place.redirect] = append(bodies[p.place.redirect], p)
		default:
			edits = s.holeEdits(edits, p)
		}
	}
	for _, r := range s.emptyHeredocs(bodies) {
		edits = append(edits, s.heredocEdits(r, nil)...)
	}
	for r, holes := range bodies {
		edits = append(edits, s.heredocEdits(r, holes)...)
	}
	return edits
}

// bind names the variables of the live holes.
func (s *script) bind(out *Script) {
	type key struct {
		label, name string
		words, echo bool
	}
	free := bind.NewNames(mask(s.src, s.spots)) // the text in a hole is not a part of the program
	var at map[key]int                          // made when there is more than one hole
	for _, p := range s.spots {
		if p.place.dead {
			continue
		}
		k := key{p.Label, p.Name, p.place.words, p.place.first}
		i, ok := at[k]
		if !ok {
			i = len(out.Bindings)
			if at == nil && len(s.spots) > 1 {
				at = make(map[key]int, len(s.spots))
			}
			if at != nil {
				at[k] = i
			}
			out.Bindings = append(out.Bindings, Binding{Name: free.Take(variableName(p)), Hole: p.index, Words: p.place.words, Echoed: p.place.first})
		}
		b := &out.Bindings[i]
		b.Hole = min(b.Hole, p.index)
		b.Integer = b.Integer || p.integer
		p.name = b.Name
	}
}

// variableName suggests the name of a spot's variable.
func variableName(p *spot) string {
	switch {
	case p.place.words:
		return validName(p.Name + "_words")
	case p.place.first:
		return validName(p.Name + "_echo")
	}
	return validName(p.Name)
}

// commentEdit keeps a reference that spans lines inside its comment.
func commentEdit(p *spot, src string) []edit {
	if text := src[p.Start:p.End]; p.place.comment && strings.ContainsAny(text, "\n\r") {
		return []edit{{start: p.Start, end: p.End, text: strings.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, text)}}
	}
	return nil
}

// holeEdits adds the edits that write a variable in place of a hole: that of the
// hole itself, and those of the characters around it that have to change.
func (s *script) holeEdits(edits []edit, p *spot) []edit {
	pl := &p.place
	e := edit{start: p.Start, end: p.End, hole: p, text: "${", after: s.expansionEnd(p)}
	if pl.arith && p.Start > 0 && strings.IndexByte("+-", s.masked[p.Start-1]) >= 0 {
		// A negative number must not make `--` or `+-` of the operator before it.
		e.text = " ${"
	}
	switch pl.quoting {
	case bare:
		e.text = `"` + e.text
		// The parser takes a # after a quote for a comment in some places.
		marks := len(s.masked[p.End:]) - len(strings.TrimLeft(s.masked[p.End:], "#"))
		if e.after += s.masked[p.End:p.End+marks] + `"`; marks > 0 {
			edits = append(edits, edit{start: p.End, end: p.End + marks})
		}
	case single:
		e.text, e.after = `'"`+e.text, e.after+`"'`
	case ansi:
		e.text, e.after = `'"`+e.text, e.after+`"$'`
	}
	if pl.slashes > 0 && (pl.quoting != single || pl.echo) {
		edits = append(edits, edit{start: p.Start - pl.slashes, end: p.Start, text: slashesBefore(p, s.src)})
	}
	if pl.afterDollar {
		edits = append(edits, edit{start: p.Start - 1, end: p.Start, text: encodeBackticks(`\$`, pl.backticks)})
	}
	return append(edits, e)
}

// expansionEnd is the text after the name in the expansion of a spot's variable.
func (s *script) expansionEnd(p *spot) string {
	switch {
	case p.place.words:
		return "[@]}"
	case p.place.echo && !p.place.first && !p.place.plain:
		return encodeBackticks(`//\\/\\\\`, p.place.backticks) + "}"
	}
	return "}"
}

// slashesBefore returns the run of backslashes to write before the variable, so
// that bash sees as many plain backslashes as the author wrote. An odd run is
// left only before a hole that does not begin with `$`: there the last one would
// have made the value's first character plain, which it is anyway. To an echo
// that interprets backslashes none of them may be one too many.
func slashesBefore(p *spot, src string) string {
	pl := &p.place
	seen := pl.slashes >> pl.backticks
	if pl.quoting == single {
		return strings.Repeat(`\`, (seen+seen%2)<<pl.backticks)
	}
	if seen%2 == 1 {
		if pl.quoting == bare || pl.quoting == arithmetic {
			seen--
		} else {
			seen++
		}
	}
	if pl.echo && seen%4 == 2 {
		seen += 2
	}
	return strings.Repeat(`\`, seen<<pl.backticks)
}

// apply performs edits, which must not overlap.
func apply(src string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.start])
		b.WriteString(e.text)
		if e.hole != nil {
			b.WriteString(e.hole.name + e.after)
		}
		at = e.end
	}
	b.WriteString(src[at:])
	return b.String()
}

// validName makes a valid name that is not one bash or other programs read from
// the environment: those are upper case by custom, apart from a few.
func validName(s string) string {
	name := bind.Word(s)
	switch {
	case name == "", name[0] == '_', !isName(name), name == strings.ToUpper(name),
		name == "histchars", name == "auto_resume", strings.HasSuffix(name, "_proxy"):
		return "v_" + strings.TrimLeft(name, "_")
	}
	return name
}

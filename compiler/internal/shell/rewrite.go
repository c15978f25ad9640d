package shell

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"mvdan.cc/sh/v3/syntax"
)

// A writer writes a script with variables and guards.
type writer struct{ *script }

// rewriteHoles writes the script with its holes as variables, and returns the changes. All holes
// are at places that can hold a variable.
func (s writer) rewriteHoles() (*Script, []bind.Edit) {
	out := &Script{}
	edits := s.collectEdits(out)
	out.Text = bind.Apply(s.src, edits)
	return out, edits
}

// collectEdits names the variables, and returns the changes.
func (s writer) collectEdits(out *Script) []bind.Edit {
	s.bindHoles(out)
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

// bindHoles names the variables of the live holes.
func (s writer) bindHoles(out *Script) {
	type key struct {
		label, name string
		words, echo bool
	}
	free := bind.NewNames(maskHoles(s.src, s.spots)) // the text in a hole is not a part of the program
	var at map[key]int                               // made when there is more than one hole
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
			out.Bindings = append(out.Bindings, bind.Binding{Name: free.Take(variableName(p)), Hole: p.index, Words: p.place.words, Echoed: p.place.first})
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
func commentEdit(p *spot, src string) []bind.Edit {
	if text := src[p.Start:p.End]; p.place.comment && strings.ContainsAny(text, "\n\r") {
		return []bind.Edit{{Start: p.Start, End: p.End, Text: strings.Map(func(r rune) rune {
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
func (s writer) holeEdits(edits []bind.Edit, p *spot) []bind.Edit {
	pl := &p.place
	before, after := "${", s.expansionEnd(p)
	if pl.arith && p.Start > 0 && strings.IndexByte("+-", s.masked[p.Start-1]) >= 0 {
		// A negative number must not make `--` or `+-` of the operator before it.
		before = " ${"
	}
	switch pl.quoting {
	case bare:
		before = `"` + before
		// The parser takes a # after a quote for a comment in some places.
		marks := len(s.masked[p.End:]) - len(strings.TrimLeft(s.masked[p.End:], "#"))
		if after += s.masked[p.End:p.End+marks] + `"`; marks > 0 {
			edits = append(edits, bind.Edit{Start: p.End, End: p.End + marks})
		}
	case single:
		before, after = `'"`+before, after+`"'`
	case ansi:
		before, after = `'"`+before, after+`"$'`
	}
	if pl.slashes > 0 && (pl.quoting != single || pl.echo) {
		edits = append(edits, bind.Edit{Start: p.Start - pl.slashes, End: p.Start, Text: slashesBefore(p, s.src)})
	}
	if pl.afterDollar {
		edits = append(edits, bind.Edit{Start: p.Start - 1, End: p.Start, Text: encodeBackticks(`\$`, pl.backticks)})
	}
	return append(edits, variableEdit(p, before, after))
}

// variableEdit puts a spot's variable in its place, between two texts.
func variableEdit(p *spot, before, after string) bind.Edit {
	return bind.Edit{Start: p.Start, End: p.End, Name: p.name, Hole: p.index, Place: bind.Place{
		Before: before, After: after, Name: variableName(p), Integer: p.integer, Words: p.place.words, Echoed: p.place.first,
	}}
}

// expansionEnd is the text after the name in the expansion of a spot's variable.
func (s writer) expansionEnd(p *spot) string {
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

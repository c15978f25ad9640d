package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/bind"
)

// An edit replaces the bytes from start to end of the script.
type edit struct {
	start, end int
	text       string
}

// rewrite writes the script with its holes as variables. All holes have a place
// by now at which a variable can stand.
func (s *script) rewrite() *Script {
	out := &Script{}
	s.bind(out)
	var edits []edit
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
			edits = append(edits, s.holeEdit(p))
		}
	}
	for r, holes := range bodies {
		edits = append(edits, s.heredocEdits(r, holes)...)
	}
	out.Text = apply(s.src, edits)
	return out
}

// bind names the variables of the live holes.
func (s *script) bind(out *Script) {
	type key struct{ label, name string }
	free := bind.NewNames(s.src)
	var at map[key]int // made when there is more than one hole
	for _, p := range s.spots {
		if p.place.dead {
			continue
		}
		k := key{p.Label, p.Name}
		i, ok := at[k]
		if !ok {
			i = len(out.Bindings)
			if at == nil && len(s.spots) > 1 {
				at = make(map[key]int, len(s.spots))
			}
			if at != nil {
				at[k] = i
			}
			out.Bindings = append(out.Bindings, Binding{Name: free.Take(validName(p.Name)), Hole: p.index})
		}
		b := &out.Bindings[i]
		b.Hole = min(b.Hole, p.index)
		b.Integer = b.Integer || p.integer
		p.name = b.Name
	}
}

// commentEdit keeps a reference that spans lines inside its comment.
func commentEdit(p *spot, src string) []edit {
	if text := src[p.Start:p.End]; p.place.comment && strings.ContainsAny(text, "\n\r") {
		return []edit{{p.Start, p.End, strings.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, text)}}
	}
	return nil
}

// holeEdit writes a variable in place of a hole.
func (s *script) holeEdit(p *spot) edit {
	pl := &p.place
	e := edit{start: p.Start, end: p.End}
	expansion := "${" + p.name + "}"
	if pl.arith && p.Start > 0 && strings.IndexByte("+-", s.masked[p.Start-1]) >= 0 {
		// A negative number must not make `--` or `+-` of the operator before it.
		expansion = " " + expansion
	}
	switch pl.quoting {
	case bare:
		// The parser takes a # after a quote for a comment in some places.
		for e.end < len(s.masked) && s.masked[e.end] == '#' {
			expansion, e.end = expansion+"#", e.end+1
		}
		e.text = `"` + expansion + `"`
	case double, heredoc, arithmetic:
		e.text = expansion
	case single:
		e.text = `'"` + expansion + `"'`
	case ansi:
		e.text = `'"` + expansion + `"$'`
	}
	if pl.slashes > 0 && pl.quoting != single {
		e.start -= pl.slashes
		e.text = slashesBefore(p, s.src) + e.text
	}
	if pl.afterDollar {
		e.start--
		e.text = encodeBackticks(`\$`, pl.backticks) + e.text
	}
	return e
}

// slashesBefore returns the run of backslashes to write before the variable, so
// that bash sees as many plain backslashes as the author wrote. An odd run is
// left only before a hole that does not begin with `$`: there the last one would
// have made the value's first character plain, which it is anyway.
func slashesBefore(p *spot, src string) string {
	pl := &p.place
	seen := pl.slashes >> pl.backticks
	if seen%2 == 1 {
		if pl.quoting == bare || pl.quoting == arithmetic {
			seen--
		} else {
			seen++
		}
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
		at = e.end
	}
	b.WriteString(src[at:])
	return b.String()
}

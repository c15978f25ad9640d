package program

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/template"
)

// names gives each hole that is read a separate variable: equal holes at two places
// may have different values. In a loop, each iteration has its own variable, with a
// number after the name. So no other name may be such a name with digits after it.
func (l *layout) names(edits *bind.Edits) map[*template.Hole]string {
	names := map[*template.Hole]string{}
	var program strings.Builder
	for _, p := range l.pieces {
		if p.hole < 0 {
			program.WriteString(p.text.Value)
		}
		program.WriteByte('\n')
	}
	free := bind.NewNames(program.String())
	taken := program.String()
	for _, numbered := range []bool{false, true} {
		for i, h := range l.holes {
			place, ok := edits.Holes[i]
			if !ok || place.Unread || l.looped[h] != numbered {
				continue
			}
			base := place.Name
			if numbered {
				for base += "_i"; strings.Contains(taken, base); base += "i" {
				}
			}
			names[h] = free.Take(base)
			taken += "\n" + names[h]
		}
	}
	return names
}

// bound returns parts with their edits made.
func (l *layout) bound(parts []template.Part, edits *bind.Edits, names map[*template.Hole]string) []template.Part {
	if parts == nil {
		return nil
	}
	list := make([]template.Part, 0, len(parts))
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			list = append(list, &template.Text{Value: l.edited(p, p.Value, edits), Start: p.Start})
		case *template.Hole:
			list = append(list, l.boundHole(p, edits, names))
		case *template.If:
			c := *p
			c.Branches = make([]template.Branch, len(p.Branches))
			for i, b := range p.Branches {
				c.Branches[i] = template.Branch{Cond: b.Cond, Body: l.bound(b.Body, edits, names)}
			}
			c.Else = l.bound(p.Else, edits, names)
			list = append(list, &c)
		case *template.For:
			c := *p
			c.Body, c.Else = l.bound(p.Body, edits, names), l.bound(p.Else, edits, names)
			list = append(list, &c)
		case *template.Scope:
			c := *p
			c.Body = l.bound(p.Body, edits, names)
			list = append(list, &c)
		default: // declares something
			list = append(list, p)
		}
	}
	return list
}

func (l *layout) edited(part template.Part, text string, edits *bind.Edits) string {
	id, ok := l.ids[part]
	if !ok {
		return text // empty
	}
	return bind.Apply(text, edits.Pieces[id])
}

func (l *layout) boundHole(h *template.Hole, edits *bind.Edits, names map[*template.Hole]string) template.Part {
	place := edits.Holes[l.pieces[l.ids[h]].hole]
	if place.Unread {
		return &template.Text{Value: l.edited(h, l.label(h), edits), Start: h.Start}
	}
	return &template.Bound{
		Name: names[h], Before: place.Before, After: place.After, Expr: h.Expr,
		Integer: place.Integer, Literal: place.Literal, Words: place.Words, Echoed: place.Echoed, Start: h.Start, End: h.End,
	}
}

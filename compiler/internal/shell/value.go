package shell

import (
	"slices"
	"strings"
)

// A value is the knowledge of the analysis about the text of an expansion or a
// variable. Values only grow: join adds the possibilities of another value.
//
// The zero value is the text that no path gives; the analysis starts from it.
type value struct {
	// origins are the sources of outsiders' text in it. Without origins, only the
	// script's author and the machine chose the text.
	origins []origin
	// text says that it may be something other than an integer or nothing.
	text bool
	// open says that it may be something other than one of consts.
	open   bool
	consts []string
}

// A seed is a source of hostile text: a hole, a variable that an outsider
// chooses, or something that the analysis loses sight of.
type seed struct {
	spot     *spot
	variable string
	// lost names the unknown part, as a message continues "which holds".
	lost string
}

// An origin is a seed, with the place where it entered a variable.
type origin struct {
	seed seed
	at   int
	// quoted says that the text is quoted for a shell: printf %q, ${x@Q}.
	quoted bool
}

// maxOrigins and maxConsts are the maximum sizes of one value's lists: a value with
// one origin is hostile, more only improve messages.
const (
	maxOrigins = 6
	maxConsts  = 8
)

// same reports whether two seeds are one value: holes with the same label are.
func (a seed) same(b seed) bool {
	if a.spot == nil || b.spot == nil {
		return a == b
	}
	return a.spot == b.spot || a.spot.Label == b.spot.Label && a.spot.Name == b.spot.Name
}

func (v *value) hostile() bool { return len(v.origins) > 0 }

// number is an integer that only the run knows.
func number() value { return value{open: true} }

// anyText is text that no outsider chooses, such as a path of this machine.
func anyText() value { return value{open: true, text: true} }

func constant(text string) value {
	return value{consts: []string{text}, text: !isNumber(text)}
}

// from is hostile text with one origin.
func from(s seed, at int) value {
	return value{origins: []origin{{seed: s, at: at}}, open: true, text: true}
}

// isNumber reports whether arithmetic reads a text as an integer, or as
// nothing, and runs none of it.
func isNumber(text string) bool {
	digits := strings.TrimLeft(strings.TrimSpace(text), "+-")
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(digits, "0123456789") == ""
}

// join adds the possibilities of another value, and reports whether any is new.
func (v *value) join(o value) bool {
	grown := o.text && !v.text || o.open && !v.open
	v.text, v.open = v.text || o.text, v.open || o.open
	for _, k := range o.origins {
		if len(v.origins) >= maxOrigins {
			break
		}
		if !slices.ContainsFunc(v.origins, func(x origin) bool { return x.seed.same(k.seed) && (!x.quoted || k.quoted) }) {
			v.origins = append(v.origins[:len(v.origins):len(v.origins)], k)
			grown = true
		}
	}
	if len(o.consts) == 0 {
		return grown
	}
	for _, c := range o.consts {
		switch {
		case slices.Contains(v.consts, c):
		case len(v.consts) < maxConsts:
			v.consts = append(v.consts[:len(v.consts):len(v.consts)], c)
			grown = true
		case !v.open:
			v.open, grown = true, true
		}
	}
	return grown
}

// then is the text of v followed by that of o.
func (v value) then(o value) value {
	r := value{origins: v.origins, open: v.open || o.open}
	if len(o.origins) > 0 {
		r.origins = slices.Clone(v.origins)
		r.join(value{origins: o.origins})
	}
	switch {
	case r.open, len(v.consts)*len(o.consts) > maxConsts:
		r.open, r.text = true, v.text || o.text
	default:
		for _, a := range v.consts {
			for _, b := range o.consts {
				c := constant(a + b)
				r.consts = append(r.consts, c.consts...)
				r.text = r.text || c.text
			}
		}
	}
	return r
}

// changed is the value after a transformation of the text: its origins stay.
func (v value) changed() value {
	r := value{open: true, text: v.text}
	for _, k := range v.origins {
		k.quoted = false
		r.origins = append(r.origins, k)
	}
	return r
}

// quoted is the text quoted for a shell.
func (v value) quoted() value {
	r := value{open: true, text: true}
	for _, k := range v.origins {
		k.quoted = true
		r.origins = append(r.origins, k)
	}
	return r
}

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxExpanded bounds how many command lines one may represent.
const maxExpanded = 64

// expand returns the command lines that a simple command may come to: with the
// elements of an array, the arguments of the function, or the text of a variable
// in place of its first word.
func (s *script) expand(words []*syntax.Word, depth int) [][]*syntax.Word {
	p, ok := lone(words[0])
	if !ok || p.Param == nil || depth > 4 || !isPlain(p) {
		return [][]*syntax.Word{words}
	}
	t := s.tracker
	at := int(p.Pos().Offset())
	var heads [][]*syntax.Word
	switch {
	case p.Param.Value == "@" || p.Param.Value == "*":
		function := t.around(at)
		for _, args := range t.calls[function] {
			if heads = append(heads, t.shifted(function, args)...); len(heads) > maxExpanded {
				break
			}
		}
	case p.Index != nil:
		heads = t.elements(p.Param.Value)
	default:
		v := t.variable(p.Param.Value, at)
		if v.open || v.hostile() {
			break
		}
		for _, c := range v.consts {
			var fields []*syntax.Word
			for _, f := range strings.Fields(c) {
				fields = append(fields, fixedWord(words[0], f))
			}
			heads = append(heads, fields)
		}
	}
	var lines [][]*syntax.Word
	for _, h := range heads {
		if line := append(slices.Clone(h), words[1:]...); len(line) > 0 && len(lines) < maxExpanded {
			lines = append(lines, s.expand(line, depth+1)...)
		}
	}
	if len(lines) == 0 || len(heads) > maxExpanded {
		lines = append(lines, words)
	}
	return lines
}

// fixedWord is a word of a known text at the place of another.
func fixedWord(at *syntax.Word, text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Left: at.Pos(), Right: at.Pos(), Value: text}}}
}

// shifted returns the arguments of a call as the function may see them: one that
// shifts its parameters may run any rest of them.
func (t *tracker) shifted(function string, args []*syntax.Word) [][]*syntax.Word {
	sh := t.shifts[function]
	if sh.most == 0 {
		return [][]*syntax.Word{args}
	}
	var rests [][]*syntax.Word
	if !sh.anyhow {
		for i := sh.least; i <= sh.most && i < len(args) && len(rests) < 8; i++ {
			rests = append(rests, args[i:])
		}
		return rests
	}
	for i := range min(len(args), 4) {
		// Numbers and options before the command are not commands.
		if a := t.s.read(args[i]); a.full && (isNumber(a.text) || strings.HasPrefix(a.text, "-")) {
			continue
		}
		rests = append(rests, args[i:])
		if a := t.s.read(args[i]); a.full && t.s.isCommandName(a.text) {
			break
		}
	}
	return rests
}

// isCommandName reports whether a text is a function of the script or a word that
// resembles a program.
func (s *script) isCommandName(text string) bool {
	return s.tree.functions[text] || isWordText(text) && !strings.ContainsAny(text, " ./:=,%") || strings.Contains(text, "/") && isWordText(text)
}

// elements returns the lists of words that an array may hold: each assignment of
// the whole, with all that is appended.
func (t *tracker) elements(name string) [][]*syntax.Word {
	var bases [][]*syntax.Word
	var appended []*syntax.Word
	if len(t.assigned[name]) > maxExpanded {
		return nil
	}
	for _, e := range t.assigned[name] {
		if e.assigned.Array == nil {
			continue
		}
		var list []*syntax.Word
		for _, el := range e.assigned.Array.Elems {
			list = append(list, el.Value)
		}
		if e.assigned.Append {
			appended = append(appended, list...)
		} else {
			bases = append(bases, list)
		}
	}
	for i := range bases {
		bases[i] = append(bases[i], appended...)
	}
	return bases
}

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

// checkSupplied checks a command that gets arguments from xargs or find: the
// words that are read or found.
func (s *script) checkSupplied(c, inner *command, name string, nodes []syntax.Node) {
	given, mark := s.supplies(c, name, nodes)
	item := s.supplied(c.words[0], given, name)
	words := slices.Clone(inner.words)
	replaced := false
	for i, w := range words {
		a := s.read(w)
		start, end := offsets(w)
		if mark == "" || !strings.Contains(s.masked[start:end], mark) {
			continue
		}
		replaced = true
		if a.full && a.text == mark {
			words[i] = item
			continue
		}
		if i > 0 {
			words[i] = &syntax.Word{Parts: append(slices.Clone(w.Parts), item.Parts...)}
			continue
		}
		words[i] = item
	}
	if !replaced && name != "find" {
		words = append(words, item)
	}
	// A program that holds the mark itself is assembled from the input.
	next := &command{words: words, behind: c}
	if len(inner.words) > 0 {
		for _, expanded := range s.expand(words, 1) {
			next = &command{words: expanded, behind: c}
			s.checkCommand(next, nodes)
		}
	}
}

// supplies returns the value that xargs and find pass on, and the mark that
// represents it.
func (s *script) supplies(c *command, name string, nodes []syntax.Node) (given value, mark string) {
	if name == "find" || name == "fd" {
		return s.tracker.lost(foundFile, int(c.words[0].Pos().Offset())), "{}"
	}
	given = anyText()
	for _, n := range s.tracker.inputs(nodes) {
		given.join(s.tracker.node(n))
	}
	for i, w := range c.words {
		a := s.read(w)
		if rest, ok := strings.CutPrefix(a.text, "-I"); ok && a.full {
			if mark = rest; mark == "" && i+1 < len(c.words) {
				mark = s.read(c.words[i+1]).text
			}
		}
		if a.full && (a.text == "-i" || a.text == "--replace") || name == "parallel" {
			mark = "{}"
		}
		if rest, ok := strings.CutPrefix(a.text, "--replace="); ok {
			mark = rest
		}
		if name == "xargs" && (a.text == "-a" || strings.HasPrefix(a.text, "--arg-file")) {
			given.join(s.tracker.lost("the content of a file", int(w.Pos().Offset())))
		}
	}
	return given, mark
}

// foundFile is the unknown part of the names of files that find finds: any name is
// possible, but it is a file of this folder.
const foundFile = "a file's name"

// supplied makes a word for the text that another program passes on.
func (s *script) supplied(at *syntax.Word, v value, by string) *syntax.Word {
	name := suppliedName + by

	s.suppliedValues[name] = v
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: at.Pos(), Right: at.Pos(), Parts: []syntax.WordPart{
		&syntax.ParamExp{Short: true, Dollar: at.Pos(), Param: &syntax.Lit{ValuePos: at.Pos(), ValueEnd: at.End(), Value: name}},
	}}}}
}

// suppliedName begins the names of variables for text that a program passes on.
const suppliedName = "()"

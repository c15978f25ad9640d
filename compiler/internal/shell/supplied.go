package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
	if s.suppliedValues == nil {
		s.suppliedValues = map[string]value{}
	}
	s.suppliedValues[name] = v
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: at.Pos(), Right: at.Pos(), Parts: []syntax.WordPart{
		&syntax.ParamExp{Short: true, Dollar: at.Pos(), Param: &syntax.Lit{ValuePos: at.Pos(), ValueEnd: at.End(), Value: name}},
	}}}}
}

// suppliedName begins the names of variables for text that a program passes on.
const suppliedName = "()"

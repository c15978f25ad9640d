package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// newTree notes the declarations of a script that change what its assignments
// and indexes mean. They are taken to hold for the whole script: bash decides
// when it runs, and the difference is only whether a value has to be a number.
func newTree(file *syntax.File) *tree {
	t := &tree{file: file, associative: map[string]bool{}, integers: map[string]bool{}, functions: map[string]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DeclClause:
			t.declare(n)
		case *syntax.FuncDecl:
			if n.Name != nil {
				t.functions[n.Name.Value] = true
			}
		}
		return true
	})
	return t
}

func (t *tree) declare(d *syntax.DeclClause) {
	flags := declFlags(d)
	for _, a := range d.Args {
		if a.Name == nil {
			continue
		}
		if strings.Contains(flags, "A") {
			t.associative[a.Name.Value] = true
		}
		if strings.Contains(flags, "i") {
			t.integers[a.Name.Value] = true
		}
	}
}

// declFlags returns the letters of a declaration's options.
func declFlags(d *syntax.DeclClause) string {
	var flags strings.Builder
	for _, a := range d.Args {
		if a.Name != nil || a.Value == nil {
			continue
		}
		if lit := a.Value.Lit(); strings.HasPrefix(lit, "-") {
			flags.WriteString(lit[1:])
		}
	}
	return flags.String()
}

// quotedDelimiter reports whether the delimiter of a here-document has quotes,
// which makes its body plain text.
func quotedDelimiter(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(part.Value, `\`) {
				return true
			}
		}
	}
	return false
}

// wordText returns the text of a word that no expansion changes; ok is false
// for any other word.
func wordText(w *syntax.Word) (text string, ok bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(part.Value, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescape(lit.Value, "$`\"\\\n"))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape takes away backslashes before the given characters, or before any
// when there are none given.
func unescape(s, special string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (special == "" || strings.IndexByte(special, s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

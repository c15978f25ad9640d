package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// tree is a parsed script.
type tree struct {
	// nodes are the nodes of the script, each before those inside it. Walking a
	// syntax tree costs more than parsing it, so that is done once, for all who
	// go through the script.
	nodes []treeNode
	// associative are the names of the arrays with text keys (declare -A), and
	// integers those of the variables whose assignments are arithmetic (-i).
	associative, integers map[string]bool
	// arrays are the names that are given lists.
	arrays map[string]bool
	// references are the names that represent variables (declare -n), unbound those
	// of them that are declared without one.
	references, unbound map[string]bool
	// arithmetic says that something in the script may be calculated, or be the name of
	// a variable.
	arithmetic bool
	// sends are the statements that write to a descriptor other than the outputs.
	sends []*syntax.Stmt
	// functions are the names of the functions that the script declares.
	functions map[string]bool
}

// A treeNode is a node and how many others are around it.
type treeNode struct {
	node  syntax.Node
	depth int
}

// newTree lists the nodes of a script and notes the declarations that change the
// meaning of its assignments and indexes. They count for the whole script: bash
// decides when it runs, and the difference is only whether a value has to be a
// number.
func (s *parsed) newTree(file *syntax.File) *tree {
	t := &tree{nodes: s.listNodes(file)}
	for _, n := range t.nodes {
		switch n := n.node.(type) {
		case *syntax.DeclClause:
			t.addDeclaration(n)
		case *syntax.FuncDecl:
			if n.Name != nil {
				plain.PutEntry(&t.functions, n.Name.Value, true)
			}
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop, *syntax.TestClause:
			t.arithmetic = true
		case *syntax.ParamExp:
			t.arithmetic = t.arithmetic || n.Slice != nil || n.Index != nil || n.Excl
		case *syntax.Assign:
			if n.Array != nil && n.Name != nil {
				plain.PutEntry(&t.arrays, n.Name.Value, true)
			}
			t.arithmetic = t.arithmetic || n.Index != nil || n.Name != nil && integerVariables[n.Name.Value]
		case *syntax.Lit:
			t.arithmetic = t.arithmetic || evaluating[n.Value]
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				if r.Op == syntax.DplOut && !listContains("1 2 -", r.Word.Lit()) {
					t.sends = append(t.sends, n)
				}
				t.arithmetic = t.arithmetic || r.N != nil && beginsWithSubscript(strings.TrimPrefix(r.N.Value, "{"))
			}
		}
	}
	t.arithmetic = t.arithmetic || len(t.integers)+len(t.references) > 0
	return t
}

// evaluating are the words of commands that may evaluate a number or a name.
var evaluating = setOf("let", "command", "builtin", "unset", "read", "mapfile", "readarray", "wait", "getopts", "-v", "-R")

// listNodes lists the nodes of a script in the order of syntax.Walk. The list of
// the script before is overwritten.
func (s *parsed) listNodes(file *syntax.File) []treeNode {
	list, depth := s.space.nodes[:0], 0
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		list = append(list, treeNode{n, depth})
		depth++
		return true
	})
	s.space.nodes = list
	return list
}

// walkNodes visits every node of the script with the path that leads to it, the node
// itself included. The path is only good during the visit.
func (s *parsed) walkNodes(visit func(n syntax.Node, path []syntax.Node)) {
	t := s.newTrail()
	defer t.releaseBuffers()
	for _, n := range s.tree.nodes {
		t.enterNode(n.node, n.depth)
		visit(n.node, t.path)
	}
}

func (t *tree) addDeclaration(d *syntax.DeclClause) {
	flags := declFlags(d)
	for _, a := range d.Args {
		if a.Name == nil {
			continue
		}
		if strings.Contains(flags, "A") {
			plain.PutEntry(&t.associative, a.Name.Value, true)
		}
		if strings.Contains(flags, "i") {
			plain.PutEntry(&t.integers, a.Name.Value, true)
		}
		if strings.Contains(flags, "n") && d.Variant.Value != "export" || d.Variant.Value == "nameref" {
			plain.PutEntry(&t.references, a.Name.Value, true)
			if a.Value == nil {
				plain.PutEntry(&t.unbound, a.Name.Value, true)
			}
		}
		if strings.Contains(flags, "a") {
			plain.PutEntry(&t.arrays, a.Name.Value, true)
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
	if len(w.Parts) == 1 {
		switch part := w.Parts[0].(type) {
		case *syntax.Lit: // most words by far
			return removeBackslashes(part.Value, ""), true
		case *syntax.SglQuoted:
			return part.Value, true
		}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(removeBackslashes(part.Value, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(removeBackslashes(lit.Value, "$`\"\\\n"))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// removeBackslashes takes away backslashes before the given characters, or before any
// if there are none.
func removeBackslashes(s, special string) string {
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

// isInteger reports whether an assignment to a variable may be arithmetic.
func (s *script) isInteger(name string) bool {
	t := s.tree
	return t.integers[name] || integerVariables[name] || t.references[name] && len(t.integers) > 0 || s.outer != nil && s.outer.isInteger(name)
}

// isReference reports whether a name represents another variable.
func (s *script) isReference(name string) bool {
	return s.tree.references[name] || s.outer != nil && s.outer.isReference(name)
}

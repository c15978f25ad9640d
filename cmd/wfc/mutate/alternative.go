package mutate

import (
	"fmt"
	"go/ast"
	"strings"
)

// Many mutants differ in one composite literal of a long function, such as a node in the
// function `workflow`. Then the literal alone has alternatives, and the function is there once:
//
//	func() flow.Node[string] { switch selected(3) { case 7: return flow.Node[string]{…} }; return flow.Node[string]{…} }()

// An alternative takes the place of a composite literal of the workflow in a mutant.
type alternative struct {
	mutant int
	// start and end are the place of the literal, and typ is its type.
	start, end int
	typ        string
	// text is the code of the mutant.
	text string
}

// findAlternatives returns the literals in which a function of a mutant differs. It is false if
// the function differs elsewhere, or if only the mutant uses one of its parameters.
func (c *combiner) findAlternatives(i int, m *change, name, suffix string) ([]alternative, bool) {
	own := paramNames(c.base.decls[name].fn)
	for k, param := range paramNames(m.decls[name].fn) {
		if own[k] == "_" && param != "_" {
			return nil, false
		}
	}
	var list []alternative
	var differ func(a, b ast.Node) bool
	differ = func(a, b ast.Node) bool {
		if normalizeTokens(c.base.sourceText(a)) == normalizeTokens(m.sourceText(b)) && !m.newDecl(valueKind, "", b).usesAny(m.names) {
			return true
		}
		before := len(list)
		if as, bs, ok := differingParts(c.base, m.unit, a, b); ok {
			for k := range as {
				if ok = differ(as[k], bs[k]); !ok {
					break
				}
			}
			if ok {
				return true
			}
		}
		list = list[:before]
		x, isLiteral := a.(*ast.CompositeLit)
		y, isLiteral2 := b.(*ast.CompositeLit)
		if !isLiteral || !isLiteral2 || x.Type == nil || y.Type == nil {
			return false
		}
		typ := normalizeTokens(c.base.sourceText(x.Type))
		code := m.newDecl(valueKind, "", y)
		if typ != normalizeTokens(m.sourceText(y.Type)) || m.newDecl(valueKind, "", y.Type).usesAny(m.names) || strings.Contains(typ, "...") {
			return false
		}
		for _, imported := range code.usedPackages(m.imports) {
			if c.base.imports[imported] == "" {
				return false
			}
		}
		list = append(list, alternative{i, c.base.fileOffset(x.Pos()), c.base.fileOffset(x.End()), c.base.sourceText(x.Type), code.renamedCode(m, suffix)})
		return true
	}
	ok := differ(c.base.decls[name].fn.Body, m.decls[name].fn.Body)
	return list, ok && len(list) > 0
}

// paramNames are the names of the parameters of a function.
func paramNames(fn *ast.FuncDecl) (names []string) {
	for _, p := range fn.Type.Params.List {
		for _, name := range p.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// differingParts returns the parts of two nodes that may differ, if all others are equal. A part is
// an expression whose value counts, so that a call can take its place, or a statement.
func differingParts(u, v *unit, a, b ast.Node) (as, bs []ast.Node, ok bool) {
	same := func(x, y ast.Node) bool { return normalizeTokens(u.sourceText(x)) == normalizeTokens(v.sourceText(y)) }
	switch a := a.(type) {
	case *ast.BlockStmt:
		if b, ok := b.(*ast.BlockStmt); ok {
			return toNodes(a.List), toNodes(b.List), len(a.List) == len(b.List)
		}
	case *ast.AssignStmt:
		if b, ok := b.(*ast.AssignStmt); ok && a.Tok == b.Tok && len(a.Lhs) == 1 && len(b.Lhs) == 1 && same(a.Lhs[0], b.Lhs[0]) {
			return toNodes(a.Rhs), toNodes(b.Rhs), len(a.Rhs) == len(b.Rhs)
		}
	case *ast.ExprStmt:
		if b, ok := b.(*ast.ExprStmt); ok {
			return []ast.Node{a.X}, []ast.Node{b.X}, true
		}
	case *ast.ReturnStmt:
		if b, ok := b.(*ast.ReturnStmt); ok {
			return toNodes(a.Results), toNodes(b.Results), len(a.Results) == len(b.Results)
		}
	case *ast.CallExpr:
		if b, ok := b.(*ast.CallExpr); ok && a.Ellipsis.IsValid() == b.Ellipsis.IsValid() && len(a.Args) == len(b.Args) {
			x, isMethod := a.Fun.(*ast.SelectorExpr)
			y, isMethod2 := b.Fun.(*ast.SelectorExpr)
			if isMethod && isMethod2 && x.Sel.Name == y.Sel.Name {
				return append(toNodes(a.Args), x.X), append(toNodes(b.Args), y.X), true
			}
			return toNodes(a.Args), toNodes(b.Args), same(a.Fun, b.Fun)
		}
	case *ast.CompositeLit:
		if b, ok := b.(*ast.CompositeLit); ok && len(a.Elts) == len(b.Elts) && (a.Type == nil) == (b.Type == nil) {
			return toNodes(a.Elts), toNodes(b.Elts), a.Type == nil || same(a.Type, b.Type)
		}
	case *ast.KeyValueExpr:
		if b, ok := b.(*ast.KeyValueExpr); ok {
			return []ast.Node{a.Value}, []ast.Node{b.Value}, same(a.Key, b.Key)
		}
	case *ast.FuncLit:
		if b, ok := b.(*ast.FuncLit); ok {
			return []ast.Node{a.Body}, []ast.Node{b.Body}, same(a.Type, b.Type)
		}
	case *ast.ForStmt:
		if b, ok := b.(*ast.ForStmt); ok && headOf(u, a) == headOf(v, b) {
			return []ast.Node{a.Body}, []ast.Node{b.Body}, true
		}
	case *ast.SwitchStmt:
		if b, ok := b.(*ast.SwitchStmt); ok && a.Init == nil && b.Init == nil && a.Tag != nil && b.Tag != nil {
			return []ast.Node{a.Body}, []ast.Node{b.Body}, same(a.Tag, b.Tag)
		}
	case *ast.CaseClause:
		if b, ok := b.(*ast.CaseClause); ok && len(a.List) == 1 && len(b.List) == 1 && same(a.List[0], b.List[0]) {
			return toNodes(a.Body), toNodes(b.Body), len(a.Body) == len(b.Body)
		}
	}
	return nil, nil, false
}

func toNodes[T ast.Node](list []T) []ast.Node {
	var all []ast.Node
	for _, n := range list {
		all = append(all, n)
	}
	return all
}

// headOf is the code of a loop before its body.
func headOf(u *unit, loop *ast.ForStmt) string {
	return normalizeTokens(string(u.src[u.fileOffset(loop.Pos()):u.fileOffset(loop.Body.Pos())]))
}

// selectionEdits returns the edits by which literals ask for the selected mutant.
func (c *combiner) selectionEdits(list []alternative, place int) []edit {
	var cases strings.Builder
	for _, a := range list {
		fmt.Fprintf(&cases, "case %d: return %s; ", a.mutant+1, a.text)
		c.code.Places[a.mutant] = append(c.code.Places[a.mutant], place)
	}
	first := list[0]
	return []edit{
		{first.start, first.start, fmt.Sprintf("func() %s { switch selected(%d) { %s}; return ", first.typ, place, cases.String())},
		{first.end, first.end, " }()"},
	}
}

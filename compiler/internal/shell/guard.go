package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/finding"
)

// Arithmetic in bash evaluates the text of its variables, again and again until a
// number is left: with x='a[$(command)]' the expression $((x)) runs the command.
// Holes in arithmetic are checked before the script starts. Every variable that
// arithmetic reads and that the analysis cannot prove an integer gets a guard in
// the script, which runtime/shell defines:
//
//	(( n > 3 ))            { __wfc_int n "${n-}" && (( n > 3 )); }
//	[[ $a && $n -gt 3 ]]   [[ $a && $(__wfc_num n "${n-}") -gt 3 ]]
//
//	unset "$v"             { __wfc_name any v "${v-}" && unset "$v"; }
//
// The third form is for names, whose subscripts bash evaluates, too. The first form is before the command that evaluates, and starts no process. The
// second replaces the operand. It is used where bash may skip the operand, or reads
// it again after a change: behind && in the expression itself, in the condition of
// a counting loop. A guard is on the line of its operand, so line numbers stay
// those of the author.

const (
	guardBefore  = "__wfc_int"
	guardInPlace = "__wfc_num"
	guardName    = "__wfc_name"
)

// An operand is a piece of arithmetic that is read.
type operand struct {
	start, end int
	label      string
	// text is the operand as an argument of a guard before the command, "" when
	// it cannot be expanded twice.
	text string
	// expanded is the operand as a guard in its place reads it; "" means as it is.
	expanded string
	// lazy operands may not be read at all, fixed ones cannot be replaced.
	lazy, fixed bool
	// is is the flow's variable that is read, or node the piece that has the text.
	is   string
	node syntax.Node
	// name says that bash reads a name there; strictName, that it keeps the name.
	name, strictName bool
}

// guarded is a command that evaluates arithmetic, with its operands.
type guarded struct {
	stmt     *syntax.Stmt
	operands []*operand
}

// guards collects the operands of arithmetic.
type guards struct {
	s     *script
	list  []*guarded
	by    map[*syntax.Stmt]*guarded
	seen  map[[2]int]bool
	path  []syntax.Node // to the node that evaluates
	loops []*syntax.ForClause
}

// findGuards notes every operand that is not proven an integer.
func (s *script) findGuards() {
	g := &guards{s: s, by: map[*syntax.Stmt]*guarded{}, seen: map[[2]int]bool{}}
	s.walkNodes(g.visitNode)
	s.guards = g.list
	if s.outer == nil {
		s.checkTypes()
		return
	}
	for _, c := range g.list {
		for _, o := range c.operands {
			for _, k := range s.flow.carriersOf(o.asPiece(s), s, o.start, o.end) {
				k.refuseOnce(finding.ShellArithmeticVariable(k.sourceSpan(), k.describeSource(), o.label))
			}
		}
	}
}

// asPiece is the text of an operand.
func (o *operand) asPiece(s *script) piece {
	if o.node != nil {
		return piece{in: s, node: o.node}
	}
	return piece{variable: o.is}
}

// checkTypes refuses operands whose type says that they are never integers.
func (s *script) checkTypes() {
	for _, c := range s.guards {
		for _, o := range c.operands {
			if v := s.flow.variables[o.is]; v != nil && len(v.changes) == 1 && v.level != quoted && !o.name {
				if p := v.seed.spot; p != nil && !mayBeInteger(p.Type) {
					s.refuseHole(p, finding.ShellArithmeticType(s.sourceSpan(p.Start, p.End), p.Label, p.Type.String()).
						WithRelated(s.sourceSpan(o.start, o.end), "evaluated here"))
				}
			}
		}
	}
}

func (g *guards) visitNode(n syntax.Node, nodes []syntax.Node) {
	g.path = nodes
	switch n := n.(type) {
	case *syntax.ArithmExp:
		g.checkExpression(n.X, false)
	case *syntax.ArithmCmd:
		g.checkExpression(n.X, false)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			if w, ok := x.(*syntax.Word); ok {
				g.checkEvaluatedParts(w.Parts, false, false)
			} else {
				g.checkExpression(x, false)
			}
		}
	case *syntax.ForClause:
		if l, ok := n.Loop.(*syntax.CStyleLoop); ok {
			g.checkExpression(l.Init, false)
			g.loops = []*syntax.ForClause{n}
			g.checkExpression(l.Cond, false)
			g.checkExpression(l.Post, false)
			g.loops = nil
		}
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) {
			g.checkName(w, false)
		}
	case *syntax.Redirect:
		if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			_, subscript, _ := strings.Cut(n.N.Value, "[")
			g.checkIdentifiers(subscript, int(n.N.Pos().Offset()), false, true)
		}
	case *syntax.ParamExp:
		if isIndirect(n) && n.Param != nil {
			start, end := nodeOffsets(n)
			name := g.s.variableName(n.Param.Value, start)
			g.addOperand(&operand{start: start, end: end, label: n.Param.Value, text: "${" + n.Param.Value + "-}", is: name, name: true, fixed: true}, g.s.mayBeNoName(name))
		}
		if n.Slice != nil {
			g.checkExpression(n.Slice.Offset, false)
			g.checkExpression(n.Slice.Length, false)
		}
		g.checkIndex(n)
	case *syntax.TestClause:
		g.checkTest(n.X, false)
	case *syntax.Assign:
		g.checkAssign(n, nodes)
	case *syntax.CallExpr:
		g.checkCall(g.s.wordsOf(n.Args))
	case *syntax.DeclClause:
		g.checkDeclaration(n)
	}
}

// checkCall checks the numbers and names among the arguments of a builtin.
func (g *guards) checkCall(words []word) {
	if len(words) < 2 {
		return
	}
	switch name := commandName(words[0]); name {
	case "command", "builtin":
		g.checkCall(words[wrappedCommandIndex(words, wrapper{}):])
	case "let":
		for _, w := range words[1:] {
			g.checkEvaluatedParts(w.Parts, false, false)
		}
	default:
		for _, w := range nameOperands(name, words[1:]) {
			g.checkName(w.Word, false)
		}
	}
}

// checkDeclaration checks the names of a declaration, and the targets of references.
func (g *guards) checkDeclaration(n *syntax.DeclClause) {
	references := strings.Contains(declFlags(n), "n") && n.Variant.Value != "export" || n.Variant.Value == "nameref"
	for _, a := range n.Args {
		switch {
		case a.Name == nil && a.Value != nil && beginsWithSubscript(g.s.readWord(a.Value).text):
			g.checkName(a.Value, false)
		case a.Name != nil && a.Value != nil && references:
			g.checkName(a.Value, true)
		}
	}
}

// checkName checks a word that bash reads as the name of a variable, perhaps with a subscript,
// which it evaluates. The name of a reference is evaluated again at each use.
func (g *guards) checkName(w *syntax.Word, strict bool) {
	start, end := nodeOffsets(w)
	a := g.s.readWord(w)
	if a.full && !strict {
		_, subscript, _ := strings.Cut(a.text, "[")
		subscript, _, _ = strings.Cut(subscript, "=")
		g.checkIdentifiers(subscript, start, false, true)
	}
	text := g.doubleQuotedArgument(w)
	if text == "" || a.full && (!strict || isName(a.text)) {
		return
	}
	g.addOperand(&operand{start: start, end: end, label: strings.Trim(g.s.src[start:end], "\"'${}"), text: text, node: w, name: true, strictName: strict, fixed: true}, true)
}

// doubleQuotedArgument writes a word for another command inside double quotes, or returns "" if it
// cannot be expanded twice.
func (g *guards) doubleQuotedArgument(w *syntax.Word) (text string) {
	for _, part := range flattenQuotes(w.Parts) {
		again := g.reexpandableText(part)
		switch p := part.(type) {
		case *syntax.Lit:
		case *syntax.SglQuoted:
			if again = p.Value; p.Dollar || g.s.containsHole(p) || strings.ContainsAny(again, "\\\"`$\n") {
				return ""
			}
		case *syntax.ParamExp:
			if p.Short && again != "" { // without a value of its own it may be glued to the next part
				again = "${" + p.Param.Value + "-}"
			}
		default:
			return ""
		}
		if again == "" {
			return ""
		}
		text += again
	}
	return text
}

// checkIndex checks the subscript of an array that is not a text key.
func (g *guards) checkIndex(n *syntax.ParamExp) {
	if n.Param != nil && !g.s.tree.associative[n.Param.Value] && !allElements(n) {
		g.checkExpression(n.Index, false)
	}
}

func (g *guards) checkAssign(n *syntax.Assign, nodes []syntax.Node) {
	if n.Name == nil {
		return
	}
	name := n.Name.Value
	if n.Index != nil && !g.s.tree.associative[name] {
		g.checkExpression(n.Index, false)
	}
	integer := g.s.isInteger(name)
	if n.Array != nil {
		for _, e := range n.Array.Elems {
			if e.Index != nil && !g.s.tree.associative[name] {
				g.checkExpression(e.Index, false)
			}
			if e.Value != nil && integer {
				g.checkEvaluatedParts(e.Value.Parts, false, false)
			}
		}
	}
	if n.Value != nil && integer {
		g.checkEvaluatedParts(n.Value.Parts, false, false)
	}
	if n.Value != nil && g.s.tree.unbound[name] {
		g.checkName(n.Value, true)
	}
}

// integerVariables are the variables of bash whose assignments are arithmetic.
var integerVariables = map[string]bool{
	"RANDOM": true, "SRANDOM": true, "SECONDS": true, "OPTIND": true, "HISTCMD": true, "LINENO": true, "BASHPID": true,
	"EPOCHSECONDS": true, "EPOCHREALTIME": true, "BASH_SUBSHELL": true, "OPTERR": true,
}

// checkTest checks the comparisons of numbers in [[ … ]].
func (g *guards) checkTest(x syntax.TestExpr, lazy bool) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch {
		case x.Op == syntax.AndTest || x.Op == syntax.OrTest:
			g.checkTest(x.X, lazy)
			g.checkTest(x.Y, true)
		case isArithmeticTest(x.Op):
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					g.checkEvaluatedParts(w.Parts, lazy, false)
				}
			}
		}
	case *syntax.UnaryTest:
		g.checkTest(x.X, lazy)
	case *syntax.ParenTest:
		g.checkTest(x.X, lazy)
	}
}

// checkExpression checks the operands of an arithmetic expression, which may be nil.
func (g *guards) checkExpression(x syntax.ArithmExpr, lazy bool) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		switch {
		case isLazy(x.Op):
			g.checkExpression(x.X, lazy)
			g.checkExpression(x.Y, lazy || x.Op != syntax.TernColon)
			return
		case isAssignment(x.Op):
			g.checkTarget(x.X, x.Op != syntax.Assgn)
		default:
			g.checkExpression(x.X, lazy)
		}
		g.checkExpression(x.Y, lazy)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			g.checkTarget(x.X, true)
			return
		}
		g.checkExpression(x.X, lazy)
	case *syntax.ParenArithm:
		g.checkExpression(x.X, lazy)
	case *syntax.Word:
		if x != nil {
			g.checkWord(x, lazy, false)
		}
	}
}

// checkTarget checks the target of an assignment in arithmetic, which is also read in x
// += 1.
func (g *guards) checkTarget(x syntax.ArithmExpr, read bool) {
	w, ok := x.(*syntax.Word)
	if !ok {
		g.checkExpression(x, false)
		return
	}
	if len(w.Parts) == 1 {
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok && !p.Dollar.IsValid() {
			g.checkKey(p)
			g.checkIndex(p)
		}
	}
	if read {
		g.checkWord(w, false, true)
	}
}

// checkKey checks a key of an array with text keys that is written without ${…}: arithmetic
// reads the key's text once more.
func (g *guards) checkKey(p *syntax.ParamExp) {
	if p.Index == nil || p.Param == nil || !g.s.tree.associative[p.Param.Value] {
		return
	}
	w, ok := p.Index.(*syntax.Word)
	if !ok || g.s.readWord(w).full {
		return
	}
	start, end := nodeOffsets(w)
	text := g.doubleQuotedArgument(w)
	if text == "" {
		for _, k := range g.s.carriersIn(w) {
			k.refuseOnce(finding.ShellArithmeticVariable(k.sourceSpan(), k.describeSource(), p.Param.Value))
		}
		return
	}
	g.addOperand(&operand{start: start, end: end, label: p.Param.Value, text: p.Param.Value + "[" + text + "]", node: w, name: true, fixed: true}, true)
}

// checkWord checks a word of an arithmetic expression.
func (g *guards) checkWord(w *syntax.Word, lazy, fixed bool) {
	if len(w.Parts) == 0 {
		return
	}
	start, end := nodeOffsets(w)
	if g.seen[[2]int{start, end}] {
		return
	}
	if name := w.Lit(); name != "" {
		if isName(name) && len(g.s.holesIn(start, end)) == 0 {
			g.addName(&operand{start: start, end: end, label: name, lazy: lazy, fixed: fixed})
		}
		return
	}
	if len(w.Parts) == 1 {
		g.checkEvaluatedParts(w.Parts, lazy, fixed)
		return
	}
	isText := slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool { _, lit := p.(*syntax.Lit); return !lit && g.s.isText(p) })
	g.addOperand(&operand{start: start, end: end, label: g.s.src[start:end], text: g.reexpandableText(w), lazy: lazy, fixed: fixed, node: w}, isText)
}

// checkExpansion checks an expansion that arithmetic reads.
func (g *guards) checkExpansion(p *syntax.ParamExp, lazy, fixed bool) {
	start, end := nodeOffsets(p)
	if p.Short {
		if holes := g.s.holesIn(start, end); len(holes) > 0 {
			return // glued to a hole, which is refused
		}
	}
	source := g.s.src[start:end]
	o := &operand{start: start, end: end, label: strings.Trim(source, "${}"), text: g.reexpandableText(p), lazy: lazy, fixed: fixed, node: p}
	if p.Param != nil && isPlain(p) {
		o.is = g.s.variableName(p.Param.Value, start)
	}
	switch {
	case p.Param == nil:
		return
	case !p.Dollar.IsValid():
		o.label = p.Param.Value
		if o.expanded = "${" + source + "-}"; o.text != "" {
			o.text = o.expanded
		}
	case isPlain(p) && p.Index == nil && o.text != "":
		o.text = "${" + strings.ReplaceAll(p.Param.Value, "@", "*") + "-}"
		o.expanded = o.text
	}
	g.addOperand(o, g.s.isText(p))
}

// checkEvaluatedParts checks the parts of a word whose text bash evaluates as arithmetic: a side of
// -eq, an argument of let, a value assigned to an integer.
func (g *guards) checkEvaluatedParts(parts []syntax.WordPart, lazy, fixed bool) {
	for _, p := range parts {
		start, end := nodeOffsets(p)
		if g.seen[[2]int{start, end}] {
			continue
		}
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			g.checkIdentifiers(g.s.masked[start:end], start, lazy, false)
		case *syntax.DblQuoted:
			g.checkEvaluatedParts(p.Parts, lazy, false)
		case *syntax.ParamExp:
			if !p.Dollar.IsValid() {
				g.checkKey(p)
			}
			g.checkIndex(p)
			g.checkExpansion(p, lazy, fixed)
		case *syntax.CmdSubst:
			g.addOperand(&operand{start: start, end: end, label: "the output of a command", lazy: lazy, node: p}, g.s.isText(p))
		}
	}
}

// checkIdentifiers checks the names in a text that is evaluated; those of a fixed one cannot be
// replaced.
func (g *guards) checkIdentifiers(text string, start int, lazy, fixed bool) {
	for i := 0; i < len(text); i++ {
		n := nameLength(text[i:])
		name, rest, at := text[i:i+n], text[i+n:], start+i
		if isName(name) && !assignedNext(rest) && !(fixed && strings.HasPrefix(rest, "[")) && len(g.s.holesIn(at, at+n)) == 0 &&
			(i == 0 || text[i-1] != '#' && text[i-1] != '\\') {
			whole := n == len(text)
			g.addName(&operand{start: at, end: at + n, label: name, lazy: lazy && whole, fixed: fixed || !whole})
		}
		i += n
	}
}

// assignedNext reports whether the text behind a name assigns to it.
func assignedNext(text string) bool {
	text = strings.TrimLeft(text, " ")
	return strings.HasPrefix(text, "=") && !strings.HasPrefix(text, "==")
}

// reexpandableText returns the text of a node when it can be expanded once more without
// doing anything, or "".
func (g *guards) reexpandableText(n syntax.Node) string {
	start, end := nodeOffsets(n)
	if g.s.containsHole(n) || strings.ContainsAny(g.s.src[start:end], "\"'`\n\\") || !isPure(n) {
		return ""
	}
	return g.s.src[start:end]
}

// isPure reports whether the expansion of a node does nothing else.
func isPure(n syntax.Node) bool {
	pure := true
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			pure = false
		case *syntax.UnaryArithm:
			pure = pure && n.Op != syntax.Inc && n.Op != syntax.Dec
		case *syntax.BinaryArithm:
			pure = pure && !isAssignment(n.Op)
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				pure = false
			}
		}
		return pure
	})
	return pure
}

// addName notes a variable by its name.
func (g *guards) addName(o *operand) {
	o.is = g.s.variableName(o.label, o.start)
	o.text = "${" + o.label + "-}"
	o.expanded = o.text
	g.addOperand(o, g.s.isTextVariable(o.label, o.start))
}

// addOperand notes an operand, once; it gets a guard if it may be something other than an integer.
func (g *guards) addOperand(o *operand, guard bool) {
	at := [2]int{o.start, o.end}
	if g.seen[at] {
		return
	}
	if g.seen[at] = true; !guard {
		return
	}
	if len(g.loops) > 0 && g.s.changesIn(o.label, g.loops[0]) {
		o.lazy = true
	}
	var stmt *syntax.Stmt
	for i := len(g.path) - 1; i >= 0 && stmt == nil; i-- {
		stmt, _ = g.path[i].(*syntax.Stmt)
	}
	c := g.by[stmt]
	if c == nil {
		c = &guarded{stmt: stmt}
		g.by[stmt] = c
		g.list = append(g.list, c)
	}
	c.operands = append(c.operands, o)
}

// mayBeNoName reports whether a variable may hold something other than fixed names.
func (s *script) mayBeNoName(variable string) bool {
	v := s.flow.variables[variable]
	return v == nil || !v.set || v.others || slices.ContainsFunc(v.literals, func(text string) bool { return !isName(text) })
}

// changesIn reports whether a loop's body changes a variable, to anything but an
// integer, or whether that is unknown.
func (s *script) changesIn(name string, loop *syntax.ForClause) bool {
	start, end := nodeOffsets(loop)
	v := s.flow.variables[name]
	return !isName(name) || v != nil && slices.ContainsFunc(v.changes, func(at int) bool { return start <= at && at <= end || s.aroundIndex(at) >= 0 })
}

// isPlain reports whether an expansion is that of a variable as it is.
func isPlain(p *syntax.ParamExp) bool {
	return p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length && !p.Excl && p.Names == 0
}

// isLazy reports whether bash may skip the right side of an operator.
func isLazy(op syntax.BinAritOperator) bool {
	return op == syntax.AndArit || op == syntax.OrArit || op == syntax.TernQuest || op == syntax.TernColon
}

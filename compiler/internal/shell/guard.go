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
// The first form is before the command that evaluates, and starts no process. The
// second replaces the operand. It is used where bash may skip the operand, or reads
// it again after a change: behind && in the expression itself, in the condition of
// a counting loop. A guard is on the line of its operand, so line numbers stay
// those of the author.

const (
	guardBefore  = "__wfc_int"
	guardInPlace = "__wfc_num"
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
	value       value
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
	stmt  *syntax.Stmt
	loops []*syntax.ForClause
}

// findGuards notes every operand that is not proven an integer.
func (s *script) findGuards() {
	g := &guards{s: s, by: map[*syntax.Stmt]*guarded{}, seen: map[[2]int]bool{}}
	s.walk(g.visit)
	s.guards = g.list
	if !s.inner {
		s.checkTypes()
		return
	}
	for _, c := range g.list {
		for _, o := range c.operands {
			if o.value.hostile() {
				k := carrier{o.value.origins[0], o.start, o.end, o.label}
				s.refuseCarrier(k, finding.ShellArithmeticVariable(s.at(k), s.subject(k), o.label))
			}
		}
	}
	s.guards = nil
}

// checkTypes refuses operands whose type says that they are never integers.
func (s *script) checkTypes() {
	for _, c := range s.guards {
		for _, o := range c.operands {
			for _, k := range o.value.origins {
				if p := k.seed.spot; p != nil && len(o.value.origins) == 1 && !mayBeInteger(p.Type) {
					s.refuse(p, finding.ShellArithmeticType(s.span(p.Start, p.End), p.Label, p.Type.String()).
						WithRelated(s.span(o.start, o.end), "evaluated here"))
				}
			}
		}
	}
}

func (g *guards) visit(n syntax.Node, nodes []syntax.Node) {
	if !evaluates(n) {
		return
	}
	g.stmt = nil
	for i := len(nodes) - 1; i >= 0 && g.stmt == nil; i-- {
		g.stmt, _ = nodes[i].(*syntax.Stmt)
	}
	if g.stmt == nil {
		return
	}
	switch n := n.(type) {
	case *syntax.ArithmExp:
		g.expression(n.X, false)
	case *syntax.ArithmCmd:
		g.expression(n.X, false)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			g.letExpression(x)
		}
	case *syntax.ForClause:
		if l, ok := n.Loop.(*syntax.CStyleLoop); ok {
			g.expression(l.Init, false)
			g.loops = []*syntax.ForClause{n}
			g.expression(l.Cond, false)
			g.expression(l.Post, false)
			g.loops = nil
		}
	case *syntax.ParamExp:
		if n.Slice != nil {
			g.expression(n.Slice.Offset, false)
			g.expression(n.Slice.Length, false)
		}
		g.index(n)
	case *syntax.TestClause:
		g.test(n.X, false)
	case *syntax.Assign:
		g.assign(n, nodes)
	case *syntax.CallExpr:
		if len(n.Args) > 1 && g.s.literalName(&command{words: n.Args}) == "let" {
			for _, w := range n.Args[1:] {
				g.evaluated(w, false)
			}
		}
	}
}

// evaluates reports whether bash evaluates arithmetic in a node, for a first look.
func evaluates(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause, *syntax.Assign, *syntax.CallExpr:
		return true
	case *syntax.ForClause:
		_, ok := n.Loop.(*syntax.CStyleLoop)
		return ok
	case *syntax.ParamExp:
		return n.Slice != nil || n.Index != nil
	}
	return false
}

// index checks the subscript of an array that is not a text key.
func (g *guards) index(n *syntax.ParamExp) {
	if n.Index == nil || n.Param == nil || g.s.tree.associative[n.Param.Value] {
		return
	}
	if w, ok := n.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		return
	}
	g.expression(n.Index, false)
}

func (g *guards) assign(n *syntax.Assign, nodes []syntax.Node) {
	if n.Name == nil {
		return
	}
	name := n.Name.Value
	if n.Index != nil && !g.s.tree.associative[name] {
		g.expression(n.Index, false)
	}
	if n.Array != nil && !g.s.tree.associative[name] {
		for _, e := range n.Array.Elems {
			if e.Index != nil {
				g.expression(e.Index, false)
			}
		}
	}
	if n.Value != nil && (g.s.tree.integers[name] || integerVariables[name]) {
		g.evaluated(n.Value, false)
	}
}

// integerVariables are the variables of bash whose assignments are arithmetic.
var integerVariables = map[string]bool{
	"RANDOM": true, "SRANDOM": true, "SECONDS": true, "OPTIND": true, "HISTCMD": true, "LINENO": true, "BASHPID": true,
	"EPOCHSECONDS": true, "EPOCHREALTIME": true, "BASH_SUBSHELL": true, "OPTERR": true,
}

// test checks the comparisons of numbers in [[ … ]].
func (g *guards) test(x syntax.TestExpr, lazy bool) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch {
		case x.Op == syntax.AndTest || x.Op == syntax.OrTest:
			g.test(x.X, lazy)
			g.test(x.Y, true)
		case isArithmeticTest(x.Op):
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					g.evaluated(w, lazy)
				}
			}
		}
	case *syntax.UnaryTest:
		g.test(x.X, lazy)
	case *syntax.ParenTest:
		g.test(x.X, lazy)
	}
}

func (g *guards) letExpression(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		g.evaluated(w, false)
		return
	}
	g.expression(x, false)
}

// expression checks the operands of an arithmetic expression, which may be nil.
func (g *guards) expression(x syntax.ArithmExpr, lazy bool) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		switch {
		case isLazy(x.Op):
			g.expression(x.X, lazy)
			g.expression(x.Y, lazy || x.Op != syntax.TernColon)
			return
		case isAssignment(x.Op):
			g.target(x.X, x.Op != syntax.Assgn)
		default:
			g.expression(x.X, lazy)
		}
		g.expression(x.Y, lazy)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			g.target(x.X, true)
			return
		}
		g.expression(x.X, lazy)
	case *syntax.ParenArithm:
		g.expression(x.X, lazy)
	case *syntax.Word:
		if x != nil {
			g.word(x, lazy, false)
		}
	}
}

// target checks the target of an assignment in arithmetic, which is also read in x
// += 1.
func (g *guards) target(x syntax.ArithmExpr, read bool) {
	w, ok := x.(*syntax.Word)
	if !ok {
		g.expression(x, false)
		return
	}
	if len(w.Parts) == 1 {
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok && !p.Dollar.IsValid() {
			g.key(p)
			g.index(p)
		}
	}
	if read {
		g.word(w, false, true)
	}
}

// key refuses a hostile key of an array with text keys that is written without
// ${…}: arithmetic reads the key's text once more.
func (g *guards) key(p *syntax.ParamExp) {
	if p.Index == nil || p.Param == nil || !g.s.tree.associative[p.Param.Value] {
		return
	}
	w, ok := p.Index.(*syntax.Word)
	if !ok {
		return
	}
	for _, k := range g.s.tracker.carriers(w) {
		g.s.refuseCarrier(k, finding.ShellKeyEvaluated(g.s.at(k), g.s.subject(k), p.Param.Value, g.s.label(k)))
	}
}

// word checks a word of an arithmetic expression.
func (g *guards) word(w *syntax.Word, lazy, fixed bool) {
	if len(w.Parts) == 0 {
		return
	}
	start, end := offsets(w)
	if g.seen[[2]int{start, end}] {
		return
	}
	if name := w.Lit(); name != "" {
		if isName(name) && len(g.s.holesIn(start, end)) == 0 {
			v := g.s.tracker.variable(name, start)
			g.add(&operand{start: start, end: end, label: name, text: "${" + name + "-}", expanded: "${" + name + "-}", lazy: lazy, fixed: fixed, value: v})
		}
		return
	}
	if p, ok := w.Parts[0].(*syntax.ParamExp); ok && len(w.Parts) == 1 {
		if !p.Dollar.IsValid() {
			g.key(p)
		}
		g.index(p)
		g.parameter(p, lazy, fixed)
		return
	}
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.DblQuoted); ok {
			g.evaluatedParts(q.Parts, lazy)
			return
		}
	}
	v := g.s.tracker.word(w)
	if _, ok := w.Parts[0].(*syntax.CmdSubst); ok && len(w.Parts) == 1 {
		g.add(&operand{start: start, end: end, label: "the output of a command", lazy: lazy, value: v})
		return
	}
	v.text = false
	for _, p := range w.Parts {
		if _, lit := p.(*syntax.Lit); !lit {
			given := g.s.tracker.part(p)
			v.text = v.text || given.text
		}
	}
	g.add(&operand{start: start, end: end, label: g.s.src[start:end], text: g.twice(w), lazy: lazy, fixed: fixed, value: v})
}

// parameter checks an expansion that arithmetic reads.
func (g *guards) parameter(p *syntax.ParamExp, lazy, fixed bool) {
	start, end := offsets(p)
	if p.Short {
		if holes := g.s.holesIn(start, end); len(holes) > 0 {
			return // glued to a hole, which is refused
		}
	}
	v := g.s.tracker.expansion(p)
	source := g.s.src[start:end]
	o := &operand{start: start, end: end, label: strings.Trim(source, "${}"), text: g.twice(p), lazy: lazy, fixed: fixed, value: v}
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
	g.add(o)
}

// evaluated checks a word whose text bash evaluates as arithmetic: a side of -eq,
// an argument of let, a value assigned to an integer.
func (g *guards) evaluated(w *syntax.Word, lazy bool) {
	g.evaluatedParts(w.Parts, lazy)
}

func (g *guards) evaluatedParts(parts []syntax.WordPart, lazy bool) {
	for _, p := range parts {
		start, end := offsets(p)
		if g.seen[[2]int{start, end}] {
			continue
		}
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			g.identifiers(p, start, lazy)
		case *syntax.DblQuoted:
			g.evaluatedParts(p.Parts, lazy)
		case *syntax.ParamExp:
			g.index(p)
			g.parameter(p, lazy, false)
		case *syntax.CmdSubst:
			g.add(&operand{start: start, end: end, label: "the output of a command", lazy: lazy, value: g.s.tracker.part(p)})
		}
	}
}

// identifiers checks the names in a text that is evaluated.
func (g *guards) identifiers(n syntax.Node, start int, lazy bool) {
	_, end := offsets(n)
	text := g.s.masked[start:end]
	for i := 0; i < len(text); {
		length := nameLength(text[i:])
		if length == 0 {
			i++
			continue
		}
		name, at := text[i:i+length], start+i
		if isName(name) && !assignedNext(text[i+length:]) && len(g.s.holesIn(at, at+length)) == 0 && (i == 0 || text[i-1] != '#' && text[i-1] != '\\') {
			whole := at == start && at+length == end
			g.add(&operand{
				start: at, end: at + length, label: name, text: "${" + name + "-}", expanded: `${` + name + `-}`,
				lazy: lazy && whole, fixed: !whole, value: g.s.tracker.variable(name, at),
			})
		}
		i += length
	}
}

// assignedNext reports whether the text behind a name assigns to it.
func assignedNext(text string) bool {
	text = strings.TrimLeft(text, " ")
	return strings.HasPrefix(text, "=") && !strings.HasPrefix(text, "==")
}

// twice returns the text of a node when it can be expanded once more without
// doing anything, or "".
func (g *guards) twice(n syntax.Node) string {
	start, end := offsets(n)
	if len(g.s.holesIn(start, end)) > 0 || strings.ContainsAny(g.s.src[start:end], "\"'`\n\\") {
		return ""
	}
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
	if !pure {
		return ""
	}
	return g.s.src[start:end]
}

// add notes an operand that is not proven an integer.
func (g *guards) add(o *operand) {
	at := [2]int{o.start, o.end}
	if g.seen[at] {
		return
	}
	g.seen[at] = true
	if !o.value.text {
		return
	}
	if len(g.loops) > 0 && g.s.tracker.changesIn(o.label, g.loops[0]) {
		o.lazy = true
	}
	c := g.by[g.stmt]
	if c == nil {
		c = &guarded{stmt: g.stmt}
		g.by[g.stmt] = c
		g.list = append(g.list, c)
	}
	c.operands = append(c.operands, o)
}

// changesIn reports whether a loop's body changes a variable, to anything but an
// integer, or whether that is unknown.
func (t *tracker) changesIn(name string, loop *syntax.ForClause) bool {
	if !isName(name) {
		return true
	}
	start, end := offsets(loop)
	return t.inFunctions[name].text || t.computed[name].text || t.wild.text ||
		slices.ContainsFunc(t.slots[slot{name, t.functionAt(start)}], func(e *event) bool { return start <= e.at && e.at <= end && e.value.text })
}

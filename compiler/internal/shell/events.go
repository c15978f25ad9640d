package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// newTracker collects the events of a script in order of place.
func newTracker(s *script) *tracker {
	t := &tracker{
		s: s, slots: map[slot][]*event{}, locals: map[slot]bool{}, bodies: map[string]*syntax.FuncDecl{},
		calls: map[string][][]*syntax.Word{}, shifts: map[string]shift{}, firstCall: forever, given: s.given,
		own: map[slot]value{}, inFunctions: map[string]value{}, asLocal: map[string]value{}, computed: map[string]value{},
		ticks: map[string]int{}, assigned: map[string][]*event{}, lossy: s.lossy(),
	}
	s.walk(t.collect)
	slices.SortStableFunc(t.list, func(a, b *event) int { return a.at - b.at })
	for _, e := range t.list {
		key := slot{e.name, e.function}
		t.slots[key] = append(t.slots[key], e)
		if e.assigned != nil {
			t.assigned[e.name] = append(t.assigned[e.name], e)
		}
	}
	t.settle()
	if t.collectEvals() {
		t.settle()
	}
	return t
}

// lossy reports whether the script handles values of outsiders.
func (s *script) lossy() bool {
	return s.hostile || slices.ContainsFunc(s.spots, func(p *spot) bool { return !p.place.dead }) ||
		slices.ContainsFunc(s.options.Variables, func(v string) bool { return strings.Contains(s.src, v) })
}

func (t *tracker) add(name string, n syntax.Node, nodes []syntax.Node, values ...syntax.Node) *event {
	start, end := offsets(n)
	e := &event{name: name, at: end, values: values, function: t.functionAt(start), until: certainUntil(nodes)}
	t.list = append(t.list, e)
	return e
}

// certainUntil returns the offset up to which the node at the end of a path has
// run for certain, seen from behind it.
func certainUntil(nodes []syntax.Node) int {
	for i := len(nodes) - 1; i > 0; i-- {
		child := nodes[i]
		if st, ok := child.(*syntax.Stmt); ok && st.Background {
			return endOf(st)
		}
		switch n := nodes[i-1].(type) {
		case *syntax.FuncDecl:
			return forever
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll || child == syntax.Node(n.Y) {
				return endOf(child)
			}
		case *syntax.IfClause:
			if at, ok := lastOf(n.Then, child); ok {
				return at
			}
			if n.Else != nil && child == syntax.Node(n.Else) {
				return endOf(child)
			}
		case *syntax.WhileClause:
			if at, ok := lastOf(n.Do, child); ok {
				return at
			}
		case *syntax.ForClause:
			if at, ok := lastOf(n.Do, child); ok {
				return at
			}
			if _, ok := n.Loop.(*syntax.WordIter); ok && child == syntax.Node(n.Loop) {
				return endOf(n)
			}
		case *syntax.CStyleLoop:
			if child != syntax.Node(n.Init) {
				return 0
			}
		case *syntax.BinaryArithm:
			if isLazy(n.Op) && child != syntax.Node(n.X) {
				return 0
			}
		case *syntax.BinaryTest:
			if n.Op == syntax.AndTest || n.Op == syntax.OrTest {
				return 0
			}
		case *syntax.CaseItem, *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.CoprocClause:
			return endOf(n)
		}
	}
	return forever
}

func endOf(n syntax.Node) int { return int(n.End().Offset()) }

// lastOf returns the end of a list of statements that has the child.
func lastOf(list []*syntax.Stmt, child syntax.Node) (end int, ok bool) {
	st, ok := child.(*syntax.Stmt)
	if !ok || len(list) == 0 {
		return 0, false
	}
	start := st.Pos().Offset()
	if start < list[0].Pos().Offset() || start > list[len(list)-1].Pos().Offset() {
		return 0, false
	}
	return endOf(list[len(list)-1]), true
}

func isLazy(op syntax.BinAritOperator) bool {
	return op == syntax.AndArit || op == syntax.OrArit || op == syntax.TernQuest || op == syntax.TernColon
}

func (t *tracker) collect(n syntax.Node, nodes []syntax.Node) {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			t.functions = nest(t.functions, n, n.Name.Value)
			t.bodies[n.Name.Value] = n
			start, _ := offsets(n)
			t.list = append(t.list, &event{name: outputOf(n.Name.Value), at: start, values: []syntax.Node{n.Body}, function: nowhere})
		}
	case *syntax.WhileClause:
		t.loops = nest(t.loops, n, "")
	case *syntax.ForClause:
		t.loops = nest(t.loops, n, "")
	case *syntax.WordIter:
		t.collectLoop(n, nodes)
	case *syntax.Assign:
		t.collectAssign(n, nodes)
	case *syntax.DeclClause:
		t.collectDeclared(n, nodes)
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			t.collectCall(&command{words: n.Args}, n, nodes)
		}
	case *syntax.BinaryTest:
		if n.Op == syntax.TsReMatch {
			t.add("BASH_REMATCH", n, nodes, n.X).until = 0
		}
	case *syntax.BinaryArithm:
		if w, ok := n.X.(*syntax.Word); ok && isAssignment(n.Op) && isName(w.Lit()) {
			t.addNumber(w.Lit(), n, nodes)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil && n.Exp.Word != nil {
			t.add(n.Param.Value, n, nodes, n.Exp.Word).until = 0
		}
	case *syntax.CoprocClause:
		name := "COPROC"
		if n.Name != nil {
			name = n.Name.Lit()
		}
		t.addNumber(name, n, nodes)
	}
}

// addNumber records that a variable becomes an integer.
func (t *tracker) addNumber(name string, n syntax.Node, nodes []syntax.Node) {
	t.add(name, n, nodes).fixed = number()
}

func (t *tracker) collectLoop(n *syntax.WordIter, nodes []syntax.Node) {
	if len(nodes) > 1 {
		if f, ok := nodes[len(nodes)-2].(*syntax.ForClause); ok && f.Select {
			e := t.add("REPLY", n, nodes)
			e.fixed, e.until = t.lost("the input of `select`", endOf(n)), 0
		}
	}
	e := t.add(n.Name.Value, n, nodes, nodesOf(n.Items)...)
	if len(n.Items) == 0 && !n.InPos.IsValid() {
		e.values = []syntax.Node{&parameters{n.Name}}
	}
}

// parameters is "$@" at the place of a node.
type parameters struct{ syntax.Node }

func nodesOf(list []*syntax.Word) []syntax.Node {
	nodes := make([]syntax.Node, len(list))
	for i, w := range list {
		nodes[i] = w
	}
	return nodes
}

func (t *tracker) collectAssign(a *syntax.Assign, nodes []syntax.Node) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	if a.Naked {
		if d, ok := parentOf(nodes).(*syntax.DeclClause); ok && d.Variant.Value != "export" && d.Variant.Value != "readonly" && isLocal(d, t.around(int(a.Pos().Offset()))) {
			t.add(name, a, nodes).fixed = constant("")
		}
		return
	}
	var values []syntax.Node
	if a.Value != nil {
		values = append(values, a.Value)
	}
	if a.Array != nil {
		values = append(values, a.Array)
		t.collectKeys(name, a, nodes)
	}
	e := t.add(name, a, nodes, values...)
	e.assigned, e.number = a, t.s.tree.integers[name] || integerVariables[name]
	if e.added = a.Append && a.Array == nil && a.Index == nil; a.Append || a.Index != nil {
		e.until = 0
	}
	if a.Index != nil {
		t.add(keysOf(name), a, nodes, a.Index).until = 0
	}
	if call, ok := parentOf(nodes).(*syntax.CallExpr); ok && len(call.Args) > 0 {
		e.until = 0 // is before a command
	}
	if a.Value == nil && a.Array == nil {
		e.fixed = constant("")
	}
}

// collectKeys records the keys of an array's elements.
func (t *tracker) collectKeys(name string, a *syntax.Assign, nodes []syntax.Node) {
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			t.add(keysOf(name), a, nodes, e.Index).until = 0
		}
	}
}

// keysOf and outputOf name the things that are followed like variables: the keys of
// an array, the output of a function.
func keysOf(name string) string      { return name + "[!]" }
func outputOf(name string) string    { return name + "()!" }
func inputNameOf(name string) string { return name + "()<" }

func parentOf(nodes []syntax.Node) syntax.Node {
	if len(nodes) < 2 {
		return nil
	}
	return nodes[len(nodes)-2]
}

// isLocal reports whether a declaration makes variables of the function.
func isLocal(d *syntax.DeclClause, function string) bool {
	return d.Variant.Value == "local" || function != "" && (d.Variant.Value == "declare" || d.Variant.Value == "typeset") && !strings.Contains(declFlags(d), "g")
}

func (t *tracker) collectDeclared(d *syntax.DeclClause, nodes []syntax.Node) {
	flags := declFlags(d)
	start, _ := offsets(d)
	local := isLocal(d, t.around(start))
	for _, a := range d.Args {
		switch {
		case a.Name != nil:
			if local {
				t.locals[slot{a.Name.Value, t.functionAt(start)}] = true
			}
			if strings.Contains(flags, "n") && a.Value != nil {
				t.collectReference(a, nodes)
			}
		case a.Value != nil && !strings.HasPrefix(t.s.read(a.Value).text, "-"):
			t.addDynamic(a.Value, d, a.Value)
		}
	}
	if d.Variant.Value == "export" && strings.Contains(flags, "f") {
		for _, a := range d.Args {
			if a.Name != nil {
				t.addLostParameters(a.Name.Value, d)
			}
		}
	}
}

// addLostParameters records that a function is called from where the analysis
// does not look.
func (t *tracker) addLostParameters(function string, n syntax.Node) {
	start, _ := offsets(n)
	for _, p := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*"} {
		t.list = append(t.list, &event{name: function + "()" + p, at: start, fixed: t.lost("an argument that another program passes", start), function: nowhere})
	}
}

// collectReference records that one name refers to another variable: assignments to
// either reach both.
func (t *tracker) collectReference(a *syntax.Assign, nodes []syntax.Node) {
	name := a.Name.Value
	e := t.add(name, a, nodes, &indirect{a.Value})
	e.until = 0
	t.addDynamic(a.Value, a, &everything{Node: a.Name, name: name})
}

// indirect is the variables that a word names, everything is all that a
// variable ever holds.
type (
	indirect   struct{ syntax.Node }
	everything struct {
		syntax.Node
		name string
	}
)

// addDynamic records a change of the variable that the text of a node names.
func (t *tracker) addDynamic(target, n syntax.Node, values ...syntax.Node) *event {
	start, end := offsets(n)
	e := &event{at: end, values: values, function: t.functionAt(start)}
	t.dynamic = append(t.dynamic, dynamicEvent{target, e})
	return e
}

// addTo records that the variable which a word names gets values.
func (t *tracker) addTo(w *syntax.Word, n syntax.Node, nodes []syntax.Node, values ...syntax.Node) *event {
	if a := t.s.read(w); a.full && isName(a.text) {
		return t.add(a.text, n, nodes, values...)
	}
	return t.addDynamic(w, n, values...)
}

// collectCall collects the variables that commands set.
func (t *tracker) collectCall(c *command, n syntax.Node, nodes []syntax.Node) {
	for name := t.s.literalName(c); name == "command" || name == "builtin"; name = t.s.literalName(c) {
		if c = (&command{words: c.words[t.s.skip(c, wrappers[name]):]}); len(c.words) == 0 {
			return
		}
	}
	at := int(n.Pos().Offset())
	first := t.s.read(c.words[0])
	if !first.full {
		if w := c.words[0]; isParameters(w) {
			return // the arguments of a call are a separate command
		}
		t.addCall("()", c.words[1:]) // any function may be meant
		t.addParameters("", "()", n, nodes, c.words)
		return
	}
	switch name := path.Base(first.text); name {
	case "read", "mapfile", "readarray":
		t.collectRead(name, c, n, nodes)
	case "printf":
		if len(c.words) > 3 && t.s.read(c.words[1]).text == "-v" {
			t.addTo(c.words[2], n, nodes, &printed{CallExpr: &syntax.CallExpr{Args: append([]*syntax.Word{c.words[0]}, c.words[3:]...)}})
		}
	case "getopts":
		for _, w := range t.s.nameOperands(c) {
			t.addTo(w, n, nodes).fixed = anyText()
		}
		t.add("OPTARG", n, nodes, &parameters{n}).until = 0
		if len(c.words) > 3 {
			t.add("OPTARG", n, nodes, nodesOf(c.words[3:])...).until = 0
		}
	case "cd", "pushd":
		t.add("PWD", n, nodes, nodesOf(c.words[1:])...).until = 0
		t.add("OLDPWD", n, nodes, nodesOf(c.words[1:])...).until = 0
	case "shift":
		t.addShift(c, at, nodes)
	case "set":
		t.collectSet(c, n, nodes)
	case "let":
		for _, w := range c.words[1:] {
			a := t.s.read(w)
			if name, _, ok := strings.Cut(a.text, "="); ok && isName(strings.TrimRight(name, "+-*/%&|^<> ")) {
				t.addNumber(strings.TrimRight(name, "+-*/%&|^<> "), n, nodes)
			}
		}
	case "unset":
		for _, w := range t.s.nameOperands(c) {
			if a := t.s.read(w); a.full && isName(a.text) {
				t.add(a.text, n, nodes).fixed = anyText()
			}
		}
	case "eval", "trap":
		t.collectProgram(c, n)
	default:
		if !t.s.tree.functions[name] {
			return
		}
		if t.functionAt(at) == nowhere {
			t.firstCall = min(t.firstCall, at)
		}
		t.addCall(name, c.words[1:])
		t.addParameters(name, name, n, nodes, c.words[1:])
		t.addInput(name, n, nodes)
	}
}

// addShift notes that a function moves its parameters.
func (t *tracker) addShift(c *command, at int, nodes []syntax.Node) {
	function := t.around(at)
	sh := t.shifts[function]
	n := 1
	if len(c.words) > 1 {
		var err error
		if n, err = strconv.Atoi(t.s.read(c.words[1]).text); err != nil || n < 0 {
			n, sh.anyhow = 1, true
		}
	}
	if _, ok := t.loopWithout(at, nil); ok {
		sh.anyhow = true
	}
	sh.most += n
	if certainUntil(nodes) == forever {
		sh.least += n
	}
	t.shifts[function] = sh
}

// isParameters reports whether a word is "$@" or $@.
func isParameters(w *syntax.Word) bool {
	p, ok := lone(w)
	return ok && p.Param != nil && (p.Param.Value == "@" || p.Param.Value == "*") && isPlain(p)
}

// lone returns the expansion that is all of a word.
func lone(w *syntax.Word) (*syntax.ParamExp, bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	return p, ok
}

// isPlain reports whether an expansion is that of a variable as it is.
func isPlain(p *syntax.ParamExp) bool {
	return p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length && !p.Excl && p.Names == 0
}

// addCall notes the arguments of a call of a function; that of the script itself
// is "", any is "()".
func (t *tracker) addCall(function string, words []*syntax.Word) {
	t.calls[function] = append(t.calls[function], words)
}

// addInput notes the input of a called function.
func (t *tracker) addInput(function string, n syntax.Node, nodes []syntax.Node) {
	t.list = append(t.list, &event{name: inputNameOf(function), at: int(n.Pos().Offset()), values: t.inputs(nodes), function: nowhere})
}

// collectProgram notes the changes by the fixed program of an eval or a trap. The
// analysis follows no order of events into it.
func (t *tracker) collectProgram(c *command, n syntax.Node) {
	if t.s.literalName(c) == "eval" && slices.ContainsFunc(c.words[1:], func(w *syntax.Word) bool { _, ok := wordText(w); return !ok || t.s.touched(w) }) {
		t.evals = append(t.evals, evaluation{c, n})
		return
	}
	for _, w := range c.words[1:] {
		if text, ok := wordText(w); ok && !t.s.touched(w) {
			t.collectText(text, c, n)
		}
	}
}

// evaluation is an eval whose text is put together.
type evaluation struct {
	c *command
	n syntax.Node
}

// collectEvals notes the changes by the programs of evals that the analysis could
// compute, and reports whether there are any.
func (t *tracker) collectEvals() bool {
	before := len(t.list)
	for _, e := range t.evals {
		p := &innerText{s: t.s, t: t}
		for _, w := range e.c.words[1:] {
			p.add(w.Parts)
			p.text.WriteByte(' ')
		}
		t.collectText(p.text.String(), e.c, e.n)
	}
	for _, e := range t.list[before:] {
		key := slot{e.name, e.function}
		t.slots[key] = append(t.slots[key], e)
		slices.SortStableFunc(t.slots[key], func(a, b *event) int { return a.at - b.at })
	}
	return len(t.list) > before
}

func (t *tracker) collectText(text string, c *command, n syntax.Node) {
	inner, err := newParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	syntax.Walk(inner, func(m syntax.Node) bool {
		switch m := m.(type) {
		case *syntax.Assign:
			if m.Name != nil && !m.Naked {
				e := t.add(m.Name.Value, n, nil)
				if e.until, e.fixed = 0, anyText(); t.lossy && m.Value != nil && m.Value.Lit() == "" {
					e.fixed = t.lost("what `"+t.s.literalName(c)+"` assigns", int(n.Pos().Offset()))
				}
			}
		case *syntax.CallExpr:
			if len(m.Args) > 1 && t.s.tree.functions[m.Args[0].Lit()] {
				t.addLostParameters(m.Args[0].Lit(), n)
			}
		}
		return true
	})
}

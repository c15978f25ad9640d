package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// newTracker collects the events of a script in order of place.
func newTracker(s *script) *tracker {
	t := &tracker{s: s, events: map[string][]*event{}}
	s.walk(t.collect)
	for _, list := range t.events {
		slices.SortStableFunc(list, func(a, b *event) int { return a.at - b.at })
	}
	// Most scripts hold no variable of their own, and have nothing to settle.
	t.settle(followText)
	t.settle(followNumber)
	return t
}

func (t *tracker) add(name string, n syntax.Node, path []syntax.Node, values ...syntax.Node) {
	_, end := offsets(n)
	t.events[name] = append(t.events[name], &event{name: name, at: end, values: values, certain: certain(path)})
}

// certain reports whether a node runs whenever its function or script does.
func certain(path []syntax.Node) bool {
	for i := len(path) - 1; i >= 0; i-- {
		switch path[i].(type) {
		case *syntax.FuncDecl:
			return true
		case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause,
			*syntax.BinaryCmd, *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.CoprocClause:
			return false
		}
	}
	return true
}

func (t *tracker) collect(n syntax.Node, path []syntax.Node) {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			t.functions = nest(t.functions, n, n.Name.Value)
		}
	case *syntax.WhileClause:
		t.loops = nest(t.loops, n, "")
	case *syntax.ForClause:
		t.loops = nest(t.loops, n, "")
		if w, ok := n.Loop.(*syntax.WordIter); ok {
			t.addWords(w.Name.Value, w, path, w.Items)
		}
	case *syntax.Assign:
		t.collectAssign(n, path)
	case *syntax.CallExpr:
		t.collectCall(n, path)
	case *syntax.BinaryTest:
		if w, ok := n.Y.(*syntax.Word); ok && n.Op == syntax.TsReMatch && t.isNumberPattern(w) {
			t.addTest(n.X, int(n.End().Offset()))
		}
	case *syntax.CaseClause:
		if hasNonDigitPattern(n) {
			t.addTest(n.Word, int(n.Word.End().Offset()))
		}
	}
}

func (t *tracker) addWords(name string, n syntax.Node, path []syntax.Node, words []*syntax.Word) {
	values := make([]syntax.Node, len(words))
	for i, w := range words {
		values[i] = w
	}
	t.add(name, n, path, values...)
}

func (t *tracker) collectAssign(a *syntax.Assign, path []syntax.Node) {
	if a.Name == nil || a.Naked {
		return
	}
	var values []syntax.Node
	if a.Value != nil {
		values = append(values, a.Value)
	}
	if a.Array != nil {
		values = append(values, a.Array)
	}
	name := a.Name.Value
	t.add(name, a, path, values...)
	if last := len(t.events[name]) - 1; a.Append || a.Index != nil || commandLocal(path) {
		t.events[name][last].certain = false
	}
}

// commandLocal reports whether an assignment stands before a command.
func commandLocal(path []syntax.Node) bool {
	if len(path) < 2 {
		return false
	}
	call, ok := path[len(path)-2].(*syntax.CallExpr)
	return ok && len(call.Args) > 0
}

// collectCall collects what commands put into variables.
func (t *tracker) collectCall(n *syntax.CallExpr, nodes []syntax.Node) {
	c := &command{words: n.Args}
	for name := t.s.name(c); name == "command" || name == "builtin"; name = t.s.name(c) {
		c = &command{words: c.words[t.s.skip(c, wrappers[name]):]}
	}
	if len(c.words) == 0 {
		return
	}
	switch name := path.Base(t.s.read(c.words[0]).text); name {
	case "read", "mapfile", "readarray":
		values := t.s.inputs(nodes)
		for _, w := range t.s.nameOperands(c) {
			if a := t.s.read(w); a.full && isName(a.text) {
				t.add(a.text, n, nodes, values...)
			}
		}
	case "printf":
		if len(c.words) > 3 && t.s.read(c.words[1]).text == "-v" && !t.s.quotesAll(&command{words: c.words[2:]}) {
			t.addWords(t.s.read(c.words[2]).text, n, nodes, c.words[3:])
		}
	case "set":
		if len(c.words) > 2 && t.s.read(c.words[1]).text == "--" {
			start, _ := offsets(n)
			f, _ := around(t.functions, start)
			t.addParameters(f.function, n, nodes, c.words[2:])
		}
	default:
		if !t.s.tree.functions[name] {
			return
		}
		t.addParameters(name, n, nodes, c.words[1:])
	}
}

// addParameters records the arguments of a call as what $1, $2, … may hold in
// the function of that name.
func (t *tracker) addParameters(function string, n syntax.Node, path []syntax.Node, words []*syntax.Word) {
	if len(words) == 0 {
		return
	}
	add := func(parameter string, words []*syntax.Word) {
		name := function + "()" + parameter
		t.addWords(name, n, path, words)
		t.events[name][len(t.events[name])-1].certain = false
	}
	for i, w := range words[:min(9, len(words))] {
		add(string(rune('1'+i)), []*syntax.Word{w})
	}
	add("@", words)
	add("*", words)
}

// addTest records that a variable was tested to be a whole number.
func (t *tracker) addTest(x syntax.Node, at int) {
	w, ok := x.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length {
		name := t.scoped(p.Param.Value, at)
		t.events[name] = append(t.events[name], &event{name: name, at: at, tested: true})
	}
}

// isNumberPattern reports whether a regular expression matches whole numbers
// and nothing else.
func (t *tracker) isNumberPattern(w *syntax.Word) bool {
	start, end := offsets(w)
	pattern, ok := strings.CutPrefix(t.s.masked[start:end], "^")
	if !ok {
		return false
	}
	if pattern, ok = strings.CutSuffix(pattern, "$"); !ok {
		return false
	}
	for _, class := range []string{"[[:digit:]]", "[0-9]", "[1-9]"} {
		pattern = strings.ReplaceAll(pattern, class, "0")
	}
	return strings.Contains(pattern, "0") && strings.Trim(pattern, "0123456789-+*?{},()|") == ""
}

// hasNonDigitPattern reports whether a case statement singles out texts with
// anything but digits: *[!0-9]*.
func hasNonDigitPattern(n *syntax.CaseClause) bool {
	for _, item := range n.Items {
		for _, w := range item.Patterns {
			if lit := w.Lit(); lit == "*[!0-9]*" || lit == "*[^0-9]*" {
				return true
			}
		}
	}
	return false
}

// inputs returns the nodes whose text reaches the input of the command at the
// end of a path: here-documents, here-strings, pipes and process
// substitutions around it. The nearest redirection hides what is outside it.
func (s *script) inputs(path []syntax.Node) []syntax.Node {
	for i := len(path) - 1; i > 0; i-- {
		switch n := path[i].(type) {
		case *syntax.Stmt:
			if found := redirected(n); found != nil {
				return found
			}
			if i > 0 {
				if b, ok := path[i-1].(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && b.Y == n {
					return []syntax.Node{b.X}
				}
			}
		case *syntax.FuncDecl, *syntax.CmdSubst, *syntax.ProcSubst:
			return nil
		}
	}
	return nil
}

// redirected returns the nodes that a statement's own redirections feed to it.
func redirected(st *syntax.Stmt) []syntax.Node {
	for i := len(st.Redirs) - 1; i >= 0; i-- {
		r := st.Redirs[i]
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if r.Hdoc == nil {
				return []syntax.Node{}
			}
			return []syntax.Node{r.Hdoc}
		case syntax.WordHdoc:
			return []syntax.Node{r.Word}
		case syntax.RdrIn:
			if len(r.Word.Parts) == 1 {
				if p, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
					return []syntax.Node{p}
				}
			}
			return []syntax.Node{}
		}
	}
	return nil
}

package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// collectRead collects the variables that read and mapfile set.
func (t *tracker) collectRead(name string, c *command, n syntax.Node, nodes []syntax.Node) {
	values := t.inputs(nodes)
	if t.s.hasOption(c, "-u") {
		values = []syntax.Node{&lostNode{n, "what `" + name + "` reads"}}
	}
	names := t.s.nameOperands(c)
	if name == "read" {
		for i, w := range c.words[:max(0, len(c.words)-1)] {
			if a := t.s.read(w); a.full && strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "a") {
				names = append(names, c.words[i+1])
			}
		}
	}
	for _, w := range names {
		e := t.addTo(w, n, nodes, values...)
		e.added = true // a part of the input
	}
	if len(names) == 0 {
		name := cmp.Or(map[string]string{"read": "REPLY"}[name], "MAPFILE")
		t.add(name, n, nodes, values...).added = true
	}
}

// innerInput is the input of an inner program from outside it.
const innerInput = "the input of the program"

// feeds reports whether the input of the command at the end of a path is hostile.
func (t *tracker) feeds(nodes []syntax.Node) bool {
	return slices.ContainsFunc(t.inputs(nodes), func(n syntax.Node) bool {
		_, file := n.(*fileNode)
		return file || len(t.carriers(n)) > 0
	})
}

// ownInput reports whether the input of the command at the end of a path comes from
// within the script.
func (t *tracker) ownInput(nodes []syntax.Node) bool {
	return !slices.ContainsFunc(t.inputs(nodes), func(n syntax.Node) bool {
		lost, ok := n.(*lostNode)
		return ok && lost.what == innerInput
	})
}

// lostNode is text that the analysis loses sight of, at the place of a node.
type lostNode struct {
	syntax.Node
	what string
}

// printed is a printf that writes into a variable.
type printed struct{ *syntax.CallExpr }

func (t *tracker) collectSet(c *command, n syntax.Node, nodes []syntax.Node) {
	args := c.words[1:]
	for len(args) > 0 {
		a := t.s.read(args[0])
		if !a.full || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") {
			break
		}
		args = args[1:]
		if a.text == "--" {
			break
		}
		if (a.text == "-o" || a.text == "+o") && len(args) > 0 {
			args = args[1:]
		}
	}
	function := t.around(int(n.Pos().Offset()))
	if len(args) > 0 {
		t.addCall(function, args)
		t.addParameters(function, function, n, nodes, args)
	}
}

// addParameters records the arguments of a call as possible values of $1, $2, … in
// the function of that name, or in any by the name "()".
func (t *tracker) addParameters(function, name string, n syntax.Node, _ []syntax.Node, args []*syntax.Word) {
	_, end := offsets(n)
	add := func(parameter string, args []*syntax.Word) {
		scoped := function + "()" + parameter
		e := &event{name: scoped, at: end, values: nodesOf(args), function: nowhere}
		if name == "()" {
			if parameter == "@" {
				t.dynamic = append(t.dynamic, dynamicEvent{constantNode{n, "()@"}, &event{at: end, values: nodesOf(args), function: nowhere}})
			}
			return
		}
		t.list = append(t.list, e)
	}
	split := slices.IndexFunc(args, mayBeSeveral)
	for i := range 9 {
		switch {
		case split >= 0 && i >= split:
			add(strconv.Itoa(i+1), args[split:])
		case i < len(args):
			add(strconv.Itoa(i+1), args[i:i+1])
		}
	}
	add("@", args)
	add("*", args)
}

// constantNode is a fixed text at the place of a node.
type constantNode struct {
	syntax.Node
	text string
}

// mayBeSeveral reports whether a word may become several arguments, or none.
func mayBeSeveral(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ArithmExp:
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				if p, ok := inner.(*syntax.ParamExp); ok && (p.Param != nil && p.Param.Value == "@" || p.Index != nil) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// inputs returns the nodes whose text reaches the input of the command at the end
// of a path: here-documents, here-strings, pipes and process substitutions around
// it. The nearest redirection hides those outside it.
func (t *tracker) inputs(nodes []syntax.Node) []syntax.Node {
	for i := len(nodes) - 1; i > 0; i-- {
		switch n := nodes[i].(type) {
		case *syntax.Stmt:
			if found := redirected(n); found != nil {
				return found
			}
			if b, ok := nodes[i-1].(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && b.Y == n {
				return []syntax.Node{b.X}
			}
		case *syntax.FuncDecl:
			if n.Name == nil {
				return []syntax.Node{&lostNode{nodes[len(nodes)-1], "the input"}}
			}
			return []syntax.Node{&everything{nodes[len(nodes)-1], inputNameOf(n.Name.Value)}}
		case *syntax.ProcSubst:
			if n.Op == syntax.CmdOut {
				return []syntax.Node{&lostNode{nodes[len(nodes)-1], "the output of other commands"}}
			}
		case *syntax.CoprocClause:
			return []syntax.Node{&lostNode{nodes[len(nodes)-1], "the output of other commands"}}
		}
	}
	if t.s.tree.execInput {
		return []syntax.Node{&lostNode{nodes[len(nodes)-1], "the input that `exec` opens"}}
	}
	if t.s.fed && len(nodes) > 0 {
		return []syntax.Node{&lostNode{nodes[len(nodes)-1], innerInput}}
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
		case syntax.RdrIn, syntax.RdrInOut:
			if len(r.Word.Parts) == 1 {
				if p, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
					return []syntax.Node{p}
				}
			}
			if r.Word.Lit() == "/dev/null" {
				return []syntax.Node{}
			}
			return []syntax.Node{&fileNode{r.Word}}
		case syntax.DplIn:
			return []syntax.Node{&lostNode{r.Word, "the content of a descriptor"}}
		}
	}
	return nil
}

// fileNode is the content of the file that a word names.
type fileNode struct{ *syntax.Word }

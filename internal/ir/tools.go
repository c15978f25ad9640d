package ir

import (
	"slices"
)

// A Tool is a program that the steps of a workflow start.
type Tool struct {
	Name string
	// Step is the key of the first step that starts it.
	Step string
	// Needed says that every run that does not fail before gets there, and that the step
	// cannot do without it.
	Needed bool
}

// Tools returns the programs that the workflow and those that it runs start, each once:
// bash, the runtimes of scripts, git for worktrees, and the programs that scripts call by
// name. Agents are not among them.
func (w *Workflow) Tools() []Tool {
	t := tools{seen: map[*Workflow]bool{}, sure: map[*Node]bool{}}
	t.addWorkflowTools(w, "", true)
	return t.list
}

type tools struct {
	list []Tool
	// seen are the workflows around, which may run each other.
	seen map[*Workflow]bool
	sure map[*Node]bool
}

func (t *tools) addTool(name, step string, needed bool) {
	i := slices.IndexFunc(t.list, func(tool Tool) bool { return tool.Name == name })
	switch {
	case i < 0:
		t.list = append(t.list, Tool{name, step, needed})
	case needed && !t.list[i].Needed:
		t.list[i] = Tool{name, step, needed}
	}
}

// addWorkflowTools adds the tools of a workflow. around is the key of the step that runs it, with a
// slash, and certain says that every run gets there.
func (t *tools) addWorkflowTools(w *Workflow, around string, certain bool) {
	if t.seen[w] {
		return
	}
	t.seen[w] = true
	defer delete(t.seen, w)
	if w.Worktree != nil && *w.Worktree && around == "" {
		t.addTool("git", "", true)
	}
	_, graph := w.Body.(*Graph)
	open := setsPath(w.Env) || setsPath(w.MoreEnv) || setsPath(w.Environment)
	for _, n := range w.Body.All() {
		t.addNodeTools(n, around, certain && !graph && !open, open)
	}
}

// setsPath reports whether an environment decides where programs are.
func setsPath(env []EnvVar) bool {
	return slices.ContainsFunc(env, func(v EnvVar) bool { return v.Name == "PATH" })
}

// addNodeTools adds the tools of a node and of those inside it. certain says that every run gets to
// the body of the node, and open that the node's PATH is unknown.
func (t *tools) addNodeTools(n *Node, around string, certain, open bool) {
	certain = certain && t.alwaysReaches(n)
	step := around + n.ID
	for _, a := range n.ownActions() {
		switch a := a.(type) {
		case *Bash:
			open := open || setsPath(a.Env)
			t.addTool("bash", step, certain && !open)
			for _, name := range a.Calls {
				if !open {
					t.addTool(name, step, false)
				}
			}
		case *Script:
			name := a.Runtime
			if name == "python" {
				name = "python3"
			}
			t.addTool(name, step, certain && !open && !setsPath(a.Env))
		case *Call:
			if a.Worktree {
				t.addTool("git", step, certain)
			}
			t.addWorkflowTools(a.Callee.Workflow, step+"/", certain && a.Fan == nil)
		}
	}
	switch a := n.Action.(type) {
	case *ForEach:
		certain = false // its list may be empty
	case *Block:
		certain = certain && a.Fan == nil
	}
	for _, inner := range n.Inner() {
		t.addNodeTools(inner, around, certain, open)
	}
}

// ownActions returns the actions of a node without those of the nodes inside it.
func (n *Node) ownActions() []Action {
	list := []Action{n.Action}
	if l, ok := n.Action.(*Loop); ok && l.Until != nil {
		list = append(list, l.Until)
	}
	return list
}

// alwaysReaches reports whether every run of the node's body that does not fail before gets to the
// node.
func (t *tools) alwaysReaches(n *Node) bool {
	known, ok := t.sure[n]
	if !ok {
		known = n.When == nil && n.Given == nil && (n.Include == nil || t.alwaysReaches(n.Include)) &&
			!slices.ContainsFunc(n.Needs, func(need *Need) bool { return !need.Order && !t.alwaysReaches(need.Node) })
		t.sure[n] = known
	}
	return known
}

package ir

import "github.com/wfc-lang/wfc/compiler/source"

// NodeTags are the tags that the configuration gives to a node.
type NodeTags struct {
	Node string
	// At is the place of the node's name.
	At source.Span
	// Whole says that the configuration names the workflow's file, so that the node must
	// exist.
	Whole bool
	Tags  []string
}

// Actions returns the actions of a node and of the nodes inside it, the node's own first.
func (n *Node) Actions() []Action {
	list := []Action{n.Action}
	switch a := n.Action.(type) {
	case *Loop:
		if a.Until != nil {
			list = append(list, a.Until)
		}
	case *Approval:
		if a.Rework != nil {
			list = append(list, a.Rework)
		}
	case *Join:
		if a.Prompt != nil {
			list = append(list, a.Prompt)
		}
	}
	for _, inner := range n.Inner() {
		list = append(list, inner.Actions()...)
	}
	return list
}

// FilesNode returns the first node whose work uses the folders of the run, or nil if no
// node does: one that runs a program, or asks an agent that is a program or is given files.
// program reports whether an agent is a program.
func (w *Workflow) FilesNode(program func(agent string) bool) *Node {
	for _, n := range w.Body.All() {
		for _, a := range n.Actions() {
			switch a := a.(type) {
			case *Bash, *Script:
				return n
			case *Prompt:
				if program(a.Agent.Name) || len(a.Files) > 0 {
					return n
				}
			}
		}
	}
	return nil
}

// SessionNode returns the first node that continues a session of its agent, in the same run
// or in the next one, or nil.
func (w *Workflow) SessionNode() *Node {
	for _, n := range w.Body.All() {
		if loop, ok := n.Action.(*Loop); ok && loop.repeatsPrompt() {
			return n
		}
		for _, a := range n.Actions() {
			if p, ok := a.(*Prompt); ok && (p.Persist || p.Resumes != "" || len(p.Continues)+len(p.ContinuesPrevious) > 0) {
				return n
			}
		}
	}
	return nil
}

// repeatsPrompt reports whether the loop repeats a prompt that remembers the iterations
// before.
func (l *Loop) repeatsPrompt() bool {
	body, ok := l.Body.(*Sequence)
	if !ok || l.FreshSession || l.Max == 1 || len(body.Nodes) != 1 {
		return false
	}
	p, ok := body.Nodes[0].Action.(*Prompt)
	return ok && !p.Agent.FreshSession
}

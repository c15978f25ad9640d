package ir

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
)

// Walk calls visit for the nodes of a body in definition order, each followed by
// those inside it: the bodies of loops, the children of forks. A body that is nil
// has none.
func Walk(b Body, visit func(*Node)) {
	if b == nil {
		return
	}
	for _, n := range b.All() {
		n.Walk(visit)
	}
}

// Walk calls visit for a node and those inside it.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, inner := range n.Inner() {
		inner.Walk(visit)
	}
}

// Inner returns the nodes inside a node: the body of a loop, the children of a
// fork.
func (n *Node) Inner() []*Node {
	switch a := n.Action.(type) {
	case *Loop:
		if a.Body != nil {
			return a.Body.All()
		}
	case *Block:
		return a.Body.Nodes
	case *ForEach:
		return []*Node{a.Body}
	case *Repeat:
		return []*Node{a.Body}
	case *Fork:
		return a.Nodes
	}
	return nil
}

// InnerDAG returns the DAG inside a node, or nil.
func (n *Node) InnerDAG() *DAG {
	switch a := n.Action.(type) {
	case *Loop:
		dag, _ := a.Body.(*DAG)
		return dag
	case *Block:
		return a.Body
	}
	return nil
}

// Fan returns the list for whose items a node runs, or nil.
func (n *Node) Fan() *Fan {
	switch a := n.Action.(type) {
	case *Call:
		return a.Fan
	case *Block:
		return a.Fan
	}
	return nil
}

// WrittenText returns the text of a program or a prompt as it is written, or nil.
func WrittenText(a Action) *template.Template {
	switch a := a.(type) {
	case *Bash:
		return a.Original
	case *Script:
		return a.Original
	case *Prompt:
		return a.Text
	}
	return nil
}

// Local returns the name that a node has in its body; see Node.ID.
func (n *Node) Local() string { return n.ID[n.local:] }

// Prefix puts a prefix before the id of a node, those of the nodes inside it, and those of
// the nodes whose conversations they continue.
func (n *Node) Prefix(prefix string) {
	n.Walk(func(inner *Node) {
		local := inner.local
		if local > 0 {
			local += len(prefix)
		}
		inner.addIDPrefix(prefix, local)
	})
}

func (n *Node) addIDPrefix(prefix string, local int) {
	n.ID, n.local = prefix+n.ID, local
	if p, ok := n.Action.(*Prompt); ok {
		for i := range p.Continues {
			p.Continues[i] = prefix + p.Continues[i]
		}
		for i := range p.ContinuesPrevious {
			p.ContinuesPrevious[i] = prefix + p.ContinuesPrevious[i]
		}
		if p.Resumes != "" {
			p.Resumes = prefix + p.Resumes
		}
	}
}

// Rename sets the id of a node in the body of the node with the id around, and of the
// nodes that it repeats under its own name. Nodes inside it that are named within their
// bodies keep these names as suffixes.
func (n *Node) Rename(around string) {
	old := n.ID
	n.Walk(func(inner *Node) {
		switch {
		case inner == n || inner.ID == old:
			inner.ID, inner.local = around+"."+old, len(around)+1
		case inner.local > 0:
			inner.addIDPrefix(around+".", inner.local+len(around)+1)
		}
	})
}

// IDs returns the ids of nodes.
func IDs(nodes []*Node) []string {
	return plain.Texts(nodes, func(n *Node) string { return n.ID })
}

// TargetNames returns the names of targets.
func TargetNames(targets []Target) []string {
	return plain.Texts(targets, func(t Target) string { return t.Name })
}

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

// TagsOf returns the tags that a worker needs to perform a node of the workflow's body.
func (w *Workflow) TagsOf(n *Node) []string {
	var tags []string
	for _, t := range w.NodeTags {
		if t.Node == n.ID && slices.Contains(w.Body.All(), n) {
			tags = append(tags, t.Tags...)
		}
	}
	return tags
}

// AllActions returns the actions of a node and of the nodes inside it, the node's own first.
func (n *Node) AllActions() []Action {
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
		list = append(list, inner.AllActions()...)
	}
	return list
}

// Prompts returns the prompts of a node and of those inside it.
func (n *Node) Prompts() (list []*Prompt) {
	for _, a := range n.AllActions() {
		if p, ok := a.(*Prompt); ok {
			list = append(list, p)
		}
	}
	return list
}

// FilesNode returns the first node whose work uses the folders of the run, or nil if no
// node does: one that runs a program, or asks an agent that is a program or is given files.
// program reports whether an agent is a program.
func (w *Workflow) FilesNode(program func(agent string) bool) *Node {
	for _, n := range w.Body.All() {
		for _, a := range n.AllActions() {
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

// PromptsOnly reports whether only agents could change files of the checkout, and no prompt
// lets its agent do more than the agent's settings permit.
func (w *Workflow) PromptsOnly() bool {
	for _, n := range w.Body.All() {
		if n.ReadOnly { // it compares the checkout, so no other run may change that
			return false
		}
		for _, a := range n.AllActions() {
			switch a := a.(type) {
			case *Approval, *Cancel, *Fail, *Include, *Block, *Loop, *Wait:
			case *Prompt:
				if slices.ContainsFunc(a.Agent.Options, mayPermitChanges) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// harmless are the options of prompts that let an agent do nothing more.
var harmless = []string{
	"systemPrompt", "effort", "modelReasoningEffort", "thinking", "maxBudgetUsd", "fallbackModel", "betas", "webSearchMode", "denied_tools",
}

// mayPermitChanges reports whether an option of a prompt may let the agent change files.
func mayPermitChanges(o Option) bool {
	return !slices.Contains(harmless, o.Name) && (o.Name != "allowed_tools" || o.JSON != "[]")
}

// SessionNode returns the first node that continues a session of its agent, in the same run
// or in the next one, or nil.
func (w *Workflow) SessionNode() *Node {
	for _, n := range w.Body.All() {
		if loop, ok := n.Action.(*Loop); ok && loop.repeatsPrompt() {
			return n
		}
		for _, a := range n.AllActions() {
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

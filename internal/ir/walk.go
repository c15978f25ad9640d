package ir

// Walk calls visit for the nodes of a body in definition order, each followed by
// those inside it: the bodies of loops, the children of forks. A body that is nil
// has none.
func Walk(b Body, visit func(*Node)) {
	if b == nil {
		return
	}
	for _, n := range b.All() {
		n.walk(visit)
	}
}

func (n *Node) walk(visit func(*Node)) {
	visit(n)
	for _, inner := range n.Inner() {
		inner.walk(visit)
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
	case *ForEach:
		return []*Node{a.Body}
	case *Again:
		return []*Node{a.Body}
	case *Fork:
		return a.Nodes
	}
	return nil
}

package jinja

import "github.com/wfc-lang/wfc/internal/types"

// Conditions guard names that may be undefined: where `x is defined` holds, reading
// x is not a fault.

// pathOf is a name, or an attribute of one, as a text; "" for anything else.
func pathOf(n node) string {
	switch n := n.(type) {
	case *nameNode:
		return n.name
	case *attrNode:
		if x := pathOf(n.x); x != "" {
			return x + "." + n.name
		}
	case *itemNode:
		if key, ok := n.key.(*literalNode); ok && key.typ == types.Text {
			if x := pathOf(n.x); x != "" {
				return x + "." + key.text
			}
		}
	}
	return ""
}

// definedNames returns the names that are defined where a condition holds, and where it
// does not.
func definedNames(n node) (yes, no []string) {
	switch n := n.(type) {
	case *testNode:
		path := pathOf(n.x)
		if path == "" || n.name != "defined" && n.name != "undefined" {
			return nil, nil
		}
		if (n.name == "defined") != n.not {
			return []string{path}, nil
		}
		return nil, []string{path}
	case *unaryNode:
		if n.op == "not" {
			yes, no = definedNames(n.x)
			return no, yes
		}
	case *binaryNode:
		x, notX := definedNames(n.x)
		y, notY := definedNames(n.y)
		switch n.op {
		case "and":
			return append(x, y...), nil
		case "or":
			return nil, append(notX, notY...)
		}
	}
	return nil, nil
}

// countGuards counts conditions that begin (1) or end (-1) to hold.
func (l *lowerer) countGuards(paths []string, by int) {
	for _, p := range paths {
		l.guards[p] += by
	}
}

// withGuards runs do where paths are defined.
func (l *lowerer) withGuards(paths []string, do func()) {
	l.countGuards(paths, 1)
	do()
	l.countGuards(paths, -1)
}

// isGuarded reports whether the value that n reads is known to be defined.
func (l *lowerer) isGuarded(n node) bool {
	if len(l.guards) == 0 {
		return false
	}
	path := pathOf(n)
	return path != "" && l.guards[path] > 0
}

package jinja

import "github.com/wfc-lang/wfc/internal/types"

// A template is first parsed into a tree without resolving names: the meaning of a
// name depends on later statements, and the type of a variable on all places that
// set it.

// place is a range of bytes in the template's text.
type place struct{ start, end int }

func (p place) where() place { return p }

// spanTo returns the place from the start of p to the end of q.
func (p place) spanTo(q place) place { return place{p.start, max(p.end, q.end)} }

// node is an expression.
type node interface {
	where() place
}

type (
	// badNode replaces a part with a reported fault.
	badNode  struct{ place }
	nameNode struct {
		place
		name string
	}
	// literalNode is a constant; text is as in expr.Literal.
	literalNode struct {
		place
		text string
		typ  types.Type
	}
	attrNode struct {
		place
		x    node
		name string
		at   place // of the name
		dot  int
	}
	itemNode struct {
		place
		x, key node
	}
	// sliceNode is the content of brackets; each part may be nil.
	sliceNode struct {
		place
		low, high, step node
	}
	callNode struct {
		place
		fn   node
		args []argument
	}
	// filterNode has a nil x at the beginning of a filter block.
	filterNode struct {
		place
		x    node
		name string
		at   place
		args []argument
	}
	testNode struct {
		place
		x    node
		name string
		at   place
		not  bool
		args []argument
	}
	// binaryNode computes, or connects by and, or.
	binaryNode struct {
		place
		op   string
		opAt place
		x, y node
	}
	// unaryNode is - + not.
	unaryNode struct {
		place
		op string
		x  node
	}
	concatNode struct {
		place
		parts []node
	}
	compareNode struct {
		place
		x     node
		links []comparison
	}
	chooseNode struct {
		place
		cond, then, els node // els may be nil
	}
	listNode struct {
		place
		items []node
		tuple bool
	}
	dictNode struct {
		place
		keys, values []node
	}
	// fieldNode is namespace.name on the left of a set.
	fieldNode struct {
		place
		object nameNode
		name   string
	}
)

type comparison struct {
	op string
	at place
	y  node
}

// argument is one of a call; name is its keyword and stars 1 of *x, 2 of **x.
type argument struct {
	name  string
	at    place
	stars int
	value node
}

// stmt is a part of a template.
type stmt interface {
	where() place
}

type (
	// textStmt is literal text; value has none of the white space that tags cut.
	textStmt struct {
		place
		value string
	}
	// printStmt is a hole, or a print statement with several values.
	printStmt struct {
		place
		values []node
	}
	ifStmt struct {
		place
		branches []branch
		els      []stmt
	}
	forStmt struct {
		place
		target      node
		items       node
		where_      node // nil when every item counts
		body, els   []stmt
		recursiveAt place
	}
	// setStmt has a value or, when that is nil, a body with perhaps filters, the
	// innermost of which has no x.
	setStmt struct {
		place
		target  node
		value   node
		filters node
		body    []stmt
	}
	withStmt struct {
		place
		targets, values []node
		body            []stmt
	}
	macroStmt struct {
		place
		name   string
		at     place
		params []parameter
		body   []stmt
	}
	callStmt struct {
		place
		head   place // the first tag
		params []parameter
		call   *callNode
		body   []stmt
	}
	filterStmt struct {
		place
		filters node
		body    []stmt
	}
	// blockStmt is statements on their own, of a tag that was reported.
	blockStmt struct {
		place
		body []stmt
	}
)

type branch struct {
	cond node
	body []stmt
}

type parameter struct {
	name  string
	at    place
	value node // the default, or nil
}

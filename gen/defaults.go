package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

// Settings that the file leaves to the format. The code says so where the value stands: by the
// name of a constant, or in a comment.

const (
	defaultTimeoutID  = "defaultTimeout"
	humanTimeoutID    = "defaultHumanTimeout"
	defaultParallelID = "defaultParallel"
)

// defaultIDs are the constants that a file may declare.
var defaultIDs = []string{defaultTimeoutID, humanTimeoutID, defaultParallelID}

// timeout is the code of the time limit of a node, or nil.
func timeout(n *ir.Node) *jen.Statement {
	switch _, human := n.Action.(*ir.Human); {
	case n.Timeout == 0:
		return nil
	case n.TimeoutSpan.IsValid():
		return duration(n.Timeout)
	case human:
		return jen.Id(humanTimeoutID)
	}
	return jen.Id(defaultTimeoutID)
}

// parallel is the code of the number of items at the same time, or nil.
func parallel(f *ir.Fan) *jen.Statement {
	switch {
	case f.Max == 0:
		return nil
	case f.MaxSpan.IsValid():
		return jen.Lit(f.Max)
	}
	return jen.Id(defaultParallelID)
}

// defaultConsts declares the constants that the flow uses.
func (g flowWriter) defaultConsts(f *jen.File) {
	values := map[string]*jen.Statement{}
	for _, n := range g.nodes {
		eachNode(n.Node, func(n *ir.Node) {
			if n.Timeout > 0 && !n.TimeoutSpan.IsValid() {
				_, human := n.Action.(*ir.Human)
				values[map[bool]string{false: defaultTimeoutID, true: humanTimeoutID}[human]] = duration(n.Timeout)
			}
			if fan := fanOf(n); fan != nil && fan.Max > 0 && !fan.MaxSpan.IsValid() {
				values[defaultParallelID] = jen.Lit(fan.Max)
			}
		})
	}
	docs := map[string]string{
		defaultTimeoutID:  " is the timeout of nodes for which the file sets none.",
		humanTimeoutID:    " is the timeout of nodes that ask a person, if the file sets none.",
		defaultParallelID: " is the number of items at the same time where the file sets none.",
	}
	for _, id := range defaultIDs {
		if value := values[id]; value != nil {
			g.doc(f, id+docs[id])
			f.Const().Id(id).Op("=").Add(value)
		}
	}
}

// fanOf is how a node runs for each item of a list, or nil.
func fanOf(n *ir.Node) *ir.Fan {
	switch a := n.Action.(type) {
	case *ir.Call:
		return a.Fan
	case *ir.Block:
		return a.Fan
	}
	return nil
}

// defaultNote marks the value of a field.
const defaultNote = "the default"

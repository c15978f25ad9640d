package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

// Settings that the file leaves to the format. The code says so where the value stands: by the
// name of a constant, or in a comment.

// defaultConsts declares the constants that the flow uses.
func (g flowWriter) defaultConsts(f *jen.File) {
	values := map[string]*jen.Statement{}
	for _, n := range g.nodes {
		n.Walk(func(n *ir.Node) {
			if n.Timeout > 0 && !n.TimeoutSpan.IsValid() {
				_, human := n.Action.(*ir.Human)
				values[map[bool]string{false: defaultTimeoutID, true: humanTimeoutID}[human]] = durationCode(n.Timeout)
			}
			if fan := n.Fan(); fan != nil && fan.Max > 0 && !fan.MaxSpan.IsValid() {
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
			g.writeDoc(f, id+docs[id])
			f.Const().Id(id).Op("=").Add(value)
		}
	}
}

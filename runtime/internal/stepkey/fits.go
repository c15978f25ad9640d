package stepkey

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Fits reports whether what a run has completed can be taken over by a
// definition: every completed step is one of its nodes, of the same kind, or
// belongs to one.
func Fits(def *flow.Definition, recorded []flow.Record) error {
	nodes := NewNodes(def.Nodes)
	for _, r := range recorded {
		if r.Status != flow.Completed || def.Graph != nil && OfWalk(r.Key) {
			continue
		}
		n, ok := nodes.Of(r.Key)
		switch {
		case !ok:
			return fmt.Errorf("the run cannot be moved to this build: it has completed step `%s`, which this build does not have", r.Key)
		case n.Key == r.Key && n.Kind != r.Kind:
			return fmt.Errorf("the run cannot be moved to this build: it has completed step `%s` as a %s node, which is a %s node here", r.Key, r.Kind, n.Kind)
		}
	}
	return nil
}

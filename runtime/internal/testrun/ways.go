package testrun

import (
	"regexp"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// ways adds the facts `way` about the steps of a sequence. Other workflows get some, too,
// which nothing reads.
func (o *Observed) ways(h Hits, ends map[string][]flow.Record) {
	broken := false // a step before did not complete
	for _, n := range o.definition.Nodes {
		o.way(h, n, n.Key, ends)
		for _, r := range ends[n.Key] {
			if r.Key != n.Key {
				continue
			}
			switch {
			case n.Finally && ran(r) && broken:
				h["way "+dotted(n.Key)+" failed"]++
			case n.Finally && ran(r):
				h["way "+dotted(n.Key)+" completed"]++
			}
			broken = broken || r.Status == flow.Failed || r.Status == flow.Cancelled
		}
		if len(ends[n.Key]) == 0 {
			broken = true // the run ended before it
		}
	}
	for _, e := range o.Entries {
		node, ok := o.names.nodeOf(e.Step)
		if ok && e.Question != nil && e.Result.Meta.Choice != "" {
			h["way "+dotted(node.Key)+" "+e.Result.Meta.Choice]++
		}
	}
	if o.End.Status == flow.Completed {
		h["way END"]++
	}
}

// ran reports whether the step of a record started.
func ran(r flow.Record) bool {
	return r.Status != flow.Pending && (r.Status != flow.Skipped || r.Reason == kernel.SkipTimeout)
}

// way adds the facts about a step and its parts.
func (o *Observed) way(h Hits, n flow.NodeInfo, key string, ends map[string][]flow.Record) {
	id := "way " + dotted(key) + " "
	for _, r := range ends[key] {
		switch {
		case ran(r):
			h[id+"run"]++
		case r.Reason == kernel.SkipCondition:
			h[id+"skip"]++
		case r.Reason == kernel.SkipGiven:
			h[id+"given"]++
		}
		if isIteration(r.Key) {
			continue
		}
		switch {
		case r.Failure != nil && r.Failure.Reason == "max_iterations":
			h[id+"limit"]++
		case r.Status == flow.Completed:
			h[id+"done"]++
		}
	}
	switch n.Kind {
	case "for", "while", "repeat":
		o.iterated(h, id, key, ends)
	}
	for _, inner := range n.Inside {
		if of := insideKey(n.Kind, key, inner.Key); of != key {
			o.way(h, inner, of, ends)
		} else {
			for _, branch := range inner.Inside { // a `parallel` that a loop repeats
				o.way(h, branch, insideKey(inner.Kind, key, branch.Key), ends)
			}
		}
	}
}

// iterated adds the facts about the iterations of a loop.
func (o *Observed) iterated(h Hits, id, key string, ends map[string][]flow.Record) {
	seen := map[string]bool{}
	for _, r := range o.Steps {
		rest, ok := strings.CutPrefix(r.Key, key)
		if m := firstIteration().FindString(rest); ok && m != "" && r.Status != flow.Skipped && r.Status != flow.Pending {
			seen[m] = true
		}
	}
	if len(seen) > 0 {
		h[id+"item"]++
	}
	if len(seen) > 1 {
		h[id+"next"]++
		h[id+"repeat"]++
	}
	for _, r := range ends[key] {
		if r.Key == key && r.Status == flow.Completed && len(seen) == 0 {
			h[id+"empty"]++
		}
	}
}

// lastIteration is the number of an iteration at the end of an address.
var lastIteration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:[#@][0-9]+|\[[0-9]+\]|/(?:attempt|make)[0-9]+)$`) })

// isIteration reports whether a step is an iteration or a repetition, not a whole node.
func isIteration(key string) bool { return lastIteration().MatchString(key) }

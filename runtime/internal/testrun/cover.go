package testrun

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Hits are the facts of a run that coverage counts, by name:
//
//	node ID                a node ran
//	edge FROM TO           a node ran after another one that ran; in a state graph, the
//	                       walk took the edge. START and END are its ends.
//	when ID true|false     the result of a condition
//	rule ID skipped|failed a trigger rule saw an input that ended so
//	loop ID done|limit|error|repeat
//	gate ID CHOICE         the answer of a person
//	retry ID               a second attempt
//	alt ID PATH VALUE      a bool, null or short string in a structured output
//
// and in a sequence of steps:
//
//	way ID run|skip|given        the run came to the step, or went past it by its condition
//	                             or by the input that replaces it
//	way ID completed|failed      the step of `finally` ran after such an end of those before
//	way ID item|next|empty       a loop over items came to the first item, to another one, or
//	                             had none
//	way ID repeat|done|limit     a loop came to another iteration, or ended so
//	way ID CHOICE                the answer of a person
//	way END                      the run completed
//
// ID is the key of a node with dots between the parts. Nodes of child runs are not in it:
// their workflow has its own tests.
type Hits map[string]int

// longestAlternative bounds the strings of `alt`, and deepestAlternative the depth.
const (
	longestAlternative = 80
	deepestAlternative = 8
)

// Hits returns the facts of the run.
func (o *Observed) Hits() Hits {
	h := Hits{}
	ends := map[string][]flow.Record{} // own steps by node
	for _, r := range o.Steps {
		if node, ok := o.names.nodeOf(r.Key); ok && staticKey(r.Key) == node.Key {
			ends[node.Key] = append(ends[node.Key], r)
		}
	}
	h.addNodes(o.definition.Nodes, func(key string) string { return key }, ends)
	for _, e := range o.Entries {
		node, ok := o.names.nodeOf(e.Step)
		if !ok {
			continue
		}
		switch id := dottedKey(node.Key); {
		case e.Question != nil && e.Result.Meta.Choice != "":
			h["gate "+id+" "+e.Result.Meta.Choice]++
		case e.Question == nil && e.Attempt > 1:
			h["retry "+id]++
		}
	}
	for _, m := range o.moves {
		h["edge "+m[0]+" "+m[1]]++
	}
	o.addWays(h, ends)
	return h
}

func dottedKey(key string) string { return strings.ReplaceAll(key, "/", ".") }

// addNodes adds the facts about nodes and those inside them. whole returns the whole key for
// one that a node of the same body has.
func (h Hits) addNodes(nodes []flow.NodeInfo, whole func(key string) string, ends map[string][]flow.Record) {
	for _, n := range nodes {
		key := whole(n.Key)
		for _, r := range ends[key] {
			h.addNode(dottedKey(key), n, r, func(dep string) (string, []flow.Record) { return dottedKey(whole(dep)), ends[whole(dep)] })
		}
		h.addNodes(n.Inside, func(inner string) string { return insideKey(n.Kind, key, inner) }, ends)
	}
}

// addNode adds the facts about an end of a node.
func (h Hits) addNode(id string, n flow.NodeInfo, r flow.Record, dependency func(key string) (id string, ends []flow.Record)) {
	if r.Status == flow.Pending {
		return
	}
	ran := hasStarted(r)
	if ran {
		h["node "+id]++
	}
	if n.When != "" && (ran || r.Reason == kernel.SkipCondition) {
		h["when "+id+" "+strconv.FormatBool(ran)]++
	}
	for _, dep := range n.After {
		from, ends := dependency(dep)
		for _, before := range ends {
			switch before.Status {
			case flow.Skipped:
				h["rule "+id+" skipped"]++
				if ran {
					h["past "+from+" "+id]++
				}
				continue
			case flow.Failed:
				h["rule "+id+" failed"]++
			}
			if ran {
				h["edge "+from+" "+id]++
			}
		}
	}
	if r.Status == flow.Completed {
		h.addAlternatives(id, r.Text)
	}
	switch {
	case isIteration(r.Key): // its end is not that of the loop
	case r.Status == flow.Completed:
		h["loop "+id+" done"]++
	case r.Failure != nil && r.Failure.Reason == "max_iterations":
		h["loop "+id+" limit"]++
	case r.Status == flow.Failed:
		h["loop "+id+" error"]++
	}
}

// addAlternatives adds the values of a structured output.
func (h Hits) addAlternatives(id, text string) {
	var v any
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &v) != nil {
		return
	}
	var visit func(v any, path string, depth int)
	visit = func(v any, path string, depth int) {
		if depth > deepestAlternative {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for key, field := range v {
				visit(field, path+"."+key, depth+1)
			}
		case []any:
			for _, element := range v {
				visit(element, path+"[]", depth+1)
			}
		case nil, bool:
			text, _ := json.Marshal(v) // it always encodes
			h["alt "+id+" "+path+" "+string(text)]++
		case string:
			if len(v) <= longestAlternative {
				text, _ := json.Marshal(v) // it always encodes
				h["alt "+id+" "+path+" "+string(text)]++
			}
		}
	}
	visit(v, "", 0)
}

// addWays adds the facts `way` about the steps of a sequence. Other workflows get some, too,
// which nothing reads.
func (o *Observed) addWays(h Hits, ends map[string][]flow.Record) {
	broken := false // a step before did not complete
	for _, n := range o.definition.Nodes {
		o.addWay(h, n, n.Key, ends)
		for _, r := range ends[n.Key] {
			if r.Key != n.Key {
				continue
			}
			switch {
			case n.Finally && hasStarted(r) && broken:
				h["way "+dottedKey(n.Key)+" failed"]++
			case n.Finally && hasStarted(r):
				h["way "+dottedKey(n.Key)+" completed"]++
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
			h["way "+dottedKey(node.Key)+" "+e.Result.Meta.Choice]++
		}
	}
	if o.End.Status == flow.Completed {
		h["way END"]++
	}
}

// hasStarted reports whether the step of a record started.
func hasStarted(r flow.Record) bool {
	return r.Status != flow.Pending && (r.Status != flow.Skipped || r.Reason == kernel.SkipTimeout)
}

// addWay adds the facts about a step and its parts.
func (o *Observed) addWay(h Hits, n flow.NodeInfo, key string, ends map[string][]flow.Record) {
	id := "way " + dottedKey(key) + " "
	for _, r := range ends[key] {
		switch {
		case hasStarted(r):
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
		o.addIterations(h, id, key, ends)
	}
	for _, inner := range n.Inside {
		if of := insideKey(n.Kind, key, inner.Key); of != key {
			o.addWay(h, inner, of, ends)
		} else {
			for _, branch := range inner.Inside { // a `parallel` that a loop repeats
				o.addWay(h, branch, insideKey(inner.Kind, key, branch.Key), ends)
			}
		}
	}
}

// addIterations adds the facts about the iterations of a loop.
func (o *Observed) addIterations(h Hits, id, key string, ends map[string][]flow.Record) {
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

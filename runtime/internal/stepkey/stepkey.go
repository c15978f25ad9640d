// Package stepkey reads the keys of steps: static paths with iteration numbers, such as
// `fix#3`, `items[2]`, `review@5` or `gate/rework#1`.
package stepkey

import (
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// separators are the characters before the parts of a step.
const separators = "#[@/"

// Quota begins the part of a step's key that is a wait for its agent's quota; a number follows.
const Quota = "/quota#"

// Budget begins the part of a step's key that is a wait for a budget, or the question whether to
// exceed it; a number follows.
const Budget = "/budget#"

// IsBudget reports whether a step is a wait for a budget, or the question whether to exceed it.
func IsBudget(step string) bool { return strings.Contains(step, Budget) }

// PartOf reports whether a step is a node's own step or a part of it.
func PartOf(step, node string) bool {
	rest, ok := strings.CutPrefix(step, node)
	return ok && (rest == "" || strings.IndexByte(separators, rest[0]) >= 0)
}

// Matches reports whether a step is meant by the name of a node or a step: it is that step or
// a part of it. For a node inside another one, the name may leave out the number of the
// iteration, or have it: `fix.test` and `fix#2.test`.
func Matches(step, name string) bool { return PartOf(step, name) || PartOf(Static(step), name) }

// Static returns the key of a node inside others without the numbers of iterations and
// items: `fix#2.test` is `fix.test`. Other keys stay as they are.
func Static(key string) string {
	return numbers().ReplaceAllString(key, ".")
}

// numbers are the iterations, items and attempts before a node that is inside another one.
var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:/attempt\d+)?(?:#\d+|\[\d+\])\.`) })

// Unnumbered returns a key without the numbers of iterations, attempts and repetitions:
// "gate/rework#1" is a turn of "gate/rework", "items[2]/ask" of "items/ask", "fix/attempt2#1"
// and "fix/make2" of "fix".
func Unnumbered(key string) string {
	return iterations().ReplaceAllString(attempts().ReplaceAllString(key, "$1"), "")
}

var (
	// attempts are the numbers of attempts at a loop, and of repetitions for a reviewer;
	// iterations are those of iterations.
	attempts   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(?:attempt|make)[0-9]+([#/[]|$)`) })
	iterations = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[#@][0-9]+|\[[0-9]+\]`) })
)

// Inside returns the node inside another one that a step is, such as `fix#2.test`; ok is
// false for other steps.
func Inside(nodes []flow.NodeInfo, step string) (node flow.NodeInfo, ok bool) {
	if name := Static(step); name != step {
		return findInside(nodes, name)
	}
	return flow.NodeInfo{}, false
}

func findInside(nodes []flow.NodeInfo, name string) (flow.NodeInfo, bool) {
	for _, n := range nodes {
		rest, ok := strings.CutPrefix(name, n.Key+".")
		if !ok {
			continue
		}
		for _, inner := range n.Inside {
			if inner.Key == rest {
				return inner, true
			}
		}
		if found, ok := findInside(n.Inside, rest); ok {
			return found, true
		}
	}
	return flow.NodeInfo{}, false
}

// OfWalk reports whether a step of a state graph's run belongs to no node but to the
// start or the end of the walk.
func OfWalk(step string) bool { return PartOf(step, "START") || PartOf(step, "END") }

// Nodes finds the node of a step in time that depends on the length of the step's key
// alone, so that a command can ask for each of a hundred thousand steps.
type Nodes struct{ byKey map[string]*flow.NodeInfo }

// NewNodes returns the index of nodes, which must not change afterwards. If several nodes
// have one key, the first counts.
func NewNodes(nodes []flow.NodeInfo) Nodes {
	byKey := make(map[string]*flow.NodeInfo, len(nodes))
	for i := range nodes {
		if byKey[nodes[i].Key] == nil {
			byKey[nodes[i].Key] = &nodes[i]
		}
	}
	return Nodes{byKey}
}

// Of returns the node that has a step. An id may contain the characters that
// separate parts, so the node with the longest matching id wins.
func (n Nodes) Of(step string) (node flow.NodeInfo, ok bool) {
	for key := range Enclosing(step) {
		if found := n.byKey[key]; found != nil {
			node, ok = *found, true
		}
	}
	return node, ok
}

// NodeOf is Nodes.Of for one step.
func NodeOf(nodes []flow.NodeInfo, step string) (node flow.NodeInfo, ok bool) {
	for i := range nodes {
		if PartOf(step, nodes[i].Key) && (!ok || len(nodes[i].Key) > len(node.Key)) {
			node, ok = nodes[i], true
		}
	}
	return node, ok
}

// Keys are the keys of a run's steps.
type Keys map[string]bool

// KeysOf returns the keys of steps.
func KeysOf(steps []flow.Record) Keys {
	keys := make(Keys, len(steps))
	for i := range steps {
		keys[steps[i].Key] = true
	}
	return keys
}

// Outermost returns the shortest key of which a step is a part, or the step's own key. It
// needs no definition: a run may be of a workflow that this program does not know.
func (k Keys) Outermost(step string) string {
	for key := range Enclosing(step) {
		if k[key] {
			return key
		}
	}
	return step
}

// Costs are the sums of the costs of the parts of steps, by the key of each step that has
// parts with costs.
type Costs map[string]flow.Meta

// CostsOf returns the costs of the parts of steps.
func CostsOf(steps []flow.Record) Costs {
	keys, costs := KeysOf(steps), Costs{}
	for i := range steps {
		for key := range Enclosing(steps[i].Key) {
			if key != steps[i].Key && keys[key] {
				costs[key] = costs[key].Plus(steps[i].Meta)
			}
		}
	}
	return costs
}

// Names counts the steps that each name means, see Matches.
type Names struct {
	steps Keys
	meant map[string]int
}

// NamesOf returns the names that mean steps with the given keys, each of which comes once.
func NamesOf(keys iter.Seq[string]) Names {
	n := Names{Keys{}, map[string]int{}}
	for key := range keys {
		n.steps[key] = true
		seen := map[string]bool{}
		for _, form := range [2]string{key, Static(key)} {
			for name := range Enclosing(form) {
				if !seen[name] {
					seen[name] = true
					n.meant[name]++
				}
			}
		}
	}
	return n
}

// Means returns the number of steps that a name means: one if it is the key of a step.
func (n Names) Means(name string) int {
	if n.steps[name] {
		return 1
	}
	return n.meant[name]
}

// Enclosing returns the keys of which a step can be a part, see PartOf: the beginnings of its key
// that a separator follows, shortest first, and the key itself.
func Enclosing(step string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range len(step) {
			if strings.IndexByte(separators, step[at]) >= 0 && !yield(step[:at]) {
				return
			}
		}
		yield(step)
	}
}

// Fits reports whether a definition can continue a run with its completed steps: each of
// them is one of its nodes, of the same kind, or belongs to one.
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

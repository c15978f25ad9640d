// Package stepkey reads the keys of steps: static paths with iteration numbers, such as
// `fix#3`, `items[2]`, `review@5` or `gate/rework#1`.
package stepkey

import (
	"regexp"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// separators are the characters before the parts of a step.
const separators = "#[@/"

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

// Inside returns the node inside another one that a step is, such as `fix#2.test`; ok is
// false for other steps.
func Inside(nodes []flow.NodeInfo, step string) (node flow.NodeInfo, ok bool) {
	if name := Static(step); name != step {
		return inside(nodes, name)
	}
	return flow.NodeInfo{}, false
}

func inside(nodes []flow.NodeInfo, name string) (flow.NodeInfo, bool) {
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
		if found, ok := inside(n.Inside, rest); ok {
			return found, true
		}
	}
	return flow.NodeInfo{}, false
}

// OfWalk reports whether a step of a state graph's run belongs to no node but to the
// start or the end of the walk.
func OfWalk(step string) bool { return PartOf(step, "START") || PartOf(step, "END") }

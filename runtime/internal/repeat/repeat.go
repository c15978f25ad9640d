// Package repeat selects the steps of a run that are repeated although they have completed: a
// step that a person names, and the steps that depend on it.
package repeat

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// EventReset is the type of the events that keep the earlier end of each repeated step, and
// EventRun of the event that says who repeats them.
const (
	EventReset = "step_reset"
	EventRun   = "run_repeated"
)

// A Point is a step from which a run can be repeated: the visit of a node in a state graph;
// in another workflow, any step that ran, and any iteration or item with nodes inside.
type Point struct {
	Key, Kind string
	Status    flow.Status
	// Meta is the cost, with that of the parts.
	Meta flow.Meta
}

// Points returns the points of a run, in the order of its steps.
func Points(def *flow.Definition, steps []flow.Record) []Point {
	var list []Point
	index := map[string]int{}
	add := func(key, kind string, r flow.Record) {
		at, known := index[key]
		if !known {
			at, index[key] = len(list), len(list)
			list = append(list, Point{Key: key, Kind: kind, Status: r.Status})
		}
		if key == r.Key || list[at].Status == flow.Completed {
			list[at].Status = r.Status
		}
		if key != r.Key && r.Attempt > 0 {
			list[at].Meta = list[at].Meta.Plus(Cost(r))
		}
	}
	for _, r := range steps {
		if !hasRun(r) || isMachinery(r) {
			continue
		}
		if def.Graph == nil {
			for _, inner := range inside().FindAllStringIndex(r.Key, -1) {
				add(r.Key[:inner[1]-1], "part", r)
			}
			add(r.Key, r.Kind, r)
		} else if key, _, ok := parseVisit(r.Key); ok {
			if n, _ := stepkey.NodeOf(def.Nodes, key); branchOf(def, n.Key) == "" {
				add(key, n.Kind, r)
			}
		}
	}
	costs := stepkey.CostsOf(steps)
	for _, r := range steps {
		if at, ok := index[r.Key]; ok && r.Attempt > 0 {
			list[at].Meta = list[at].Meta.Plus(Cost(r))
		} else if ok && def.Graph == nil {
			list[at].Meta = costs[r.Key]
		}
	}
	return list
}

// hasRun reports whether something happened in a step.
func hasRun(r flow.Record) bool {
	return r.Status != flow.Pending && r.Status != flow.Skipped && (r.Status != flow.Cancelled || !r.Started.IsZero())
}

// isMachinery reports whether a step is none that a person means.
func isMachinery(r flow.Record) bool {
	switch r.Kind {
	case "now", "sleep", flow.Delivery{}.Kind():
		return true
	}
	return strings.HasPrefix(r.Key, "/") || stepkey.OfWalk(r.Key)
}

// parseVisit returns the visit of a node in a state graph to which a step belongs, such as fix@3,
// and its number.
func parseVisit(step string) (key string, number int, ok bool) {
	at := visits().FindStringSubmatchIndex(step)
	if at == nil {
		return "", 0, false
	}
	number, err := strconv.Atoi(step[at[2]:at[3]])
	return step[:at[3]], number, err == nil
}

var (
	visits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@(\d+)(?:[#/\[]|$)`) })
	// unit is the part of a node inside which other nodes run: an iteration or an item.
	unit   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:/[a-z]+\d+)?(?:#\d+|\[\d+\])\.`) })
	inside = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:#\d+|\[\d+\])\.`) })
	// segments are the parts of a key.
	segments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[#/\[.][^#/\[.]*`) })
)

// branchOf returns the node that runs a node as a branch, or "".
func branchOf(def *flow.Definition, node string) string {
	for _, n := range def.Nodes {
		if slices.Contains(n.Branches, node) {
			return n.Key
		}
	}
	return ""
}

// Steps returns the steps that are repeated from a step: the step with its parts, and those
// that depend on it. The error says what is wrong with from.
func Steps(def *flow.Definition, steps []flow.Record, from string) ([]flow.Record, error) {
	from, err := resolvePoint(def, steps, from)
	if err != nil {
		return nil, err
	}
	s := selection{def: def, position: map[string]int{}, dependents: map[string]map[string]bool{}}
	for i, r := range steps {
		s.position[r.Key] = i
		if _, known := s.position[from]; !known && strings.HasPrefix(r.Key, from+".") {
			s.position[from] = i
		}
	}
	if len(def.Nodes) == 0 {
		return nil, fmt.Errorf("the steps that depend on `%s` are unknown, because the definition of the workflow declares no `Nodes`: add them, or resume without --from", from)
	}
	if _, known := stepkey.NodeOf(def.Nodes, from); !known {
		return nil, fmt.Errorf("step `%s` belongs to no node of this version of the workflow", from)
	}
	takes := func(r flow.Record) bool { return s.isRepeated(def.Nodes, "", from, r) }
	if def.Graph != nil {
		takes = s.selectFromVisit(steps, from)
	}
	var list []flow.Record
	for _, r := range steps {
		if r.Status != flow.Pending && takes(r) {
			list = append(list, r)
		}
	}
	return list, nil
}

// resolvePoint returns the key of the step that from means.
func resolvePoint(def *flow.Definition, steps []flow.Record, from string) (string, error) {
	points := Points(def, steps)
	var names, visits []string
	for _, p := range points {
		if p.Key == from {
			return from, nil
		}
		names = append(names, p.Key)
		if node, _, ok := strings.Cut(p.Key, "@"); ok && def.Graph != nil && node == from {
			visits = append(visits, p.Key)
		}
	}
	if len(visits) == 1 {
		return visits[0], nil
	}
	if len(visits) > 1 {
		return "", fmt.Errorf("node `%s` ran %d times: use one of %s", from, len(visits), plain.NameList(visits))
	}
	name, _, _ := strings.Cut(from, "@")
	if around := branchOf(def, name); around != "" {
		return "", fmt.Errorf("`%s` runs as a branch of `%s`: repeat that node%s", name, around, plain.Instead(around, names))
	}
	for _, r := range steps {
		if r.Key == from && !isMachinery(r) {
			return "", fmt.Errorf("`%s` has not run in this run: it is %s, so there is nothing to repeat", from, r.Status)
		}
	}
	return "", fmt.Errorf("%s", plain.UnknownName("step", from, names))
}

// A selection finds the steps that depend on another one.
type selection struct {
	def      *flow.Definition
	position map[string]int
	// dependents has, by the place and the key of a node, the nodes that depend on it.
	dependents map[string]map[string]bool
}

// selectFromVisit returns a function that selects the steps of a state graph from a visit on.
func (s *selection) selectFromVisit(steps []flow.Record, from string) func(r flow.Record) bool {
	_, first, _ := parseVisit(from)
	again := map[string]bool{}
	for _, r := range steps {
		if key, n, ok := parseVisit(r.Key); ok && n >= first {
			node, _, _ := strings.Cut(key, "@")
			again[node] = true
		}
	}
	return func(r flow.Record) bool {
		if _, n, ok := parseVisit(r.Key); ok {
			return n >= first
		}
		return again[r.Key] || stepkey.PartOf(r.Key, "END") || strings.HasPrefix(r.Key, "/")
	}
}

// isRepeated reports whether a step is repeated from another one. nodes are those of a flow, whose
// steps have the prefix, which from does not have.
func (s *selection) isRepeated(nodes []flow.NodeInfo, prefix, from string, r flow.Record) bool {
	key, ok := strings.CutPrefix(r.Key, prefix)
	if !ok {
		return false
	}
	at, _ := stepkey.NodeOf(nodes, from)
	node, known := stepkey.NodeOf(nodes, key)
	if !known || node.Key != at.Key {
		return !known || node.Finally || s.findDependents(nodes, prefix, at.Key)[node.Key]
	}
	rest, own := from[len(at.Key):], key[len(at.Key):]
	switch {
	case rest == "", own == "", stepkey.PartOf(key, from), strings.HasPrefix(key, from+"."):
		return true
	case stepkey.PartOf(from, key), strings.HasPrefix(from, key+"."):
		return r.Attempt == 0 && r.Question == nil // it consists of parts
	}
	if u := unit().FindString(rest); u != "" && strings.HasPrefix(own, u) {
		return s.isRepeated(at.Inside, prefix+at.Key+u, rest[len(u):], r)
	}
	if areIndependent(at.Inside, segments().FindAllString(rest, -1), segments().FindAllString(own, -1)) {
		return false
	}
	return s.position[r.Key] > s.position[prefix+from]
}

// areIndependent reports whether two parts of a node are, or belong to, items of a list or branches,
// which do not depend on each other.
func areIndependent(inside []flow.NodeInfo, a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i][0] == '[' && b[i][0] == '[' || isBranch(inside, a[i]) && isBranch(inside, b[i])
		}
	}
	return false
}

// isBranch reports whether a part of a key names a branch.
func isBranch(inside []flow.NodeInfo, segment string) bool {
	return segment[0] == '/' && slices.ContainsFunc(inside, func(n flow.NodeInfo) bool {
		return n.Key == segment[1:] || isBranch(n.Inside, segment)
	})
}

// findDependents returns the nodes that depend on a node, directly or not.
func (s *selection) findDependents(nodes []flow.NodeInfo, prefix, node string) map[string]bool {
	set := s.dependents[prefix+"\x00"+node]
	if set != nil {
		return set
	}
	set = map[string]bool{node: true}
	for grown := true; grown; {
		grown = false
		for _, n := range nodes {
			reads := func(d string) bool { return set[d] }
			if !set[n.Key] && (slices.ContainsFunc(n.After, reads) || slices.ContainsFunc(n.Order, reads) || set[n.Include]) {
				set[n.Key], grown = true, true
			}
		}
	}
	s.dependents[prefix+"\x00"+node] = set
	return set
}

// Reset returns the new records of steps that are repeated, given all steps of the run. What
// they have cost stays, where it is not the cost of parts. The node of a state graph keeps
// the end of its last visit that is not repeated.
func Reset(def *flow.Definition, steps, repeated []flow.Record) []flow.Record {
	gone := stepkey.KeysOf(repeated)
	list := make([]flow.Record, len(repeated))
	for i, r := range repeated {
		list[i] = flow.Record{Key: r.Key, Kind: r.Kind, Status: flow.Pending}
		if r.Attempt > 0 {
			list[i].Attempt, list[i].Meta = r.Attempt, Cost(r)
		}
		if def.Graph == nil || strings.Contains(r.Key, "@") {
			continue
		}
		for _, v := range steps {
			if key, _, ok := parseVisit(v.Key); ok && !gone[v.Key] && strings.HasPrefix(v.Key, r.Key+"@") {
				kept := list[i].Meta
				if key == v.Key {
					list[i] = v
					list[i].Key, list[i].Kind, list[i].Attempt, list[i].Question = r.Key, r.Kind, 0, nil
				}
				list[i].Meta = kept.Plus(Cost(v))
			}
		}
	}
	return list
}

// Cost returns the cost of a step alone.
func Cost(r flow.Record) flow.Meta {
	m := r.Meta
	return flow.Meta{CostUSD: m.CostUSD, InputTokens: m.InputTokens, OutputTokens: m.OutputTokens, Turns: m.Turns, Replayed: m.Replayed}
}

// Event is the event that says who repeats steps.
func Event(from, by string, repeated []flow.Record) flow.Event {
	text := fmt.Sprintf("%s repeats this step and those that depend on it: %d in all", cmp.Or(by, "somebody"), len(repeated))
	if cost := format.Usage(sched.Used(repeated)); cost != "" {
		text += ", which cost " + cost
	}
	return flow.Event{Time: time.Now(), Type: EventRun, Key: from, Message: text}
}

// EventsWithEnds returns the event of a repeat after those that keep how the repeated steps had
// ended: their outputs, and who answered questions.
func EventsWithEnds(repeated []flow.Record, event flow.Event) []flow.Event {
	var list []flow.Event
	for _, r := range repeated {
		if !hasRun(r) {
			continue
		}
		e := flow.Event{Time: event.Time, Type: EventReset, Key: r.Key, Message: r.Text}
		if r.Question != nil {
			e.Message = strings.TrimSpace(fmt.Sprintf("%s by %s from %s: %s", r.Meta.Choice, r.Meta.By, r.Meta.From, r.Text))
		}
		if r.Failure != nil {
			e.Message = r.Failure.Message
		}
		list = append(list, e)
	}
	return append(list, event)
}

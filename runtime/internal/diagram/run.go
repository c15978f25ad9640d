package diagram

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
)

// A Run is a run whose path is drawn.
type Run struct {
	ID     string
	Status flow.Status
	Steps  []flow.Record
	// Cause says why a step was skipped or failed, or "".
	Cause func(flow.Record) string
	// Now is the end of the time of steps that have not ended.
	Now time.Time
}

// A State is the state of a node in a run.
type State struct {
	Status flow.Status
	// Cause is the reason for the status, or "".
	Cause string
	// Count is the number of iterations of a loop, items of a list, or visits of a state
	// graph; 0 for a node without them.
	Count int
	// Took is the time of all its steps.
	Took time.Duration
}

// briefDescription is the state in a few words.
func (s *State) briefDescription() string {
	words := strings.ReplaceAll(string(s.Status), "_", " ")
	if s.Count > 1 {
		words += fmt.Sprintf(" %d×", s.Count)
	}
	if s.Took > 0 {
		words += ", " + plain.Duration(s.Took)
	}
	if s.Cause != "" {
		words += ": " + shortenLine(s.Cause, 60)
	}
	return words
}

// addRun gives the nodes their states, and counts the edges that the run followed.
func (f *figure) addRun() {
	if f.Run == nil {
		return
	}
	index := map[string]int{}
	for i, n := range f.nodes {
		if !n.isStartOrEnd() {
			index[n.path] = i
		}
	}
	all := make([]tally, len(f.nodes))
	var visits []visit
	for _, r := range f.Run.Steps {
		if i, ok := index[r.Key]; ok {
			all[i].own = &r
			continue
		}
		for at, c := range r.Key {
			if around := readKey(r.Key[:at]); (c == '.' || c == '/') && around.id != "" {
				if i, ok := index[around.name]; ok {
					all[i].countOnce(around.id)
				}
			}
		}
		key := readKey(r.Key)
		for {
			if i, ok := index[key.name]; ok {
				all[i].addStep(r, key, f.Run.Now)
				if f.Graph != nil && key.number > 0 {
					visits = append(visits, visit{key.number, i})
				}
				break
			}
			if key.name == "" {
				break
			}
			key = key.ownerKey()
		}
	}
	for i := range all {
		f.nodes[i].state = all[i].nodeState(f)
	}
	if f.Graph != nil {
		slices.SortFunc(visits, func(a, b visit) int { return cmp.Compare(a.number, b.number) })
		f.countFollowedEdges(slices.Compact(visits))
		return
	}
	for i := range f.edges {
		e := &f.edges[i]
		if f.nodes[e.from].hasEnded() && f.nodes[e.to].hasBegun() {
			e.taken = 1
		}
	}
}

// A visit of a node of a state graph, by its number in the run.
type visit struct{ number, node int }

// A tally collects the steps of a node.
type tally struct {
	own     *flow.Record
	last    flow.Record // of the iterations
	numbers map[string]bool
	took    time.Duration
	waits   bool // a part of the node waits for a person
	begun   bool // the node has a part
}

// addStep adds a step of a node that is not its own: an iteration, or a part.
func (t *tally) addStep(r flow.Record, key stepKey, now time.Time) {
	t.begun = true
	t.waits = t.waits || r.Status == flow.Waiting
	question := r.Kind == "question" // its number counts how often the person was asked
	if key.id != "" && (!question || key.number > 0) {
		t.countOnce(key.id)
	}
	if key.part == "" && !question && r.Status != flow.Waiting {
		t.last = r
		t.took += stepDuration(r, now)
	}
}

// countOnce counts an iteration, an item or a visit, each once.
func (t *tally) countOnce(id string) {
	if t.numbers == nil {
		t.numbers = map[string]bool{}
	}
	t.numbers[id] = true
	t.begun = true
}

// nodeState is the state of a node, or nil if the run has not come to it.
func (t *tally) nodeState(f *figure) *State {
	if t.own == nil && !t.begun {
		return nil
	}
	s := &State{Status: flow.Running, Count: len(t.numbers), Took: t.took}
	switch {
	case t.own != nil && t.waits && t.own.Status != flow.Completed:
		s.Status = flow.Waiting
		return s
	case t.own != nil:
		s.Status, s.Cause = t.own.Status, f.Run.Cause(*t.own)
		if took := stepDuration(*t.own, f.Run.Now); f.Graph == nil && took > 0 || s.Took == 0 {
			s.Took = took
		}
	case t.waits:
		s.Status = flow.Waiting
	case t.last.Status != "":
		s.Status, s.Cause = t.last.Status, f.Run.Cause(t.last)
	}
	return s
}

// A stepKey is the key of a step: `fix#2.test#1/until` is the part `until` of the node
// `fix.test`.
type stepKey struct {
	name string
	// id are the numbers of iterations, items and visits, "" without any.
	id string
	// number is that of the visit.
	number int
	// part is the part of the node, "" for the node itself.
	part string
}

// numbered is a number of an iteration, an item, a visit or an attempt.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/attempt\d+|#\d+|\[\d+\]|@\d+`) })

// readKey reads the key of a step.
func readKey(key string) stepKey {
	k := stepKey{name: numbered().ReplaceAllString(key, ""), id: strings.Join(numbered().FindAllString(key, -1), "")}
	if at := strings.LastIndexByte(key, '@'); at >= 0 {
		digits := key[at+1:]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		k.number, _ = strconv.Atoi(digits)
		k.id = digits
	}
	return k
}

// ownerKey is the key of the node that a part belongs to.
func (k stepKey) ownerKey() stepKey {
	at := strings.LastIndexByte(k.name, '/')
	if at < 0 {
		return stepKey{}
	}
	k.name, k.part = k.name[:at], k.name[at:]
	if k.number == 0 {
		k.id = "" // the numbers may be those of the part
	}
	return k
}

// stepDuration is the time of a step.
func stepDuration(r flow.Record, now time.Time) time.Duration {
	switch {
	case r.Started.IsZero() || r.Status == flow.Skipped:
		return 0
	case !r.Finished.IsZero():
		return r.Finished.Sub(r.Started)
	case r.Status == flow.Running || r.Status == flow.Waiting:
		return now.Sub(r.Started)
	}
	return 0
}

// hasBegun reports whether a run did anything at a node.
func (n *node) hasBegun() bool {
	return n.state != nil && n.state.Status != flow.Skipped && n.state.Status != flow.Pending
}

// hasEnded reports whether a run has passed a node.
func (n *node) hasEnded() bool {
	return n.hasBegun() && (n.state.Status == flow.Completed || n.state.Status == flow.Failed || n.state.Status == flow.Cancelled)
}

// countFollowedEdges counts the edges that the run of a state graph followed: from each visit to the
// next one.
func (f *figure) countFollowedEdges(visits []visit) {
	at := 0
	for _, v := range visits {
		if b := f.nodes[v.node].block; b >= 0 {
			for i := range f.edges {
				if e := &f.edges[i]; e.branch && (e.from == b && e.to == v.node || e.from == v.node) {
					e.taken++
				}
			}
			continue
		}
		f.countEdgesBetween(at, v.node)
		at = v.node
	}
	if f.Run.Status == flow.Completed && len(visits) > 0 {
		f.countEdgesBetween(at, len(f.nodes)-1)
	}
}

// countEdgesBetween counts the edges from one node to another. If there are several, the run does not
// show which one it followed.
func (f *figure) countEdgesBetween(from, to int) {
	for i := range f.edges {
		if e := &f.edges[i]; e.from == from && e.to == to && !e.branch {
			e.taken++
		}
	}
}

// A style is how a state is drawn.
type style struct {
	class, words string
	// fill and line are for light pages, dark is the inside for dark ones.
	fill, line, dark string
}

// takenColour is the colour of edges that a run followed.
const takenColour = "#2563c9"

// notReached is the style of a node that a run has not come to.
var notReached = style{"idle", "not reached", "#fafafa", "#b8bec9", "#1b1f26"}

// styles are those of the states, in the order of the legend.
var styles = []style{
	{string(flow.Completed), "completed", "#d3f0d7", "#3d8a4b", "#1c4326"},
	{string(flow.Failed), "failed", "#ffd3cf", "#c0392b", "#5b211d"},
	{string(flow.Running), "running", "#cfe2ff", "#2563c9", "#1c3a6b"},
	{string(flow.Waiting), "waiting", "#ffeab3", "#b98500", "#57430c"},
	{string(flow.Interrupted), "interrupted", "#ffdfc2", "#b9611a", "#5a3616"},
	{string(flow.Cancelled), "cancelled", "#e8d9e4", "#8a5a7d", "#43293c"},
	{string(flow.Skipped), "skipped", "#e9ebef", "#9aa2b0", "#2b2f37"},
}

func styleOf(s *State) style {
	if s != nil {
		for _, style := range styles {
			if style.class == string(s.Status) {
				return style
			}
		}
	}
	return notReached
}

// statesUsed are the styles of the nodes of a run.
func (f *figure) statesUsed() []style {
	if f.Run == nil {
		return nil
	}
	used := map[string]bool{}
	for _, n := range f.nodes {
		if !n.isStartOrEnd() {
			used[styleOf(n.state).class] = true
		}
	}
	var list []style
	for _, s := range append(slices.Clone(styles), notReached) {
		if used[s.class] {
			list = append(list, s)
		}
	}
	return list
}

// runHeadline is the line of a run above a table, or "".
func (f *figure) runHeadline() string {
	if f.Run == nil {
		return ""
	}
	return fmt.Sprintf("run %s: %s\n", oneLine(f.Run.ID), f.Run.Status)
}

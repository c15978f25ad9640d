package diagram

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
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

// A State is what a run made of a node.
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

// text is the state in a few words.
func (s *State) text() string {
	words := strings.ReplaceAll(string(s.Status), "_", " ")
	if s.Count > 1 {
		words += fmt.Sprintf(" %d×", s.Count)
	}
	if s.Took > 0 {
		words += ", " + format.Duration(s.Took)
	}
	if s.Cause != "" {
		words += ": " + oneLine(s.Cause)
	}
	return words
}

// numbered are the numbers of iterations, items, visits and attempts in the key of a step.
var numbered = regexp.MustCompile(`(?:/attempt\d+)?(?:#(\d+)|\[(\d+)\]|@(\d+))(?:[./]|$)`)

// plainKey returns the key of a step without numbers, and the last number, or 0 if the key
// does not end with one.
func plainKey(key string) (name string, number int) {
	var b strings.Builder
	for {
		m := numbered.FindStringSubmatchIndex(key)
		if m == nil {
			b.WriteString(key)
			return b.String(), number
		}
		b.WriteString(key[:m[0]])
		rest := key[m[1]:]
		if m[1] > 0 && (key[m[1]-1] == '.' || key[m[1]-1] == '/') {
			b.WriteByte(key[m[1]-1])
			number = 0
		} else {
			number, _ = strconv.Atoi(cmp.Or(submatch(key, m, 1), submatch(key, m, 2), submatch(key, m, 3)))
			number = max(number, 1)
		}
		key = rest
	}
}

func submatch(s string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return s[m[2*n]:m[2*n+1]]
}

// addRun gives the nodes their states, and counts the edges that the run followed.
func (f *figure) addRun() {
	if f.Run == nil {
		return
	}
	index := map[string]int{}
	for i, n := range f.nodes {
		if !n.place() {
			index[n.path] = i
		}
	}
	for _, r := range f.Run.Steps {
		i, ok := index[r.Key]
		name, number := r.Key, 0
		if !ok {
			name, number = plainKey(r.Key)
			i, ok = index[name]
		}
		if ok {
			f.nodes[i].add(r, number, f.Run)
			continue
		}
		// A part of a node, such as its gate: it shows that the node waits.
		owner, part, _ := strings.Cut(name, "/")
		if i, ok := index[owner]; ok && part != "" && r.Status == flow.Waiting && f.nodes[i].state == nil {
			f.nodes[i].state = &State{Status: flow.Waiting}
		}
	}
	if f.Graph != nil {
		f.follow(index)
		return
	}
	for i := range f.edges {
		e := &f.edges[i]
		if f.nodes[e.from].ended() && f.nodes[e.to].begun() {
			e.taken = 1
		}
	}
}

// add adds a step of a node to its state: its own, or the one of an iteration.
func (n *node) add(r flow.Record, number int, run *Run) {
	s := n.state
	own := number == 0
	if s == nil {
		s = &State{}
		n.state = s
	} else if own && s.Count > 0 {
		s.Took = 0 // the own step of a node takes as long as its iterations
	}
	if !own {
		s.Count++
	}
	s.Status, s.Cause = r.Status, run.Cause(r)
	if !own || s.Took == 0 {
		s.Took += took(r, run.Now)
	}
}

// took is the time of a step.
func took(r flow.Record, now time.Time) time.Duration {
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

// begun reports whether a run did anything at a node.
func (n *node) begun() bool {
	return n.state != nil && n.state.Status != flow.Skipped && n.state.Status != flow.Pending
}

// ended reports whether a run has passed a node.
func (n *node) ended() bool {
	return n.begun() && (n.state.Status == flow.Completed || n.state.Status == flow.Failed || n.state.Status == flow.Cancelled)
}

// follow counts the edges that the run of a state graph followed: from each visit to the
// next one.
func (f *figure) follow(index map[string]int) {
	type visit struct {
		node, number int
		text         string
	}
	var visits []visit
	for _, r := range f.Run.Steps {
		name, number := plainKey(r.Key)
		if i, ok := index[name]; ok && number > 0 {
			visits = append(visits, visit{i, number, r.Text})
		}
	}
	slices.SortStableFunc(visits, func(a, b visit) int { return cmp.Compare(a.number, b.number) })
	at, text := 0, ""
	for _, v := range visits {
		if b := f.nodes[v.node].block; b >= 0 {
			for i := range f.edges {
				if e := &f.edges[i]; e.branch && (e.from == b && e.to == v.node || e.from == v.node) {
					e.taken++
				}
			}
			continue
		}
		f.step(at, v.node, text)
		at, text = v.node, v.text
	}
	if f.Run.Status == flow.Completed && len(visits) > 0 {
		f.step(at, len(f.nodes)-1, text)
	}
}

// step counts the edge from one node to another: the one whose condition names the output if
// there are several.
func (f *figure) step(from, to int, output string) {
	var list []int
	for i, e := range f.edges {
		if e.from == from && e.to == to && !e.branch {
			list = append(list, i)
		}
	}
	for _, i := range list {
		if output != "" && strings.Contains(f.edges[i].condition, output) {
			list = []int{i}
			break
		}
	}
	if len(list) > 0 {
		f.edges[list[0]].taken++
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
		if !n.place() {
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

// headline is the line of a run above a table, or "".
func (f *figure) headline() string {
	if f.Run == nil {
		return ""
	}
	return fmt.Sprintf("run %s: %s\n", oneLine(f.Run.ID), f.Run.Status)
}

package dry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// A scheduler executes the code of a task symbolically: an output that a plan cannot know is a
// symbol. A condition that reads one ends there, and holds, so that the plan shows the node;
// but a real run may skip the node.
type scheduler struct {
	flow.Scheduler
	w *world
	// first means that the task is the run's first one.
	first bool
}

var _ kernel.Symbolic = (*scheduler)(nil)

// facts are what an execution has shown about nodes, by their keys.
type facts struct {
	// settled are the ends of nodes, and unknown are those whose outputs are symbols.
	settled map[string]flow.Record
	unknown map[string]bool
	// depends has the reasons why it is not known whether nodes run: their conditions read symbols.
	depends map[string]string
	// doubted are the results of doubtsAbout that are known, or nil while one is being found.
	doubted map[string][]string
	// notes are remarks for the reader of the plan, and repeats says in words how often a loop runs.
	notes   map[string][]string
	repeats map[string]string
	// deciding means that a condition is evaluated, and undecided is the symbol that it has read.
	deciding  bool
	undecided string
	// seen is the last node whose symbol the running task has read, or "".
	seen string
	// sequence means that the nodes run one after the other, whatever they depend on.
	sequence bool
}

func newFacts() facts {
	return facts{
		settled: map[string]flow.Record{}, unknown: map[string]bool{}, depends: map[string]string{},
		notes: map[string][]string{}, repeats: map[string]string{}, doubted: map[string][]string{},
	}
}

func (s *scheduler) Spawn(after []*flow.Future, fn func(flow.Scheduler)) {
	s.Scheduler.Spawn(after, func(e flow.Scheduler) {
		s.w.seen = ""
		fn(&scheduler{Scheduler: e, w: s.w})
	})
}

func (s *scheduler) Scope() (flow.Scheduler, func()) {
	sub, cancel := s.Scheduler.Scope()
	return &scheduler{Scheduler: sub, w: s.w}, cancel
}

func (s *scheduler) Cleanup() flow.Scheduler {
	return &scheduler{Scheduler: s.Scheduler.Cleanup(), w: s.w}
}

// AwaitEnded waits as every scheduler does, while other tasks run. The first task of a
// sequence waits before the first node has ended.
func (s *scheduler) AwaitEnded(futures ...*flow.Future) error {
	if s.first && len(s.w.settled) == 0 {
		s.w.sequence = true
	}
	seen := s.w.seen
	err := s.Scheduler.AwaitEnded(futures...)
	s.w.seen = seen
	return err
}

// Recorded returns the end of a node that may cancel the run as if an earlier process had
// committed it; see observe.
func (s *scheduler) Recorded(key string) (flow.Record, bool) {
	if earlier := s.w.taken[key]; earlier != nil {
		return flow.Record{Key: key, Status: flow.Completed, Text: earlier.settled[key].Text}, true
	}
	return s.Scheduler.Recorded(key)
}

func (s *scheduler) Settle(r flow.Record) {
	s.w.settled[r.Key] = r
	s.Scheduler.Settle(r)
}

// Decide implements kernel.Symbolic.
func (s *scheduler) Decide(key string, condition func() (bool, error)) (holds, chosen bool, err error) {
	w := s.w
	if own := w.actionsOf(key, "#[@/."); len(own) > 0 && unknownEnd(own[len(own)-1]) {
		return true, true, nil // the end of a loop
	}
	ref, holds, err := w.evaluateCondition(condition)
	if ref == "" {
		return holds, false, err
	}
	why := "it depends on `" + ref + "`"
	switch node, name, branch := cutBranch(key); {
	case branch:
		s.Note(node, fmt.Sprintf("it is unknown whether `%s` runs: %s", name, why))
	default:
		w.depends[key] = why
	}
	return true, true, nil
}

// evaluateCondition evaluates a condition as far as the first symbol, which it returns.
func (w *world) evaluateCondition(condition func() (bool, error)) (ref string, holds bool, err error) {
	w.deciding = true
	defer func() {
		if w.deciding = false; w.undecided != "" {
			_ = recover() // from Read
			ref, w.undecided = w.undecided, ""
		}
	}()
	holds, err = condition()
	return "", holds, err
}

// cutBranch returns the node and the name of the branch whose key it is.
func cutBranch(key string) (node, name string, ok bool) {
	i := strings.LastIndexAny(key, "/#")
	if i < 0 || key[i] == '#' {
		return key, "", false
	}
	return key[:i], key[i+1:], true
}

// Read implements kernel.Symbolic.
func (s *scheduler) Read(key, ref string, presence bool) {
	w := s.w
	unknown := ref != "" && w.unknown[key]
	if w.deciding && (unknown || presence && len(w.doubtsAbout(key)) > 0) {
		if w.undecided = ref; ref == "" {
			w.undecided = key + ".approved"
		}
		panic(w.undecided) // to evaluate
	}
	if unknown {
		w.seen = key
	}
}

// HasRead implements kernel.Symbolic.
func (s *scheduler) HasRead() bool { return s.w.seen != "" }

// Note implements kernel.Symbolic.
func (s *scheduler) Note(key, message string) { s.w.notes[key] = append(s.w.notes[key], message) }

// Repeats implements kernel.Symbolic.
func (s *scheduler) Repeats(key string, least, most int) {
	times := fmt.Sprintf("%d to %d times", least, most)
	switch {
	case most == 0:
		times = "once for each item of an unknown list"
	case most == 1:
		times = "once"
	case least == most:
		times = fmt.Sprintf("%d times", most)
	}
	s.w.repeats[key] = times
}

// Output implements kernel.Symbolic: the output of a node is unknown if that of its action is. So
// is the end of a node whose code computes with symbols, and fails: a symbol has no field
// `count` to add one to.
func (s *scheduler) Output(key, text string, value any, err error) (symbol string, replaced bool) {
	w := s.w
	own := w.actionsOf(key, "#[@/")
	f := (*flow.Failure)(nil)
	isFailure := errors.As(err, &f)
	switch {
	case err != nil && (!isFailure || f.Reason == "timeout" || f.Reason == "max_iterations" || slices.ContainsFunc(own, failedEnd)):
		return "", false
	case w.isUnknown(key, text, own):
	case err != nil && w.seen != "" && (w.sequence || f.Reason == kernel.InvalidInput):
		s.Note(key, "its action depends on the output of `"+w.seen+"`")
	default:
		return "", false
	}
	node, _ := w.findNode(key)
	name := cmp.Or(node.Key, key)
	symbol = kernel.OutputSymbol(name)
	w.unknown[key], w.owners[symbol] = true, append(w.owners[symbol], key)
	w.stand.fillOutput(name, value)
	return symbol, true
}

// isUnknown reports whether the output of a node is not known, given its text and the actions
// of the node.
func (w *world) isUnknown(key, text string, own []*Action) bool {
	return kernel.IsSymbol(text) || w.repeats[key] != "" || slices.ContainsFunc(own, unknownEnd) ||
		slices.ContainsFunc(kernel.Symbols(text), func(symbol string) bool {
			return slices.ContainsFunc(w.owners[symbol], func(owner string) bool { return stepkey.PartOf(owner, key) })
		})
}

// actionsOf returns the actions of a step on which its output depends: those of its parts, whose keys
// go on with one of the marks. It leaves out questions, the rework before a question and, of a
// loop, all but the last iteration.
func (w *world) actionsOf(key, marks string) (list []*Action) {
	last := ""
	for _, a := range w.actions {
		rest, ok := strings.CutPrefix(a.Key, key)
		if !ok || rest != "" && !strings.Contains(marks, rest[:1]) || a.Kind == "question" || a.Kind == "wait" || strings.HasPrefix(rest, "/rework#") {
			continue
		}
		if !strings.Contains(marks, ".") && strings.Contains(rest, ".") {
			continue // of a node inside
		}
		if iteration := iterationOf(rest); iteration != last {
			list, last = nil, iteration
		}
		list = append(list, a)
	}
	return list
}

// iterationOf returns the part of a step's key, after that of its loop, that is the iteration:
// `/attempt2#1` of `/attempt2#1/until`. Items and drafts are not iterations.
func iterationOf(rest string) string {
	if !strings.HasPrefix(rest, "#") && !strings.HasPrefix(rest, "/attempt") {
		return ""
	}
	mark := strings.IndexByte(rest, '#') + 1
	digits := len(rest[mark:]) - len(strings.TrimLeft(rest[mark:], "0123456789"))
	return rest[:mark+digits]
}

func unknownEnd(a *Action) bool {
	return a.Result.Source == Unknown && a.Result.Status == flow.Completed
}

func failedEnd(a *Action) bool { return a.Result.Status == flow.Failed }

// rules are the trigger rules by their names.
var rules = map[string]flow.Rule{
	"": flow.AllSuccess, "all_success": flow.AllSuccess, "one_success": flow.OneSuccess,
	"none_failed_min_one_success": flow.NoneFailedMinOneSuccess, "all_done": flow.AllDone,
}

// doubtsAbout returns the reasons for which a real run may skip a node that the plan runs, or run
// one that it skips.
func (w *world) doubtsAbout(key string) (why []string) {
	if earlier := w.taken[key]; earlier != nil {
		return earlier.doubtsAbout(key)
	}
	if known, ok := w.doubted[key]; ok {
		return known
	}
	w.doubted[key] = nil
	node, ok := w.findNode(key)
	if !ok {
		return nil
	}
	outer := key[:len(key)-len(node.Key)]
	if d := w.ruleDoubt(outer, node); d != "" {
		why = append(why, d)
	} else if node.Include != "" && len(w.doubtsAbout(outer+node.Include)) > 0 {
		why = append(why, "it depends on whether `"+node.Include+"` runs")
	}
	if d := w.depends[key]; d != "" {
		why = append(why, d)
	}
	w.doubted[key] = why
	return why
}

// findNode returns the node with a key, which may be inside another one.
func (w *world) findNode(key string) (flow.NodeInfo, bool) {
	if i := slices.IndexFunc(w.def.Nodes, func(n flow.NodeInfo) bool { return n.Key == key }); i >= 0 {
		return w.def.Nodes[i], true
	}
	return stepkey.Inside(w.def.Nodes, key)
}

// ruleDoubt says whether the trigger rule of a node depends on nodes that may not run. Rules
// consider only which ends there are, so it is enough to try all of them, none, and each one.
func (w *world) ruleDoubt(outer string, node flow.NodeInfo) string {
	rule := rules[node.Rule]
	if rule == nil || w.sequence {
		return ""
	}
	ends, none := make([]flow.Status, len(node.After)), make([]flow.Status, len(node.After))
	var open []int
	var keys []string
	for i, key := range node.After {
		ends[i] = w.settled[outer+key].Status
		if none[i] = ends[i]; len(w.doubtsAbout(outer+key)) > 0 {
			open, keys = append(open, i), append(keys, "`"+key+"`")
			none[i] = flow.Skipped
		}
	}
	all := rule(ends)
	depends := rule(none) != all
	for _, i := range open {
		none[i] = ends[i]
		depends = depends || rule(none) != all
		none[i] = flow.Skipped
	}
	switch {
	case !depends:
		return ""
	case len(keys) == 1:
		return "it depends on whether " + keys[0] + " runs"
	}
	return "it depends on which of " + strings.Join(keys, ", ") + " run"
}

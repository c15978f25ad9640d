package testrun

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// An Observed is a run as a test sees it: its transcript and its end. Folders of the test
// are replaced by /test in it.
type Observed struct {
	// Entries are the actions and answers, in order.
	Entries []*Entry
	// Way are the steps that ended, in order, with the ways they ended.
	Way []string
	// End is the run's end.
	End flow.RunState
	// Steps are the last records of all steps, also of child runs, by address, in order.
	Steps []flow.Record
	// State is the last saved state of a state graph.
	State graphstate.State
	// Messages are the deliveries.
	Messages []flow.Delivery
	Warnings []string
	// Spent is the cost of the run.
	Spent flow.Usage
	// Elapsed is the duration of the run on the virtual clock.
	Elapsed time.Duration

	definition *flow.Definition
	// moves are the edges of a state graph that the walk took.
	moves   [][2]string
	names   *naming
	clean   func(string) string
	seq     int
	started map[string]int // first start, by address
	ended   map[string]int // last end, by address
	asked   map[string]bool
}

// An Entry is an action or an answer in a transcript.
type Entry struct {
	// Step is the address of the step.
	Step    string
	Action  flow.Action
	Attempt int
	// Turns are the turns of an agent.
	Turns []*Turn
	// Real means that a program ran.
	Real bool
	// Killed means that the process was killed during the action.
	Killed bool
	Result flow.Result
	// Takes is the duration on the virtual clock.
	Takes time.Duration
	// Question is set for a question instead of an action; Result is the answer, if it
	// is Completed.
	Question *flow.Question
}

// A Turn is a turn of an agent.
type Turn struct{ Prompt, Reply, Failure string }

func (e *Entry) addTurn(prompt string) *Turn {
	t := &Turn{Prompt: prompt}
	e.Turns = append(e.Turns, t)
	return t
}

func newObserved(def *flow.Definition, names *naming, clean func(string) string) *Observed {
	return &Observed{
		definition: def, names: names, clean: clean, started: map[string]int{}, ended: map[string]int{},
		asked: map[string]bool{},
	}
}

func (o *Observed) addEntry(address string, a flow.Action, attempt int) *Entry {
	e := &Entry{Step: address, Action: a, Attempt: attempt}
	o.Entries = append(o.Entries, e)
	o.noteStart(address)
	return e
}

func (o *Observed) noteStart(address string) {
	if _, known := o.started[address]; !known {
		o.seq++
		o.started[address] = o.seq
	}
}

// recordState takes a saved state of a state graph.
func (o *Observed) recordState(s graphstate.State) {
	o.State = s
	m := [2]string{s.Node, s.Next}
	m[0] = cmp.Or(m[0], "START")
	switch {
	case m[1] != "":
	case s.Status == kernel.StateCompleted:
		m[1] = "END"
	default:
		return // the walk halted
	}
	if len(o.moves) == 0 && s.Node != "" {
		o.moves = append(o.moves, [2]string{"START", s.Node})
	}
	if m[0] != "START" || m[1] != "END" {
		o.moves = append(o.moves, m)
	}
}

func (o *Observed) addWarning(message string) { o.Warnings = append(o.Warnings, o.clean(message)) }

// recordBatch takes a batch of the journal.
func (o *Observed) recordBatch(run string, _ time.Time, b flow.Batch) {
	for _, r := range b.Steps {
		address := path.Join(run, r.Key)
		switch {
		case r.Question != nil:
			o.recordQuestion(address, r)
		case r.Status == flow.Running || r.Status == flow.Waiting:
			o.noteStart(address)
		case r.Status.Ended():
			o.seq++
			if r.Status != flow.Skipped {
				o.noteStart(address)
				o.ended[address] = o.seq
			}
			o.addToPath(address, r)
		}
	}
	for _, e := range b.Events {
		if e.Type == "warning" || strings.HasSuffix(e.Type, "_warning") {
			o.addWarning(e.Message)
		}
	}
}

// recordQuestion notes a question, and its answer.
func (o *Observed) recordQuestion(address string, r flow.Record) {
	if r.Status == flow.Waiting {
		if !o.asked[address] {
			o.asked[address] = true
			o.noteStart(address)
			o.Entries = append(o.Entries, &Entry{Step: address, Question: r.Question})
		}
		return
	}
	for _, e := range slices.Backward(o.Entries) {
		if e.Step == address && e.Question != nil {
			e.Result = r.Result()
			break
		}
	}
	choice := cmp.Or(r.Meta.Choice, "answered")
	o.Way = append(o.Way, address+" ["+choice+"]")
}

// addToPath adds the end of a step to the path. It skips steps of the kernel itself, such as
// readings of the clock, and a node after its own parts.
func (o *Observed) addToPath(address string, r flow.Record) {
	node, ok := o.names.nodeOf(address)
	if !ok || r.Status == flow.Skipped || ofKernel(r.Kind) || r.Kind == "question" {
		return
	}
	shown := address
	switch r.Status {
	case flow.Failed:
		shown += " (failed)"
	case flow.Cancelled:
		shown += " (cancelled)"
	}
	if address == node.Key && slices.ContainsFunc(o.Way, func(s string) bool {
		return strings.HasPrefix(s, node.Key) && len(s) > len(node.Key) && strings.IndexByte("#@[/ ", s[len(node.Key)]) >= 0
	}) && r.Status == flow.Completed {
		return
	}
	if n := len(o.Way); n > 0 && o.Way[n-1] == shown {
		return
	}
	o.Way = append(o.Way, shown)
}

// recordOutcome takes the outcome of the run.
func (o *Observed) recordOutcome(out *sim.Result) {
	o.End, o.Elapsed = out.End, out.Elapsed
	o.End.Error, o.End.Summary, o.End.Reason = o.clean(out.End.Error), o.clean(out.End.Summary), o.clean(out.End.Reason)
	o.End.Outputs = json.RawMessage(o.clean(string(out.End.Outputs)))
	add := func(prefix string, steps []flow.Record) {
		for _, r := range steps {
			r.Key, r.Text, r.Reason = path.Join(prefix, r.Key), o.clean(r.Text), o.clean(r.Reason)
			if r.Failure != nil {
				f := *r.Failure
				f.Message = o.clean(f.Message)
				r.Failure = &f
			}
			o.Steps = append(o.Steps, r)
		}
	}
	add("", out.Steps)
	for _, p := range slices.Sorted(maps.Keys(out.Children)) {
		add(p, out.Children[p].Steps)
	}
	for _, e := range o.Entries {
		e.Result.Text = o.clean(e.Result.Text)
		if e.Result.Failure != nil {
			f := *e.Result.Failure
			f.Message = o.clean(f.Message)
			e.Result.Failure = &f
		}
	}
	o.Spent = sched.Used(out.Steps).Usage()
	o.Warnings = append(o.Warnings, o.State.Warnings...)
}

// lastRecord returns the last record of a step.
func (o *Observed) lastRecord(address string) (flow.Record, bool) {
	for _, r := range o.Steps {
		if r.Key == address {
			return r, true
		}
	}
	return flow.Record{}, false
}

// entriesOf returns the entries of a node or of a step.
func (o *Observed) entriesOf(name string) (list []*Entry) {
	for _, e := range o.Entries {
		owner, _ := o.names.nodeOf(e.Step)
		if e.Step == name || owner.Key == name || stepkey.Unnumbered(e.Step) == name {
			list = append(list, e)
		}
	}
	return list
}

// nodeTexts returns the texts of the entries of a node or of a step, in order.
func (o *Observed) nodeTexts(name string, texts func(o *Observed, e *Entry) []string) (list []string) {
	for _, e := range o.entriesOf(name) {
		list = append(list, texts(o, e)...)
	}
	return list
}

// prompts returns the prompts of an entry.
func (*Observed) prompts(e *Entry) (list []string) {
	for _, t := range e.Turns {
		list = append(list, t.Prompt)
	}
	return list
}

// scriptOf returns the source of a script and what it got; ok is false for other actions.
func scriptOf(p flow.Payload) (source string, bindings []flow.Binding, env []flow.Variable, ok bool) {
	switch p := p.(type) {
	case flow.Bash:
		return p.Script, p.Bindings, p.Env, true
	case flow.Script:
		return p.Source, p.Bindings, p.Env, true
	}
	return "", nil, nil, false
}

// programs returns the source of an entry's script.
func (o *Observed) programs(e *Entry) []string {
	source, _, _, ok := scriptOf(e.Action.Payload)
	if !ok {
		return nil
	}
	return []string{o.clean(source)}
}

// values returns the values that an entry's script got, a line each.
func (o *Observed) values(e *Entry) []string {
	_, bindings, _, ok := scriptOf(e.Action.Payload)
	if !ok {
		return nil
	}
	lines := make([]string, len(bindings))
	for i, b := range bindings {
		lines[i] = b.Name + " = " + o.clean(b.Value)
	}
	return []string{strings.Join(lines, "\n")}
}

// questions returns the question of an entry.
func (o *Observed) questions(e *Entry) []string {
	if e.Question == nil || e.Question.Wait == flow.WaitQuota {
		return nil
	}
	return []string{o.clean(e.Question.Message)}
}

// waits returns the wait of an entry for a quota: the agent and the time, such as "claude 3h".
func (*Observed) waits(e *Entry) []string {
	if e.Question == nil || e.Question.Wait != flow.WaitQuota {
		return nil
	}
	return []string{e.Question.Message + " " + plain.ShortSpan(e.Question.Timeout.Round(time.Second))}
}

// firstIteration is the number of the iteration behind the address of a loop.
var firstIteration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:/(?:attempt|make)[0-9]+)?(#[0-9]+|\[[0-9]+\])`) })

// iterationCount returns how often a loop, or a node of a state graph, ran.
func (o *Observed) iterationCount(node string) int {
	if o.definition.Graph != nil {
		return o.graphVisits(node)
	}
	seen := map[string]bool{}
	for _, r := range o.Steps {
		rest, ok := strings.CutPrefix(r.Key, node)
		if m := firstIteration().FindString(rest); ok && m != "" && r.Status != flow.Skipped {
			seen[m] = true
		}
	}
	if of, _ := o.names.nodeOf(node); len(seen) == 0 && of.Kind != "for" && o.started[node] > 0 {
		return 1
	}
	return len(seen)
}

// graphVisits counts the visits of a node of a state graph that have ended.
func (o *Observed) graphVisits(node string) (n int) {
	for _, name := range o.State.Executed {
		if name == node {
			n++
		}
	}
	return n
}

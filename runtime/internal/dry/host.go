package dry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// host is the world of a plan: nothing happens in it without a request of the scheduler.
type host struct {
	def     *flow.Definition
	opt     Options
	above   []*flow.Definition // the workflows of the runs around this one
	outputs *Outputs
	judges  map[string]engine.Judge // by kind
	stand   *stand

	now     time.Time
	mail    []sched.Signal
	actions []*Action
	records map[string]flow.Record
	order   []string // of the keys in records, as they first came
	// open are the nodes of a state graph whose ends are not known: the walk stops there.
	open []string
	// owners are the steps whose outputs symbols stand for.
	owners map[string][]string
	// err is about the first scripted output that its step cannot give.
	err *OutputError
}

var _ sched.Host = (*host)(nil)

// Commit implements sched.Host.
func (h *host) Commit(b flow.Batch) error {
	for _, r := range b.Steps {
		if _, again := h.records[r.Key]; !again {
			h.order = append(h.order, r.Key)
		}
		h.records[r.Key] = r
	}
	return nil
}

// Start implements sched.Host: the action has ended when it returns.
func (h *host) Start(a flow.Action, _ int, _ settings.Limits) {
	switch a.Payload.Kind() {
	case kernel.Evidence{}.Kind(), graphstate.State{}.Kind(): // the plan shows no files
		h.mail = append(h.mail, sched.Done{Key: a.Key, Result: flow.Result{Status: flow.Completed}})
		return
	}
	act := describeAction(a)
	r, source, err := h.resultOf(a)
	if err != nil {
		h.keepFault(a.Key, err)
	}
	if call, ok := a.Payload.(flow.Child); ok && source == Unknown {
		r, source = h.planChild(a.Key, call, act)
	}
	h.addAction(act, r, source)
	if h.endsWithLabel(a.Key, &r, source) {
		h.mail = append(h.mail, sched.Done{Key: a.Key, Result: r})
	}
}

// endsWithLabel reports whether a step ends in the plan. A node of a state graph with several labels
// does not if its label is not known; r gets the label of one that has no other.
func (h *host) endsWithLabel(key string, r *flow.Result, source Source) bool {
	node, _ := stepkey.NodeOf(h.def.Nodes, key)
	switch {
	case source != Unknown || len(node.Labels) == 0:
	case len(node.Labels) == 1:
		r.Meta.Choice = node.Labels[0]
	default:
		h.open = append(h.open, node.Key)
		return false
	}
	return true
}

// Ask implements sched.Host: the question is answered when it returns.
func (h *host) Ask(q flow.Question) {
	act := &Action{Key: q.Key, Kind: "question", Message: q.Message, Choices: q.Choices, Timeout: Milliseconds(q.Timeout), Wait: q.Wait}
	if q.Wait != "" {
		act.Kind = "wait"
	}
	r, source, err := h.answerTo(q)
	if err != nil {
		h.keepFault(q.Key, err)
	}
	h.addAction(act, r, source)
	if source == Assumed && !strings.Contains(q.Key, "/before#") && !strings.Contains(q.Key, "/after#") {
		source = Unknown
	}
	if h.endsWithLabel(q.Key, &r, source) {
		h.mail = append(h.mail, sched.Answered{Key: q.Key, Result: r})
	} else {
		act.Result = Result{Source: Unknown, Status: r.Status}
	}
}

func (h *host) addAction(act *Action, r flow.Result, source Source) {
	act.Result = Result{Source: source, Status: r.Status, Text: r.Text, Choice: r.Meta.Choice}
	if r.Failure != nil {
		act.Result.Text = r.Failure.Message
	}
	h.actions = append(h.actions, act)
}

func (h *host) keepFault(key string, err error) {
	if h.err == nil {
		h.err = &OutputError{Key: key, Err: err}
	}
}

// newSymbol returns the symbol of a step's output.
func (h *host) newSymbol(what, key string) string {
	s := kernel.Symbol(what + key)
	h.owners[s] = append(h.owners[s], key)
	return s
}

// resultOf is how an action ends: as it is scripted, or somehow.
func (h *host) resultOf(a flow.Action) (flow.Result, Source, error) {
	raw := h.outputs.scriptedFor(a.Key)
	bash, _ := a.Payload.(flow.Bash)
	_, prompt := a.Payload.(flow.Prompt)
	r := flow.Result{Status: flow.Completed}
	if prompt {
		r.Meta.Session = unknownPhrase("session of %s", a.Key)
	}
	if raw == nil {
		r.Text = h.newSymbol("output of ", a.Key)
		if bash.Test {
			r.Text = "true"
		}
		return r, Unknown, nil
	}
	if message, ok := failureMessage(raw); ok {
		return finalFailure(message), Scripted, nil
	}
	r.Text = outputText(raw)
	if bash.Test && r.Text != "true" && r.Text != "false" {
		return finalFailure("?"), Scripted, fmt.Errorf("%s is neither true nor false", raw)
	}
	if judge := h.judges[a.Payload.Kind()]; judge != nil {
		text, err := judge.Judge(a.Payload, r.Text)
		if err != nil {
			return finalFailure("?"), Scripted, err
		}
		r.Text = text
	}
	return r, Scripted, nil
}

// answerTo is the assumed answer of a person to a question.
func (h *host) answerTo(q flow.Question) (flow.Result, Source, error) {
	raw := h.outputs.scriptedFor(q.Key)
	if raw == nil {
		r := flow.Result{Status: flow.Completed, Text: h.newSymbol("answer to ", q.Key)}
		if q.Wait == flow.WaitTime || q.Wait == flow.WaitQuota || q.Wait == flow.WaitBudget {
			return r, Unknown, nil
		}
		if len(q.Choices) > 0 {
			r.Meta.Choice = q.Choices[0]
		}
		return r, Assumed, nil
	}
	if message, ok := failureMessage(raw); ok {
		return finalFailure(message), Scripted, nil
	}
	r, err := readAnswer(raw, q)
	if err != nil {
		r = finalFailure("?")
	}
	return r, Scripted, err
}

// finalFailure is a failure that is final.
func finalFailure(message string) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: message, Class: flow.ClassFatal, Reason: "scripted", ExitCode: -1}}
}

// Cancel implements sched.Host: all started actions have ended.
func (h *host) Cancel(string) {}

// Now implements sched.Host.
func (h *host) Now() time.Time { return h.now }

// Pick implements sched.Host.
func (h *host) Pick(int) int { return 0 }

// Next implements sched.Host. When nothing has happened, the clock jumps to
// where something will.
func (h *host) Next(wake time.Time) []sched.Signal {
	mail := h.mail
	h.mail = nil
	switch {
	case len(mail) > 0:
	case wake.IsZero():
		return []sched.Signal{sched.Stop{}} // nothing ever will
	case wake.After(h.now):
		h.now = wake
	}
	return mail
}

// planChild plans a run of another workflow, as a part of this plan, and returns how the step
// that begins it ends.
func (h *host) planChild(key string, call flow.Child, act *Action) (flow.Result, Source) {
	unknown := flow.Result{Status: flow.Completed, Text: h.newSymbol("output of ", key)}
	i := slices.IndexFunc(h.def.Children, func(def *flow.Definition) bool { return def.Name == call.Workflow })
	if i < 0 {
		return finalFailure("this program has no workflow `" + call.Workflow + "`"), Unknown
	}
	def := h.def.Children[i]
	if def == h.def || slices.Contains(h.above, def) {
		return unknown, Unknown // it runs itself: one plan of it is enough
	}
	opt := h.opt
	opt.Outputs, opt.Graph = nil, nil
	if call.Worktree {
		opt.WorkDir = unknownPhrase("worktree of the run of %s", key)
	}
	var err error
	if opt.Inputs, err = withDefaults(def, call.Inputs); err != nil {
		return finalFailure(err.Error()), Unknown
	}
	// Placeholder numbers must differ in both plans.
	s := &stand{now: h.stand.now, truth: h.stand.truth, numbers: h.stand.numbers}
	act.run, err = observeRun(def, opt, s, append(h.above[:len(h.above):len(h.above)], h.def)...)
	h.stand.numbers, h.stand.truths = s.numbers, h.stand.truths || s.truths
	if err != nil {
		return finalFailure(err.Error()), Unknown
	}
	v := act.run.makePlan().Verdict
	switch {
	case v.Status == string(flow.Failed) && act.run.hasUnreadInputs():
		act.run = nil // its inputs cannot be read before they are known
	case v.Status == string(flow.Failed), v.Status == string(flow.Cancelled):
		r := finalFailure(fmt.Sprintf("the run of workflow `%s` is %s: %s", def.Name, v.Status, strings.Join(v.Reasons, "; ")))
		if v.Status == string(flow.Cancelled) {
			r.Failure.Reason = kernel.ChildCancelled
		}
		return r, Unknown
	}
	return unknown, Unknown
}

// hasUnreadInputs reports whether the flow ended before it came to a node, with inputs that are not
// known.
func (w *world) hasUnreadInputs() bool {
	return len(w.actions) == 0 && len(kernel.Symbols(string(w.info.Inputs))) > 0
}

// withDefaults returns the inputs of a run with the defaults of those that are not given.
func withDefaults(def *flow.Definition, given json.RawMessage) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if len(given) > 0 {
		if err := json.Unmarshal(given, &values); err != nil {
			return nil, fmt.Errorf("the inputs of workflow `%s` are not an object: %w", def.Name, err)
		}
	}
	for _, in := range def.Inputs {
		switch _, ok := values[in.Name]; {
		case ok, in.Replaces != "":
		case in.Default == "":
			return nil, fmt.Errorf("workflow `%s` needs the input `%s`", def.Name, in.Name)
		default:
			values[in.Name] = json.RawMessage(in.Default)
		}
	}
	return kernel.Encode(values)
}

package testrun

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A Probe is a run of a test in a form that another process can read: `wfc test
// --generate` searches for tests by running candidates.
type Probe struct {
	// Problems are the failures of the test, such as a missing stand-in.
	Problems []string `json:",omitempty"`
	Status   flow.Status
	// Reason, Error and Summary describe the end of the run.
	Reason  string          `json:",omitempty"`
	Error   string          `json:",omitempty"`
	Summary string          `json:",omitempty"`
	Outputs json.RawMessage `json:",omitempty"`
	// Hits are the covered facts. Terms count how often each term of a condition did not
	// hold and held; the caller sets them.
	Hits  Hits                 `json:",omitempty"`
	Terms map[string][2]uint64 `json:",omitempty"`
	// Nodes are the ends of nodes, without those of iterations and parts.
	Nodes []ProbedNode `json:",omitempty"`
	// Steps are the actions and questions, in order.
	Steps []ProbedStep `json:",omitempty"`
	// Iterations counts the iterations of loops, and the visits of nodes of a state graph.
	Iterations map[string]int             `json:",omitempty"`
	State      map[string]json.RawMessage `json:",omitempty"`
	Messages   []flow.Delivery            `json:",omitempty"`
	Warnings   []string                   `json:",omitempty"`
	// Started and Ended are the places of nodes and steps in the order of starts and ends.
	Started, Ended map[string]int `json:",omitempty"`
	Turns          int            `json:",omitempty"`
}

// A ProbedNode is the end of a node.
type ProbedNode struct {
	Key, Kind string
	Status    flow.Status
	Reason    string `json:",omitempty"`
	Text      string `json:",omitempty"`
	Error     string `json:",omitempty"`
	Attempts  int    `json:",omitempty"`
}

// A ProbedStep is an action or a question.
type ProbedStep struct {
	// Step is the address of the step, Name the address without iterations, and Node the
	// key of its node.
	Step, Name, Node string
	// Kind is the kind of the action, or question.
	Kind    string
	Attempt int      `json:",omitempty"`
	Prompts []string `json:",omitempty"`
	// Program is the text of a script, and Values are the values that it gets.
	Program string        `json:",omitempty"`
	Values  string        `json:",omitempty"`
	Test    bool          `json:",omitempty"`
	Timeout time.Duration `json:",omitempty"`
	// Message, Choices and Wait are those of a question, and Choice is the answer.
	Message string   `json:",omitempty"`
	Choices []string `json:",omitempty"`
	Wait    string   `json:",omitempty"`
	Choice  string   `json:",omitempty"`
}

// ProbeOf describes the run of a result.
func ProbeOf(r *Result) *Probe {
	p := &Probe{}
	for _, f := range r.Failures {
		if f.What == statusOfRun && r.Test.Expect.Line == 0 {
			continue // a candidate without expectations may end in any way
		}
		problem := f.What
		if f.Expected != "" || f.Happened != "" {
			problem += ": expected " + f.Expected + ", happened " + f.Happened
		}
		p.Problems = append(p.Problems, problem)
	}
	o := r.Observed
	if o == nil {
		return p
	}
	p.Status, p.Reason, p.Error, p.Summary, p.Outputs = o.End.Status, o.End.Reason, o.End.Error, o.End.Summary, o.End.Outputs
	if !json.Valid(p.Outputs) {
		p.Outputs = nil
	}
	p.Hits, p.Messages, p.Warnings, p.Turns = o.Hits(), slices.Clone(o.Messages), o.Warnings, int(o.Spent.Turns)
	for i := range p.Messages {
		p.Messages[i].Text = o.clean(p.Messages[i].Text)
	}
	p.Started, p.Ended, p.Iterations = o.started, o.ended, map[string]int{}
	_ = json.Unmarshal(o.State.Variables, &p.State) // a run that never began has none
	for name, value := range p.State {
		if text := json.RawMessage(o.clean(string(value))); json.Valid(text) {
			p.State[name] = text
		}
	}
	for _, s := range o.Steps {
		node, ok := o.names.nodeOf(s.Key)
		if !ok || s.Key != node.Key {
			continue
		}
		n := ProbedNode{Key: s.Key, Kind: node.Kind, Status: s.Status, Reason: s.Reason, Text: s.Text, Attempts: max(s.Attempt, s.Meta.Attempts)}
		if s.Failure != nil {
			n.Error = s.Failure.Message
		}
		if n.Attempts == 0 {
			for _, e := range o.entriesOf(s.Key) {
				n.Attempts = max(n.Attempts, e.Attempt)
			}
		}
		p.Nodes = append(p.Nodes, n)
	}
	for _, key := range o.names.keys {
		if n := o.iterations(key); n > 0 {
			p.Iterations[key] = n
		}
	}
	for _, e := range o.Entries {
		node, _ := o.names.nodeOf(e.Step)
		s := ProbedStep{Step: e.Step, Name: stepkey.Unnumbered(e.Step), Node: node.Key, Attempt: e.Attempt}
		switch q := e.Question; {
		case q != nil:
			s.Kind, s.Message, s.Choices, s.Wait, s.Choice = "question", o.clean(q.Message), q.Choices, string(q.Wait), e.Result.Meta.Choice
		default:
			s.Kind, s.Timeout = e.Action.Payload.Kind(), e.Action.Timeout
			s.Values, _ = o.given(e)
			s.Program, _ = o.program(e)
			s.Prompts = make([]string, len(e.Turns))
			for i, t := range e.Turns {
				s.Prompts[i] = t.Prompt
			}
			if bash, ok := e.Action.Payload.(flow.Bash); ok {
				s.Test = bash.Test
			}
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// ProbeAll runs tests one after the other, in order. terms returns the counts of terms so
// far; it may be nil.
func ProbeAll(tests []*testfile.Test, opt func(i int) Options, terms func() map[string][2]uint64) []*Probe {
	var all []*Probe
	count := func() map[string][2]uint64 {
		if terms == nil {
			return nil
		}
		return terms()
	}
	before := count()
	for i, t := range tests {
		p := ProbeOf(Run(t, opt(i)))
		after := count()
		p.Terms = map[string][2]uint64{}
		for place, n := range after {
			was := before[place]
			p.Terms[place] = [2]uint64{n[0] - was[0], n[1] - was[1]}
		}
		before = after
		all = append(all, p)
	}
	return all
}

package testrun

import (
	"encoding/json"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// ProbeOf describes the run of a result.
func ProbeOf(r *Result) *testjob.Run {
	p := &testjob.Run{}
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
	p.Status, p.Reason, p.Error, p.Summary, p.Outputs = string(o.End.Status), o.End.Reason, o.End.Error, o.End.Summary, o.End.Outputs
	if !json.Valid(p.Outputs) {
		p.Outputs = nil
	}
	p.Hits, p.Warnings, p.Turns = o.Hits(), o.Warnings, int(o.Spent.Turns)
	for _, m := range o.Messages {
		p.Messages = append(p.Messages, testjob.Message{Targets: m.Targets, Text: o.clean(m.Text)})
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
		n := testjob.Node{Key: s.Key, Kind: node.Kind, Status: string(s.Status), Reason: s.Reason, Text: s.Text, Attempts: max(s.Attempt, s.Meta.Attempts)}
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
		if n := o.iterationCount(key); n > 0 {
			p.Iterations[key] = n
		}
	}
	for _, e := range o.Entries {
		node, _ := o.names.nodeOf(e.Step)
		s := testjob.Step{Step: e.Step, Name: stepkey.Unnumbered(e.Step), Node: node.Key, Attempt: e.Attempt}
		switch q := e.Question; {
		case q != nil:
			s.Kind, s.Message, s.Choices, s.Wait, s.Choice = "question", o.clean(q.Message), q.Choices, string(q.Wait), e.Result.Meta.Choice
		default:
			s.Kind = e.Action.Payload.Kind()
			s.Values, s.Program = strings.Join(o.values(e), ""), strings.Join(o.programs(e), "")
			s.Prompts = append([]string{}, o.prompts(e)...)
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
func ProbeAll(tests []*testfile.Test, opt func(i int) Options, terms func() map[string][2]uint64) []*testjob.Run {
	var all []*testjob.Run
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

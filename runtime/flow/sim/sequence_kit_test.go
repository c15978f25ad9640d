package sim_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Random sequences of steps, for the laws: what they are, the flow code that runs
// them, and a plain interpreter that says what must come of them.

// seqShape is what a step of a random sequence does.
type seqShape int

const (
	seqAct seqShape = iota
	seqFork
	seqEach
	seqRounds
	seqShapes
)

// seqStep is a step, or what a loop repeats.
type seqStep struct {
	shape seqShape
	// n is the number of items, rounds or children.
	n int
	// body is what a loop repeats.
	body *seqStep
	// fails is the place of the item, round or child that fails, or -1; of an
	// action 0 means that it fails.
	fails int
	// refused says that an action completes and gives what is of no use.
	refused bool
	// off is the place of the child whose condition does not hold, or -1.
	off      int
	failFast bool
	until    bool
	takes    time.Duration
	skipped  bool
	given    bool
	// said are the answers to the reviews of the step; nil is no review.
	said []string
}

type sequence []*seqStep

var errRefused = errors.New("of no use")

// act performs an action of part `part` of a step. What it gives is not what is
// read from it, so that the one cannot be taken for the other.
func (s *seqStep) act(c *flow.Context, in, part string, fails bool) (string, error) {
	w := work{Text: in + part, Takes: s.takes}
	if fails && !s.refused {
		w.Fails = 99
	}
	r, err := c.Do(w)
	if err != nil {
		return "", err
	}
	if fails {
		return "", errRefused
	}
	return "<" + r.Text + ">", nil
}

// run is the flow code of a step, given the text of the step before.
func (s *seqStep) run(c *flow.Context, in string) (string, error) {
	switch s.shape {
	case seqFork:
		branches := make([]steps.Branch, s.n)
		for i := range branches {
			branches[i] = steps.Branch{Name: fmt.Sprintf("c%d", i), Kind: "work",
				Run: func(c *flow.Context) (string, error) {
					child := *s
					child.takes = s.takes + time.Duration(i%2)*time.Second
					return child.act(c, in, fmt.Sprint(i), i == s.fails)
				}}
			if i == s.off {
				branches[i].When = func() (bool, error) { return false, nil }
			}
		}
		return steps.Fork{FailFast: s.failFast, Branches: branches}.Run(c, joinEnds)
	case seqEach:
		return steps.Each(c, s.n, joinTexts, func(c *flow.Context, i int) (string, error) {
			return s.item(i).run(c, fmt.Sprintf("%s%d", in, i))
		})
	case seqRounds:
		repeat := steps.Repeat{
			Max: 3, Condition: "the goal",
			Body: func(c *flow.Context, p steps.Previous) (string, error) {
				n := strings.Count(p.Text, "#")
				return s.item(n).run(c, in+p.Text+"#")
			},
		}
		repeat.While = func(text string) (bool, error) { return strings.Count(text, "#") < s.n, nil }
		if s.until {
			repeat.Until, repeat.While = func(text string) (bool, error) { return strings.Count(text, "#") >= s.n, nil }, nil
		}
		return repeat.Run(c)
	}
	return s.act(c, in, "", s.fails == 0)
}

// item is what a loop repeats in its n-th turn, from 0.
func (s *seqStep) item(n int) *seqStep {
	body := *s.body
	if n != s.fails {
		body.fails = -1
	}
	return &body
}

func joinTexts(texts []string) (string, error) { return "[" + strings.Join(texts, ",") + "]", nil }

func joinEnds(ends []steps.BranchOutput) (string, error) {
	var texts []string
	for _, e := range ends {
		if e.Ran {
			texts = append(texts, e.Name+"="+e.Text)
		}
	}
	return "{" + strings.Join(texts, ",") + "}", nil
}

// expect is what must come of a step.
func (s *seqStep) expect(in string) (text string, ok bool) {
	switch s.shape {
	case seqFork:
		var ends []steps.BranchOutput
		for i := range s.n {
			if i == s.fails && i != s.off {
				return "", false
			}
			ends = append(ends, steps.BranchOutput{Name: fmt.Sprintf("c%d", i), Text: fmt.Sprintf("<%s%d>", in, i), Ran: i != s.off})
		}
		text, _ = joinEnds(ends)
		return text, true
	case seqEach:
		texts := []string{}
		for i := range s.n {
			if text, ok = s.item(i).expect(fmt.Sprintf("%s%d", in, i)); !ok {
				return "", false
			}
			texts = append(texts, text)
		}
		text, _ = joinTexts(texts)
		return text, true
	case seqRounds:
		for n := range 3 {
			if text, ok = s.item(n).expect(in + text + "#"); !ok || strings.Count(text, "#") >= s.n {
				return text, ok
			}
		}
		return "", false
	}
	return "<" + in + ">", s.fails != 0
}

// reviewed is expect for a step that may be reviewed. ended says how the run ends
// with it, if it does.
func (s *seqStep) reviewed(in string) (text string, ended flow.Status) {
	if s.said == nil {
		text, ok := s.expect(in)
		if !ok {
			ended = flow.Failed
		}
		return text, ended
	}
	words := ""
	for n := 0; ; n++ {
		text, ok := s.expect(in + words)
		if !ok {
			return "", flow.Failed
		}
		switch choice, said, _ := strings.Cut(s.said[n], " "); choice {
		case kernel.ChoiceAccept:
			return text + "!", ""
		case kernel.ChoiceEdit:
			return said + "!", ""
		case kernel.ChoiceReject:
			return "", flow.Cancelled
		default:
			words += said
		}
	}
}

func (s *seqStep) perform(c *flow.Context, in string) (string, error) {
	if s.said == nil {
		return s.run(c, in)
	}
	return steps.Review{
		Step: c.Key(), ByAgent: true,
		Make: func(c *flow.Context, a steps.Draft) (string, error) {
			return s.run(c, in+strings.Join(a.Feedback, ""))
		},
		Accept:   func(text string) (string, error) { return text + "!", nil },
		ReadEdit: func(text string) (string, error) { return text, nil },
	}.Run(c)
}

// definition makes a workflow of the description.
func (d sequence) definition() *flow.Definition {
	def := &flow.Definition{Name: "seq"}
	for i := range d {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key(i), Kind: "node"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		in, texts := "", []string{}
		for i, s := range d {
			n := flow.Node[string]{
				Key: key(i), Kind: "node",
				When: func() (bool, error) { return !s.skipped, nil },
				Run:  func(c *flow.Context) (string, error) { return s.perform(c, in) },
			}
			if s.given {
				n.Replace = func() (string, bool, error) { return "given", true, nil }
			}
			text := flow.RunNext(c, n).Final().Text
			texts = append(texts, text)
			in = tail(text)
		}
		return texts, flow.Settle(c)
	}
	return def
}

// tail is what the next step takes of a text.
func tail(text string) string { return strings.ReplaceAll(text[max(0, len(text)-3):], "#", "") }

// answers are what people say.
func (d sequence) answers() []sim.Answer {
	var all []sim.Answer
	for i, s := range d {
		for n, said := range s.said {
			choice, words, _ := strings.Cut(said, " ")
			all = append(all, answer(fmt.Sprintf("%s/review#%d", key(i), n+1), choice, words))
		}
	}
	return all
}

// agrees holds an outcome against the interpreter.
func (d sequence) agrees(o *sim.Result) error {
	if len(o.Faults) > 0 {
		return fmt.Errorf("faults: %s", strings.Join(o.Faults, "; "))
	}
	in, end := "", flow.Completed
	for i, s := range d {
		want := flow.Record{Status: flow.Completed}
		var ended flow.Status
		switch {
		case end != flow.Completed:
			want = flow.Record{Status: flow.Skipped, Reason: kernel.SkipFailure}
			if end == flow.Cancelled {
				want.Reason = kernel.SkipCancelled
			}
		case s.given:
			want = flow.Record{Status: flow.Skipped, Reason: kernel.SkipGiven, Text: "given"}
		case s.skipped:
			want = flow.Record{Status: flow.Skipped, Reason: kernel.SkipCondition}
		default:
			want.Text, ended = s.reviewed(in)
		}
		if ended != "" {
			want.Status, end = ended, ended
		}
		got := o.Step(key(i))
		if got.Status != want.Status || got.Reason != want.Reason || want.Status != flow.Failed && got.Text != want.Text {
			return fmt.Errorf("step %s is %s (%s) with %q and %v instead of %s (%s) with %q", key(i), got.Status, got.Reason, got.Text, got.Failure, want.Status, want.Reason, want.Text)
		}
		in = tail(want.Text)
	}
	if o.End.Status != end {
		return fmt.Errorf("the run is %s (%s) instead of %s", o.End.Status, o.End.Error, end)
	}
	return nil
}

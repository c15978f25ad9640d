package sim_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// drawSeqStep draws what a step does. What a loop repeats is no loop.
func drawSeqStep(t *rapid.T, shapes seqShape) *seqStep {
	s := &seqStep{
		shape: seqShape(rapid.IntRange(0, int(shapes)-1).Draw(t, "shape")),
		n:     rapid.IntRange(1, 3).Draw(t, "n"), off: -1, fails: -1,
		failFast: rapid.Bool().Draw(t, "fail fast"), until: rapid.Bool().Draw(t, "until"),
		refused: rapid.Bool().Draw(t, "refused"),
		takes:   time.Duration(rapid.IntRange(0, 2).Draw(t, "takes")) * time.Second,
	}
	if rapid.IntRange(0, 5).Draw(t, "may fail") == 0 {
		s.fails = rapid.IntRange(0, 3).Draw(t, "fails")
	}
	switch s.shape {
	case seqFork:
		s.n++
		s.off = rapid.IntRange(-1, s.n-1).Draw(t, "off")
	case seqEach:
		s.n = rapid.IntRange(0, 3).Draw(t, "items")
		s.body = drawSeqStep(t, seqEach)
	case seqRounds:
		s.n = rapid.IntRange(1, 4).Draw(t, "rounds")
		s.body = drawSeqStep(t, seqFork)
	}
	return s
}

func drawSequence(t *rapid.T) sequence {
	d := make(sequence, rapid.IntRange(1, 5).Draw(t, "steps"))
	for i := range d {
		s := drawSeqStep(t, seqShapes)
		s.skipped = rapid.IntRange(0, 6).Draw(t, "skipped") == 0
		s.given = rapid.IntRange(0, 6).Draw(t, "given") == 0
		if rapid.IntRange(0, 3).Draw(t, "review") == 0 {
			for range rapid.IntRange(0, 2).Draw(t, "again") {
				s.said = append(s.said, kernel.ChoiceFeedback+" "+rapid.SampledFrom([]string{"a", "b"}).Draw(t, "words"))
			}
			s.said = append(s.said, rapid.SampledFrom([]string{kernel.ChoiceAccept, kernel.ChoiceAccept, kernel.ChoiceEdit + " mine", kernel.ChoiceReject + " no"}).Draw(t, "end"))
		}
		d[i] = s
	}
	return d
}

// Whatever order the world chooses and wherever processes die, a sequence ends as
// the interpreter says, and nothing that was committed as completed is performed
// again.
func TestEveryOrderAndCrashGivesTheSameSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawSequence(t)
		w := sim.World{Definition: d.definition(), Perform: perform, Answers: d.answers(), MaxParallel: rapid.IntRange(0, 2).Draw(t, "limit"), Attended: rapid.Bool().Draw(t, "attended")}
		seed := rapid.Uint64().Draw(t, "seed")
		whole := sim.Run(w, seed)
		if err := d.agrees(whole); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			first := rapid.IntRange(1, whole.Points).Draw(t, "crash")
			second := first + rapid.IntRange(1, whole.Points).Draw(t, "next crash")
			got := sim.Run(w, seed+1, first, second)
			if err := d.agrees(got); err != nil {
				t.Fatalf("crash at %d and %d: %v", first, second, err)
			}
			if string(got.End.Outputs) != string(whole.End.Outputs) {
				t.Fatalf("crash at %d and %d: outputs %s instead of %s", first, second, got.End.Outputs, whole.End.Outputs)
			}
		}
	})
}

// All shapes in one sequence, stopped at every point.
func TestCrashEverywhereInSequences(t *testing.T) {
	act := func(takes int) *seqStep {
		return &seqStep{shape: seqAct, fails: -1, off: -1, takes: time.Duration(takes) * time.Second}
	}
	fork := &seqStep{shape: seqFork, n: 3, fails: -1, off: 1, failFast: true, takes: time.Second}
	d := sequence{
		act(1),
		fork,
		{shape: seqEach, n: 3, fails: -1, off: -1, body: fork},
		{shape: seqRounds, n: 3, fails: -1, off: -1, body: act(1), until: true, said: []string{"feedback x", "accept"}},
		{shape: seqEach, n: 2, fails: -1, off: -1, body: act(0), said: []string{"edit mine"}},
		{shape: seqAct, fails: -1, off: -1, given: true},
		{shape: seqRounds, n: 2, fails: -1, off: -1, body: act(1)},
	}
	w := sim.World{Definition: d.definition(), Perform: perform, Answers: d.answers(), MaxParallel: 2}
	runs, err := sim.Explore(w, 1, 12, func(whole, got *sim.Result) error { return d.agrees(got) })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs", runs)
}

// A person's cancellation at any moment ends a sequence, and nothing goes on
// after it.
func TestCancelSequencesAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawSequence(t)
		for _, s := range d {
			if s.said != nil {
				s.said = []string{kernel.ChoiceAccept}
			}
		}
		w := sim.World{
			Definition: d.definition(), Perform: perform, Answers: d.answers(),
			Cancels: []sim.Cancel{{At: time.Duration(rapid.IntRange(0, 20).Draw(t, "at")) * time.Second / 2, Reason: "stop it"}},
		}
		got := sim.Run(w, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 100).Draw(t, "crash"))
		if len(got.Faults) > 0 {
			t.Fatal(got.Faults)
		}
		if got.End.Status == flow.Cancelled {
			for i := range d {
				if s := got.Step(key(i)); !s.Status.Ended() {
					t.Fatalf("%s is %s", s.Key, s.Status)
				}
			}
			return
		}
		if err := d.agrees(got); err != nil {
			t.Fatalf("it was not cancelled, and: %v", err)
		}
	})
}

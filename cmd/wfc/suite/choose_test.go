package suite

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// The chosen tests have all facts. An item of coverage is worth more than other facts, a
// small scenario more than a large one, and a trial without a new fact nothing.
func TestChoose(t *testing.T) {
	chosen := func(name string, flips int, facts ...string) *trial {
		return &trial{scenario: &scenario{flips: make([]flip, flips)}, probe: &testjob.Run{Summary: name}, facts: facts}
	}
	s := &search{
		items: []cover.Item{{Name: "edge a b"}}, known: map[string]bool{"edge a b": true, "x": true, "y": true, "z": true},
		trials: []*trial{
			chosen("large", 6, "edge a b", "x"), chosen("facts", 0, "x", "y"), chosen("item", 0, "edge a b"),
			chosen("again", 0, "y"), chosen("last", 2, "z"),
		},
	}
	var got []string
	for _, c := range s.chooseTrials() {
		got = append(got, c.probe.Summary)
	}
	if want := []string{"item", "facts", "last"}; !slices.Equal(got, want) {
		t.Errorf("chose %v, want %v", got, want)
	}
}

// The name of a test says the way, and is unique.
func TestNames(t *testing.T) {
	used := slot{"agents", "ask"}
	named := &trial{
		scenario: &scenario{flips: []flip{{slot: used, text: "ask kind is bug"}, {slot: slot{"agents", "other"}, text: "other fails"}}},
		probe:    &testjob.Run{Status: "failed", Steps: []testjob.Step{{Name: "ask", Node: "ask"}}},
	}
	taken := map[string]bool{}
	for _, want := range []string{"ask kind is bug: the run fails", "ask kind is bug: the run fails (2)"} {
		if got := named.chooseName(taken); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	plain := &trial{scenario: &scenario{}, probe: &testjob.Run{Status: "completed"}}
	if got := plain.chooseName(taken); got != "every step succeeds" {
		t.Errorf("%q", got)
	}
}

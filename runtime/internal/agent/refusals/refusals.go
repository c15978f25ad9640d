// Package refusals has refusals of agents as they were recorded in public threads, with what wfc
// makes of each. The tests of each kind of agent run theirs through its own classification.
package refusals

import (
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

//go:embed refusals.json
var text []byte

// A Refusal is one recorded refusal.
type Refusal struct {
	// Agent is claude, codex, gemini, copilot, opencode, anthropic, openai or google.
	Agent string
	// Source is the thread; Said is when the refusal was read.
	Source string
	Said   time.Time
	// Text is the message of a program; Kind is the name of the error that Claude Code gives
	// beside it, and Resets the reset in seconds since 1970; Code and Data are those of an error
	// of the Agent Client Protocol.
	Text   string
	Kind   string
	Resets int64
	Code   int
	Data   json.RawMessage
	// Status, Headers and Body are the answer of a service.
	Status  int
	Headers map[string]string
	Body    json.RawMessage
	// Want is plan (a quota, which no retry within minutes passes), rate, credit, outage or
	// failure, and Reset is when the refusal says that it is over.
	Want  string
	Reset time.Time
}

// Of returns the refusals of agents.
func Of(t *testing.T, agents ...string) []Refusal {
	t.Helper()
	var all, own []Refusal
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if !strings.HasPrefix(r.Source, "https://") || r.Said.IsZero() {
			t.Errorf("no source: %+v", r)
		}
		if slices.Contains(agents, r.Agent) {
			own = append(own, r)
		}
	}
	if len(all) < 20 || len(own) == 0 {
		t.Fatalf("%d refusals, %d of %v", len(all), len(own), agents)
	}
	return own
}

// Check compares the error of an agent that refused with what the table wants.
func (r Refusal) Check(t *testing.T, err error) {
	t.Helper()
	var f *flow.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%s: no failure: %v", r.Source, err)
	}
	got := "failure"
	switch {
	case f.Reason == failures.ReasonCredit:
		got = "credit"
	case f.Reason == failures.ReasonQuota && f.Class == flow.ClassTransient:
		got = "rate"
	case f.Reason == failures.ReasonQuota:
		got = "plan"
	case f.Class == flow.ClassTransient:
		got = "outage"
	}
	if got != r.Want {
		t.Errorf("%s: %s, want %s: %+v", r.Source, got, r.Want, f)
	}
	if reset := failures.ResetOf(f, r.Said); reset.Sub(r.Reset).Abs() > time.Second {
		t.Errorf("%s: the reset is %v, want %v: %+v", r.Source, reset, r.Reset, f)
	}
	if message := quoted(r); message != "" && !strings.Contains(f.Message, message) {
		t.Errorf("%s: %q does not say %q", r.Source, f.Message, message)
	}
}

// quoted is a part of the refusal that its failure must quote: its first words.
func quoted(r Refusal) string {
	words := r.Text
	if i := strings.IndexAny(words, "{[|\n"); i >= 0 {
		words = words[:i]
	}
	return strings.TrimSpace(words[:min(len(words), 25)])
}

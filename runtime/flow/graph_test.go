package flow_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestMatchChoice(t *testing.T) {
	for _, tt := range []struct{ answer, choices, want string }{
		{"yes", "yes no", "yes"},
		{" YES! ", "yes no", "yes"},
		{"y", "yes yesterday no", "yes"},
		{"n", "yes no none", "no"},
		{"d", "yes no defer", "defer"},
		{"de", "defer deploy", ""},
		{"dep", "defer deploy", "deploy"},
		{"Done", "done Done", "Done"},
		{"P0", "P0 P1", "P0"},
		{"p", "P0 P1", ""},
		{"yes please", "yes no", ""},
		{"y", "yield", "yield"},
		{"", "yes no", ""},
		{"...", "yes no", ""},
		{"yes", "", ""},
	} {
		got, ok := flow.MatchChoice(tt.answer, strings.Fields(tt.choices))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q of %q: %q, %v", tt.answer, tt.choices, got, ok)
		}
	}
}

func TestWalkSteps(t *testing.T) {
	for key, want := range map[string]bool{"START/begun": true, "END/state": true, "END/state/at": true, "STARTED@1": false, "review@5/state": false} {
		if flow.WalkStep(key) != want {
			t.Errorf("%s: %v", key, !want)
		}
	}
}

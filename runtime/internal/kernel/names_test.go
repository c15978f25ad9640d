package kernel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

func TestMatch(t *testing.T) {
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
		got, ok := kernel.Match(tt.answer, strings.Fields(tt.choices))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q of %q: %q, %v", tt.answer, tt.choices, got, ok)
		}
	}
}

func TestMatchQuestion(t *testing.T) {
	for _, tt := range []struct{ key, words, choices, want string }{
		{"gate@1#1", "Y", "yes no", "yes"},
		{"gate@1#1", "proceed", "yes no", ""},
		{"gate@1/before#1", "proceed", "yes no", "yes"},
		{"gate@1/before#2", "Continue.", "yes no", "yes"},
		{"gate@1/after#1", "CANCEL", "yes no skip", "no"},
		{"gate@1/after#1", "stop", "yes no", "no"},
		{"gate@1/after#1", "skip", "yes no skip", "skip"},
		{"gate@1/after#1", "skip", "yes no", ""},
		{"gate@1/after#1", "c", "yes no", ""}, // continue or cancel
		{"gate@1/after#1", "", "yes no", ""},
	} {
		got, ok := kernel.MatchQuestion(tt.key, tt.words, strings.Fields(tt.choices))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q to %s of %q: %q, %v", tt.words, tt.key, tt.choices, got, ok)
		}
	}
}

func TestNamedError(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"no service", "node `fix`: no service"},
		{"Bash node 'fix' failed [exit 1]: no", "Bash node 'fix' failed [exit 1]: no"},
		{"Node `fix` got an empty answer", "Node `fix` got an empty answer"},
		{"Bash node 'fixed' failed [exit 1]", "node `fix`: Bash node 'fixed' failed [exit 1]"},
		{"it is read after node `fix` was skipped", "node `fix`: it is read after node `fix` was skipped"},
	} {
		err := errors.New(tt.text)
		if got := kernel.NamedError("fix", err); got.Error() != tt.want || !errors.Is(got, err) {
			t.Errorf("%s: %v", tt.text, got)
		}
	}
}

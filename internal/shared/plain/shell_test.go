package plain_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"":          "''",
		"run-1":     "run-1",
		"/a/b.c:d":  "/a/b.c:d",
		"~x":        "'~x'",
		"a~x":       "a~x",
		"two words": "'two words'",
		"it's":      `'it'\''s'`,
		"$(x)":      "'$(x)'",
		"é":         "'é'",
	} {
		if got := plain.ShellWord(text); got != want {
			t.Errorf("ShellWord(%q) is %s, want %s", text, got, want)
		}
	}
}

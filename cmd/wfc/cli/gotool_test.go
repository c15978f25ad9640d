package cli

import (
	"path/filepath"
	"testing"
)

func TestIsToolCall(t *testing.T) {
	unit := filepath.Join(t.TempDir(), "vet.cfg")
	for _, test := range []struct {
		args []string
		want bool
	}{
		{nil, false},
		{[]string{"-V=full"}, true},
		{[]string{"-flags"}, true},
		{[]string{unit}, true},
		{[]string{"-wfcgen=false", "-json", unit}, true},
		{[]string{"vet.cfg"}, false},
		{[]string{"check", unit}, false},
		{[]string{"check", "-V=full"}, false},
		{[]string{"--version"}, false},
	} {
		if got := isToolCall(test.args); got != test.want {
			t.Errorf("isToolCall(%q) = %v", test.args, got)
		}
	}
}

package process_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

func TestFileName(t *testing.T) {
	for _, key := range []string{"a", "fix#3", "review@5", "a-b_c"} {
		if got := process.FileName(key); got != key {
			t.Errorf("FileName(%q) = %q", key, got)
		}
	}
	seen := map[string]string{}
	long := strings.Repeat("k", 300)
	for _, key := range []string{"", ".", "..", "gate/rework#1", "gate.rework#1", "Gate", "gate", "items[2]", "é", "nul", "con", long, long + "k", "../../x"} {
		name := process.FileName(key)
		folded := strings.ToLower(name)
		if other, taken := seen[folded]; taken {
			t.Errorf("%q and %q share the name %q", key, other, name)
		}
		seen[folded] = key
		if name == "" || len(name) > 200 || strings.ContainsAny(name, `/\:*?"<>|`) || strings.HasPrefix(name, ".") || name == "nul" || name == "con" {
			t.Errorf("FileName(%q) = %q is not safe", key, name)
		}
	}
}

package build

import (
	"os"
	"strings"
	"testing"
)

// With other flags, CI would compile everything once for tests and once for the programs
// that tests build.
func TestFlagsOfCI(t *testing.T) {
	script, err := os.ReadFile("../../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range compilerFlags {
		if !strings.Contains(string(script), flag) {
			t.Errorf(".ci/run does not set %q in GOFLAGS", flag)
		}
	}
}

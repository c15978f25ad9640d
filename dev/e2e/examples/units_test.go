//go:build unix

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUnits has systemd verify the units in the guide, with a program that is there.
func TestUnits(t *testing.T) {
	verifier, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	program := regexp.MustCompile(`(?m)^ExecStart=\S+`)
	for _, page := range []string{"docs/guide/listen.md", "docs/guide/schedules.md"} {
		lines := strings.Split(read(t, filepath.Join(root, page)), "\n")
		units := 0
		for _, b := range blocks(lines) {
			if len(b.info) != 1 || b.info[0] != "ini" {
				continue
			}
			units++
			unit := program.ReplaceAllString(strings.Join(lines[b.first:b.last], "\n")+"\n", "ExecStart=/bin/true")
			path := filepath.Join(t.TempDir(), "unit.service")
			if err := os.WriteFile(path, []byte(unit), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(verifier, "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", page, err, out)
			}
		}
		if units == 0 {
			t.Errorf("%s has no unit", page)
		}
	}
}

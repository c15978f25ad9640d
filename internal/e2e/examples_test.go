//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tells is what the demonstrations of the examples print on standard output,
// among other things.
var tells = map[string][]string{
	"triage": {"kind: bug (confidence 0.93)", "`'; touch pwned; \"$(touch pwned)\" \\` shows it.", "skipped    its condition is false"},
	"agents": {
		"verdict: mend (confidence 0.8)\n1. Close the file.", "the prompt is not the recorded one: line 3 was `f, _ := os.Open(name)`",
		"in total: $0.0530, 4 turns replayed, not spent", "of $0.04 is reached: $0.043 used", "exit code 5\n", "in total: $0.0530, 4 turns\n",
	},
	"changelog": {
		"✓    said[2]         prompt    completed", "✓    draft/make2     prompt    completed", "✓    draft/review#2  question  completed", "- Names may hold \"quotes\", $signs and `ticks`.\n", "With thanks to ann, bob.", "✓  publish           bash      completed",
	},
	"postmortem": {
		"↩ draft                    when try_again", "No orders for an hour.", "at END: 12 of 30 nodes", "I learned that nobody watches the disk.",
	},
	"digest": {
		"[changes issues] [risks] [digest]", "at 09:00 on Monday (Europe/Berlin)", "✗ risks/deliver",
		"no address is known: set ONCALL_URL or ONCALL_TOKEN", "✓    risks/deliver  deliver  completed", "/oncall got [digest/risks]", "/team got [digest]\n    Workflow 'digest' completed.",
	},
	"embedded": {"# News\n- Dark mode\n- Names may hold \"quotes\"\n"},
	"release": {
		"published, for somebody said: Ship it\n# Version 2\nNames may hold quotes.\nDark mode.\n",
		"write#2/until", "agreed/rework#1", "release-", ": completed",
	},
}

// TestExamples runs the demonstration of every example with a wfc of this
// checkout, and wants the README to lead there.
func TestExamples(t *testing.T) {
	const examples = "../../examples"
	wfc := filepath.Join(t.TempDir(), "wfc")
	if out, err := exec.Command("go", "build", "-o", wfc, "github.com/wfc-lang/wfc/cmd/wfc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir(examples)
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) != len(tells) {
		t.Errorf("there are %d examples, and %d are known", len(folders), len(tells))
	}
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), filepath.Join(examples, f.Name(), "demo.sh"), wfc)
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s%s", err, out, errs.String())
			}
			for _, want := range tells[f.Name()] {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not print %q:\n%s", want, out)
				}
			}
			if _, err := os.Stat(filepath.Join(examples, f.Name(), "README.md")); err != nil {
				t.Error(err)
			}
			if link := "](examples/" + f.Name() + ")"; !strings.Contains(string(readme), link) {
				t.Errorf("the README does not lead there: it has no %q", link)
			}
		})
	}
}

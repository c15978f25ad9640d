package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Roff reads lines that begin with a dot or an apostrophe as commands, and a backslash as
// the beginning of one.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := filepath.Join(t.TempDir(), "man1")
	if code, printed := wfc("man", dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, printed)
	}
	page := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, parts := range map[string][]string{
		"wfc": {".TH \"WFC\" 1 \"Nov 2023\"", ".SH SEE ALSO\n", `\fBwfc\-check\fP(1)`, `\fBwfc\-resume\fP(1)`, `\fBwfc\-completion\fP(1)`},
		"wfc-check": {
			".SH NAME\nwfc\\-check \\- Check workflows for faults\n.SH SYNOPSIS\n\\fBwfc check [PATH…] [flags]\\fP\n",
			"\n\\&'flows/**/*.yaml'", ".TP\n\\fB\\-v\\fP, \\fB\\-\\-verbose\\fP\n", "\\fB\\-\\-limit\\fP \\fIint\\fP\n", "(default 50)",
			".SH OPTIONS INHERITED FROM PARENT COMMANDS\n.TP\n\\fB\\-\\-color\\fP", ".SH EXAMPLE\n.EX\n  wfc check\n", `\fBwfc\fP(1)`,
		},
		"wfc-completion-bash": {".SH NAME\nwfc\\-completion\\-bash"},
	} {
		text := page(name)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s.1 has no %q:\n%s", name, part, text)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "wfc-man.1")); err == nil {
		t.Error("a hidden command has a page")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "soon")
	if code, printed := wfc("man", dir); code == 0 || !strings.Contains(printed, "SOURCE_DATE_EPOCH") {
		t.Errorf("exit code %d: %s", code, printed)
	}
}

package check_test

import (
	"strings"
	"testing"
)

func TestUnmentionedSignals(t *testing.T) {
	const mentioned, unmentioned = "", "loop-signal "
	tests := []struct{ prompt, until, more, want string }{
		{"Work until all is done.", "DONE", "", unmentioned + "DONE"},
		{"Work. When all is done answer DONE", "DONE", "", mentioned},
		{"Work, then say <promise>done</promise>.", "DONE", "", mentioned},
		{"Work, then **DONE**, or `DONE`.", "DONE", "", mentioned},
		{"The work is UNDONE or DONE_ALREADY.", "DONE", "", unmentioned + "DONE"},
		{"UNDONE DONE", "DONE", "", mentioned},
		{"DONE$c.output", "DONE", "", mentioned},
		{"Read $c.output and go on", "output", "", unmentioned + "output"},
		{"Say ALL TESTS PASS", "ALL TESTS PASS", "", mentioned},
		{"Say [[END]]now", "[[END]]", "", mentioned},
		{"Sage ÜDONE", "DONE", "", unmentioned + "DONE"},
		{"Follow .archon/commands/work.md", "DONE", "", mentioned},
		{"Work until all is done.", "DONE", ", until_bash: ./check.sh", mentioned},
		{"Work until all is done.", "DONE", ", interactive: true, gate_message: 'DONE?'", unmentioned + "DONE"},
		{"Work, then say DONE", "' DONE '", "", mentioned},
	}
	for _, test := range tests {
		yaml := node("c", "bash: x") + "  - id: l\n    depends_on: [c]\n    loop: {prompt: \"" + test.prompt + "\", until: " + quoted(test.until) + ", max_iterations: 3" + test.more + "}\n"
		_, found := checked(t, yaml)
		if got := strings.Join(found, ", "); got != test.want {
			t.Errorf("%q until %q%s: got %q, want %q", test.prompt, test.until, test.more, got, test.want)
		}
	}
}

// quoted leaves plain words alone, so that spans are easy to compare.
func quoted(s string) string {
	if strings.ContainsAny(s, "[") {
		return "'" + s + "'"
	}
	return s
}

package check_test

import (
	"strings"
	"testing"
)

func TestUnmentionedSignals(t *testing.T) {
	const told, untold = "", "unmentioned-signal "
	tests := []struct{ prompt, until, more, want string }{
		{"Work until all is done.", "DONE", "", untold + "DONE"},
		{"Work. When all is done answer DONE", "DONE", "", told},
		{"Work, then say <promise>done</promise>.", "DONE", "", told},
		{"Work, then **DONE**, or `DONE`.", "DONE", "", told},
		{"The work is UNDONE or DONE_ALREADY.", "DONE", "", untold + "DONE"},
		{"UNDONE DONE", "DONE", "", told},
		{"DONE$c.output", "DONE", "", told},
		{"Read $c.output and go on", "output", "", untold + "output"},
		{"Say ALL TESTS PASS", "ALL TESTS PASS", "", told},
		{"Say [[END]]now", "[[END]]", "", told},
		{"Sage ÜDONE", "DONE", "", untold + "DONE"},
		{"Follow .archon/commands/work.md", "DONE", "", told},
		{"Work until all is done.", "DONE", ", until_bash: ./check.sh", told},
		{"Work until all is done.", "DONE", ", interactive: true, gate_message: 'DONE?'", untold + "DONE"},
		{"Work, then say DONE", "' DONE '", "", told},
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

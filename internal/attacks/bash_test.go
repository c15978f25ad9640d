package attacks

import (
	"os/exec"
	"strings"
	"testing"
)

// bashForm is archon's: all cases are nodes beside each other.
var bashForm = Form{Name: "bash", Workflow: func(steps []Step) string {
	var b strings.Builder
	b.WriteString("name: attacks\ndescription: Hostile values in bash.\nnodes:\n  - id: a\n    bash: cat \"$PAYLOAD\"\n")
	for _, s := range steps {
		b.WriteString("  - id: " + s.Key + "\n    depends_on: [a]\n    timeout: 5000\n    bash: |\n")
		b.WriteString("      " + strings.ReplaceAll(s.Script, "\n", "\n      ") + "\n")
	}
	return b.String()
}}

// TestFrame checks that the frame tells the three outcomes apart.
func TestFrame(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on PATH")
	}
	// The last script reads no value and runs the payload's file: nothing is
	// there to refuse, and it shows what an executed payload looks like.
	reports := Try(t, bashForm, []Case{
		{"bash", `eval "$a.output"`},
		{"bash", `printf '%s\n' "$a.output"`},
		{"bash", `sh "$PAYLOAD"`},
	}, []string{"PWN"})
	for i, want := range []Outcome{Refused, Accepted, Executed} {
		if reports[i].Outcome != want {
			t.Errorf("%s: %s, want %s: %v", reports[i].Script, reports[i].Outcome, want, reports[i].Codes())
		}
	}
}

package attacks

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
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

// payloads are values that run the marker where text becomes code: as a command, in
// arithmetic, in each kind of quotes and a separate line, as an option, in the
// syntax of other programs. Every one costs a run of all accepted scripts.
var payloads = []string{
	`PWN`, `PATH[$(PWN)]`, "x'; PWN; '\n\"; PWN; \"\n$(PWN)\n`PWN`\nPWN\n", `-oProxyCommand=PWN`, `!PWN`, `$(shell PWN)`,
}

func needBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on PATH")
	}
}

// TestFrame checks that the frame tells the three outcomes apart.
func TestFrame(t *testing.T) {
	needBash(t)
	// The last script reads no value and runs the payload's file: there is nothing
	// to refuse, and it shows the effect of an executed payload.
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

// TestBashHostile tries scripts that want to run a value: each is refused, or runs
// with all payloads and executes none.
func TestBashHostile(t *testing.T) {
	needBash(t)
	reports := Try(t, bashForm, readCases(t, "testdata/bash-hostile.txt"), payloads)
	refused := 0
	for _, r := range reports {
		switch r.Outcome {
		case Refused:
			refused++
		case Executed:
			t.Errorf("executed %q\n%s", r.Payloads, r.Script)
		}
	}
	t.Logf("%d scripts, %d refused", len(reports), refused)
}

// onlyContained are the scripts of the attacks that `make attacks` runs which the lint
// accepts although a payload runs: only a sandbox holds them. There must be few.
var onlyContained = map[string]string{
	"cat > Makefile <<EOF§all:§\techo $a.output§EOF§make":           "make runs a file",
	`awk -v x="$a.output" 'BEGIN{"echo " x | getline y; print y}'`:  "a fixed program of awk runs its data",
	`git -c alias.x="!$a.output" x`:                                 "git runs its configuration",
	`GIT_SSH_COMMAND="$a.output" git ls-remote ssh://127.0.0.1:1/x`: "git runs its environment",
	`strace -o "|$a.output" true`:                                   "strace runs the value of an option",
}

// TestBashContained checks that what only a sandbox holds is still accepted: a script that
// is refused belongs to the hostile ones.
func TestBashContained(t *testing.T) {
	needBash(t)
	cases := readCases(t, "testdata/bash-contained.txt")
	for script := range onlyContained {
		cases = append(cases, Case{"bash", strings.ReplaceAll(script, "§", "\n")})
	}
	if len(onlyContained) > 7 {
		t.Errorf("%d scripts of the attacks need a sandbox, want 7 at most", len(onlyContained))
	}
	for _, r := range Try(t, bashForm, cases, nil) {
		if r.Outcome != Accepted {
			t.Errorf("%s %v\n%s", r.Outcome, r.Codes(), r.Script)
		}
	}
}

// TestBashSafe compiles scripts that use a value as data: none may be refused or
// warned about, and none executes a payload.
func TestBashSafe(t *testing.T) {
	needBash(t)
	for _, r := range Try(t, bashForm, readCases(t, "testdata/bash-safe.txt"), payloads[1:3]) {
		if r.Outcome != Accepted {
			t.Errorf("%s %v\n%s", r.Outcome, r.Codes(), r.Script)
		}
		for _, d := range r.Findings {
			if d.Severity == diag.Warning && strings.HasPrefix(d.Code.ID, "WFC51") {
				t.Errorf("warned: %s\n%s", d.Message, r.Script)
			}
		}
	}
}

// readCases reads bash scripts, one a line; § is a line break.
func readCases(t *testing.T, file string) []Case {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, line := range strings.Split(string(content), "\n") {
		if line = strings.TrimRight(line, " "); line != "" && !strings.HasPrefix(line, "# ") {
			cases = append(cases, Case{"bash", strings.ReplaceAll(line, "§", "\n")})
		}
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no scripts", file)
	}
	return cases
}

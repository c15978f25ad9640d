package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// A person at a terminal sees what a pack may do and confirms it. Enter alone writes nothing.
func TestAddAsks(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this test needs git")
	}
	origin := filepath.Join(t.TempDir(), "flows")
	if err := os.Mkdir(origin, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(origin, "a.yaml"), []byte("name: a\ndescription: d\nnodes:\n  - {id: one, bash: gh pr view}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "m"}, {"tag", "v1"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = origin
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	for answer, code := range map[string]int{"\n": 2, "no\n": 2, "\x04": 2, "yes\n": 0} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "add", origin+"@v1")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "WFC_TEST_AS_WFC=1", "TERM=xterm", "NO_COLOR=1", "PWD="+dir)
		s := pty.Sit(t, cmd)
		s.Sees(`licence +none: without one(.|\n)*may use +program: bash\n +program: gh(.|\n)*Write the pack\? yes or no \(Enter for no\): $`)
		if exists(filepath.Join(dir, "packs")) {
			t.Error("written before the answer")
		}
		s.Types(answer)
		if code == 0 {
			s.Sees("wrote 2 files to packs/flows")
		} else {
			s.Sees("nothing was written")
		}
		s.Exits(code)
		if exists(filepath.Join(dir, "packs/flows/a.yaml")) != (code == 0) || exists(filepath.Join(dir, "wfc.lock")) != (code == 0) {
			t.Errorf("%q: files after exit code %d", answer, code)
		}
	}
}

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// Keys move the choice in top, a change of the store is shown by itself, and q gives the
// terminal back.
func TestTop(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Args, cmd.Dir, cmd.Env = args, dir, append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
		out, _ := cmd.CombinedOutput()
		return regexp.MustCompile(`ship-[a-z0-9]{6}`).FindString(string(out))
	}
	first, second := run("ship", "run", "--no-ask"), run("ship", "run", "--no-ask")
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = []string{"ship", "top"}, dir
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "TERM=xterm")
	s := pty.Sit(t, cmd)
	if text := s.Sees(`> \?  ` + second + `(.|\n)*ship approve ` + second); !strings.Contains(text, "\x1b[?1049h") || !strings.Contains(text, "2 waiting for a person") {
		t.Errorf("shown: %q", text)
	}
	s.Types("j")
	s.Sees(`> \?  ` + first + `(.|\n)*ship approve ` + first)
	s.Types("\x1b[A")
	s.Sees(`> \?  ` + second)
	s.Types("G")
	s.Sees(`> \?  ` + first)
	run("ship", "approve", first, "-m", "go")
	s.Sees(`1 waiting for a person(.|\n)*> ✓  ` + first)
	s.Types("xq")
	s.Sees(`\x1b\[\?25h\x1b\[\?1049l`)
	s.Exits(0)
}

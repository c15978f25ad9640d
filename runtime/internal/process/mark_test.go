//go:build unix

package process_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

func TestMark(t *testing.T) {
	mark := process.Mark()
	if mark == "" || strings.Contains(mark, "\n") || mark != process.Mark() {
		t.Fatalf("the mark is %q, then %q", mark, process.Mark())
	}
	if process.Gone(mark) {
		t.Error("this process counts as gone")
	}
	_, rest, _ := strings.Cut(mark, " ")
	host, id, _ := strings.Cut(rest, " ")
	for _, unknown := range []string{"", "x", "1", "x " + rest, "999999999 \"elsewhere\" " + id, strings.Replace(mark, host, `"elsewhere"`, 1)} {
		if process.Gone(unknown) {
			t.Errorf("nothing is known of %q, but it counts as gone", unknown)
		}
	}
	// Another process has this one's number now.
	if !process.Gone(mark + "0") {
		t.Error("an earlier process of the same number counts as alive")
	}
}

// markedChild starts a process, and returns its mark and what ends it.
func markedChild(t *testing.T) (cmd *exec.Cmd, mark string, end func() error) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), markVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line), in.Close
}

func TestGone(t *testing.T) {
	cmd, mark, end := markedChild(t)
	if process.Gone(mark) {
		t.Errorf("%q counts as gone", mark)
	}
	_ = end()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !process.Gone(mark) {
		t.Errorf("%q counts as alive", mark)
	}
}

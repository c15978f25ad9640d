package oracle_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/internal/oracle"
)

// onPath makes a program that counts its starts the only one on PATH, and returns the counter.
func onPath(t *testing.T, name, script string) (starts func() int) {
	t.Helper()
	dir := t.TempDir()
	counter := filepath.Join(dir, "starts")
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho >> "+counter+"\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+"/usr/bin:/bin")
	return func() int {
		text, _ := os.ReadFile(counter)
		return strings.Count(string(text), "\n")
	}
}

func TestAsksOnce(t *testing.T) {
	starts := onPath(t, "judge", "cat; echo \"$1\" >&2; exit 3\n")
	ask := oracle.OnPath()
	for _, c := range []struct {
		input, arg string
		starts     int
	}{{"one", "a", 1}, {"one", "a", 1}, {"two", "a", 2}, {"two", "b", 3}, {"one", "a", 3}} {
		stdout, stderr, status := ask("judge", []string{c.arg}, c.input)
		if stdout != c.input || stderr != c.arg+"\n" || status != 3 || starts() != c.starts {
			t.Errorf("%+v: %q, %q, %d after %d starts", c, stdout, stderr, status, starts())
		}
	}
	if _, _, status := oracle.OnPath()("judge", []string{"a"}, "one"); status != 3 || starts() != 4 {
		t.Errorf("another asker: status %d after %d starts", status, starts())
	}
}

func TestOldestAnswersGo(t *testing.T) {
	starts := onPath(t, "judge", "")
	ask := oracle.OnPath()
	for i := range 1025 {
		ask("judge", nil, strings.Repeat("x", i))
	}
	ask("judge", nil, strings.Repeat("x", 1024))
	if n := starts(); n != 1025 {
		t.Errorf("%d starts", n)
	}
	if ask("judge", nil, ""); starts() != 1026 {
		t.Error("the oldest answer was kept")
	}
}

func TestCannotBeAsked(t *testing.T) {
	starts := onPath(t, "judge", "kill -9 $$\n")
	ask := oracle.OnPath()
	if _, _, status := ask("judge", nil, ""); status != -1 {
		t.Errorf("a killed program: status %d", status)
	}
	if ask("judge", nil, ""); starts() != 2 {
		t.Errorf("%d starts: what is no answer was kept", starts())
	}
	if _, _, status := ask("missing-program", nil, ""); status != -1 {
		t.Errorf("a missing program: status %d", status)
	}
}

func TestSeveralAtOnce(t *testing.T) {
	onPath(t, "judge", "cat\n")
	ask := oracle.OnPath()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 10 {
				input := strings.Repeat("x", (n+i)%9)
				if stdout, _, _ := ask("judge", nil, input); stdout != input {
					t.Errorf("%q for %q", stdout, input)
				}
			}
		})
	}
	all.Wait()
}

// TestNothingRuns asks bash about scripts as the compiler does: none of them runs, and neither
// do start-up files nor files of the project.
func TestNothingRuns(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("start", []byte("touch "+dir+"/pwned\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BASH_ENV", dir+"/start")
	ask := oracle.OnPath()
	for _, script := range []string{"touch " + dir + "/pwned\n", "touch " + dir + "/pwned; if\n", "x=$(touch " + dir + "/pwned)\n", "shopt -s extglob; touch " + dir + "/pwned\n"} {
		ask("bash", []string{"--norc", "--noprofile", "-n"}, script)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("asking ran something: %v %v", entries, err)
	}
}

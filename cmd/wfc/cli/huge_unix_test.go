//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// No file that a command reads, and no version of one in a repository, takes the memory of the
// machine: each command is tried with terabytes, which take no room on the disk.
func TestHugeFiles(t *testing.T) {
	for _, test := range []struct {
		file, args string
		code       int
		want       string
	}{
		{"wfc.yaml", "check flow.yaml", ExitUsage, "read configuration: .*larger than 16 MiB"},
		{"huge.yaml", "check huge.yaml", ExitFindings, "WFC107.*larger than 2 MiB.*huge.yaml:1:1"},
		{"huge.yaml", "check .", ExitClean, "1 workflow, no findings"},
		{"huge.yaml", "graph huge.yaml", ExitFindings, "larger than 2 MiB"},
		{"huge.yaml", "diff flow.yaml huge.yaml", ExitUsage, "huge.yaml has errors"},
		{"huge.yaml", "gen huge.yaml -o out", ExitFindings, "larger than 2 MiB"},
		{"huge.yaml", "init review new", ExitClean, ""},
		{".gitignore", "check .", ExitClean, "1 workflow"},
		{".archon/commands/huge.md", "check asks.yaml", ExitFindings, "commands/huge.md`: larger than 16 MiB"},
		{".archon/scripts/huge.py", "check starts.yaml", ExitFindings, "scripts/huge.py`: larger than 16 MiB"},
		{"huge.json", "check serves.yaml", ExitFindings, "huge.json`: larger than 16 MiB"},
		{"baseline.json", "check flow.yaml --baseline baseline.json", ExitUsage, "larger than 16 MiB"},
		{"flow.test.yaml", "check .", ExitClean, "1 workflow"},
		{"flow.test.yaml", "test --generate flow.yaml", ExitUsage, "exists"},
		{"recording.jsonl", "test --from-recording recording.jsonl", ExitUsage, "not a recording"},
		{"go.mod", "gen flow.yaml -o out", ExitClean, "wrote"},
	} {
		t.Run(test.file+" "+test.args, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - {id: a, bash: echo hi}\n")
			for name, node := range map[string]string{"asks": "command: huge", "starts": "script: huge, runtime: uv", "serves": "prompt: x, mcp: huge.json"} {
				if strings.Contains(test.args, name) {
					write(t, filepath.Join(dir, name+".yaml"), "name: "+name+"\ndescription: d\nnodes:\n  - {id: a, "+node+"}\n")
				}
			}
			makeHuge(t, filepath.Join(dir, test.file), 1<<42)
			runInMemory(t, dir, test.args, test.code, test.want)
		})
	}
}

// A commit may have large files, which git keeps compressed.
func TestHugeFilesOfCommits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this test needs git")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - {id: a, bash: echo hi}\n")
	for _, name := range []string{"huge.yaml", "picture.bin", ".archon/commands/huge.md"} {
		makeHuge(t, filepath.Join(dir, name), 40<<20)
	}
	git("init", "-q", ".")
	git("add", "-A")
	git("commit", "-qm", "first")
	write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - {id: a, bash: echo ho}\n")
	git("commit", "-qam", "second")
	runInMemory(t, dir, "diff HEAD~1", ExitClean, "script.*changed")
	runInMemory(t, dir, "diff HEAD~1 HEAD", ExitClean, "script.*changed")
	runInMemory(t, dir, "diff HEAD~1:huge.yaml flow.yaml", ExitUsage, "HEAD~1:huge.yaml has errors")
	runInMemory(t, dir, "check --changed=HEAD~1", ExitClean, "1 workflow")
}

// makeHuge makes a file of a size without content.
func makeHuge(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, "")
	if err := os.Truncate(path, size); err != nil {
		t.Skip(err)
	}
}

// runInMemory runs wfc, which must not use much memory, write large files, or take long.
func runInMemory(t *testing.T, dir, args string, code int, want string) {
	t.Helper()
	cmd := exec.Command("bash", append([]string{"-c", `ulimit -t 30 -f 20000; exec "$0" "$@"`, os.Args[0]}, strings.Fields(args)...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WFC_TEST_AS_WFC=1")
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code || !regexp.MustCompile("(?s)"+want).Match(out) {
		t.Errorf("wfc %s: exit code %d (%v), want %d and %q\n%.2000s", args, got, err, code, want, out)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "darwin" {
		used >>= 10
	}
	if used > 300<<10 {
		t.Errorf("wfc %s uses %d kB", args, used)
	}
}

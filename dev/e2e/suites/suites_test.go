//go:build unix

// Package suites generates tests for all real workflows at hand, and runs them: the
// examples, the accepted files of the corpus, and the recorded cases of all dialects. With
// WFC_TEST_SUITES=1, as `make test-suites` sets it, the test takes all of them; otherwise
// a few.
package suites

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/devkit"
)

// wfc is the program that all tests share. TestMain builds it.
var wfc string

func TestMain(m *testing.M) { devkit.MainWithWFC(m, &wfc) }

// whole reports whether the test takes all workflows.
func whole() bool { return os.Getenv("WFC_TEST_SUITES") != "" }

// sample is the number of workflows of a group if the test does not take all.
const sample = 2

// batch is the number of workflows in one test program.
const batch = 60

// Each workflow gets tests that pass and take all of its edges that a run can take.
func TestGeneratedSuites(t *testing.T) {
	all := groups(t)
	for _, group := range slices.Sorted(maps.Keys(all)) {
		t.Run(group, func(t *testing.T) {
			list := all[group]
			slices.SortFunc(list, func(a, b workflow) int { return cmp.Compare(a.name, b.name) })
			if len(list) == 0 {
				t.Skip("the workflows are not here")
			}
			if list = accepted(t, list); !whole() {
				list = list[:min(len(list), sample)]
			}
			for part := range slices.Chunk(list, batch) {
				generate(t, part)
			}
		})
	}
}

// accepted writes workflows into separate folders, and returns those that wfc accepts. It names
// all others.
func accepted(t *testing.T, list []workflow) (good []workflow) {
	t.Helper()
	dir, refused := t.TempDir(), 0
	for _, w := range list {
		own := filepath.Join(dir, w.name)
		for name, text := range w.files {
			file := filepath.Join(own, filepath.FromSlash(name))
			if name == w.path && !strings.HasPrefix(name, ".archon") {
				w.path = w.name + filepath.Ext(name)
				file = filepath.Join(own, w.path)
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w.path = filepath.Join(own, filepath.FromSlash(w.path))
		if out, err := check(own, w.path); err == nil {
			good = append(good, w)
			complete(t, own, out)
		} else {
			refused++
			t.Logf("refused %s: %s", w.name, firstError.FindString(out))
			if w.good {
				t.Errorf("wfc refuses %s", w.name)
			} else if _, err := check(own, w.path, "--dialect", w.dialect); err == nil {
				t.Errorf("wfc takes %s for another dialect than %s", w.name, w.dialect)
			}
		}
		if !whole() && len(good) == sample {
			return good
		}
	}
	t.Logf("%d workflows: %d get tests, wfc refuses %d", len(list), len(good), refused)
	return good
}

// firstError finds an error in what wfc check prints.
var firstError = regexp.MustCompile(`error\[.*`)

// check runs wfc check in a folder and returns what it printed.
func check(dir, path string, flags ...string) (string, error) {
	cmd := exec.Command(wfc, append([]string{"check", path}, flags...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var missing = regexp.MustCompile("help: create `([^`]+)`|MCP file `([^`]+)` does not exist")

// complete makes the files that a workflow names and that are not beside it, as most of those
// of the corpus: a node without its file always fails, so nothing behind it would be tested.
func complete(t *testing.T, dir, findings string) {
	t.Helper()
	for _, m := range missing.FindAllStringSubmatch(findings, -1) {
		name := cmp.Or(m[1], m[2])
		file, text := filepath.Join(dir, filepath.FromSlash(name)), "Do what "+filepath.Base(name)+" says.\n"
		switch filepath.Ext(file) {
		case ".ts", ".js":
			text = "console.log(1)\n"
		case ".py":
			text = "print(1)\n"
		case ".json":
			text = `{"server": {"command": "server"}}`
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// command returns a command of wfc with its temporary files in memory, where the system has
// such a folder: state graphs write their state to the disk after every node.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(wfc, args...)
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		cmd.Env = append(os.Environ(), "TMPDIR=/dev/shm")
	}
	return cmd
}

// generate writes tests of workflows and runs them.
func generate(t *testing.T, list []workflow) {
	t.Helper()
	tests := t.TempDir()
	args := []string{"test", "--generate", "-o", tests + "/"}
	for _, w := range list {
		args = append(args, w.path)
	}
	out, err := command(args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	written := 0
	for line := range strings.Lines(string(out)) {
		switch {
		case strings.HasPrefix(line, "wrote "):
			written++
			if !strings.Contains(line, " 100.0% of edges") {
				t.Error(line)
			}
			t.Log(line)
		case strings.HasPrefix(line, "wfc: "):
			t.Error(line)
		case strings.Contains(line, "not covered: "), strings.Contains(line, "unreachable: "):
			t.Log(line)
		}
	}
	if written != len(list) {
		t.Errorf("%d test files of %d workflows:\n%s", written, len(list), out)
	}
	if out, err := command("test", tests).CombinedOutput(); err != nil {
		t.Errorf("the generated tests: %v\n%s", err, out)
		return
	}
	if whole() {
		mutate(t, tests)
	}
}

// score is the least share of mutants of a file that its tests notice, in percent.
const score = 80

// below are the files whose tests notice less mutants than score, with the reason.
var below = map[string]string{}

// mutate runs the tests of a folder with mutants of their workflows.
func mutate(t *testing.T, tests string) {
	t.Helper()
	out, err := command("test", "--mutate", tests).CombinedOutput()
	if err != nil {
		t.Errorf("the mutants: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		var percent float64
		switch {
		case strings.Contains(line, ": survived: "), strings.Contains(line, ": not covered: "), strings.HasPrefix(line, "total "):
			t.Log(line)
		case len(fields) == 7 && strings.HasSuffix(fields[6], "%"):
			name := filepath.Base(fields[0])
			if _, err := fmt.Sscanf(fields[6], "%f%%", &percent); err != nil || percent >= score || name == "total" {
				continue
			}
			if reason := below[name]; reason != "" {
				t.Logf("score of %s: %s: %s", name, strings.Join(fields[1:], " "), reason)
				continue
			}
			t.Errorf("score of %s: %s", name, strings.Join(fields[1:], " "))
		}
	}
}

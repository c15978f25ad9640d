package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// suggested are the commands that messages suggest: those in backticks, unless the message is
// about the command itself, and the lines below "Next, type:".
var suggested = regexp.MustCompile("`(wfc(?: [^`]*)?)`(?: (needs|takes|has))?|(?m:^  ((?:wfc|cd) .*)$)")

// readersWord is a word that stands for one of the reader's: a command with one is a pattern.
var readersWord = regexp.MustCompile(`\b[A-Z]{4,}\b`)

// A command that a message suggests does not refuse the line that the message gives.
func TestSuggestionsRun(t *testing.T) {
	testkit.SkipBuild(t) // one of the commands runs tests
	if runtime.GOOS == "windows" {
		t.Skip("runs the suggestions in bash")
	}
	const good = "name: good\ndescription: d\nnodes:\n  - {id: a, bash: echo hello}\n"
	const faulty = "name: faulty\ndescription: d\nnodes:\n  - {id: a, promt: x}\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		args  []string
		// want is a command that the messages suggest, or "" if they suggest none.
		want string
	}{
		{"nothing yet", nil, nil, "wfc init review"},
		{"nothing yet, by help", nil, []string{"--help"}, "wfc init review"},
		{"a first project, no agent", nil, []string{"init", "review"}, "wfc run .archon/workflows/review.yaml 7 --dry-run"},
		{"a first project, elsewhere", nil, []string{"init", "extract", "letters"}, ""},
		{"an unknown template", nil, []string{"init", "nosuch"}, "wfc init --list"},
		{"no template", nil, []string{"init"}, "wfc init --list"},
		{"a workflow in place of a command", map[string]string{"a b.yaml": good}, []string{"a b.yaml"}, "wfc check 'a b.yaml'"},
		{"another file in place of a command", map[string]string{"README.md": "# x\n"}, []string{"README.md"}, "wfc --help"},
		{"YAML that is no workflow in place of a command", map[string]string{"notes.yaml": "a: b\n"}, []string{"notes.yaml"}, "wfc --help"},
		{"a misspelt command", nil, []string{"shcema", "archon"}, "wfc schema archon"},
		{"an empty file", map[string]string{"empty.yaml": ""}, []string{"check", "empty.yaml"}, "wfc init --list"},
		{"a file with a fault", map[string]string{"faulty.yaml": faulty}, []string{"doctor", "faulty.yaml"}, "wfc check faulty.yaml"},
		{"no test", map[string]string{"good.yaml": good}, []string{"test", "good.yaml"}, "wfc test --generate good.yaml"},
		{"nothing to compare with", map[string]string{"good.yaml": good}, []string{"diff"}, "wfc diff HEAD"},
		{"two arguments", nil, []string{"version", "archon", "lango"}, "wfc version --help"},
		{"a flag of a workflow", map[string]string{"good.yaml": good}, []string{"run", "--dry-run", "good.yaml"}, ""},
		{"an unknown code", nil, []string{"explain", "WFC999"}, ""},
		{"an unknown format", nil, []string{"schema", "archnn"}, ""},
		{"no file to build", nil, []string{"build"}, "wfc build --help"},
		{"no run named", nil, []string{"resume"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := suggestionsEnv(t, dir)
			work := filepath.Join(dir, "work")
			if err := os.Mkdir(work, 0o777); err != nil {
				t.Fatal(err)
			}
			gitHere(t, work)
			for name, text := range test.files {
				write(t, filepath.Join(work, name), text)
			}
			_, out, messages := wfcCommand(t, work, env, test.args...)
			commands := suggestionsIn(out + messages)
			if test.want != "" && !slices.Contains(commands, test.want) || test.name == "another file in place of a command" && len(commands) > 1 {
				t.Errorf("suggests %q, want %q\n%s%s", commands, test.want, out, messages)
			}
			for _, command := range commands {
				if folder, ok := strings.CutPrefix(command, "cd "); ok {
					work = filepath.Join(work, folder)
					continue
				}
				if strings.HasPrefix(command, "wfc list") {
					continue // it builds the program that reads the store; cli_test.go runs it
				}
				words := exec.Command("bash", "-c", "wfc() { printf '%s\\0' \"$@\"; }; "+command)
				line, err := words.Output()
				if err != nil {
					t.Fatalf("%s: %v", command, err)
				}
				args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
				if len(line) == 0 {
					args = nil
				}
				if code, _, refusal := wfcCommand(t, work, env, args...); code == ExitUsage || code == ExitInternal || code == ExitNotRun {
					t.Errorf("%q suggests `%s`, which then refuses with %d:\n%s", test.args, command, code, refusal)
				}
			}
		})
	}
}

// suggestionsIn returns the commands that a text suggests, without those that have a
// placeholder.
func suggestionsIn(text string) []string {
	var list []string
	for _, m := range suggested.FindAllStringSubmatch(text, -1) {
		command := m[1] + m[3]
		if m[2] == "" && !readersWord.MatchString(strings.TrimSuffix(command, " HEAD")) && !strings.Contains(command, "[") && !slices.Contains(list, command) {
			list = append(list, command)
		}
	}
	return list
}

// suggestionsEnv is the environment of a machine without agents.
func suggestionsEnv(t *testing.T, dir string) []string {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "git", "go"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin, "WFC_STATE=" + filepath.Join(dir, "state")}
}

// gitHere makes a folder a repository with one commit.
func gitHere(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}

// Each command that help lists is in a group, at its place.
func TestCommandGroups(t *testing.T) {
	root := (&app{projects: newProjects(nil)}).newRootCommand(nil)
	last := -1
	for _, cmd := range root.Commands() {
		if !cmd.IsAvailableCommand() && cmd.Name() != "help" {
			continue
		}
		if cmd.GroupID == "" {
			t.Errorf("the command %s is in no group", cmd.Name())
		}
		if rank := helpRank(cmd); rank <= last {
			t.Errorf("the command %s is not at its place", cmd.Name())
		} else {
			last = rank
		}
	}
}

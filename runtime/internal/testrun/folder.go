package testrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A folder is the test's own folder. It is made when something needs it, since most tests
// need none:
//
//	work       the working folder of the run
//	artifacts  log  state  run  home
//	bin        stand-ins for commands
//	calls      the calls of stand-ins
type folder struct {
	dir, source string
	test        *testfile.Test
	tools       *Tools
	ready       bool
	// repository is the repository of the test file; see cloneHead.
	repository string
	broken     error
}

func (f *folder) workDir() string { return filepath.Join(f.dir, "work") }

func (f *folder) runDir() string { return filepath.Join(f.dir, "run") }

func (f *folder) ensureReady() error {
	if f.ready || f.broken != nil {
		return f.broken
	}
	f.ready = true
	f.broken = f.fillFolder()
	return f.broken
}

func (f *folder) fillFolder() error {
	for _, name := range []string{"work", "artifacts", "log", "state", "run", "home", "tmp", "bin", "calls"} {
		if err := os.MkdirAll(filepath.Join(f.dir, name), 0o755); err != nil {
			return fmt.Errorf("make the folder of the test: %w", err)
		}
	}
	work := f.workDir()
	if s := f.test.Stubs; s != nil && s.Exec {
		if err := f.cloneHead(work); err != nil {
			return err
		}
	}
	if f.test.Fixture != "" {
		from := filepath.Join(f.source, filepath.FromSlash(f.test.Fixture))
		if info, err := os.Stat(from); err != nil || !info.IsDir() {
			return fmt.Errorf("the fixture folder `%s` does not exist", f.test.Fixture)
		}
		if err := os.CopyFS(work, os.DirFS(from)); err != nil {
			return fmt.Errorf("copy the fixture: %w", err)
		}
	}
	if err := f.writeFiles(f.test.Files); err != nil {
		return err
	}
	if err := f.standIns(); err != nil {
		return err
	}
	if f.test.Git {
		return f.initRepository(work)
	}
	return nil
}

// writeFiles writes files into the working folder.
func (f *folder) writeFiles(files testfile.Entries[string]) error {
	for _, file := range files {
		name := filepath.FromSlash(file.Key)
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the file `%s` is outside the working folder", file.Key)
		}
		path := filepath.Join(f.dir, "work", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the folder of a file: %w", err)
		}
		if err := os.WriteFile(path, []byte(file.Value), 0o644); err != nil {
			return fmt.Errorf("write a file: %w", err)
		}
	}
	return nil
}

// cloneHead makes the working folder a copy of HEAD of the repository that has the test file.
func (f *folder) cloneHead(work string) error {
	for _, args := range [][]string{
		{"-C", f.source, "rev-parse", "--show-toplevel"},
		{"clone", "--quiet", "--shared", "--no-checkout", "", work},
		{"-C", work, "checkout", "--quiet", "--detach", "HEAD"},
	} {
		if args[0] == "clone" {
			args[4] = f.repository
		}
		cmd := exec.Command("git", args...)
		cmd.Env = append(f.scriptEnviron(true), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("`exec-code: true` needs a git repository with a commit: %s: %w", strings.Join(args, " "), err)
		}
		if f.repository == "" {
			f.repository = strings.TrimSuffix(string(out), "\n")
		}
	}
	return nil
}

// initRepository makes the working folder a repository with one commit.
func (f *folder) initRepository(work string) error {
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "--allow-empty", "--message=start"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = work, f.scriptEnviron(true)
		if path, err := exec.LookPath("git"); err == nil {
			cmd.Path, cmd.Err = path, nil // `git` may have a stand-in
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("make a git repository: %w: %s", err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// runGit runs a git command in the working folder.
func (f *folder) runGit(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = f.workDir(), f.scriptEnviron(true)
	out, err := cmd.Output()
	return strings.TrimRight(string(out), "\r\n"), err
}

// prepareScript prepares the folder for a script and returns its record.
func (f *folder) prepareScript() (record, error) {
	if err := f.ensureReady(); err != nil {
		return record{}, err
	}
	r := record{filepath.Join(f.dir, "calls")}
	for _, name := range []string{"missing", "unmatched"} {
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return r, fmt.Errorf("prepare a script: %w", err)
		}
	}
	return r, nil
}

// scriptEnviron returns the environment of a script. With everything, PATH has the folders of
// this machine behind the stand-ins; without, a command that is unknown is written down.
func (f *folder) scriptEnviron(everything bool) []string {
	calls := filepath.Join(f.dir, "calls")
	path := []string{filepath.Join(f.dir, "bin"), f.tools.linkDir()}
	env := []string{
		"HOME=" + filepath.Join(f.dir, "home"), "TMPDIR=" + filepath.Join(f.dir, "tmp"),
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC", "USER=tester", "LOGNAME=tester", "TERM=dumb",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=tester@example.com", "GIT_AUTHOR_DATE=2030-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=tester@example.com", "GIT_COMMITTER_DATE=2030-01-01T00:00:00Z",
		"WFC_TEST_CALLS=" + calls,
	}
	if everything {
		path = append(path, os.Getenv("PATH"))
	} else {
		env = append(env, "BASH_FUNC_command_not_found_handle%%=() { "+
			`printf '%s\0' "$1" >> "$WFC_TEST_CALLS/missing"; printf 'no stand-in for %s\n' "$1" >&2; return 127; }`)
	}
	if runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	env = append(env, "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	for _, v := range f.test.Env {
		env = append(env, v.Key+"="+v.Value)
	}
	return env
}

// network are the commands that are refused in real scripts unless the test has a stand-in
// for them: where the system cannot cut off the network, this at least does for most.
var network = []string{"curl", "wget", "gh", "glab", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp"}

// commandName is a name that can be a file of the folder of stand-ins.
var commandName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][-+.A-Za-z0-9_]*$`) })

// standIns writes the stand-ins for commands: bash scripts that use builtins only.
func (f *folder) standIns() error {
	bash := f.tools.bashPath()
	if bash == "" && len(f.test.Commands) > 0 {
		return errors.New("stand-ins for commands need bash on PATH")
	}
	for _, e := range f.test.Commands {
		if !commandName().MatchString(e.Key) {
			return fmt.Errorf("`%s` cannot be the name of a command", e.Key)
		}
		if err := f.standIn(bash, e.Key, e.Value); err != nil {
			return err
		}
	}
	for _, name := range network {
		if _, given := f.test.Commands.Get(name); !given && bash != "" {
			if err := f.standIn(bash, name, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// standIn writes the stand-in for a command. It takes the first of its rules that matches
// the arguments and was not used, or else the last one that matches.
func (f *folder) standIn(bash, name string, rules []testfile.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "#!%s\na=\"$*\"\nd=%s\nprintf '%%s\\0' \"$a\" >> \"$d/%s.calls\"\nchosen= last=\n", bash, plain.ShellQuote(filepath.Join(f.dir, "calls")), name)
	for i, rule := range rules {
		pattern := "*"
		if rule.Args != "" {
			pattern = quotePattern(rule.Args)
		}
		fmt.Fprintf(&b, "if [[ -z $chosen && $a == %s ]]; then last=%d; [[ -e $d/%s.%d ]] || chosen=%d; fi\n", pattern, i, name, i, i)
	}
	fmt.Fprintf(&b, "chosen=${chosen:-$last}\n[[ -z $chosen ]] || : > \"$d/%s.$chosen\"\ncase $chosen in\n", name)
	for i, rule := range rules {
		fmt.Fprintf(&b, "%d) ", i)
		if rule.Real {
			path, err := exec.LookPath(name)
			if err != nil {
				return fmt.Errorf("`%s: real`: the command is not on PATH", name)
			}
			fmt.Fprintf(&b, "exec %s \"$@\";;\n", plain.ShellQuote(path))
			continue
		}
		fmt.Fprintf(&b, "printf %%s %s; printf %%s %s >&2; exit %d;;\n", plain.ShellQuote(endWithNewline(rule.Output)), plain.ShellQuote(endWithNewline(rule.Error)), rule.Exit)
	}
	fmt.Fprintf(&b, "esac\nprintf '%%s\\0' %s\" $a\" >> \"$d/unmatched\"\nprintf 'no stand-in for %%s\\n' %s\" $a\" >&2\nexit 127\n", plain.ShellQuote(name), plain.ShellQuote(name))
	// A process that another test starts meanwhile would inherit the open file, and no
	// program can be executed while somebody has it open for writing.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(filepath.Join(f.dir, "bin", name), []byte(b.String()), 0o755); err != nil {
		return fmt.Errorf("write the stand-in for a command: %w", err)
	}
	return nil
}

// endWithNewline ends a text that has no newline at its end, as commands print.
func endWithNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// quotePattern quotes all but the * of a pattern.
func quotePattern(pattern string) string {
	var parts []string
	for _, part := range strings.Split(pattern, "*") {
		if part == "" {
			parts = append(parts, "")
			continue
		}
		parts = append(parts, plain.ShellQuote(part))
	}
	return strings.Join(parts, "*")
}

// standInCalls returns the arguments of the calls of a stand-in, in order.
func (f *folder) standInCalls(name string) []string {
	text, err := wholefile.Output.Read(filepath.Join(f.dir, "calls", name+".calls"))
	if err != nil || len(text) == 0 {
		return nil // it was never called
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// Tools are commands that every script may call: bash, and tools that only read and write
// files. They are links in one folder for all tests. The zero Tools is not usable; see
// NewTools.
type Tools struct {
	parent string
	once   sync.Once
	path   string
	shell  string
}

// NewTools returns tools whose links are in a new folder below parent. It is made when a
// script needs it.
func NewTools(parent string) *Tools { return &Tools{parent: parent} }

// plainTools are the commands that count as builtin.
var plainTools = []string{
	"awk", "base64", "basename", "bash", "cat", "chmod", "cmp", "comm", "cp", "cut", "date", "diff", "dirname", "echo", "env", "expr",
	"false", "find", "fold", "grep", "egrep", "fgrep", "head", "join", "jq", "ln", "ls", "md5sum", "mkdir", "mktemp", "mv", "nl", "od", "paste",
	"printf", "pwd", "readlink", "realpath", "rev", "rm", "rmdir", "sed", "seq", "sh", "sha1sum", "sha256sum", "shasum", "sleep", "sort", "split",
	"stat", "tac", "tail", "tee", "test", "touch", "tr", "true", "uniq", "wc", "xargs", "yes",
}

func (t *Tools) linkDir() string {
	t.once.Do(t.linkTools)
	return t.path
}

func (t *Tools) bashPath() string {
	t.once.Do(t.linkTools)
	return t.shell
}

func (t *Tools) linkTools() {
	t.path = filepath.Join(t.parent, "tools")
	if bash, err := exec.LookPath("bash"); err == nil {
		if t.shell, err = filepath.Abs(bash); err != nil {
			t.shell = ""
		}
	}
	if os.MkdirAll(t.path, 0o755) != nil {
		return // scripts then find no tool, and say so
	}
	for _, name := range plainTools {
		if path, err := exec.LookPath(name); err == nil {
			if path, err = filepath.Abs(path); err == nil {
				_ = os.Symlink(path, filepath.Join(t.path, name)) // a missing tool is reported by the script that needs it
			}
		}
	}
}

// formatAmount formats a number for reports.
func formatAmount(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

package local_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// repository makes the world's working folder a repository with a commit and a
// folder below, and returns what runs git in it.
func (w *world) repository(t *testing.T) func(args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	var err error
	if w.work, err = filepath.EvalSymlinks(w.work); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"} {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = w.work
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	write(t, filepath.Join(w.work, "sub", "file"), "first")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	return git
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inWorktree are the options of a run below the repository's root.
func (w *world) inWorktree(request local.Worktree) local.Options {
	return local.Options{WorkDir: filepath.Join(w.work, "sub"), Worktree: &request, Settings: []byte(`{"agents":["x"]}`)}
}

func (w *world) worktree(t *testing.T, e *local.Engine, id string) *local.Worktree {
	t.Helper()
	status, err := e.Status(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return status.Worktree()
}

func TestRunInAWorktree(t *testing.T) {
	w := newWorld(t)
	git := w.repository(t)
	head := git("rev-parse", "HEAD")
	write(t, filepath.Join(w.work, "sub", "file"), "not committed")
	var dir, seen string
	var notice local.Notice
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		dir = call.Info.WorkDir
		text, err := os.ReadFile(filepath.Join(dir, "file"))
		if err != nil {
			t.Error(err)
		}
		seen = string(text)
		write(t, filepath.Join(dir, "file"), "by the run")
		return completed("")
	})
	e := w.engine(t, func(c *local.Config) {
		c.Watch = func(n local.Notice) {
			if n.Begin {
				notice = n
			}
		}
	})
	r := must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.inWorktree(local.Worktree{})))
	path := w.folder.WorktreeDir(r.ID)
	if dir != filepath.Join(path, "sub") || seen != "first" {
		t.Errorf("it worked in %s and saw %q", dir, seen)
	}
	want := local.Worktree{Path: path, Branch: "wfc/" + r.ID, Base: head, Repository: w.work, LacksUncommitted: true}
	if got := w.worktree(t, e, r.ID); got == nil || *got != want {
		t.Errorf("the run has %+v, want %+v", got, want)
	}
	if notice.Worktree == nil || *notice.Worktree != want {
		t.Errorf("the notice says %+v", notice)
	}
	if kept := w.run(t, r.ID); !strings.Contains(string(kept.Settings), `"agents":["x"]`) || kept.WorkDir != dir {
		t.Errorf("kept %s in %s", kept.Settings, kept.WorkDir)
	}
	if got := git("-C", path, "rev-parse", "--abbrev-ref", "HEAD"); got != "wfc/"+r.ID {
		t.Errorf("the worktree is on %s", got)
	}
	// The checkout is as it was, and the worktree stays with what was done.
	for file, want := range map[string]string{filepath.Join(w.work, "sub", "file"): "not committed", filepath.Join(dir, "file"): "by the run"} {
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", file, text, err)
		}
	}
	if !strings.Contains(readLog(t, w, r.ID), "git worktree "+path) {
		t.Error("the log says nothing of it")
	}
	// Git refuses the told command as long as there is something to lose, and
	// takes it then.
	remove := func() error { return exec.Command("sh", "-c", (*worktree.Tree)(&want).Removal()).Run() }
	if remove() == nil {
		t.Error("changes of the run were removed")
	}
	git("-C", path, "commit", "-q", "-a", "-m", "done")
	if err := remove(); err != nil {
		t.Errorf("%s: %v", (*worktree.Tree)(&want).Removal(), err)
	}
}

// A run in a worktree needs the checkout's lock as little as it disturbs it.
func TestWorktreesSideBySide(t *testing.T) {
	w := newWorld(t)
	w.repository(t)
	w.performer.set("a", w.performer.block)
	e := w.engine(t, nil)
	def := define("demo", step{key: "a"})
	def.ExclusiveCheckout = true
	opt := w.inWorktree(local.Worktree{})
	for _, tree := range []*local.Worktree{nil, {}, {}} {
		opt.Worktree = tree
		id, err := e.RunAsync(context.Background(), def, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		<-w.performer.begun
		defer func() { _ = e.Cancel(context.Background(), id, "test") }()
	}
	opt.Worktree = nil
	var busy *local.BusyError
	if _, err := e.Run(context.Background(), def, nil, opt); !errors.As(err, &busy) || busy.Checkout != w.work {
		t.Errorf("a second run in the checkout: %v", err)
	}
}

func TestWorktreeOfABaseAndABranch(t *testing.T) {
	w := newWorld(t)
	git := w.repository(t)
	first := git("rev-parse", "HEAD")
	git("tag", "v1")
	write(t, filepath.Join(w.work, "sub", "file"), "second")
	git("commit", "-q", "-a", "-m", "second")
	e := w.engine(t, nil)
	r := must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.inWorktree(local.Worktree{Branch: "fix/it's", Base: "v1"})))
	if got := w.worktree(t, e, r.ID); got.Branch != "fix/it's" || got.Base != first || got.LacksUncommitted {
		t.Errorf("%+v", got)
	}
	if git("rev-parse", "refs/heads/fix/it's") != first {
		t.Error("the branch is elsewhere")
	}
}

// What cannot be made is refused before anything is.
func TestRefusedWorktrees(t *testing.T) {
	w := newWorld(t)
	git := w.repository(t)
	git("branch", "taken/deep")
	git("tag", "old")
	write(t, filepath.Join(w.work, "late", "file"), "x")
	git("add", ".")
	git("commit", "-q", "-m", "second")
	write(t, filepath.Join(w.folder.WorktreeDir("demo-there"), "file"), "mine")
	branches := git("for-each-ref")
	plain, bare := t.TempDir(), t.TempDir()
	git("init", "-q", bare)
	write(t, filepath.Join(w.work, "untracked", "file"), "x")
	never := define("demo", step{key: "a"})
	never.Worktree = flow.WorktreeNever
	e := w.engine(t, nil)
	for name, tt := range map[string]struct {
		dir, id string
		request local.Worktree
		def     *flow.Definition
		want    string
	}{
		"no repository":   {dir: plain, want: "a separate worktree needs a git repository, and git finds none in " + plain},
		"no commit":       {dir: bare, want: "has no commit yet"},
		"unknown base":    {request: local.Worktree{Base: "nope"}, want: "unknown branch, tag or commit `nope` of the repository " + w.work},
		"option as base":  {request: local.Worktree{Base: "--all"}, want: "`--all` cannot be the name of a commit"},
		"branch is there": {request: local.Worktree{Branch: "main"}, want: "the branch `main` already exists in " + w.work},
		"branch above":    {request: local.Worktree{Branch: "main/x/y"}, want: "the branch `main/x/y` cannot be made, because there is a branch `main`"},
		"branches below":  {request: local.Worktree{Branch: "taken"}, want: "the branch `taken` cannot be made, because there is a branch `taken/deep`"},
		"no branch name":  {request: local.Worktree{Branch: "a..b"}, want: "`a..b` cannot be the name of a branch"},
		"short form":      {request: local.Worktree{Branch: "@{-1}"}, want: "`@{-1}` cannot be the name of a branch"},
		"option":          {request: local.Worktree{Branch: "-d"}, want: "`-d` cannot be the name of a branch"},
		"folder is new":   {dir: filepath.Join(w.work, "untracked"), want: "a worktree that starts at `HEAD` would lack the folder untracked/, in which you start the run"},
		"folder is newer": {dir: filepath.Join(w.work, "late"), request: local.Worktree{Base: "old"}, want: "a worktree that starts at `old` would lack the folder late/"},
		"path is there":   {id: "demo-there", want: "the worktree cannot be made: " + w.folder.WorktreeDir("demo-there") + " already exists"},
		"never":           {def: never, want: "runs of workflow demo have no separate worktree: it says `worktree: {enabled: false}`"},
	} {
		opt := w.inWorktree(tt.request)
		opt.ID = tt.id
		if tt.dir != "" {
			opt.WorkDir = tt.dir
		}
		if tt.def == nil {
			tt.def = define("demo", step{key: "a"})
		}
		_, err := e.Run(context.Background(), tt.def, nil, opt)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), "the repository "+bare+" ", ""), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	w.nothingBegan(t, git, branches)
}

// nothingBegan looks for what a run leaves that could not begin.
func (w *world) nothingBegan(t *testing.T, git func(...string) string, branches string) {
	t.Helper()
	if got := git("for-each-ref"); got != branches {
		t.Errorf("there are branches now:\n%s", got)
	}
	if got := git("worktree", "list"); strings.Count(got, "\n") != 0 {
		t.Errorf("there are worktrees now:\n%s", got)
	}
	if runs, err := w.store.Runs(context.Background(), store.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("there are runs: %v %v", runs, err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.folder.Path, "runs", "*")); len(left) > 0 {
		t.Errorf("there are folders of runs: %v", left)
	}
	if w.performer.count("a") > 0 {
		t.Error("something was performed")
	}
}

// noRuns is a store that takes no runs.
type noRuns struct{ store.Store }

func (noRuns) CreateRun(context.Context, store.Run, []flow.Record) error { return errDisturbed }

// When the run cannot begin after its worktree was made, that goes again.
func TestWorktreeOfARunThatCannotBegin(t *testing.T) {
	w := newWorld(t)
	git := w.repository(t)
	branches := git("for-each-ref")
	e := w.engine(t, func(c *local.Config) { c.Store = noRuns{w.store} })
	_, err := e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.inWorktree(local.Worktree{}))
	if !errors.Is(err, errDisturbed) {
		t.Fatal(err)
	}
	opt := w.inWorktree(local.Worktree{})
	opt.Settings = []byte("[]")
	if _, err := w.engine(t, nil).Run(context.Background(), define("demo", step{key: "a"}), nil, opt); err == nil || !strings.Contains(err.Error(), "not a JSON object") {
		t.Errorf("settings that cannot hold it: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.folder.Path, "worktrees", "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	w.nothingBegan(t, git, branches)
}

// A caller that git has told which repository to work on, such as a hook, does
// not pass that on to a worktree; to its own checkout it does.
func TestCallersRepositoryDoesNotLeak(t *testing.T) {
	w := newWorld(t)
	git := w.repository(t)
	other := t.TempDir()
	git("init", "-q", other)
	var environ []string
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		environ = call.Environ
		return completed("")
	})
	hook := []string{"GIT_DIR=" + filepath.Join(other, ".git"), "GIT_INDEX_FILE=/nowhere", "GIT_WORK_TREE=" + other, "GIT_PREFIX=x/"}
	e := w.engine(t, func(c *local.Config) { c.Environ = append(append(os.Environ(), hook...), "OTHER=1") })
	r := must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.inWorktree(local.Worktree{})))
	if w.worktree(t, e, r.ID).Repository != w.work {
		t.Errorf("the worktree is of %s", w.worktree(t, e, r.ID).Repository)
	}
	for _, v := range hook {
		if slices.Contains(environ, v) {
			t.Errorf("processes see %s", v)
		}
	}
	if !slices.Contains(environ, "OTHER=1") || !slices.Contains(environ, "GIT_CONFIG_GLOBAL=/dev/null") {
		t.Error("processes lack other variables")
	}
	must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if !slices.Contains(environ, hook[0]) {
		t.Error("processes in the checkout itself lack the caller's variables")
	}
}

func TestResumeInTheWorktree(t *testing.T) {
	w := newWorld(t)
	git := w.repository(t)
	def := define("demo", step{key: "a"})
	def.Worktree = flow.WorktreeAlways // without a request
	var dirs []string
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		dirs = append(dirs, call.Info.WorkDir)
		return fails("no")(nil, nil)
	})
	opt := w.inWorktree(local.Worktree{})
	opt.Worktree = nil
	r := must(t, flow.Failed)(w.engine(t, nil).Run(context.Background(), def, nil, opt))
	again := func() (*local.Result, error) {
		return w.engine(t, nil).Resume(context.Background(), def, r.ID, local.Options{})
	}
	must(t, flow.Failed)(again())
	tree := w.worktree(t, w.engine(t, nil), r.ID)
	if len(dirs) != 2 || dirs[0] != dirs[1] || dirs[0] != filepath.Join(tree.Path, "sub") {
		t.Fatalf("it worked in %v, and its worktree is %s", dirs, tree.Path)
	}
	// By hand, without git's knowledge: the harder case.
	if err := os.RemoveAll(tree.Path); err != nil {
		t.Fatal(err)
	}
	_, err := again()
	if err == nil || len(dirs) != 2 || !strings.Contains(err.Error(), "run "+r.ID+" works in the git worktree "+tree.Path+", which does not exist") {
		t.Fatalf("got %v", err)
	}
	_, command, _ := strings.Cut(err.Error(), "and then: ")
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	w.performer.set("a", nil)
	must(t, flow.Completed)(again())
	if git("-C", tree.Path, "rev-parse", "--abbrev-ref", "HEAD") != tree.Branch {
		t.Error("the worktree is on another branch")
	}
}

package branch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/branch"
	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// site is a repository that workers share.
type site struct {
	*testing.T
	git.Folder
}

// newSite makes a repository with one commit.
func newSite(t *testing.T) *site {
	t.Helper()
	home := t.TempDir() // nobody's settings
	s := &site{t, git.Folder{Path: t.TempDir(), Environ: append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=ann", "GIT_COMMITTER_EMAIL=ann@example.org")}}
	s.git("init", "--quiet", "--initial-branch=main", "--template=")
	s.write(s.Path, "README", "one\ntwo\nthree\n")
	s.write(s.Path, ".gitignore", "*.o\n")
	s.git("add", "--all")
	s.git("commit", "--quiet", "-m", "begin")
	return s
}

func (s *site) git(args ...string) string {
	s.Helper()
	out, err := s.Folder.Run(s.Context(), args...)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// write writes a file; "" removes it.
func (s *site) write(dir, name, text string) {
	s.Helper()
	path := filepath.Join(dir, name)
	if text == "" {
		if err := os.Remove(path); err != nil {
			s.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// worker opens the repository as one worker.
func (s *site) worker() *branch.Repository {
	s.Helper()
	r, err := branch.Open(s.Context(), s.TempDir(), s.Path, s.Environ)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// begin makes the lines of run r.
func (s *site) begin(r *branch.Repository) *branch.Start {
	s.Helper()
	start, err := r.Begin(s.Context(), "r", "")
	if err != nil {
		s.Fatal(err)
	}
	return start
}

// attempt makes a clone at a commit for an attempt at a step, whose id is that of the step.
func (s *site) attempt(r *branch.Repository, step, commit string) *branch.Attempt {
	s.Helper()
	a := &branch.Attempt{Repository: r, Run: "r", Step: step, ID: step, Dir: s.TempDir(), Default: "main"}
	if err := a.Checkout(s.Context(), branch.Work, commit); err != nil {
		s.Fatal(err)
	}
	return a
}

// change makes an attempt write files, and saves them.
func (s *site) change(r *branch.Repository, step, base string, files map[string]string) (*branch.Attempt, string) {
	s.Helper()
	a := s.attempt(r, step, base)
	for name, text := range files {
		s.write(a.Folder(branch.Work), name, text)
	}
	commit, _, err := a.Save(s.Context(), branch.Work, base)
	if err != nil {
		s.Fatal(err)
	}
	return a, commit
}

// refs lists the refs of the repository below a prefix.
func (s *site) refs(prefix string) []string {
	s.Helper()
	return strings.Fields(s.git("for-each-ref", "--format=%(refname)", prefix))
}

func TestBegin(t *testing.T) {
	s := newSite(t)
	head := s.git("rev-parse", "HEAD")
	s.git("tag", "-a", "-m", "x", "v1")
	s.git("branch", "old")
	s.git("commit", "--quiet", "--allow-empty", "-m", "next")
	for base, want := range map[string]string{"": s.git("rev-parse", "HEAD"), "main": s.git("rev-parse", "HEAD"), "old": head, "v1": head, head: head} {
		run := "run" + base
		start, err := s.worker().Begin(t.Context(), run, base)
		if err != nil {
			t.Fatal(err)
		}
		if start.Work != want || start.Default != "main" || s.git("rev-parse", branch.WorkRef(run)) != want || s.git("rev-parse", branch.ArtifactsRef(run)) != start.Artifacts {
			t.Errorf("base %q: %+v, want %s", base, start, want)
		}
		again, err := s.worker().Begin(t.Context(), run, base) // on another worker
		if err != nil || *again != *start {
			t.Errorf("base %q, again: %+v %v", base, again, err)
		}
	}
	for base, want := range map[string]string{
		"-x": "cannot be the name of a commit", "nobody": "unknown branch, tag or commit",
		strings.Repeat("0", 40): "push it first",
	} {
		if _, err := s.worker().Begin(t.Context(), "bad", base); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("base %s: %v", base, err)
		}
	}
	s.git("branch", branch.Name("taken"))
	if _, err := s.worker().Begin(t.Context(), "taken", ""); err == nil || !strings.Contains(err.Error(), "start the run again") {
		t.Errorf("a branch of somebody else: %v", err)
	}
}

// The changes of a step reach the next one on another worker, and nothing else does.
func TestSteps(t *testing.T) {
	s := newSite(t)
	first, second := s.worker(), s.worker()
	start := s.begin(first)
	a := s.attempt(first, "a", start.Work)
	dir := a.Folder(branch.Work)
	s.write(dir, "new", "x\n")
	s.write(dir, "README", "")
	s.write(dir, "made.o", "x")
	commit, ignored, err := a.Save(t.Context(), branch.Work, start.Work)
	if err != nil || !slices.Equal(ignored, []string{"made.o"}) {
		t.Fatalf("ignored %v, %v", ignored, err)
	}
	if got := s.git("rev-parse", branch.WorkRef("r")); got != start.Work {
		t.Error("the branch moved before the join")
	}
	next, err := a.Join(t.Context(), branch.Work, start.Work, commit)
	if err != nil || next != commit || s.git("rev-parse", branch.WorkRef("r")) != commit {
		t.Errorf("joined %s, %v, want %s", next, err, commit)
	}
	if refs := s.refs("refs/wfc/r/attempts"); len(refs) > 0 {
		t.Errorf("left over: %v", refs)
	}
	if message := s.git("log", "-1", "--format=%B", commit); !strings.Contains(message, "Wfc-Run: r\nWfc-Step: a") {
		t.Errorf("the message is %q", message)
	}
	b := s.attempt(second, "b", commit)
	entries, err := os.ReadDir(b.Folder(branch.Work))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{".git", ".gitignore", "new"}) {
		t.Errorf("step b finds %v, %v", names, err)
	}
	if same, _, err := b.Save(t.Context(), branch.Work, commit); err != nil || same != commit {
		t.Errorf("without changes: %s, %v", same, err)
	}
	if err := b.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(b.Dir); !os.IsNotExist(err) {
		t.Error("the clone is still there")
	}
}

// Steps side by side are merged. Joining twice, on any worker, gives the same commit.
func TestMerge(t *testing.T) {
	s := newSite(t)
	r := s.worker()
	start := s.begin(r)
	a, one := s.change(r, "a", start.Work, map[string]string{"README": "ONE\ntwo\nthree\n"})
	_, two := s.change(r, "b", start.Work, map[string]string{"README": "one\ntwo\nTHREE\n"})
	head, err := a.Join(t.Context(), branch.Work, start.Work, one)
	if err != nil {
		t.Fatal(err)
	}
	merge := func(r *branch.Repository) string {
		b := &branch.Attempt{Repository: r, Run: "r", Step: "b", ID: "b"}
		next, err := b.Join(t.Context(), branch.Work, head, two)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	next := merge(r)
	if text := s.git("show", next+":README"); text != "ONE\ntwo\nTHREE" {
		t.Errorf("merged: %q", text)
	}
	if again := merge(r); again != next {
		t.Errorf("joined again: %s, want %s", again, next)
	}
	if refs := s.refs("refs/wfc/r/attempts"); len(refs) > 0 {
		t.Errorf("left over: %v", refs)
	}
}

// A conflict names the steps and the files, and leaves the branch where it is.
func TestConflict(t *testing.T) {
	s := newSite(t)
	r := s.worker()
	start := s.begin(r)
	head := start.Work
	for _, step := range []string{"a", "other"} {
		name := map[string]string{"a": "README", "other": "unrelated"}[step]
		attempt, commit := s.change(r, step, start.Work, map[string]string{name: step + "\n"})
		var err error
		if head, err = attempt.Join(t.Context(), branch.Work, head, commit); err != nil {
			t.Fatal(err)
		}
	}
	b, commit := s.change(r, "b", start.Work, map[string]string{"README": "b\n"})
	_, err := b.Join(t.Context(), branch.Work, head, commit)
	c := branch.IsConflict(err)
	if c == nil || !slices.Equal(c.Steps, []string{"a"}) || !slices.Equal(c.Files, []string{"README"}) {
		t.Errorf("%+v %v", c, err)
	}
	if got := s.git("rev-parse", branch.WorkRef("r")); got != head {
		t.Error("the branch moved")
	}
	if branch.IsConflict(os.ErrNotExist) != nil {
		t.Error("any error is a conflict")
	}
}

// What a person pushes to the branch meanwhile stays.
func TestJoinForeign(t *testing.T) {
	s := newSite(t)
	r := s.worker()
	start := s.begin(r)
	a, commit := s.change(r, "a", start.Work, map[string]string{"a": "x\n"})
	s.git("checkout", "--quiet", "--detach", branch.WorkRef("r"))
	s.write(s.Path, "mine", "x\n")
	s.git("add", "mine")
	s.git("commit", "--quiet", "-m", "by ann")
	s.git("update-ref", branch.WorkRef("r"), "HEAD")
	next, err := a.Join(t.Context(), branch.Work, start.Work, commit)
	if err != nil {
		t.Fatal(err)
	}
	if files := s.git("ls-tree", "--name-only", next); files != ".gitignore\nREADME\na\nmine" || s.git("rev-parse", branch.WorkRef("r")) != next {
		t.Errorf("the branch has %q", files)
	}
}

// A lost attempt leaves a ref that the end of the run removes, and only this.
func TestEnd(t *testing.T) {
	s := newSite(t)
	r := s.worker()
	start := s.begin(r)
	s.change(r, "lost", start.Work, map[string]string{"a": "x\n"})
	if _, err := r.Begin(t.Context(), "r2", ""); err != nil {
		t.Fatal(err)
	}
	s.git("update-ref", "refs/wfc/r2/attempts/x/work", start.Work)
	if refs := s.refs("refs/wfc/r/attempts"); len(refs) != 1 {
		t.Fatalf("the attempt has %v", refs)
	}
	for range 2 {
		if err := s.worker().End(t.Context(), "r"); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"refs/wfc/r/artifacts", "refs/wfc/r2/artifacts", "refs/wfc/r2/attempts/x/work"}
	if refs := s.refs("refs/wfc"); !slices.Equal(refs, want) {
		t.Errorf("left: %v, want %v", refs, want)
	}
}

// A worker reads a commit that it has from its cache, also if the repository is out of reach.
// The cache forgets branches that the repository no longer has.
func TestCache(t *testing.T) {
	s := newSite(t)
	r := s.worker()
	start := s.begin(r)
	s.git("branch", "topic")
	clone := func(step string) string {
		a := s.attempt(r, step, start.Work)
		out, err := (git.Folder{Path: a.Folder(branch.Work), Environ: s.Environ}).Run(t.Context(), "branch", "--all", "--format=%(refname)")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	s.git("commit", "--quiet", "--allow-empty", "-m", "next")
	a, commit := s.change(s.worker(), "far", start.Work, map[string]string{"a": "x\n"}) // the cache of r lacks it
	if _, err := (&branch.Attempt{Repository: r, Run: "r", Step: "far", ID: a.ID}).Join(t.Context(), branch.Work, start.Work, commit); err != nil {
		t.Fatal(err)
	}
	if refs := clone("b"); !strings.Contains(refs, "refs/remotes/origin/topic") || strings.Contains(refs, "origin/"+branch.Name("r")) {
		t.Errorf("a clone has %s", refs)
	}
	s.git("branch", "-D", "topic")
	_, commit = s.change(s.worker(), "far2", start.Work, map[string]string{"b": "x\n"})
	if err := (&branch.Attempt{Repository: r, Run: "r", Step: "far2", ID: "x", Dir: t.TempDir()}).Checkout(t.Context(), branch.Work, commit); err != nil {
		t.Fatal(err)
	}
	if refs := clone("c"); strings.Contains(refs, "topic") {
		t.Errorf("a clone has %s", refs)
	}
	if err := os.Rename(s.Path, s.Path+"-away"); err != nil {
		t.Fatal(err)
	}
	s.attempt(r, "d", commit)
	if err := (&branch.Attempt{Repository: r, Run: "r", Step: "e", Dir: t.TempDir()}).Checkout(t.Context(), branch.Work, strings.Repeat("1", 40)); err == nil {
		t.Error("a commit that nobody has was found")
	}
}

func TestShown(t *testing.T) {
	for url, want := range map[string]string{
		"https://ann:secret@example.org/a.git": "https://example.org/a.git",
		"https://example.org/a@b.git":          "https://example.org/a@b.git",
		"ssh://git@example.org/a.git":          "ssh://example.org/a.git",
		"git@example.org:a.git":                "git@example.org:a.git",
		"/srv/a.git":                           "/srv/a.git",
	} {
		if got := branch.Shown(url); got != want {
			t.Errorf("%s is shown as %s", url, got)
		}
	}
}

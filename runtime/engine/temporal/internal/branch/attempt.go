package branch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Attempt is an attempt at a step, which works in separate clones.
type Attempt struct {
	*Repository
	// Run and Step are the ids of the run and the step, and ID identifies the attempt
	// among all others.
	Run, Step, ID string
	// Dir is the folder of the attempt. The clones are below it.
	Dir string
	// Default is the default branch of the repository, or "".
	Default string
}

// Lines of a run: also the names of the clones below the folder of an attempt.
const (
	Work      = "work"
	Artifacts = "artifacts"
)

// Folder returns the clone for a line.
func (a *Attempt) Folder(line string) string { return filepath.Join(a.Dir, line) }

// Checkout makes the clone of a line at a commit. It shares the objects of the cache, and
// has the branches of the repository as branches of origin.
func (a *Attempt) Checkout(ctx context.Context, line, commit string) error {
	if err := a.ensureCommits(ctx, a.Run, commit); err != nil {
		return err
	}
	dir := a.Folder(line)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	clone := a.gitFolder(dir)
	if _, err := clone.Run(ctx, "init", "--quiet", "--template=", "--initial-branch="+Name(a.Run)); err != nil {
		return err
	}
	info := filepath.Join(dir, ".git", "objects", "info")
	files := map[string]string{filepath.Join(info, "alternates"): filepath.Join(a.cache, "objects") + "\n"}
	if line == Artifacts {
		// The journal has the artifacts of this folder; the worker writes them.
		files[filepath.Join(dir, ".git", "info", "exclude")] = "/nodes/\n"
	} else {
		refs, err := a.packedRefs(ctx)
		if err != nil {
			return err
		}
		files[filepath.Join(dir, ".git", "packed-refs")] = refs
	}
	for path, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	if line == Work {
		for _, args := range [][]string{
			{"remote", "add", "origin", a.URL},
			{"config", "branch." + Name(a.Run) + ".remote", "origin"},
			{"config", "branch." + Name(a.Run) + ".merge", WorkRef(a.Run)},
		} {
			if _, err := clone.Run(ctx, args...); err != nil {
				return err
			}
		}
	}
	_, err := clone.Run(ctx, "reset", "--quiet", "--hard", commit)
	return err
}

// packedRefs are the refs of a new clone, in the form of git's file packed-refs.
func (a *Attempt) packedRefs(ctx context.Context) (string, error) {
	out, err := a.gitFolder(a.cache).Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes/origin/")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(out) {
		commit, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := strings.TrimPrefix(ref, "refs/remotes/origin/")
		if strings.HasPrefix(name, Name("")) {
			continue // branches of runs
		}
		fmt.Fprintln(&b, commit, ref)
		if name == a.Default {
			fmt.Fprintln(&b, commit, "refs/heads/"+name)
		}
	}
	return b.String(), nil
}

// Save commits the changes in the clone of a line and pushes them to a ref of the attempt
// alone. It returns the commit, or base if there are no changes. Files that git ignores are
// left out; ignored returns some of them.
func (a *Attempt) Save(ctx context.Context, line, base string) (commit string, ignored []string, err error) {
	clone := a.gitFolder(a.Folder(line))
	if _, err := os.Stat(filepath.Join(clone.Path, ".git")); err != nil {
		return "", nil, fmt.Errorf("the step removed the git repository of its folder: %w", err)
	}
	if _, err := clone.Run(ctx, "add", "--all"); err != nil {
		return "", nil, err
	}
	tree, err := clone.Run(ctx, "write-tree")
	if err != nil {
		return "", nil, err
	}
	// The step may have committed by itself, also on another branch.
	commit = base
	if head, err := clone.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil && clone.Has(ctx, "merge-base", "--is-ancestor", base, head) {
		commit = head
	}
	old, err := clone.Run(ctx, "rev-parse", commit+"^{tree}")
	if err != nil {
		return "", nil, err
	}
	if old != tree {
		commit, err = clone.withCommitIdentity("").Run(ctx, "commit-tree", "-p", commit, "-m", fmt.Sprintf("Step %s of run %s", a.Step, a.Run), "-m", a.commitTrailers(), tree)
		if err != nil {
			return "", nil, err
		}
	}
	if line == Work {
		ignored = a.ignoredFiles(ctx, clone)
	}
	if commit == base {
		return base, ignored, nil
	}
	return commit, ignored, a.pushCommit(ctx, clone, commit, attemptRef(a.Run, a.ID, line), "")
}

// stepTrailer is the key of the line of a commit's message that names the step.
const stepTrailer = "Wfc-Step"

func (a *Attempt) commitTrailers() string {
	return "Wfc-Run: " + a.Run + "\n" + stepTrailer + ": " + a.Step
}

// ignoredFiles returns files and folders in a clone that git ignores.
func (a *Attempt) ignoredFiles(ctx context.Context, clone folder) []string {
	out, err := clone.Run(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if err != nil || out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}

// Remove removes the folder of the attempt.
func (a *Attempt) Remove() error { return os.RemoveAll(a.Dir) }

// A Conflict says that a step and steps that ran beside it changed the same files.
type Conflict struct {
	// Steps are the other steps, and Files the paths in the repository.
	Steps, Files []string
}

func (c *Conflict) Error() string {
	return "conflict in " + strings.Join(c.Files, ", ")
}

// Join makes the changes of an attempt part of a line, whose last commit is head, and
// returns the new last commit. The error is a *Conflict if other steps changed the same
// lines. Joining the same changes again changes nothing.
func (a *Attempt) Join(ctx context.Context, line, head, commit string) (string, error) {
	if head == commit {
		return head, nil
	}
	if err := a.ensureCommits(ctx, a.Run, head, commit); err != nil {
		return "", err
	}
	ref := WorkRef(a.Run)
	if line == Artifacts {
		ref = ArtifactsRef(a.Run)
	}
	next, err := a.mergeCommits(ctx, head, commit)
	// Somebody else may push to the branch: the agent of a step, or a person.
	for try := 0; err == nil; try++ {
		there, failed := a.remoteCommit(ctx, ref)
		if failed != nil {
			return "", failed
		}
		if there == next {
			break
		}
		if there != "" {
			if err = a.ensureCommits(ctx, a.Run, there); err == nil {
				next, err = a.mergeCommits(ctx, there, next)
			}
			if err != nil || there == next {
				break
			}
		}
		if err = a.pushCommit(ctx, a.gitFolder(a.cache), next, ref, there); err != nil && try < 3 {
			err = nil
		}
	}
	if err != nil {
		return "", err
	}
	if a.ID != "" {
		// The ref of the attempt is only in the way now; if it stays, the end of the run
		// removes it.
		_, _ = a.gitFolder(a.cache).Run(ctx, "push", "--quiet", "--no-verify", a.URL, ":"+attemptRef(a.Run, a.ID, line))
	}
	return next, nil
}

// mergeCommits returns a commit that contains two commits. The same commits give the same one.
func (a *Attempt) mergeCommits(ctx context.Context, head, commit string) (string, error) {
	cache := a.gitFolder(a.cache)
	switch {
	case cache.Has(ctx, "merge-base", "--is-ancestor", head, commit):
		return commit, nil
	case cache.Has(ctx, "merge-base", "--is-ancestor", commit, head):
		return head, nil
	}
	tree, files, err := a.mergeTree(ctx, head, commit)
	if err != nil {
		return "", err
	}
	if len(files) > 0 {
		return "", &Conflict{Steps: a.stepsThatChanged(ctx, head, commit, files), Files: files}
	}
	at, err := cache.Run(ctx, "show", "--no-patch", "--format=%cI", commit)
	if err != nil {
		return "", err
	}
	return cache.withCommitIdentity(at).Run(ctx, "commit-tree", "-p", head, "-p", commit, "-m", fmt.Sprintf("Merge step %s of run %s", a.Step, a.Run), "-m", a.commitTrailers(), tree)
}

// mergeTree merges two commits, and returns the tree or the files in conflict.
func (a *Attempt) mergeTree(ctx context.Context, head, commit string) (tree string, files []string, err error) {
	// Git says 1 for a conflict, and prints as for a success.
	out, err := a.gitFolder(a.cache).Run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", head, commit)
	parts := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	if err == nil {
		return parts[0], nil, nil
	}
	if !isCommit(parts[0]) || len(parts) < 2 {
		return "", nil, err
	}
	files = parts[1:]
	slices.Sort(files)
	return "", slices.Compact(files), nil
}

// stepsThatChanged returns the steps that changed files on the way to head, other than on the way
// to commit.
func (a *Attempt) stepsThatChanged(ctx context.Context, head, commit string, files []string) []string {
	args := append([]string{"log", "--no-merges", "--format=%(trailers:key=" + stepTrailer + ",valueonly,separator=%x0A)", head, "--not", commit, "--"}, files...)
	out, err := a.gitFolder(a.cache).Run(ctx, args...)
	if err != nil {
		return nil
	}
	steps := strings.Fields(out)
	slices.Sort(steps)
	return slices.Compact(steps)
}

// IsConflict returns the conflict that an error is, or nil.
func IsConflict(err error) *Conflict {
	if c, ok := errors.AsType[*Conflict](err); ok {
		return c
	}
	return nil
}

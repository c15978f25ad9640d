package branch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
// lines. Joining again what is joined changes nothing.
func (a *Attempt) Join(ctx context.Context, line, head, commit string) (string, error) {
	if head == commit {
		return head, nil
	}
	if err := a.bring(ctx, a.Run, head, commit); err != nil {
		return "", err
	}
	ref := WorkRef(a.Run)
	if line == Artifacts {
		ref = ArtifactsRef(a.Run)
	}
	next, err := a.merge(ctx, head, commit)
	// Somebody else may push to the branch: the agent of a step, or a person.
	for try := 0; err == nil; try++ {
		there, failed := a.remote(ctx, ref)
		if failed != nil {
			return "", failed
		}
		if there == next {
			break
		}
		if there != "" {
			if err = a.bring(ctx, a.Run, there); err == nil {
				next, err = a.merge(ctx, there, next)
			}
			if err != nil || there == next {
				break
			}
		}
		if err = a.push(ctx, a.in(a.cache), next, ref, there); err != nil && try < 3 {
			err = nil
		}
	}
	if err != nil {
		return "", err
	}
	if a.ID != "" {
		// The ref of the attempt is only in the way now; if it stays, the end of the run
		// removes it.
		_, _ = a.in(a.cache).Run(ctx, "push", "--quiet", "--no-verify", a.URL, ":"+attemptRef(a.Run, a.ID, line))
	}
	return next, nil
}

// merge returns a commit that contains two commits. The same commits give the same one.
func (a *Attempt) merge(ctx context.Context, head, commit string) (string, error) {
	cache := a.in(a.cache)
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
		return "", &Conflict{Steps: a.changed(ctx, head, commit, files), Files: files}
	}
	at, err := cache.Run(ctx, "show", "--no-patch", "--format=%cI", commit)
	if err != nil {
		return "", err
	}
	return cache.as(at).Run(ctx, "commit-tree", "-p", head, "-p", commit, "-m", fmt.Sprintf("Merge step %s of run %s", a.Step, a.Run), "-m", a.trailers(), tree)
}

// mergeTree merges two commits, and returns the tree or the files in conflict.
func (a *Attempt) mergeTree(ctx context.Context, head, commit string) (tree string, files []string, err error) {
	// Git says 1 for a conflict, and prints as for a success.
	out, err := a.in(a.cache).Run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", head, commit)
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

// changed returns the steps that changed files on the way to head, other than on the way
// to commit.
func (a *Attempt) changed(ctx context.Context, head, commit string, files []string) []string {
	args := append([]string{"log", "--no-merges", "--format=%(trailers:key=" + stepTrailer + ",valueonly,separator=%x0A)", head, "--not", commit, "--"}, files...)
	out, err := a.in(a.cache).Run(ctx, args...)
	if err != nil {
		return nil
	}
	steps := strings.Fields(out)
	slices.Sort(steps)
	return slices.Compact(steps)
}

// IsConflict returns the conflict that an error is, or nil.
func IsConflict(err error) *Conflict {
	var c *Conflict
	if errors.As(err, &c) {
		return c
	}
	return nil
}

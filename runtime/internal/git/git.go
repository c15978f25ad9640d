// Package git runs git commands that work on the repository of a folder.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// repositoryVariables are the variables that make git commands work on another repository
// than that of the working directory; a git hook has some of them.
func repositoryVariables() []string {
	return []string{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
		"GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE",
		"GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE",
		"GIT_SHALLOW_FILE", "GIT_WORK_TREE",
	}
}

// WithoutRepository returns an environment in which git works on the repository
// that it is called in.
func WithoutRepository(environ []string) []string {
	variables := repositoryVariables()
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(variables, name)
	})
}

// A Folder is a folder in which git commands are run. Environ is their environment, as
// os.Environ has it.
type Folder struct {
	Path    string
	Environ []string
	// Repository is the folder of the repository, and WorkTree its work tree; git finds them if they are "".
	Repository, WorkTree string
}

// ErrMissing says that git is not on PATH.
var ErrMissing = errors.New("git is not on PATH")

// Run runs a git command and returns its output without the line's end, also if the command
// fails. The error holds what git says, and nothing else that would have to be read.
func (g Folder) Run(ctx context.Context, args ...string) (string, error) {
	var out, errs bytes.Buffer
	path, err := filepath.Abs(g.Path)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", path, "-c", "core.fsmonitor=false"}, args...)...)
	// A program that selects a version of git by the files of its folder finds none there.
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.VolumeName(path)+string(filepath.Separator), &out, &errs
	cmd.Env = append(WithoutRepository(g.Environ), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	if g.Repository != "" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+g.Repository, "GIT_WORK_TREE="+g.WorkTree)
	}
	err = process.RunApart(cmd) // hooks are programs, too
	if errors.Is(err, exec.ErrNotFound) {
		return "", ErrMissing
	}
	if said := strings.TrimSpace(errs.String()); err != nil && said != "" {
		err = fmt.Errorf("git %s: %s", verbOf(args), said)
	} else if err != nil {
		err = fmt.Errorf("git %s: %w", verbOf(args), err)
	}
	return strings.TrimRight(out.String(), "\r\n"), err
}

// verbOf returns the command among the arguments of git.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
		} else if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// Has reports whether a git command succeeds.
func (g Folder) Has(ctx context.Context, args ...string) bool {
	_, err := g.Run(ctx, args...)
	return err == nil
}

// Status returns what a folder's work tree has that isn't committed, a line for each path. git
// doesn't enter repositories inside of it: a step can have made them, and git would run what
// their configuration names. See Inner.
func (g Folder) Status(ctx context.Context) (string, error) {
	return g.Run(ctx, "status", "--porcelain", "--ignore-submodules=dirty")
}

// Inner returns the repositories inside of a work tree that its index names, if they are there,
// as paths below the folder, which is the top of the work tree.
func (g Folder) Inner(ctx context.Context) ([]string, error) {
	out, err := g.Run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var list []string
	for entry := range strings.SplitSeq(out, "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if !strings.HasPrefix(about, "160000 ") {
			continue
		}
		if _, err := os.Lstat(filepath.Join(g.Path, filepath.FromSlash(path), ".git")); err == nil {
			list = append(list, path)
		}
	}
	return list, nil
}

// RemoteHead returns the default branch of the remote origin of the checkout that dir is
// in: what git recorded, else main if origin has it, as Archon finds it, or "".
func RemoteHead(ctx context.Context, dir string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	folder := Folder{Path: dir, Environ: os.Environ()}
	if out, err := folder.Run(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return strings.TrimPrefix(out, "origin/")
	}
	if _, err := folder.Run(ctx, "rev-parse", "--quiet", "--verify", "refs/remotes/origin/main"); err == nil {
		return "main"
	}
	return ""
}

// remoteTimeout is how long another repository may take to answer.
const remoteTimeout = time.Minute

// RemoteBranch returns the commit of a branch of another repository, a URL, a folder or the name
// of a remote; "" means that it has no such branch. git runs no hook, and reaches the repository
// only by a folder, HTTP, SSH or git's own protocol.
func (g Folder) RemoteBranch(ctx context.Context, repository, branch string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, remoteTimeout)
	defer cancel()
	g.Environ = append(slices.Clone(g.Environ), "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	ref := "refs/heads/" + branch
	out, err := g.Run(ctx, "-c", "core.hooksPath="+os.DevNull, "--no-optional-locks", "ls-remote", "--", repository, ref)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if commit, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == ref {
			return commit, nil
		}
	}
	return "", nil
}

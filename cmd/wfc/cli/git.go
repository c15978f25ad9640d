package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// A gitRoot is the top folder of a git repository, which may be a stranger's. Its
// configuration can name programs for hooks, filters, file system monitors and remotes.
// So its methods read only commits, trees and blobs: no filter, textconv or monitor
// applies to these.
type gitRoot string

// newCommand is the only function of wfc that starts git. It switches off what could start a
// program even while git reads objects: hooks, and the download of objects that a partial
// clone lacks. The user's own configuration counts, because CI sets safe.directory there.
func (g gitRoot) newCommand(args ...string) *exec.Cmd {
	return g.newTransport(context.Background(), "none", args...)
}

// newTransport is newCommand for a command that may use one protocol to reach another repository.
func (g gitRoot) newTransport(ctx context.Context, protocol string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"-C", string(g), "--no-pager", "--no-optional-locks",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
		"-c", "protocol.allow=never", "-c", "safe.bareRepository=explicit",
	}, args...)...)
	// A program that selects a version of git by the files of its folder finds none there.
	cmd.Dir = filepath.VolumeName(string(g)) + string(filepath.Separator)
	// In a hook, git sets variables for the repository of the hook.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"}, name)
	}), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL="+protocol, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

// A gitError is why git failed.
type gitError struct {
	verb string
	// said is git's own message, or "", and advice what to do about it.
	said, advice string
	err          error
}

func (e *gitError) Error() string {
	switch {
	case errors.Is(e.err, exec.ErrNotFound):
		return "git is not on PATH; install it"
	case strings.Contains(e.said, "promisor"):
		return fmt.Sprintf("git %s: %s\n  wfc does not download what a partial clone lacks; run `git fetch --refetch --no-filter`", e.verb, plain.Below(e.said, "  "))
	}
	text := fmt.Sprintf("git %s: %s", e.verb, cmp.Or(plain.Below(e.said, "  "), e.err.Error()))
	if e.advice != "" {
		text += "\n  " + e.advice
	}
	return text
}

// run returns what a git command prints. The error is a *gitError.
func (g gitRoot) run(args ...string) (string, error) {
	return outputOfGit(args[0], g.newCommand(args...))
}

// outputOfGit runs a command of git. The error is a *gitError.
func outputOfGit(verb string, cmd *exec.Cmd) (string, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", &gitError{verb: verb, said: strings.TrimSpace(stderr.String()), err: err}
	}
	return string(out), nil
}

// isSilentFailure reports whether git failed without a message, as it does for missing objects.
func isSilentFailure(err error) bool {
	var failure *gitError
	var ended *exec.ExitError
	return errors.As(err, &failure) && failure.said == "" && errors.As(failure.err, &ended)
}

// An unknownRevisionError says that a repository lacks a revision.
type unknownRevisionError struct {
	rev     string
	shallow bool
}

func (e *unknownRevisionError) Error() string {
	text := fmt.Sprintf("`%s` is not a revision of this repository", plain.Line(e.rev))
	switch {
	case e.rev == uncommitted:
		return "this repository has no commit to compare with; commit first"
	case e.shallow:
		return text + deepen
	}
	return text + "; `git branch --all` lists its branches"
}

// deepen is the advice for shallow clones.
const deepen = ", which is a shallow clone; run `git fetch --unshallow`, or give GitHub's actions/checkout `fetch-depth: 0`"

// resolveCommit returns the id of a revision's commit. The error may be an *unknownRevisionError.
func (g gitRoot) resolveCommit(rev string) (string, error) {
	if strings.HasPrefix(rev, "-") {
		return "", &unknownRevisionError{rev: rev}
	}
	out, err := g.run("rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if isSilentFailure(err) {
		err = &unknownRevisionError{rev, g.isShallow()}
	}
	return strings.TrimSpace(out), err
}

func (g gitRoot) isShallow() bool {
	out, err := g.run("rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(out) == "true"
}

// mergeBase returns the commit at which HEAD left a revision, so that a comparison leaves out
// what others changed there since. The base of HEAD is HEAD itself.
func (g gitRoot) mergeBase(rev string) (string, error) {
	commit, err := g.resolveCommit(rev)
	if err != nil || rev == uncommitted {
		return commit, err
	}
	head, err := g.resolveCommit("HEAD")
	if err != nil {
		return "", err
	}
	common, err := g.run("merge-base", commit, head)
	if isSilentFailure(err) {
		// A shallow clone hides the parents of its last commits. The commits still name them: CI
		// checks out the merge of a pull request alone, and fetches the base branch beside it.
		if parents, err := g.commitParents(head); err != nil {
			return "", err
		} else if len(parents) > 0 {
			common, _ = g.run(append([]string{"merge-base", commit}, parents...)...)
		}
	}
	switch {
	case strings.TrimSpace(common) != "":
		return strings.TrimSpace(common), nil
	case !isSilentFailure(err):
		return "", err
	case g.isShallow():
		return "", fmt.Errorf("`%s` and HEAD have no common commit in this repository%s", plain.Line(rev), deepen)
	}
	return "", fmt.Errorf("`%s` and HEAD have no common commit; name a commit of HEAD's history", plain.Line(rev))
}

// commitParents returns the parents that a commit names and the repository has.
func (g gitRoot) commitParents(commit string) ([]string, error) {
	text, err := g.run("cat-file", "commit", commit)
	if err != nil {
		return nil, err
	}
	var parents []string
	for line := range strings.Lines(text) {
		if line == "\n" {
			break
		}
		id, ok := strings.CutPrefix(strings.TrimSpace(line), "parent ")
		if !ok {
			continue
		}
		if _, err := g.run("cat-file", "-e", id); err == nil {
			parents = append(parents, id)
		}
	}
	return parents, nil
}

// A gitFile is a file or symbolic link of a commit; path has slashes.
type gitFile struct {
	path, id   string
	executable bool
}

const (
	linkMode       = "120000"
	executableMode = "100755"
)

// A gitTree has the files and links of a commit, and the paths of its submodules.
type gitTree struct {
	files, links []gitFile
	submodules   []string
}

func (g gitRoot) readTree(commit string) (gitTree, error) {
	var tree gitTree
	out, err := g.run("ls-tree", "-r", "-z", "--full-tree", commit)
	for entry := range strings.SplitSeq(out, "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		switch words := strings.Fields(about); {
		case len(words) != 3:
		case words[1] != "blob":
			tree.submodules = append(tree.submodules, path)
		case words[0] == linkMode:
			tree.links = append(tree.links, gitFile{path: path, id: words[2]})
		default:
			tree.files = append(tree.files, gitFile{path, words[2], words[0] == executableMode})
		}
	}
	return tree, err
}

// readContents calls read with the content of each file, in order. read need not read all of it.
func (g gitRoot) readContents(files []gitFile, read func(gitFile, io.Reader) error) error {
	return g.catFiles("--batch", files, func(f gitFile, size int64, out *bufio.Reader) error {
		content := io.LimitReader(out, size)
		if err := read(f, content); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return err
		}
		_, err := out.Discard(1)
		return err
	})
}

// splitBySize returns the files of at most the size that wfc reads, and the larger ones. It
// does not read their content.
func (g gitRoot) splitBySize(files []gitFile) (small, large []gitFile, err error) {
	err = g.catFiles("--batch-check", files, func(f gitFile, size int64, _ *bufio.Reader) error {
		if size > int64(wholefile.Source) {
			large = append(large, f)
		} else {
			small = append(small, f)
		}
		return nil
	})
	return small, large, err
}

// catFiles calls read for each file with its size and what `git cat-file` prints behind that.
func (g gitRoot) catFiles(option string, files []gitFile, read func(gitFile, int64, *bufio.Reader) error) error {
	var ids strings.Builder
	for _, f := range files {
		ids.WriteString(f.id + "\n")
	}
	var stderr bytes.Buffer
	cmd := g.newCommand("cat-file", option)
	cmd.Stdin, cmd.Stderr = strings.NewReader(ids.String()), &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = eachFile(bufio.NewReader(out), files, read)
	_, _ = io.Copy(io.Discard, out) // so that git can end
	if ended := cmd.Wait(); ended != nil {
		return &gitError{verb: "cat-file", said: strings.TrimSpace(stderr.String()), err: ended}
	}
	return err
}

// A lackingContentError says that a repository has a file but not its content.
type lackingContentError struct{ path string }

func (e *lackingContentError) Error() string {
	return fmt.Sprintf("the repository lacks the content of %s; run `git fsck`", plain.Line(e.path))
}

// eachFile reads the output of `git cat-file`.
func eachFile(out *bufio.Reader, files []gitFile, read func(gitFile, int64, *bufio.Reader) error) error {
	for _, f := range files {
		line, err := wholefile.Source.Line(out, "git")
		if err != nil {
			return err
		}
		words := strings.Fields(string(line))
		if len(words) != 3 {
			return &lackingContentError{f.path}
		}
		size, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return err
		}
		if err := read(f, size, out); err != nil {
			return err
		}
	}
	return nil
}

// Package checkout reports the changes of a git checkout, for actions that must not make
// any. Files that git ignores do not count, nor do the run's folders. Changes by other
// actions at the same time count, too.
package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Git runs a git command in the working folder of a run, and returns its output.
type Git func(ctx context.Context, args ...string) (string, error)

// A State has the changes of a checkout by path, and its commit.
type State map[string]string

// Read returns the state of the checkout of a run.
func Read(ctx context.Context, run *flow.RunInfo, git Git) (State, error) {
	out, err := git(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return nil, err
	}
	up, err := git(ctx, "rev-parse", "--show-cdup")
	if err != nil {
		return nil, err
	}
	changes := State{}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		path := filepath.Join(run.WorkDir, strings.TrimSpace(up), filepath.FromSlash(entry[3:]))
		if trust.Within(run.ArtifactsDir, path) || trust.Within(run.LogDir, path) || run.SharedDir != "" && trust.Within(run.SharedDir, path) {
			continue
		}
		// A file that was changed before may be changed further, which the status does not show.
		content, err := contentSum(path)
		if err != nil {
			return nil, err
		}
		changes[entry[3:]] = entry[:2] + " " + content
	}
	head, _ := git(ctx, "rev-parse", "--quiet", "--verify", "HEAD")
	changes["HEAD"] = head
	return changes, nil
}

// contentSum returns a sum of the content of a file, or the target of a symbolic link.
// For other files, such as the folders of nested repositories, it returns "".
func contentSum(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return os.Readlink(path)
	}
	if !info.Mode().IsRegular() {
		return "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// shown is the maximum number of paths in a message.
const shown = 10

// Unchanged fails the completed action of a step if it has changed the checkout: before and
// after are the states around it.
func Unchanged(key string, before, after State, result flow.Result) flow.Result {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if after[path] != before[path] {
			paths = append(paths, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, known := after[path]; !known {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return result
	}
	more := ""
	if len(paths) > shown {
		paths, more = paths[:shown], ", …"
	}
	failure := failedResult("step `%s` must not change the checkout (`mutates_checkout: false`), but it changed %s%s", key, strings.Join(paths, ", "), more)
	failure.Text, failure.Meta = result.Text, result.Meta
	return failure
}

// Unknown is the result of an action if git cannot report the state of the checkout.
func Unknown(key string, err error) flow.Result {
	return failedResult("step `%s` must not change the checkout, but git cannot compare: %v", key, err)
}

func failedResult(format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Reason: "checkout", Class: flow.ClassFatal, Message: fmt.Sprintf(format, args...),
	}}
}

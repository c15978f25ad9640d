package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Actions that must not change files of the checkout: git tells what has changed before and
// after them. Files that git ignores do not count, nor do the run's own folders. Other
// actions that run at the same time are taken for this one's doing.

// checkout returns the changes of the checkout by path, for an action that must not make
// any; nil for other actions.
func (h *host) checkout(ctx context.Context, a flow.Action) (map[string]string, error) {
	if !a.ReadOnly {
		return nil, nil
	}
	g := git{h.run.info.WorkDir, h.run.environ()}
	out, err := g.run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return nil, err
	}
	up, err := g.run(ctx, "rev-parse", "--show-cdup")
	if err != nil {
		return nil, err
	}
	changes := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		path := filepath.Join(h.run.info.WorkDir, up, filepath.FromSlash(entry[3:]))
		if own(path, h.run.info.ArtifactsDir) || own(path, h.run.info.LogDir) || h.run.info.StateDir != "" && own(path, h.run.info.StateDir) {
			continue
		}
		// What was changed before may be changed further, which the status does not show.
		content, err := contentSum(path)
		if err != nil {
			return nil, err
		}
		changes[entry[3:]] = entry[:2] + " " + content
	}
	head, _ := g.run(ctx, "rev-parse", "--quiet", "--verify", "HEAD")
	changes["HEAD"] = head
	return changes, nil
}

// contentSum returns a sum of the content of a file, or the target of a symbolic link. Of
// other files, such as the folders of nested repositories, it returns "".
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

// own reports whether a path is in one of the run's own folders.
func own(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// unchanged fails an action that has changed the checkout.
func (h *host) unchanged(ctx context.Context, a flow.Action, before map[string]string, result flow.Result) flow.Result {
	if before == nil || result.Status != flow.Completed {
		return result
	}
	after, err := h.checkout(ctx, a)
	if err != nil {
		return failed("checkout", "step '%s' must not change the checkout, but git cannot tell: %v", a.Key, err)
	}
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
	const shown = 10
	more := ""
	if len(paths) > shown {
		paths, more = paths[:shown], ", …"
	}
	failure := failed("checkout", "step '%s' must not change the checkout (`mutates_checkout: false`), but it changed %s%s", a.Key, strings.Join(paths, ", "), more)
	failure.Text, failure.Meta = result.Text, result.Meta
	return failure
}

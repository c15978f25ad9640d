package local

import (
	"context"
	"maps"
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
	root, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	// What was changed before may be changed further, which the status does not show.
	changes := map[string]string{}
	var changed []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(entry[3:]))
		if own(path, h.run.info.ArtifactsDir) || own(path, h.run.info.LogDir) || h.run.info.StateDir != "" && own(path, h.run.info.StateDir) {
			continue
		}
		changes[entry[3:]] = entry[:2]
		if !strings.Contains(entry[:2], "D") {
			changed = append(changed, path)
		}
	}
	if len(changed) > 0 {
		hashes, err := g.run(ctx, append([]string{"hash-object", "--no-filters", "--"}, changed...)...)
		if err != nil {
			return nil, err
		}
		for i, hash := range strings.Split(hashes, "\n") {
			if rel, err := filepath.Rel(root, changed[min(i, len(changed)-1)]); err == nil {
				changes[filepath.ToSlash(rel)] += " " + hash
			}
		}
	}
	head, _ := g.run(ctx, "rev-parse", "--quiet", "--verify", "HEAD")
	changes["HEAD"] = head
	return changes, nil
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

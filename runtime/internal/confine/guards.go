package confine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// guards are the guarded files of a work tree, with what distinguishes each from another file
// in its place.
type guards map[string]fs.FileInfo

// lookAt returns the guarded files as they are now.
func lookAt(p *sandbox.Policy) guards {
	g := guards{}
	for _, path := range p.Guards() {
		if info, err := os.Lstat(path); err == nil {
			g[path] = info
		}
	}
	return g
}

// plantedFiles returns the guarded files that came since g was made. Those that were there could not
// be changed, but what leads to them could be: links.
func (g guards) plantedFiles(p *sandbox.Policy) []string {
	var list []string
	for path, info := range lookAt(p) {
		// The entries of other work trees come with these, by `git worktree add`.
		if before := g[path]; before == nil && !strings.Contains(path, "/worktrees/") || before != nil && !os.SameFile(before, info) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// takeAway moves the files of a policy's guards that came in the sandbox to a folder, and fails
// the result that it returns, if there are any. who has made them. One that was made by a step
// beside it fails the first that ends.
func (r *Run) takeAway(p *sandbox.Policy, result flow.Result, who string) flow.Result {
	var lines []string
	planted := append(r.turns.seen.plantedFiles(p), r.turns.inner.plantedRepositories(p, r.Environ(), r.turns.since)...)
	for i, path := range planted {
		to := filepath.Join(r.Dir, "refused", fmt.Sprintf("%d-%s", r.turns.taken+i+1, filepath.Base(path)))
		err := os.MkdirAll(filepath.Dir(to), 0o700)
		if err == nil {
			err = os.Rename(path, to)
		}
		if err != nil { // it may be on another file system
			to = path + ".refused"
			err = os.Rename(path, to)
		}
		moved := "wfc has moved it to " + to
		if err != nil {
			moved = fmt.Sprintf("remove it: wfc could not move it away: %v", err)
		}
		name := path
		if rest, ok := strings.CutPrefix(path, p.WorkTree+"/"); ok {
			name = rest
		}
		lines = append(lines, fmt.Sprintf("%s made %s, which other programs execute later, outside of the sandbox; %s; "+
			"to permit it, %s", who, name, moved, r.grantHint("", "write", path)))
	}
	r.turns.taken += len(lines)
	if lines == nil || result.Status == flow.Cancelled {
		return result
	}
	f := flow.Failure{Reason: "sandbox", Class: flow.ClassFatal}
	if result.Failure != nil {
		f = *result.Failure
		lines = append([]string{f.Message}, lines...)
	}
	f.Message = strings.Join(lines, "\n")
	result.Status, result.Failure = flow.Failed, &f
	return result
}

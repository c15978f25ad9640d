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

// planted returns the guarded files that came since g was made. Those that were there could not
// be changed, but what leads to them could be: links.
func (g guards) planted(p *sandbox.Policy) []string {
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

// takeAway moves guarded files that a step made to a folder, and fails the step. One that was
// made by a step beside it fails the first that ends.
func (s *step) takeAway(result flow.Result) flow.Result {
	s.run.taking.Lock()
	defer s.run.taking.Unlock()
	var lines []string
	for i, path := range s.before.planted(s.guard) {
		to := filepath.Join(s.run.Dir, "refused", filepath.Base(s.folder), fmt.Sprintf("%d-%s", i+1, filepath.Base(path)))
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
		if rest, ok := strings.CutPrefix(path, s.guard.WorkTree+"/"); ok {
			name = rest
		}
		lines = append(lines, fmt.Sprintf("the step made %s, which other programs execute later, outside of the sandbox; %s; "+
			"to permit it, %s", name, moved, grantHint("", "write", name)))
	}
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

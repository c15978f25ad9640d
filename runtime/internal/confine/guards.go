package confine

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// guards are the guarded files of a work tree.
type guards map[string]guardedFile

// A guardedFile is as it was, to distinguish it from another file in its place. What no mount can
// guard is kept, so that wfc can put it back.
type guardedFile struct {
	fs.FileInfo
	// link is where a link leads.
	link string
	// content is that of a file with further names, which can be opened by those.
	content []byte
	known   bool
	// program says that others may put another file in its place.
	program bool
}

// lookAt returns the guarded files as they are now.
func lookAt(p *sandbox.Policy) guards { return lookAtPaths(p.Guards()) }

func lookAtPaths(paths []string) guards {
	g := guards{}
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			g[path] = guardedFile{FileInfo: info}
		}
	}
	return g
}

// keepContent keeps what no mount can guard, also of programs. What has not changed since an earlier look
// is not read again.
func (g guards) keepContent(p *sandbox.Policy, earlier guards) {
	for _, path := range p.Programs {
		if info, err := os.Lstat(path); err == nil && hasMoreNames(info) {
			g[path] = guardedFile{FileInfo: info, program: true}
		}
	}
	for path, f := range g {
		if f.Mode()&fs.ModeSymlink != 0 {
			f.link, _ = os.Readlink(path)
		} else if before := earlier[path]; before.known && before.isSameVersion(f) {
			f.content, f.known = before.content, true
		} else if hasMoreNames(f) {
			content, err := wholefile.Source.Read(path)
			f.content, f.known = content, err == nil
		}
		g[path] = f
	}
}

// plantedFiles returns the guarded files that came since g was made, or are not what they were.
func (g guards) plantedFiles(p *sandbox.Policy, now guards) []string {
	var list []string
	for path, file := range now {
		if p.Grants(path) {
			continue
		}
		// The entries of other work trees come with these, by `git worktree add`.
		if before, known := g[path]; !known && !strings.Contains(path, "/worktrees/") || known && before.isChanged(path, file.FileInfo) {
			list = append(list, path)
		}
	}
	for path, before := range g {
		if _, there := now[path]; there || p.Grants(path) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil && before.link != "" || err == nil && before.program && os.SameFile(before.FileInfo, info) && before.isChanged(path, info) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// isChanged reports whether another file is in its place, or other content in it.
func (f guardedFile) isChanged(path string, now fs.FileInfo) bool {
	if !os.SameFile(f.FileInfo, now) || f.Mode().Type() != now.Mode().Type() { // a new file may have the old number
		return true
	}
	if f.link != "" {
		to, _ := os.Readlink(path)
		return to != f.link
	}
	if !f.known || f.isSameVersion(now) {
		return false
	}
	content, err := wholefile.Source.Read(path)
	return err != nil || !bytes.Equal(content, f.content)
}

// isSameVersion reports whether a file has not changed. Nobody in the sandbox can set back the time of a
// change.
func (f guardedFile) isSameVersion(now fs.FileInfo) bool {
	return os.SameFile(f.FileInfo, now) && changeTime(f).Equal(changeTime(now))
}

// takeAway moves the files of a policy's guards that came in the sandbox to a folder, or puts back
// what was there, and fails the result that it returns, if there are any. who has made them. One that
// was made by a step beside it fails the first that ends.
func (r *Run) takeAway(p *sandbox.Policy, result flow.Result, who string) flow.Result {
	var lines []string
	r.turns.latest = r.turns.look()
	planted := append(r.turns.seen.plantedFiles(p, r.turns.latest.guards), r.turns.inner.plantedRepositories(p, r.repository(), r.turns.since)...)
	for i, path := range planted {
		did, outcome := "made", r.replacePlanted(p.WorkTree, path, r.turns.taken+i+1)
		if r.turns.seen[path].isKept() {
			did = "changed"
		}
		name := path
		if rest, ok := strings.CutPrefix(path, p.WorkTree+"/"); ok {
			name = rest
		}
		lines = append(lines, fmt.Sprintf("%s %s %s, which other programs execute later, outside of the sandbox; %s; "+
			"to permit it, %s", who, did, name, outcome, r.grantHint("", "write", path)))
	}
	r.turns.taken += len(lines)
	if lines != nil {
		r.turns.latest = look{}
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

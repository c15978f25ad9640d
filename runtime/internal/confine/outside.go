package confine

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// wfc and its programs read and execute files of the work tree outside of the sandbox: the programs of
// this run and of earlier ones, the settings of their workflows, and what git executes. A step that
// could change one of them would decide what wfc does later. What is not in grants.Guarded is found here.

// findOutside finds it. What comes later is for the next run.
func (r *Run) findOutside(t *tree) {
	r.finding.outside.Do(func() {
		r.begun.time = time.Now()
		o := &outside{top: t.top, real: sandbox.RealPath(t.top)}
		programs, sources := slices.Clone(r.Settings.Programs), slices.Clone(r.Settings.Sources)
		for _, origin := range (state.Folder{Path: r.stateFolder()}).LastOrigins() {
			programs = append(programs, origin.Program)
			sources = append(sources, origin.Source)
		}
		for _, path := range sources {
			dir := filepath.Dir(pathInTree(o.top, o.real, path))
			for ; sandbox.Within(dir, t.top) && !sandbox.Within(r.Info.WorkDir, dir); dir = filepath.Dir(dir) { // workTree guards the others
				for _, name := range grants.Project {
					o.missing = plain.AddNew(o.missing, filepath.Join(dir, name))
				}
			}
		}
		for _, path := range append(programs, r.namedByGit(t)...) {
			if !filepath.IsAbs(path) { // a word of a command
				path = filepath.Join(r.Info.WorkDir, path)
				if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
					continue
				}
			}
			o.addPath(path)
		}
		guarded := (&sandbox.Policy{WorkTree: t.top, Guarded: t.guardedPatterns()}).Guards()
		for _, folder := range slices.Concat(guarded, o.there) {
			o.addLinksIn(folder)
		}
		r.programs, r.settings = o.there, o.missing
		r.begun.guards = lookAtPaths(slices.Concat(guarded, sandbox.Existing(slices.Clone(o.missing))))
	})
}

// outside is what findOutside finds in a work tree, whose real path is known: what is there, which others
// may replace meanwhile, and what is missing, may be missing, or is a link.
type outside struct {
	top, real      string
	there, missing []string
}

// mostLinks is how many links a path is followed through.
const mostLinks = 40

// addPath adds a path, and those to which it leads if it is a link.
func (o *outside) addPath(path string) {
	for range mostLinks {
		if path = pathInTree(o.top, o.real, path); path == "" || path == o.top {
			return
		}
		info, err := os.Lstat(path)
		if err == nil && info.Mode()&fs.ModeSymlink == 0 {
			o.there = plain.AddNew(o.there, path)
			return
		}
		o.missing = plain.AddNew(o.missing, path)
		to, err := os.Readlink(path)
		if err != nil {
			return
		}
		path = absolutePath(filepath.Dir(path), to)
	}
}

// addLinksIn adds what the links in a guarded folder lead to, and the files in it that have further names.
func (o *outside) addLinksIn(folder string) {
	entries, _ := os.ReadDir(folder) // a file has none
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if to, err := os.Readlink(path); err == nil {
			o.addPath(absolutePath(folder, to))
		} else if info, err := e.Info(); err == nil && hasMoreNames(info) {
			o.missing = plain.AddNew(o.missing, path)
		}
	}
}

// guardsOf returns a policy that has only the guards of a work tree.
func (r *Run) guardsOf(t *tree) *sandbox.Policy {
	r.findOutside(t)
	return &sandbox.Policy{WorkTree: t.top, Guarded: t.guardedPatterns(), GuardedFiles: r.settings, Programs: r.programs}
}

// pathInTree returns the path below the top of a work tree, whose real path is known, that leads to a
// file; "" if none does.
func pathInTree(top, real, path string) string {
	if path == "" || sandbox.Within(path, top) {
		return path
	}
	if rest, err := filepath.Rel(real, sandbox.RealPath(path)); err == nil && filepath.IsLocal(rest) {
		return filepath.Join(top, rest)
	}
	return ""
}

// CanWrite reports whether some program in the sandbox that runs in a folder may write a file.
func CanWrite(s *settings.Sandbox, workDir string, environ []string, path string) bool {
	if !s.Has(settings.SandboxOn) {
		return false
	}
	folders := []string{treeOf(workDir).top}
	r := &Run{Info: &flow.RunInfo{WorkDir: workDir}, Environ: func() []string { return environ }}
	if all, err := r.grantPlace().Resolve(slices.Collect(maps.Keys(s.Sets)), s.Sets); err == nil {
		folders = append(folders, all.Write...)
	}
	for i, folder := range folders {
		folders[i] = sandbox.RealPath(folder)
	}
	return sandbox.Within(sandbox.RealPath(path), folders...)
}

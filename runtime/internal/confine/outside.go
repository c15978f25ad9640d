package confine

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// wfc and its programs execute binaries outside of the sandbox, and read settings there: the
// programs of this run and of earlier ones, and each wfc.yaml that their workflows could use. A
// step that could change one of them in the work tree would decide what the next run does.

// settingsName is the name of the files with the settings of projects.
const settingsName = "wfc.yaml"

// findOutside finds the files in the work tree that are executed, and those that are read as settings,
// outside of the sandbox. Settings may be missing. What comes later is for the next run.
func (r *Run) findOutside(t *tree) {
	r.outside.Do(func() {
		programs, sources := slices.Clone(r.Settings.Programs), slices.Clone(r.Settings.Sources)
		for _, origin := range (state.Folder{Path: r.stateFolder()}).LastOrigins() {
			programs = append(programs, origin.Program)
			sources = append(sources, origin.Source)
		}
		real := sandbox.RealPath(t.top)
		for _, path := range programs {
			if path = pathInTree(t.top, real, path); path != "" && !slices.Contains(r.programs, path) {
				r.programs = append(r.programs, path)
			}
		}
		for _, path := range sources {
			dir := filepath.Dir(pathInTree(t.top, real, path))
			for ; sandbox.Within(dir, t.top) && dir != t.top; dir = filepath.Dir(dir) { // that of the top is always guarded
				if file := filepath.Join(dir, settingsName); !slices.Contains(r.settings, file) {
					r.settings = append(r.settings, file)
				}
			}
		}
	})
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

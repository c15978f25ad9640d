package confine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A landscape has the folders that are too wide to be granted.
type landscape struct {
	home, states string
	inside       []string // no folder that is or contains one of these
}

func (r *Run) newLandscape() *landscape {
	tree := r.workTree()
	l := &landscape{home: sandbox.RealPath(r.homeFolder()), states: sandbox.RealPath(r.stateFolder())}
	l.inside = []string{l.home, sandbox.RealPath(r.Info.WorkDir), sandbox.RealPath(tree.top), l.states, "/tmp", "/var/tmp", "/dev/shm"}
	if dir := r.grantPlace().Getenv("XDG_RUNTIME_DIR"); dir != "" {
		l.inside = append(l.inside, sandbox.RealPath(dir))
	}
	l.inside = append(l.inside, r.guardsOf(&tree).Guards()...)
	return l
}

// classifyAccesses returns what would have to be granted for accesses, what no grant permits, and the
// programs into which nobody could look.
func (l *landscape) classifyAccesses(all map[sandbox.Access]bool) (need settings.Grant, others, blind []string) {
	for a := range all {
		if sandbox.Within(a.What, l.states) {
			others = append(others, "the states of runs in "+l.states)
			continue
		}
		switch a.Way {
		case "host":
			host := a.What
			if !strings.HasPrefix(host, "local:") {
				host = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80") // a grant without a port is for both
			}
			if !grants.ValidHost(host) {
				others = append(others, "the host "+host)
				continue
			}
			need.Hosts = append(need.Hosts, host)
		case "read":
			need.Read = append(need.Read, a.What)
		case "write":
			path := a.What
			if parent := filepath.Dir(path); a.Entry && l.isNarrow(parent) {
				path = parent
			}
			// A grant of what is gone again gives nothing.
			for parent := filepath.Dir(path); !pathExists(path) && l.isNarrow(parent); parent = filepath.Dir(path) {
				path = parent
			}
			need.Write = append(need.Write, path)
		case "blind":
			blind = append(blind, a.What)
		default:
			others = append(others, a.What)
		}
	}
	for _, list := range []*[]string{&need.Hosts, &need.Read, &need.Write, &others, &blind} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return need, others, blind
}

func pathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// many is the number of entries of a folder for which the folder is listed.
const many = 4

// foldPaths returns paths in order, and folders instead of what is in them.
func (l *landscape) foldPaths(paths []string) []string {
	entries := map[string]map[string]bool{} // by folder
	for _, path := range paths {
		for folder := filepath.Dir(path); l.isNarrow(folder) && !entries[folder][path]; path, folder = folder, filepath.Dir(folder) {
			if entries[folder] == nil {
				entries[folder] = map[string]bool{}
			}
			entries[folder][path] = true
		}
	}
	maps.DeleteFunc(entries, func(_ string, in map[string]bool) bool { return len(in) < many })
	paths = slices.AppendSeq(slices.Clone(paths), maps.Keys(entries))
	slices.Sort(paths)
	kept := map[string]bool{}
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool {
		for folder := filepath.Dir(path); folder != "/"; folder = filepath.Dir(folder) {
			if kept[folder] {
				return true
			}
		}
		kept[path] = true
		return false
	})
}

// shared are folders below the home folder in which many programs have files, also keys.
var shared = []string{".config", ".local", ".local/share", ".local/state", ".local/bin", "bin", ".cache", ".ssh", ".gnupg", ".aws", ".kube", ".docker"}

// isNarrow reports whether a folder may be listed instead of what is in it.
func (l *landscape) isNarrow(folder string) bool {
	if slices.ContainsFunc(l.inside, func(path string) bool { return sandbox.Within(path, folder) }) {
		return false
	}
	if rest, ok := strings.CutPrefix(folder, l.home+"/"); ok {
		return !slices.Contains(shared, rest)
	}
	return strings.Count(folder, "/") > 1
}

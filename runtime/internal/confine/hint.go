package confine

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// grantHint says how to grant a value of a key: by a built-in grant, or by the project's own if
// the name is "".
func (r *Run) grantHint(name, key, value string) string {
	if name != "" {
		return "grant it in wfc.yaml (`grants: [" + name + "]`), or once by `--grant " + name + "`"
	}
	set := r.newSetName()
	return "grant it in wfc.yaml (`grant_sets: {" + set + ": {" + key + ": [" + quoteForYAML([]string{value})[0] + "]}}` and `grants: [" + set + "]`)"
}

// newSetName returns a name that no set of the project has.
func (r *Run) newSetName() string {
	name := "mine"
	for _, taken := r.Settings.Sets[name]; taken; _, taken = r.Settings.Sets[name] {
		name += "2"
	}
	return name
}

// hostHint says how to grant a host.
func (r *Run) hostHint(host string) string {
	name := grants.WithHost(host)
	if name == "" && !grants.ValidHost(host) {
		return "no grant permits it"
	}
	return r.grantHint(name, "hosts", host)
}

// pathHint says how to grant a path. A grant of what is not there gives nothing.
func (r *Run) pathHint(way, path string) string {
	if sandbox.Within(path, r.stateFolder(), sandbox.RealPath(r.stateFolder())) {
		return "it belongs to the states of runs, which stay hidden"
	}
	first := ""
	if !pathExists(path) {
		folder := filepath.Dir(path)
		for !pathExists(folder) {
			folder = filepath.Dir(folder)
		}
		if r.newLandscape().isNarrow(folder) {
			path = folder
		} else {
			first = "make it first, and "
		}
	}
	return first + r.grantHint(grants.WithPath(path, way, r.grantPlace()), way, path)
}

// pathInText finds paths, also relative ones, in what programs say about their errors.
var pathInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w:/.~-])(~?(?:/[\w.@+~-]+)+|[\w.@+~-]+(?:/[\w.@+~-]+)*)`)
})

// saysNo finds the lines in which programs say that they may not do something.
var saysNo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)read-only|permission|denied|not permitted|not allowed|EROFS|EACCES|EPERM`)
})

// saysMissing finds the lines in which programs say that a file is not there.
var saysMissing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)no such|not found|not exist|ENOENT`)
})

// refusalHints says what the sandbox refused to a step that failed so: the hosts, and the paths in the
// message that exist but were not shown to the step or not to be written.
func (s *step) refusalHints(message string, refused []refusal) string {
	var lines []string
	for _, r := range refused {
		if r.failed != nil {
			lines = append(lines, "the sandbox permits "+r.host+", but could not reach it: "+r.failed.Error())
			continue
		}
		lines = append(lines, "the sandbox refused "+strings.TrimPrefix(r.host, "local:")+": "+s.run.hostHint(r.host))
	}
	var paths []string
	for _, at := range pathInText().FindAllStringSubmatchIndex(message, 500) {
		path := message[at[2]:at[3]]
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(s.run.homeFolder(), rest)
		}
		if !filepath.IsAbs(path) { // most words are none
			if path = filepath.Join(s.run.Info.WorkDir, path); !pathExists(path) {
				continue
			}
		}
		path = filepath.Clean(path)
		if slices.Contains(paths, path) || s.policy == nil {
			continue
		}
		paths = append(paths, path)
		what := s.policy.Refuses(path)
		if what == "" {
			continue
		}
		if _, err := os.Lstat(path); err != nil && what == "read" {
			continue // it is not there
		}
		line, _, _ := strings.Cut(message[at[2]:], "\n")
		if what == "write" && !saysNo().MatchString(line) {
			continue // it could be read
		}
		if what == "read" && sandbox.Within(path, "/tmp", "/var/tmp") && !saysMissing().MatchString(line) {
			continue // the step has one of its own
		}
		lines = append(lines, "the sandbox does not let this step "+what+" "+path+": "+s.run.pathHint(what, path))
	}
	if lines == nil {
		return ""
	}
	return "\n" + strings.Join(lines[:min(len(lines), 5)], "\n")
}

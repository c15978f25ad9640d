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
func grantHint(name, key, value string) string {
	if name != "" {
		return "grant it in wfc.yaml (`grants: [" + name + "]`), or once by `--grant " + name + "`"
	}
	return "grant it in wfc.yaml (`grant_sets: {mine: {" + key + ": [" + value + "]}}` and `grants: [mine]`)"
}

// hostHint says how to grant a host.
func hostHint(host string) string { return grantHint(grants.WithHost(host), "hosts", host) }

// pathInText finds paths in what programs say about their errors.
var pathInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w:/.~-])(~?(?:/[\w.@+~-]+)+)`)
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
	own := func(r refusal) bool {
		host, _, _ := strings.Cut(strings.TrimPrefix(r.host, "local:"), ":")
		return !r.shared || strings.Contains(message, host)
	}
	if slices.ContainsFunc(refused, own) { // then the others are those of steps beside this one
		refused = slices.DeleteFunc(refused, func(r refusal) bool { return !own(r) })
	}
	for _, r := range refused {
		whom := ""
		if !own(r) {
			whom = " to this step or one beside it"
		}
		if r.failed != nil {
			lines = append(lines, "the sandbox permits "+r.host+whom+", but could not reach it: "+r.failed.Error())
			continue
		}
		lines = append(lines, "the sandbox refused "+r.host+whom+": "+hostHint(r.host))
	}
	var paths []string
	for _, at := range pathInText().FindAllStringSubmatchIndex(message, 50) {
		path := message[at[2]:at[3]]
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			path = s.run.homeFolder() + rest
		}
		path = filepath.Clean(path)
		if !filepath.IsAbs(path) || slices.Contains(paths, path) || s.policy == nil {
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
		lines = append(lines, "the sandbox does not let this step "+what+" "+path+": "+grantHint(grants.WithPath(path, s.run.grantPlace()), what, path))
	}
	if lines == nil {
		return ""
	}
	return "\n" + strings.Join(lines[:min(len(lines), 5)], "\n")
}

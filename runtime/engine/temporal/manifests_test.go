package temporal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands, flags and variables of the manifests in the guide are those of a program; the
// module dev/temporal decodes the manifests.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../../docs/guide/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	server := serve(t, nil)
	variables := map[string]bool{}
	allHelp := ""
	calls := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range regexp.MustCompile(`(?m)^ +args: \[(.*)\]$`).FindAllStringSubmatch(string(text), -1) {
			args := strings.Split(strings.NewReplacer(`"`, "", " ", "").Replace(list[1]), ",")
			code, help, errs := call(t, server, program(), args[0], "--help")
			if code != 0 || !strings.Contains(help, "Usage:") {
				t.Fatalf("%s: %s: exit code %d\n%s", file, args[0], code, errs)
			}
			allHelp += help
			calls++
			for _, arg := range args[1:] {
				name, _, _ := strings.Cut(arg, "=")
				if !regexp.MustCompile(regexp.QuoteMeta(name) + `[ =]`).MatchString(help) {
					t.Errorf("%s: %s has no flag %s", file, args[0], name)
				}
			}
		}
		for _, name := range regexp.MustCompile(`(?m)^  ([A-Z_]+): `).FindAllStringSubmatch(string(text), -1) {
			variables[name[1]] = true
		}
	}
	for name := range variables {
		if !strings.Contains(allHelp, name) {
			t.Errorf("no help names the variable %s", name)
		}
	}
	if calls < 4 || len(variables) < 4 {
		t.Errorf("found %d command lines and the variables %v", calls, variables)
	}
}

package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/licences"
)

// undeclared are modules without a licence file that are accepted all the same, with the
// reason.
var undeclared = map[string]string{
	"github.com/nexus-rpc/nexus-proto-annotations": "two generated files that go.temporal.io/api (MIT) imports, by the same authors; only binaries built with --engine temporal link it",
}

// TestLicences checks that every module that wfc or a built workflow links has
// an accepted licence.
func TestLicences(t *testing.T) {
	out := run(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/wfc", "./runtime/...")
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	for _, line := range slices.Compact(modules) {
		if path, dir, ok := strings.Cut(line, " "); ok {
			if licence, _, ok := licences.Of(dir); !ok && undeclared[path] != "" {
				t.Log(path, undeclared[path])
			} else if !ok {
				t.Errorf("%s has no accepted licence", path)
			} else {
				t.Log(path, licence.Name)
			}
		}
	}
}

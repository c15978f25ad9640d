package wfctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// Run runs the tests of the test files that match a pattern (see filepath.Glob), each as a
// subtest called FILE/TEST. NAME.test.yaml tests the definition whose Source is NAME.yaml
// or NAME.yml, or the only definition. `go test -update` has no meaning here: the
// environment variable WFC_UPDATE=1 rewrites golden transcripts.
func Run(t *testing.T, pattern string, definitions ...*flow.Definition) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("invalid pattern %q: %v", pattern, err)
	}
	if len(paths) == 0 {
		t.Fatalf("no test file matches %q", pattern)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), testsuite.Suffix)
		t.Run(name, func(t *testing.T) {
			def := definitionOf(name, definitions)
			if def == nil {
				t.Fatalf("%s: no definition has the source %s.yaml", path, name)
			}
			report, err := testsuite.Run([]testsuite.Source{{Path: path, Shown: filepath.ToSlash(path), Definition: def}},
				testsuite.Options{Update: os.Getenv("WFC_UPDATE") == "1"})
			if err != nil {
				t.Fatal(err)
			}
			show(t, report)
		})
	}
}

func definitionOf(name string, definitions []*flow.Definition) *flow.Definition {
	if len(definitions) == 1 {
		return definitions[0]
	}
	for _, d := range definitions {
		if strings.TrimSuffix(d.Source, filepath.Ext(d.Source)) == name {
			return d
		}
	}
	return nil
}

// show makes a subtest of each test.
func show(t *testing.T, report *testsuite.Report) {
	t.Helper()
	for _, f := range report.Files {
		for _, fault := range f.Faults {
			t.Error(strings.TrimSpace(f.Fault(fault)))
		}
		for _, test := range f.Tests {
			t.Run(strings.TrimPrefix(test.Name, f.Name+"/"), func(t *testing.T) {
				if test.Failed() {
					t.Error("\n" + test.Explain("") + fmt.Sprintf("repeat: go test -run '%s'", t.Name()))
				}
			})
		}
	}
}

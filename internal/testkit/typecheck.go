package testkit

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// generated is gen.File, which this package does not import: tests below gen use it.
type generated interface {
	~struct {
		Name    string
		Content []byte
	}
}

// TypeChecker returns a function that reports the type errors that TypeErrors finds.
func TypeChecker[F generated](t *testing.T, more ...string) func(name string, files ...F) {
	t.Helper()
	typeErrors := TypeErrors[F](t, more...)
	return func(name string, files ...F) {
		t.Helper()
		for _, err := range typeErrors(name, files...) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TypeErrors returns a function that returns the type errors of a generated package, all of
// whose files it gets. A file in a folder belongs to the package of a workflow that is run;
// such a package must be checked before those that import it.
func TypeErrors[F generated](t *testing.T, more ...string) func(name string, files ...F) []error {
	t.Helper()
	exports := exportData(t, more)
	checked := checkedPackages{known: map[string]*types.Package{}}
	checked.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok {
			return nil, fmt.Errorf("generated code imports %s", path)
		}
		return os.Open(file)
	})
	return func(name string, files ...F) (errs []error) {
		fset := token.NewFileSet()
		var parsed []*ast.File
		for _, f := range files {
			f := struct {
				Name    string
				Content []byte
			}(f)
			file, err := parser.ParseFile(fset, f.Name, f.Content, parser.SkipObjectResolution)
			if err != nil {
				return []error{err}
			}
			parsed = append(parsed, file)
		}
		conf := types.Config{Importer: checked, Error: func(err error) { errs = append(errs, err) }}
		path := name
		if folder, _, ok := strings.Cut(fset.File(parsed[0].Pos()).Name(), "/"); ok {
			path += "/" + folder
		}
		checked.known[path], _ = conf.Check(path, fset, parsed, nil)
		return errs
	}
}

// checkedPackages imports packages that have been checked before, besides compiled ones.
type checkedPackages struct {
	types.Importer
	known map[string]*types.Package
}

// Import implements types.Importer.
func (c checkedPackages) Import(path string) (*types.Package, error) {
	if p := c.known[path]; p != nil {
		return p, nil
	}
	return c.Importer.Import(path)
}

// exportData returns the files with the types of the packages that generated code imports,
// and of more.
func exportData(t testing.TB, more []string) map[string]string {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, path := range strings.Fields("flow flow/graph flow/steps value value/py value/jinja signal reply output value/gotext engine/local agent/structured") {
		args = append(args, "github.com/wfc-lang/wfc/runtime/"+path)
	}
	args = append(args, more...)
	cmd := exec.Command("go", append(args, "time", "strconv", "encoding/json", "sync/atomic")...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	return exports
}

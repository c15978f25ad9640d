package vet_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/gen/vet"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// module makes a module of the files in testdata, with the code of its workflow. It returns
// the module's folder, which is the current one.
func module(t *testing.T) string {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	for name, content := range testkit.OutsideModule(t, repository) {
		write(t, filepath.Join(dir, name), string(content))
	}
	t.Chdir(dir)
	// The other flags stay, so that this uses what the build cache has.
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	command(t, "gen", "flows/greet.yaml", "-o", "greet", "--engine")
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// edit replaces text in a file, which must contain it.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), old) {
		t.Fatalf("%s does not contain %q", path, old)
	}
	write(t, path, strings.Replace(string(content), old, new, 1))
}

// command runs wfc, which must succeed.
func command(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &out}); code != 0 {
		t.Fatalf("wfc %s: exit code %d\n%s", strings.Join(args, " "), code, out.String())
	}
}

// analyzer returns the analyzer of a name.
func analyzer(t *testing.T, name string) *analysis.Analyzer {
	t.Helper()
	for _, a := range vet.Analyzers() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no analyzer %s", name)
	return nil
}

// TestAnalyzers compares the findings about the files in testdata with the comments in them; those
// of wfcgen are in TestGenerated.
func TestAnalyzers(t *testing.T) {
	if testing.Short() {
		t.Skip("this test reads the sources of all packages below")
	}
	t.Setenv("GOWORK", "off")
	dir := module(t)
	if err := analysis.Validate(vet.Analyzers()); err != nil {
		t.Fatal(err)
	}
	folders := map[string]*analysis.Analyzer{"inputs": analyzer(t, "wfcinputs"), "results": analyzer(t, "wfcresult"), "flowcode": analyzer(t, "wfcflow")}
	// One analyzer does the work of all, so that the sources below are read once: in each folder
	// that of its files, and below all of them, for their facts.
	all := &analysis.Analyzer{Name: "all", Doc: "each analyzer in its folder", Run: func(pass *analysis.Pass) (any, error) {
		folder, _, _ := strings.Cut(strings.TrimPrefix(pass.Pkg.Path(), "example.com/outside/"), "/")
		for name, a := range folders {
			if name != folder && folders[folder] != nil {
				continue
			}
			its := *pass
			its.Analyzer = a
			if _, err := a.Run(&its); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}
	for _, a := range folders {
		all.FactTypes = append(all.FactTypes, a.FactTypes...)
		for _, needed := range a.Requires {
			if !slices.Contains(all.Requires, needed) {
				all.Requires = append(all.Requires, needed)
			}
		}
	}
	if results := analysistest.Run(t, dir, all, "./inputs", "./results", "./flowcode/..."); len(results) < len(folders) {
		t.Errorf("%d packages were analysed", len(results))
	}
}

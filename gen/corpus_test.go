package gen_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// TestCorpus generates real workflows: what the compiler accepts is Go that
// compiles.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(repo, "..", "shared", "corpus", "archon")
	paths := workflowFiles(dir)
	if len(paths) == 0 {
		t.Skipf("there are no workflows in %s", dir)
	}
	check := testkit.TypeChecker[gen.File](t)
	generated := 0
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := compiler.Compile(source.NewFile(path, content), compiler.Options{Root: dir})
		if r.Workflow == nil || r.HasErrors() {
			continue
		}
		for _, mode := range []bool{false, true} {
			files := gen.Generate(r.Workflow, gen.Options{LineDirectives: mode})
			check(filepath.Base(path), files[0])
			generated++
		}
	}
	t.Logf("generated %d of %d workflows", generated/2, len(paths))
	if generated == 0 {
		t.Error("nothing was generated")
	}
}

// workflowFiles lists the YAML files below a folder.
func workflowFiles(dir string) []string {
	var list []string
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" {
			list = append(list, path)
		}
		return nil
	})
	return list
}

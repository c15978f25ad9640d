package mutate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/mutate"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// mutantsOf compiles a file and makes its mutants; nil if the file has errors.
func mutantsOf(name string, content []byte, opt compiler.Options) (*ir.Program, *mutate.Set) {
	r := compiler.Compile(source.NewFile(name, content), opt)
	if r.Workflow == nil || r.HasErrors() {
		return nil, nil
	}
	return r.Workflow, mutate.Of(r.Workflow, func(content []byte) *ir.Program {
		m := compiler.Compile(source.NewFile(name, content), opt)
		if m.HasErrors() {
			return nil
		}
		return m.Workflow
	})
}

// TestCode: the code of all mutants of real workflows is Go that compiles.
func TestCode(t *testing.T) {
	if testing.Short() {
		t.Skip("checks many files in one goroutine; the tests of gen generate code with the race detector")
	}
	check := testkit.TypeChecker[gen.File](t)
	files, made, unfit := 0, 0, 0
	for _, root := range []string{"../../../examples", "../../../testdata/gen", "../../../../shared/corpus/archon"} {
		_ = filepath.WalkDir(root, func(name string, _ os.DirEntry, err error) error {
			if ext := filepath.Ext(name); err != nil || ext != ".yaml" && ext != ".yml" {
				return nil
			}
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, set := mutantsOf(name, content, compiler.Options{})
			if p == nil || len(p.Callees()) > 0 {
				return nil
			}
			opt := gen.Options{Package: "workflow"}
			var texts [][]byte
			for _, m := range set.Mutants {
				texts = append(texts, gen.Generate(m.Program, opt)[0].Content)
			}
			generated := gen.Generate(p, opt)
			code, err := mutate.Combine(generated[0].Content, texts)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return nil
			}
			all := len(set.Mutants)
			set.Keep(code)
			files, made, unfit = files+1, made+len(set.Mutants), unfit+all-len(set.Mutants)
			generated[0].Content = code.File
			check(name, append(generated, gen.File{Name: "mutants.go", Content: code.Mutants})...)
			return nil
		})
	}
	t.Logf("%d mutants of %d files, %d left out", made, files, unfit)
	if made < 150 || unfit > made/4 {
		t.Errorf("%d mutants of %d files, %d left out", made, files, unfit)
	}
}

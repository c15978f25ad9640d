package gen_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// compiledSample is a sample that is compiled from testdata/gen/<name>/<name>.yml.
func compiledSample(name string) sample {
	return sample{name, func() *ir.Program {
		file := name + ".yml"
		text, err := os.ReadFile(filepath.Join(goldenDir, name, file))
		if err != nil {
			panic(err)
		}
		r := compiler.Compile(source.NewFile(file, text), compiler.Options{Path: "/project/" + file, Root: "/project", Home: "/home", Files: testkit.Memory{}})
		if len(r.Diagnostics) > 0 {
			var b strings.Builder
			for _, d := range r.Diagnostics {
				b.WriteString(d.Message + "\n")
			}
			panic(file + ":\n" + b.String())
		}
		return r.Program
	}}
}

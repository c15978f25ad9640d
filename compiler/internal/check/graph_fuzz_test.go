package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// For every state graph, the check ends without a panic, and so do its report and
// the runs that are made for it.
func FuzzGraph(f *testing.F) {
	for _, c := range codes.All() {
		if c.ID >= "WFC410" && c.ID <= "WFC449" {
			for _, e := range codes.DocumentOf(c).Examples {
				f.Add(e.Bad)
				f.Add(e.Good)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "dev", "e2e", "tables", "testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		r := compiler.Compile(source.NewFile("w.yaml", []byte(yaml)), compiler.Options{Dialect: "graphloop"})
		for _, d := range r.Diagnostics {
			if d.Code.Slug == "internal-error" {
				t.Error(d.Message)
			}
		}
		if r.Workflow == nil || r.HasErrors() {
			return
		}
		g, ok := r.Workflow.Workflow.Body.(*ir.Graph)
		if !ok {
			return
		}
		for _, o := range []explore.Options{{Configurations: 500}, {Configurations: 1, Settings: true}} {
			found := explore.Run(g, o)
			found.Report()
			found.Tests()
			if found.Configurations > 10*o.Configurations+10*len(g.Nodes) {
				t.Errorf("%d configurations were told apart, %d allowed", found.Configurations, o.Configurations)
			}
		}
	})
}

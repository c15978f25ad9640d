package archon_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/check"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

type osFiles struct{}

func (osFiles) Read(p string) ([]byte, error) { return os.ReadFile(p) }
func (osFiles) List(d string) []string {
	es, _ := os.ReadDir(d)
	var out []string
	for _, e := range es {
		n := e.Name()
		if e.IsDir() {
			n += "/"
		}
		out = append(out, n)
	}
	return out
}

func TestZZ(t *testing.T) {
	root := "/work/shared/corpus/archon"
	filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if !strings.HasSuffix(p, ".yaml") {
			return nil
		}
		b, _ := os.ReadFile(p)
		var bag diag.Bag
		doc := yamlsrc.Parse(source.NewFile(strings.TrimPrefix(p, root), b), &bag)
		if doc == nil {
			return nil
		}
		prog := archon.Frontend{}.Compile(doc, &dialect.Env{Root: root, Dir: filepath.Dir(p), Home: "/none", Files: osFiles{}}, &bag)
		if prog != nil {
			check.Run(prog, &bag)
		}
		for _, d := range bag.Sorted() {
			if d.Portability || d.Code.ID < "WFC250" || d.Code.ID >= "WFC500" && d.Code.ID != "WFC550" {
				continue
			}
			t.Logf("%s:%d %s %s %s", filepath.Base(p), d.Span.Position().Line, d.Severity, d.Code.Slug, d.Message)
		}
		return nil
	})
}

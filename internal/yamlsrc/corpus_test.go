package yamlsrc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// corpus returns the YAML files beside the repository, if there are any.
func corpus(t testing.TB) []string {
	t.Helper()
	var files []string
	root := filepath.Join("..", "..", "..", "shared")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && !d.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files = append(files, path)
		}
		return nil
	})
	if len(files) == 0 {
		t.Skip("no corpus of real workflow files beside the repository")
	}
	return files
}

// TestCorpus reads real files: all positions must be exact.
func TestCorpus(t *testing.T) {
	var nodes, exact, coarse, rejected int
	for _, path := range corpus(t) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			var bag diag.Bag
			doc := yamlsrc.Parse(source.NewFile(path, content), &bag)
			e, c := checkDocument(t, doc, bag.Sorted())
			exact, coarse = exact+e, coarse+c
			if doc.Root == nil {
				rejected++
				for _, d := range bag.Sorted() {
					t.Logf("%s:%v: %s", path, d.Span.Position(), d.Message)
				}
				return
			}
			nodes += reparse(t, doc.Root)
		})
	}
	t.Logf("%d scalars mapped exactly, %d not; %d nodes parsed again from their spans; %d files rejected", exact, coarse, nodes, rejected)
}

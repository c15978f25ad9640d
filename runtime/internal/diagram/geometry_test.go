package diagram

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pictures"
)

var folder = flag.String("pictures", "", "write the pictures of the samples into a `folder`")

// TestGeometry checks the pictures of the samples: nothing overlaps, no edge runs through a
// foreign node or label, and everything is inside.
func TestGeometry(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			svg := draw(t, "svg", &s.Workflow)
			for _, fault := range pictures.Faults(svg) {
				t.Error(fault)
			}
			if again := draw(t, "svg", &s.Workflow); again != svg {
				t.Error("the same workflow has two pictures")
			}
			if *folder != "" {
				if err := os.WriteFile(filepath.Join(*folder, s.name+".svg"), []byte(svg), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func draw(t *testing.T, format string, w *Workflow) string {
	t.Helper()
	var b strings.Builder
	if err := w.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

package mutate_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/textdiff"
)

var update = flag.Bool("update", false, "rewrite the lists of mutants")

// TestClasses lists the mutants of a workflow of each dialect, which has a place for each
// class of faults that the dialect can have, and the mutants that are not made.
func TestClasses(t *testing.T) {
	for _, dialect := range compiler.Dialects() {
		t.Run(dialect, func(t *testing.T) {
			content, err := os.ReadFile("testdata/" + dialect + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			p, set := mutantsOf("w.yaml", content, compiler.Options{Dialect: dialect})
			if p == nil {
				t.Fatal("the workflow has errors")
			}
			var got strings.Builder
			for _, m := range set.Mutants {
				fmt.Fprintf(&got, "%d %s: %s\n", m.Line, m.Class, m.Text)
			}
			for _, n := range set.NotMade {
				fmt.Fprintf(&got, "not made: %d %s: %s\n", n.Line, n.Class, strings.TrimSpace(n.Reason+" "+n.Text))
			}
			golden := "testdata/" + dialect + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := textdiff.Unified(golden, "mutants", string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

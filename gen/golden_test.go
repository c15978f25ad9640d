package gen_test

import (
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

func TestX(t *testing.T) {
	for _, m := range []gen.LineMode{gen.Comments, gen.Directives} {
		files, ds := gen.Generate(triage(), gen.Options{Main: true, Lines: m})
		fmt.Println(ds)
		for _, f := range files {
			fmt.Printf("=== %s\n%s\n", f.Name, f.Content)
		}
	}
}

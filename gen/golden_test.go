package gen_test

import (
	"bytes"
	"flag"
	"go/format"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			files := gen.Generate(s.make(), gen.Options{})
			if len(files) != 1 {
				t.Fatalf("%d files", len(files))
			}
			code := files[0].Content
			if *update {
				if err := s.write(code); err != nil {
					t.Fatal(err)
				}
			}
			if golden := s.golden(); !bytes.Equal(golden, code) {
				t.Errorf("run go test ./gen -update and look at the difference: the code of %s is\n%s", s.name, code)
			}
		})
	}
}

func TestGeneratedCodeIsFormatted(t *testing.T) {
	for _, s := range samples {
		files := gen.Generate(s.make(), gen.Options{Main: true})
		for _, f := range files {
			formatted, err := format.Source(f.Content)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if !bytes.Equal(formatted, f.Content) {
				t.Errorf("%s: %s is not as gofmt leaves it", s.name, f.Name)
			}
		}
	}
}

func TestSameProgramSameBytes(t *testing.T) {
	for _, s := range samples {
		for _, mode := range []bool{false, true} {
			a := gen.Generate(s.make(), gen.Options{Main: true, LineDirectives: mode})
			b := gen.Generate(s.make(), gen.Options{Main: true, LineDirectives: mode})
			for i := range a {
				if !bytes.Equal(a[i].Content, b[i].Content) {
					t.Errorf("%s: %s differs from one time to the next", s.name, a[i].Name)
				}
			}
		}
	}
}

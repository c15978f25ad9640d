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
			files := s.generate(gen.Options{})
			if *update {
				if err := s.write(files); err != nil {
					t.Fatal(err)
				}
			}
			golden := s.goldens()
			if len(files) != len(golden) {
				t.Errorf("run go test ./gen -update and look at the difference: %s has %d files", s.name, len(files))
			}
			for _, f := range files {
				if !bytes.Equal(golden[f.Name], f.Content) {
					t.Errorf("run go test ./gen -update and look at the difference: %s of %s is\n%s", f.Name, s.name, f.Content)
				}
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

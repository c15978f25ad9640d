package gen_test

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
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
			if s.archive != nil {
				compareGolden(t, s, files[0].Content)
				return
			}
			dir := filepath.Join(goldenDir, s.name)
			if *update {
				if _, _, err := gen.Write(dir, files, false); err != nil {
					t.Fatal(err)
				}
			}
			_, diff, err := gen.Write(dir, files, true)
			if err != nil {
				t.Fatal(err)
			}
			// A check lets positions differ; here they are part of the text.
			if golden, err := os.ReadFile(filepath.Join(dir, files[0].Name)); err != nil || !bytes.Equal(golden, files[0].Content) {
				t.Errorf("run go test ./gen -update and look at the difference:\n%s%v", diff, err)
			}
		})
	}
}

// compareGolden compares the code of a sample with its archive.
func compareGolden(t *testing.T, s sample, code []byte) {
	if *update {
		if err := s.write(code); err != nil {
			t.Fatal(err)
		}
	}
	if golden := s.golden(); !bytes.Equal(golden, code) {
		t.Errorf("run go test ./gen -update and look at the difference: the code of %s is\n%s", s.name, code)
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

func TestGoldenFoldersHaveSamples(t *testing.T) {
	entries, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range samples {
		known[s.name] = true
	}
	for _, e := range entries {
		if e.IsDir() && !known[e.Name()] {
			t.Errorf("nothing generates %s", e.Name())
		}
	}
}

package gen_test

import (
	"bytes"
	"flag"
	"go/format"
	"runtime"
	"strings"
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

// A file that is made of many sections is the same however many of them are
// printed at a time, and as gofmt leaves it.
func TestSections(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, mode := range []bool{false, true} {
		runtime.GOMAXPROCS(1)
		alone := gen.Generate(big(300), gen.Options{LineDirectives: mode})[0].Content
		runtime.GOMAXPROCS(8)
		if !bytes.Equal(gen.Generate(big(300), gen.Options{LineDirectives: mode})[0].Content, alone) {
			t.Errorf("mode %v: the file differs when sections are printed at once", mode)
		}
		if n := bytes.Count(alone, []byte("\nimport ")); n != 1 {
			t.Errorf("mode %v: the file has %d import declarations", mode, n)
		}
		if n := bytes.Count(alone, []byte("DO NOT EDIT")); n != 1 {
			t.Errorf("mode %v: the file says %d times that it is generated", mode, n)
		}
	}
}

// Code that does not parse is a fault that the caller meets, whoever printed
// it.
func TestFaultOfSection(t *testing.T) {
	defer func() {
		fault, _ := recover().(string)
		if !strings.Contains(fault, "generated code of ") || !strings.Contains(fault, "expected") {
			t.Errorf("the fault is %q", fault)
		}
	}()
	gen.Generate(program("triage"), gen.Options{Package: "no name"})
	t.Error("a package has a name that is none")
}

package gen_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

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

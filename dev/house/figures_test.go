package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/codes"
)

// mostLines are the lines of code that each room of the main module may have. A change that
// needs more says so in its note; the aim for all together is 150,000.
var mostLines = map[string]int{"cmd": 30_325, "gen": 10_468, "compiler": 39_169, "internal": 19_245, "runtime": 90_951, "examples": 103}

const (
	// mostSmall is how many packages may have fewer than 100 lines.
	mostSmall = 30
	// mostOneWord is how many of 100 functions may have a name of one word in lower case.
	mostOneWord = 5
	mostCodes   = 200
	mostMethods = 60
	mostFields  = 25
)

// TestFigures holds the figures that `make lines` prints.
func TestFigures(t *testing.T) {
	f, err := Measure(root, "*.go", ":!dev")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for folder, n := range f.Folders {
		top, _, _ := strings.Cut(folder, "/")
		lines[top] += n
	}
	for top, most := range mostLines {
		if lines[top] > most {
			t.Errorf("%s has %d lines of code, more than %d", top, lines[top], most)
		}
	}
	if n := f.Lengths[len(f.Lengths)-1]; n > 1000 {
		t.Errorf("the longest file has %d lines", n)
	}
	if small := f.Small(100); len(small) > mostSmall {
		t.Errorf("%d packages have fewer than 100 lines, more than %d: %s", len(small), mostSmall, strings.Join(small, " "))
	}
	if 100*f.OneWord > mostOneWord*f.Functions {
		t.Errorf("%d of %d functions have a name of one word, more than %d %%", f.OneWord, f.Functions, mostOneWord)
	}
	if len(f.Unclear) > 0 {
		t.Errorf("names that say nothing where they are called: %s", strings.Join(f.Unclear, ", "))
	}
	if n := len(codes.All()); n > mostCodes {
		t.Errorf("%d codes", n)
	}
	for _, line := range slices.Concat(Above(f.Methods, mostMethods), Above(f.Fields, mostFields)) {
		t.Errorf("%s methods or fields: split the type by subject", line)
	}
}

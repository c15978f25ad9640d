package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The code of a workflow is about three and a half times as long as the file, and nowhere
// five times: the shortest files have the most, as each package has parts of a fixed length.
func TestCodeIsShort(t *testing.T) {
	const middle, most = 3.55, 4.6
	files, err := filepath.Glob("../examples/*/*.y*ml")
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		code, err := os.ReadFile(filepath.Join(filepath.Dir(path), name, name+".go"))
		if err != nil {
			continue // a configuration
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ratio := float64(bytes.Count(code, []byte("\n"))) / float64(bytes.Count(source, []byte("\n")))
		ratios = append(ratios, ratio)
		if ratio > most {
			t.Errorf("%s: %.2f lines of code for each line", path, ratio)
		}
	}
	slices.Sort(ratios)
	if len(ratios) < 5 || ratios[len(ratios)/2] > middle {
		t.Errorf("lines of code for each line of the examples: %.1f", ratios)
	}
}

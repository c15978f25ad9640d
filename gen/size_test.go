package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The code of a workflow of 30 lines or more is about four times as long as the file:
// at most that in the middle, and nowhere six times.
func TestCodeIsShort(t *testing.T) {
	const smallest, middle, most = 30, 4.0, 6.0
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
		if lines := bytes.Count(source, []byte("\n")); lines >= smallest {
			ratio := float64(bytes.Count(code, []byte("\n"))) / float64(lines)
			ratios = append(ratios, ratio)
			if ratio > most {
				t.Errorf("%s: %.1f lines of code for each line", path, ratio)
			}
		}
	}
	slices.Sort(ratios)
	if len(ratios) < 5 || ratios[len(ratios)/2] > middle {
		t.Errorf("lines of code for each line of the examples: %.1f", ratios)
	}
}

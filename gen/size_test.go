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
// The code of a state graph, with the copy of its file, is at most four times as long.
func TestCodeIsShort(t *testing.T) {
	const middle, most, graph = 3.55, 4.6, 4.0
	files, err := filepath.Glob("../examples/*/*.y*ml")
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	graphs := 0
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
		limit := most
		if bytes.Contains(source, []byte("\nedges:")) {
			limit = graph
			graphs++
		}
		ratio := float64(bytes.Count(code, []byte("\n"))) / float64(bytes.Count(source, []byte("\n")))
		ratios = append(ratios, ratio)
		if ratio > limit {
			t.Errorf("%s: %.2f lines of code for each line", path, ratio)
		}
	}
	slices.Sort(ratios)
	if len(ratios) < 5 || ratios[len(ratios)/2] > middle || graphs < 2 {
		t.Errorf("lines of code for each line of the examples: %.2f, of which %d are state graphs", ratios, graphs)
	}
}

package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code of a state graph, with the copy of its file, is at most four times as long as
// the file.
func TestGraphCodeIsShort(t *testing.T) {
	files, err := filepath.Glob("../examples/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	graphs := 0
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(source, []byte("\nedges:")) {
			continue
		}
		graphs++
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		code, err := os.ReadFile(filepath.Join(filepath.Dir(path), name, name+".go"))
		if err != nil {
			t.Fatal(err)
		}
		if lines, most := bytes.Count(code, []byte("\n")), 4*bytes.Count(source, []byte("\n")); lines > most {
			t.Errorf("%s: %d lines of code, more than %d", path, lines, most)
		}
	}
	if graphs < 2 {
		t.Errorf("%d state graphs among the examples", graphs)
	}
}

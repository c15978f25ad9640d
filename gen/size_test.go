package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code of a workflow is at most 4.5 times as long as its sources: the file, and the files
// with prompts that the code embeds. The code of a short workflow is mostly what every package
// has (inputs, definition, Run, tables), about 60 lines, so those are not counted for it.
func TestCodeIsShort(t *testing.T) {
	const most, short, fixed = 4.5, 30, 60
	files, err := filepath.Glob("../examples/*/*.y*ml")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		code, err := os.ReadFile(filepath.Join(filepath.Dir(path), name, name+".go"))
		if err != nil {
			continue // a configuration
		}
		examples++
		sources, err := filepath.Glob(filepath.Join(filepath.Dir(path), "xprompts", "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		lines, source := bytes.Count(code, []byte("\n")), 0
		for _, path := range append(sources, path) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			source += bytes.Count(text, []byte("\n"))
		}
		if source < short {
			lines -= fixed
		}
		if ratio := float64(lines) / float64(source); ratio > most {
			t.Errorf("%s: %.2f lines of code for each line", path, ratio)
		}
	}
	if examples < 10 {
		t.Errorf("%d examples", examples)
	}
}

// A state graph is one table of nodes and edges. The example with a graph of six nodes and eleven
// edges has at most 280 lines of code, beside the text of its file.
func TestStateGraphIsShort(t *testing.T) {
	code, err := os.ReadFile("../examples/inbox/inbox/inbox.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(code, []byte("\n")); n > 280 {
		t.Errorf("%d lines", n)
	}
	if n := bytes.Count(code, []byte("nodeFileIssue")); n != 4 { // constant, node, two edges
		t.Errorf("a node is named %d times", n)
	}
}

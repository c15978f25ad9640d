package checks

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/drawing"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit/pictures"
	"github.com/wfc-lang/wfc/runtime/draw"
)

// TestGraphsOfWorkflows checks the pictures of the examples, of the workflows that the code
// generator is tested with, and of real workflows beside the repository: nothing overlaps,
// no edge runs through a foreign node, and everything is inside.
func TestGraphsOfWorkflows(t *testing.T) {
	root := filepath.Join("..", "..")
	drawn, most := 0, 0
	look := func(name string, r *compiler.Result) {
		if r.Workflow == nil || r.HasErrors() {
			return
		}
		var svg strings.Builder
		nodes, edges := drawing.Describe(r.Workflow.Workflow)
		if err := draw.Write(&svg, "svg", r.Workflow.Workflow.Name, nodes, edges); err != nil {
			t.Fatal(err)
		}
		for _, fault := range pictures.Faults(svg.String()) {
			t.Errorf("%s: %s", name, fault)
		}
		boxes := strings.Count(svg.String(), "data-node=")
		if want := countNodes(r.Workflow.Workflow.Body); boxes < want {
			t.Errorf("%s: the picture has %d nodes, want %d or more", name, boxes, want)
		}
		drawn, most = drawn+1, max(most, boxes)
	}
	for _, dir := range []string{filepath.Join(root, "examples"), filepath.Join(root, "..", "shared", "corpus"), filepath.Join(root, "..", "shared", "agents-lab")} {
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || ext != ".yaml" && ext != ".yml" {
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			look(path, compiler.Compile(source.NewFile(path, content), compiler.Options{Root: dir}))
			return nil
		})
	}
	fixtures, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*.txtar"))
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range fixtures {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := ParseFixture(content)
		for _, name := range f.Workflows() {
			look(path+" "+name, f.Compile(name, f.Fixed(t, name)))
		}
	}
	t.Logf("%d pictures, the largest with %d nodes", drawn, most)
	if drawn < 50 {
		t.Errorf("only %d pictures", drawn)
	}
}

// countNodes is the number of nodes of a body, without those inside them.
func countNodes(body ir.Body) int {
	n := 0
	for range body.All() {
		n++
	}
	return n
}

// A loop that asks a person has a mark in pictures of every format, and no other has it.
func TestPicturesMarkInteractiveLoops(t *testing.T) {
	for node, want := range map[string]bool{
		"loop: {prompt: Say DONE., until: DONE, max_iterations: 2, interactive: true, gate_message: On?}":                              true,
		"loop: {prompt: Say DONE., until: DONE, max_iterations: 2}":                                                                    false,
		"loop_group: {until: DONE, max_iterations: 2, interactive: true, gate_message: On?, nodes: [{id: b, prompt: Say DONE.}]}":      true,
		"loop_group: {until: DONE, max_iterations: 2, nodes: [{id: b, prompt: Say DONE.}]}":                                            false,
		"loop_group: {until_bash: 'true', max_iterations: 2, nodes: [{id: b, prompt: Say.}, {id: c, depends_on: [b], bash: echo hi}]}": false,
	} {
		text := "name: w\ndescription: d\nnodes:\n  - id: a\n    " + node + "\n"
		r := compiler.Compile(source.NewFile("w.yaml", []byte(text)), compiler.Options{})
		if r.Workflow == nil || r.HasErrors() {
			t.Fatalf("%s: %v", node, r.Diagnostics)
		}
		nodes, edges := drawing.Describe(r.Workflow.Workflow)
		for _, format := range draw.Formats() {
			var b strings.Builder
			if err := draw.Write(&b, format, "w", nodes, edges); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(b.String(), "interactive"); got != want {
				t.Errorf("%s as %s: marked %v\n%s", node, format, got, b.String())
			}
		}
	}
}

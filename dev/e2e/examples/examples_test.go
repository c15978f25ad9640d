//go:build unix

// Package examples tests the folders of examples/ and the pages of docs/ that
// show commands. Each folder below examples/ is an example: there is no list of
// them. With -update the tests rewrite generated code, pictures and outputs.
package examples

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/devkit"
)

const root = "../../.."

var (
	update = flag.Bool("update", false, "rewrite generated code, pictures and outputs")
	// wfc is the program that all tests share. TestMain builds it.
	wfc string
)

// The runtime is compiled first. Otherwise two sessions would compile it at the same time.
func TestMain(m *testing.M) { devkit.MainWithWFC(m, &wfc, "build", "--prefetch") }

// An example is a folder below examples/.
type example struct {
	name string
	// dir is the folder, workflow its only workflow file, generated the folder of
	// the Go package made from it.
	dir, workflow, generated string
	// engine is whether the folder has a Go program, which runs the workflow in
	// an engine that the generated package opens.
	engine bool
}

// all returns the examples in the order of their names.
func all(t *testing.T) []example {
	t.Helper()
	folders, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []example
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		e := example{name: f.Name(), dir: filepath.Join(root, "examples", f.Name())}
		files, err := filepath.Glob(filepath.Join(e.dir, "*.y*ml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if filepath.Base(file) == "wfc.yaml" || strings.HasSuffix(file, ".test.yaml") {
				continue
			}
			if e.workflow != "" {
				t.Errorf("examples/%s has two workflow files", e.name)
			}
			e.workflow = file
		}
		if e.workflow == "" {
			t.Fatalf("examples/%s has no workflow file", e.name)
		}
		e.generated = strings.TrimSuffix(e.workflow, filepath.Ext(e.workflow))
		e.engine = exists(filepath.Join(e.dir, "main.go"))
		examples = append(examples, e)
	}
	return examples
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestParts fails when an example lacks a part, or when no page leads to it.
func TestParts(t *testing.T) {
	index := read(t, filepath.Join(root, "examples", "README.md"))
	for _, e := range all(t) {
		tests := strings.TrimSuffix(filepath.Base(e.workflow), filepath.Ext(e.workflow)) + ".test.yaml"
		for _, part := range []string{"README.md", "demo.sh", "demo.txt", "graph.svg", tests} {
			if !exists(filepath.Join(e.dir, part)) {
				t.Errorf("examples/%s has no %s", e.name, part)
			}
		}
		readme := read(t, filepath.Join(e.dir, "README.md"))
		for _, part := range []string{"graph.svg", "demo.sh", filepath.Base(e.workflow), filepath.Base(e.generated)} {
			if !strings.Contains(readme, "]("+part) {
				t.Errorf("examples/%s/README.md has no link to %s", e.name, part)
			}
		}
		if !strings.Contains(index, "]("+e.name+"/README.md)") {
			t.Errorf("examples/README.md has no link to %s/README.md", e.name)
		}
	}
}

// TestTests runs the tests of all examples, in an order that is not theirs. They cover every
// edge, and notice nine of ten mutants of each example.
func TestTests(t *testing.T) {
	out, err := exec.Command(wfc, "test", "--shuffle", "7", "--cover", "--mutate-min", "90", filepath.Join(root, "examples")).CombinedOutput()
	if err != nil || strings.Contains(string(out), "not covered: edge") {
		t.Errorf("wfc test examples: %v\n%s", err, out)
	}
}

// TestGenerated fails when the generated package of an example is stale.
func TestGenerated(t *testing.T) {
	for _, e := range all(t) {
		args := []string{"gen", e.workflow, "-o", e.generated}
		if e.engine {
			args = append(args, "--engine")
		}
		if !*update {
			args = append(args, "--check")
		}
		if out, err := exec.Command(wfc, args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s`make golden` regenerates it", e.name, err, out)
		}
	}
}

// TestPictures fails when the picture of an example is stale.
func TestPictures(t *testing.T) {
	for _, e := range all(t) {
		svg, err := exec.Command(wfc, "graph", e.workflow, "--format", "svg").Output()
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		golden(t, filepath.Join(e.dir, "graph.svg"), string(svg))
	}
}

// TestDemos runs the demonstration of each example and compares what it prints
// with demo.txt, apart from times and the ids of runs.
func TestDemos(t *testing.T) {
	for _, e := range all(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			demo, err := filepath.Abs(filepath.Join(e.dir, "demo.sh"))
			if err != nil {
				t.Fatal(err)
			}
			session := newSession(t)
			got, err := session.run(demo + " " + wfc)
			if err != nil {
				t.Errorf("%v\n%s", err, got)
			}
			file := filepath.Join(e.dir, "demo.txt")
			if want := read(t, file); !matches(want, got) {
				golden(t, file, stable(got, session.shown))
			}
		})
	}
}

// golden compares a file with its expected content, or rewrites it with -update.
func golden(t *testing.T, file, want string) {
	t.Helper()
	got := read(t, file)
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is stale; `make golden` rewrites it:\n%.2000s", strings.TrimPrefix(file, root+"/"), difference(got, want))
}

// read returns the content of a file, "" if it does not exist.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

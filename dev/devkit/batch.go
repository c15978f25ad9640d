// Package devkit is shared by tests of dev: programs of many workflows, and wfc itself.
package devkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

const (
	modulePath = "github.com/wfc-lang/wfc"
	// batchDir is where generated packages are laid over the repository. No
	// such folder exists.
	batchDir = "internal/generated"
	// runnerDir is where the package is laid that runs the workflows.
	runnerDir = batchDir + "/runner"
	// batchPackage is the name of every generated package, so that equal
	// workflows are equal code.
	batchPackage = "wf"
)

// A Batch is a set of generated packages that are built together, as if they
// were part of the repository. Building many workflows at once costs little
// more than building one.
type Batch struct {
	root  string // of the repository
	dir   string // for the files that overlay it
	files map[string][]byte
	ids   map[string]bool
}

// NewBatch returns an empty batch.
func NewBatch(t testing.TB) *Batch {
	t.Helper()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	return &Batch{root: root, dir: t.TempDir(), files: map[string][]byte{}, ids: map[string]bool{}}
}

// repository returns the root of the repository, in which a test runs.
func repository() (string, error) {
	root, err := os.Getwd()
	for err == nil && !exists(filepath.Join(root, "wfc.go")) {
		up := filepath.Dir(root)
		if up == root {
			return "", errors.New("the repository's root was not found")
		}
		root = up
	}
	return root, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Add generates the package of a program that was compiled without errors and
// returns the id under which Build's program knows it. Programs of equal code
// share a package.
func (b *Batch) Add(t testing.TB, p *ir.Program) (id string) {
	t.Helper()
	opt := gen.Options{Package: batchPackage, LineDirectives: true}
	files := gen.Generate(p, opt)
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d\n%s", f.Name, len(f.Content), f.Content)
	}
	id = "w" + hex.EncodeToString(sum.Sum(nil)[:8])
	if len(files) > 1 {
		opt.ImportPath = path.Join(modulePath, batchDir, id)
		files = gen.Generate(p, opt)
	}
	for _, f := range files {
		b.files[path.Join(batchDir, id, f.Name)] = f.Content
	}
	b.ids[id] = true
	return id
}

// Size returns the number of different packages.
func (b *Batch) Size() int { return len(b.ids) }

// Build builds one program of all packages and returns its path. The program
// calls Main of the package in the folder runner of the repository, with a
// map[string]*flow.Definition of the workflows by id. The package may belong to
// another module: its files are laid over this one, like the generated packages.
func (b *Batch) Build(t testing.TB, runner string) string {
	t.Helper()
	return b.build(t, path.Join(batchDir, "main"), runner, "Main(", "")
}

// BuildIn is like Build for a program that calls MainIn of the package, with the function
// NewWorld of the package world before the map. The program belongs to the folder of world,
// which may be internal to it.
func (b *Batch) BuildIn(t testing.TB, runner, world string) string {
	t.Helper()
	return b.build(t, path.Join(world, "generated"), runner, "MainIn(world.NewWorld, ", fmt.Sprintf("\tworld %q\n", path.Join(modulePath, world)))
}

func (b *Batch) build(t testing.TB, main, runner, call, imported string) string {
	t.Helper()
	var imports, table strings.Builder
	for _, id := range slices.Sorted(maps.Keys(b.ids)) {
		fmt.Fprintf(&imports, "\t%s %q\n", id, path.Join(modulePath, batchDir, id))
		fmt.Fprintf(&table, "\t\t%q: &%s.Workflow,\n", id, id)
	}
	b.files[path.Join(main, "main.go")] = fmt.Appendf(nil,
		"package main\n\nimport (\n\t%q\n\trunner %q\n%s%s)\n\nfunc main() {\n\trunner.%smap[string]*flow.Definition{\n%s\t})\n}\n",
		path.Join(modulePath, "runtime/flow"), path.Join(modulePath, runnerDir), imported, imports.String(), call, table.String())
	b.watch(t, "runtime", runner)
	files, err := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(runner), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b.files[path.Join(runnerDir, filepath.Base(file))] = content
		}
	}
	program := filepath.Join(b.dir, strings.ReplaceAll(main, "/", "-")+".exe")
	b.run(t, "-o", program, "-ldflags=-s -w", "./"+main)
	return program
}

// watch reads the folders that the program is made of, which a test does not
// import as a whole. The go command takes a test's result from its cache unless
// something changed that the test was seen reading.
func (b *Batch) watch(t testing.TB, folders ...string) {
	t.Helper()
	for _, dir := range folders {
		err := filepath.WalkDir(filepath.Join(b.root, filepath.FromSlash(dir)), func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// run runs go build in the repository with the packages laid over it.
func (b *Batch) run(t testing.TB, args ...string) {
	t.Helper()
	testkit.SkipBuild(t)
	args = append([]string{"build", "-trimpath", "-buildvcs=false", "-overlay", b.overlay(t)}, args...)
	cmd := exec.Command("go", args...)
	cmd.Dir = b.root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("go build of %d generated packages: %v\n%s", len(b.ids), err, out.String())
	}
}

// overlay writes the packages and the file that says where they belong.
func (b *Batch) overlay(t testing.TB) string {
	t.Helper()
	replace := map[string]string{}
	for name, content := range b.files {
		file := filepath.Join(b.dir, strings.ReplaceAll(strings.TrimPrefix(name, batchDir+"/"), "/", "_"))
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(b.root, filepath.FromSlash(name))] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

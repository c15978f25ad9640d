package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/wfc-lang/wfc"
	root   = "../.."
)

// A requirement is an entry of go.mod.
type requirement struct {
	Path     string
	Indirect bool
}

// TestDirectRequirements checks that go.mod marks a requirement as indirect if
// and only if no package of the module imports it. It does what the go command's
// tidy would do, which fails on a dependency of a dependency's tests.
func TestDirectRequirements(t *testing.T) {
	var mod struct{ Require []requirement }
	decode(t, &mod, "mod", "edit", "-json")
	imported := map[string]bool{}
	for _, path := range imports(t) {
		if m := provider(mod.Require, path); m != "" {
			imported[m] = true
		}
	}
	for _, r := range mod.Require {
		switch {
		case r.Indirect && imported[r.Path]:
			t.Errorf("go.mod: %s is imported: it belongs to the direct requirements", r.Path)
		case !r.Indirect && !imported[r.Path]:
			t.Errorf("go.mod: no package imports %s: mark it `// indirect`, or remove it", r.Path)
		}
	}
}

// TestRequirementBlocks checks that go.mod has the direct requirements in one
// block and the indirect ones in another.
func TestRequirementBlocks(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(content), "require (")[1:]
	if len(blocks) != 2 {
		t.Fatalf("go.mod has %d blocks of requirements, want 2", len(blocks))
	}
	for i, block := range blocks {
		block, _, _ = strings.Cut(block, ")")
		for line := range strings.Lines(strings.TrimSpace(block)) {
			if indirect := strings.HasSuffix(strings.TrimSpace(line), "// indirect"); indirect != (i == 1) {
				t.Errorf("go.mod: in block %d: %s", i+1, strings.TrimSpace(line))
			}
		}
	}
}

// TestInheritedRequirements checks what a module takes over that imports the
// package of a compiled workflow: the modules that provide what the package
// links.
func TestInheritedRequirements(t *testing.T) {
	const most = 4
	out := run(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./examples/changelog/changelog", "./examples/digest/digest", "./examples/postmortem/postmortem")
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	modules = slices.Compact(modules)
	t.Logf("inherited: %s", strings.Join(modules, ", "))
	if len(modules) > most {
		t.Errorf("a module that imports a compiled workflow needs %d others, want at most %d: %s", len(modules), most, strings.Join(modules, ", "))
	}
}

// imports returns the paths that packages of the module, their tests and go.mod's
// tools import.
func imports(t *testing.T) []string {
	var paths []string
	for dec := json.NewDecoder(strings.NewReader(string(run(t, "list", "-e", "-json=Imports,TestImports,XTestImports", "./...")))); ; {
		var p struct{ Imports, TestImports, XTestImports []string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, slices.Concat(p.Imports, p.TestImports, p.XTestImports)...)
	}
	var mod struct{ Tool []struct{ Path string } }
	decode(t, &mod, "mod", "edit", "-json")
	for _, tool := range mod.Tool {
		paths = append(paths, tool.Path)
	}
	return paths
}

// provider returns the required module that has a package, or "".
func provider(required []requirement, path string) string {
	best := ""
	for _, r := range required {
		if (path == r.Path || strings.HasPrefix(path, r.Path+"/")) && len(r.Path) > len(best) {
			best = r.Path
		}
	}
	return best
}

func decode(t *testing.T, into any, args ...string) {
	t.Helper()
	if err := json.Unmarshal(run(t, args...), into); err != nil {
		t.Fatal(err)
	}
}

// run runs the go command in the module's folder.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return out
}

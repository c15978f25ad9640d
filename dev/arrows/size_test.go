package arrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/house"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// largestProgram is the size in bytes that a program with SQLite may have.
const largestProgram = 12_000_000

// TestProgramIsSmall builds a program with the command line and SQLite as wfc builds
// programs. One use of reflection on methods by name doubles what the linker keeps of some
// packages; `go build -ldflags=-dumpdep` shows it as ReflectMethod.
func TestProgramIsSmall(t *testing.T) {
	testkit.SkipBuild(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the size is that of linux/amd64")
	}
	path := filepath.Join(t.TempDir(), "program")
	// The flags are those of cmd/wfc/build.
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -funcalign=16", "-gcflags=all=-dwarf=false",
		"-gcflags=github.com/wfc-lang/wfc/runtime/...=-dwarf=false -l", "-gcflags=github.com/spf13/...=-dwarf=false -l",
		"-gcflags=entgo.io/ent/...=-dwarf=false -l", "-o", path, "github.com/wfc-lang/wfc/dev/growth/runner")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d bytes", info.Size()); info.Size() > largestProgram {
		t.Errorf("a program with SQLite has %d bytes, more than %d", info.Size(), largestProgram)
	}
}

// mostLinked is the number of lines of code that the program of a workflow with one bash node and
// SQLite may link: those of this module's packages that it imports, directly or not, without
// blank lines, comments, tests and generated code.
const mostLinked = 36_250

// TestProgramLinksFewLines counts what every program links, whatever its workflow needs.
func TestProgramLinksFewLines(t *testing.T) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles"}, generated(t, settings.StoreSQLite, "  - {id: a, bash: echo}\n")...)
	listed, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for d := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, name := range p.GoFiles {
			if strings.HasPrefix(p.ImportPath, module) {
				lines += handWritten(t, filepath.Join(p.Dir, name))
			}
		}
		if total += lines; lines > 0 {
			t.Logf("%6d %s", lines, strings.TrimPrefix(p.ImportPath, module))
		}
	}
	if t.Logf("%6d lines", total); total > mostLinked {
		t.Errorf("a program with one bash node links %d lines of code, more than %d", total, mostLinked)
	}
}

// handWritten counts the lines of code of a file that nothing generates.
func handWritten(t *testing.T, path string) int {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(file) {
		return 0
	}
	code, _ := house.CountLines(content)
	return code
}

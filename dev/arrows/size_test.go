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
	"github.com/wfc-lang/wfc/runtime/settings"
)

// largestProgram is the size in bytes that a program with SQLite may have.
const largestProgram = 13_580_000

// TestProgramIsSmall builds a program with the command line and SQLite as wfc builds
// programs. One use of reflection on methods by name doubles what the linker keeps of some
// packages; `go build -ldflags=-dumpdep` shows it as ReflectMethod.
func TestProgramIsSmall(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the size is that of linux/amd64")
	}
	size := programSize(t)
	if t.Logf("%d bytes", size); size > largestProgram {
		t.Errorf("a program with SQLite has %d bytes, more than %d", size, largestProgram)
	}
}

// programSize returns the size of a program with the command line and SQLite, as wfc builds it.
func programSize(t *testing.T, flags ...string) int64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	// The flags are those of cmd/wfc/build.
	args := []string{"build", "-trimpath", "-ldflags=-s -w -funcalign=16", "-gcflags=all=-dwarf=false",
		"-gcflags=github.com/wfc-lang/wfc/runtime/...=-dwarf=false -l", "-gcflags=github.com/spf13/...=-dwarf=false -l",
		"-gcflags=entgo.io/ent/...=-dwarf=false -l", "-o", path}
	cmd := exec.Command("go", append(append(args, flags...), "github.com/wfc-lang/wfc/dev/growth/runner")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// mostForSandbox is the number of bytes that the sandbox may add to a program: half a mebibyte, with its first
// process.
const mostForSandbox = 512 << 10

// TestSandboxIsSmall builds a program with and without the sandbox.
func TestSandboxIsSmall(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the size is that of linux/amd64")
	}
	dir := t.TempDir()
	replaced := map[string]string{}
	without := func(folder string, replacement []byte) {
		folder, err := filepath.Abs(filepath.Join("..", "..", folder))
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			replaced[file] = ""
		}
		stub := filepath.Join(dir, filepath.Base(folder)+".go")
		if err := os.WriteFile(stub, replacement, 0o644); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(folder, "stub.go")] = stub
	}
	without("runtime/internal/sandbox", []byte(`package sandbox

import "github.com/wfc-lang/wfc/runtime/settings"

func Main() {}

func Check(*settings.Sandbox) error { return nil }

type Missing struct{}

func Probe() []Missing { return nil }

func Weaknesses() []Missing { return nil }
`))
	without("runtime/internal/confine", []byte(`package confine

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

const EventReport = "sandbox_report"

type Run struct{}

func New(*settings.Sandbox, *flow.Definition, *flow.RunInfo, string, func() []string) *Run { return nil }

func Override(s settings.Sandbox, _ settings.SandboxMode, _ []string) settings.Sandbox { return s }

func CanWrite(*settings.Sandbox, string, []string, string) bool { return false }

func Notices(settings.Sandbox, string, []string) outbox.Contain {
	return func(ctx context.Context, _ *outbox.Notice, _ store.Run) (context.Context, func(error) error) {
		return ctx, func(err error) error { return err }
	}
}

func (*Run) Git(folder git.Folder) git.Folder { return folder }

func (*Run) Prepare() {}

func Ahead(*settings.Sandbox, string) {}

func (*Run) Close() {}

func (*Run) Report() string { return "" }

func (*Run) Enter(ctx context.Context, _ flow.Action, _ int, _ func(string)) (context.Context, func(flow.Result) flow.Result, error) {
	return ctx, func(r flow.Result) flow.Result { return r }, nil
}
`))
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		t.Fatal(err)
	}
	adds := programSize(t) - programSize(t, "-overlay", overlay)
	if t.Logf("%d bytes", adds); adds > mostForSandbox || adds < 50_000 {
		t.Errorf("the sandbox adds %d bytes to a program, not 50000 to %d", adds, mostForSandbox)
	}
}

// mostLinked is the number of lines of code that the program of a workflow with one bash node and
// SQLite may link: those of this module's packages that it imports, directly or not, without
// blank lines, comments, tests and generated code.
const mostLinked = 49_440

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

package arrows

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
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
	// The flags are those of gen/build.
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

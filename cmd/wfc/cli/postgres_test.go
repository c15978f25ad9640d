package cli

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// A program with the store PostgreSQL links its driver and not SQLite.
func TestPostgresProgram(t *testing.T) {
	testkit.SkipBuild(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "wfc.yaml"), "store: postgres\n")
	write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - id: a\n    bash: echo $((6*7))\n")
	program := filepath.Join(dir, "flow.exe")
	if code, _, messages := wfcCommand(t, dir, []string{"GOPROXY=off"}, "build", "flow.yaml", "-o", program); code != ExitClean {
		t.Fatalf("exit code %d\n%s", code, messages)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, module := range info.Deps {
		linked[module.Path] = true
	}
	if !linked["github.com/jackc/pgx/v5"] || linked["modernc.org/sqlite"] {
		t.Errorf("the program links %v", linked)
	}
	cmd := exec.Command(program, "list")
	cmd.Env = append(os.Environ(), "WFC_DATABASE_URL=postgres://wfc:hush-hush@127.0.0.1:1/none", "WFC_STATE="+dir)
	text, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "postgres://wfc@127.0.0.1:1/none: the server cannot be reached") || strings.Contains(string(text), "hush") {
		t.Errorf("without a server: %v\n%s", err, text)
	}
}

package postgres_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// The command line of a program keeps its runs in the database, where one with
// another state folder finds them, and never shows the password.
func TestCommandLine(t *testing.T) {
	t.Setenv("WFC_DATABASE_URL", schema(t))
	def := chain("a", "b")
	def.Description = "A workflow for tests."
	program := cli.Program{Definition: def, Performers: []engine.Performer{&steps{}}, OpenDatabase: postgres.OpenURL}
	call := func(folder, want string, args ...string) {
		t.Helper()
		t.Setenv("WFC_STATE", folder)
		var out bytes.Buffer
		code := cli.Run(program, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
		if code != runerr.ExitCompleted || !strings.Contains(out.String(), want) {
			t.Errorf("%v: exit code %d, want %q in\n%s", args, code, want, &out)
		}
		if strings.Contains(out.String(), "p@ss") || strings.Contains(out.String(), "p%40ss") {
			t.Errorf("%v shows the password:\n%s", args, &out)
		}
	}
	one, two := t.TempDir(), t.TempDir()
	call(one, "no runs of demo in postgres://wfc@127.0.0.1", "list")
	call(one, "", "run")
	call(two, "completed", "list")
	call(two, "completed", "status")
	call(two, "postgres://wfc@127.0.0.1", "info")
	call(two, "postgres://wfc@127.0.0.1", "info", "--json")

	// A machine that has no state folder yet takes a run over, with its files.
	file, three := filepath.Join(one, "run.wfcrun"), filepath.Join(t.TempDir(), "new")
	call(one, file, "export", "--output", file)
	t.Setenv("WFC_DATABASE_URL", schema(t))
	call(three, ": completed", "import", file)
	call(three, "completed", "status")
	call(three, "completed", "logs")
}

package cli_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/internal/pgtest"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// pooled is a program that keeps its runs in PostgreSQL, and can read state folders.
func pooled(p cli.Program) cli.Program {
	p.OpenDatabase = postgres.OpenURL
	return p
}

// newDatabases starts a PostgreSQL server for a test.
func newDatabases(t *testing.T) *pgtest.Server {
	t.Helper()
	server, err := pgtest.Start()
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

func TestPostgresScripts(t *testing.T) {
	server := newDatabases(t)
	p := scriptsIn("testdata/postgres")
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("WFC_DATABASE_URL", server.Schema(t))
		return setup(env)
	}
	testscript.Run(t, p)
}

// A triggerMachine is a process that runs the triggers of a workflow, as on a machine of its own.
type triggerMachine struct {
	t        *testing.T
	cmd      *exec.Cmd
	messages *bufio.Scanner
	socket   string
}

const hookSecret = "only for tests"

// newTriggerMachine starts `listen --standby` with a folder of its own.
func newTriggerMachine(t *testing.T, database string) *triggerMachine {
	t.Helper()
	path, err := exec.LookPath("pooledhooks")
	if err != nil {
		t.Fatal(err)
	}
	const patience = 2 * time.Minute
	ctx, stop := context.WithTimeout(t.Context(), patience)
	t.Cleanup(stop)
	dir := t.TempDir()
	m := &triggerMachine{t: t, cmd: exec.CommandContext(ctx, path, "listen", "--standby", "--address=unix:socket"), socket: filepath.Join(dir, "socket")}
	m.cmd.Dir = dir
	m.cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "HOOK_SECRET="+hookSecret, "WFC_DATABASE_URL="+database)
	messages, err := m.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.messages = bufio.NewScanner(messages)
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.kill)
	return m
}

// kill ends the process at once.
func (m *triggerMachine) kill() {
	_ = m.cmd.Process.Kill() // it may have ended
	_ = m.cmd.Wait()
}

// says waits until the process prints a line with a text.
func (m *triggerMachine) says(want string) {
	m.t.Helper()
	var said []string
	for m.messages.Scan() {
		said = append(said, m.messages.Text())
		if strings.Contains(m.messages.Text(), want) {
			return
		}
	}
	m.t.Fatalf("it ends (%v) without %q:\n%s", m.messages.Err(), want, strings.Join(said, "\n"))
}

// takes sends a delivery, which the process must queue or know.
func (m *triggerMachine) takes(id string, code int) {
	m.t.Helper()
	r, err := newDelivery("http://localhost/greet", id, `{"who": "Anna"}`, hookSecret)
	if err != nil {
		m.t.Fatal(err)
	}
	answer, err := throughSocket(m.socket).Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != code {
		m.t.Errorf("delivery %s: %s, want %d", id, answer.Status, code)
	}
}

// Of two machines with one database, one runs the triggers. When its process is killed, the other
// one takes over, with what is queued.
func TestTriggersMoveToAnotherMachine(t *testing.T) {
	t.Parallel()
	database := newDatabases(t).Schema(t)
	first := newTriggerMachine(t, database)
	first.says("listening")
	first.takes("one", http.StatusAccepted)
	first.says("the run is over")
	second := newTriggerMachine(t, database)
	second.says("standing by")
	second.takes("one", http.StatusOK)
	second.takes("two", http.StatusAccepted)
	first.says("the run is over") // it has the delivery of the other one
	first.kill()
	second.takes("three", http.StatusAccepted)
	second.says("the run is over")
	second.takes("four", http.StatusAccepted)
	second.says("the run is over")
}

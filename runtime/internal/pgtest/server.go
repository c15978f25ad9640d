//go:build linux

// Package pgtest runs a PostgreSQL server for tests: on loopback, with its data in
// a temporary folder, ended with the tests.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Password is that of the server's user. Tests look whether it is ever shown.
const Password = "pgtest-p@ss/word"

// ErrNone says that there is no PostgreSQL on this machine.
var ErrNone = errors.New("no PostgreSQL server found (searched initdb and postgres in PATH and /usr/lib/postgresql/*/bin; Debian's package is called postgresql)")

// A Server is a running server.
type Server struct {
	folder, bin string
	settings    []string
	port        int
	user        *syscall.Credential
	// ended is closed when the process is gone.
	ended   chan struct{}
	process *os.Process
	schemas atomic.Int64
}

// Start makes a database and runs its server, with further settings such as "fsync=on". The
// error is ErrNone when there is none on this machine.
func Start(settings ...string) (s *Server, err error) {
	s = &Server{}
	for _, setting := range settings {
		s.settings = append(s.settings, "-c", setting)
	}
	if s.bin = findPrograms(); s.bin == "" {
		return nil, ErrNone
	}
	if s.user, err = unprivilegedUser(); err != nil {
		return nil, err
	}
	if s.folder, err = os.MkdirTemp("", "wfc-pgtest-"); err != nil {
		return nil, err
	}
	defer func(started *Server) {
		if err != nil {
			started.Stop()
		}
	}(s)
	words := filepath.Join(s.folder, "password")
	if err := os.WriteFile(words, []byte(Password), 0o600); err != nil {
		return nil, err
	}
	for _, path := range []string{s.folder, words} {
		if s.user == nil {
			break
		}
		if err := os.Chown(path, int(s.user.Uid), int(s.user.Gid)); err != nil {
			return nil, err
		}
	}
	initdb := s.newCommand("initdb", "-D", s.dataFolder(), "-U", "wfc", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256", "--pwfile="+words, "--no-sync")
	if text, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, text)
	}
	for range 5 { // somebody else may take the port before the server does
		if s.port, err = freePort(); err != nil {
			return nil, err
		}
		if err = s.Run(); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// findPrograms returns the folder of the server's programs.
func findPrograms() string {
	var folders []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			folders = append(folders, filepath.Dir(path))
		}
	}
	versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is right
	slices.SortFunc(versions, func(a, b string) int { return len(b) - len(a) + strings.Compare(b, a) })
	for _, folder := range append(folders, append(versions, "/usr/bin")...) {
		_, initErr := os.Stat(filepath.Join(folder, "initdb"))
		_, serverErr := os.Stat(filepath.Join(folder, "postgres"))
		if initErr == nil && serverErr == nil {
			return folder
		}
	}
	return ""
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) dataFolder() string { return filepath.Join(s.folder, "data") }

func (s *Server) newCommand(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = processAttributes(s.user)
	return cmd
}

// Run runs the server after Kill, and returns when it takes connections.
func (s *Server) Run() error {
	cmd := s.newCommand("postgres", append([]string{"-D", s.dataFolder(), "-k", s.folder, "-h", "127.0.0.1", "-p", fmt.Sprint(s.port),
		"-c", "fsync=off", "-c", "autovacuum=off", "-c", "max_connections=200", "-c", "log_min_messages=fatal"}, s.settings...)...)
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	started := make(chan error)
	s.ended = make(chan struct{})
	go func() {
		// The server gets a signal when the thread that started it ends.
		runtime.LockOSThread()
		defer close(s.ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process = cmd.Process
	for deadline := time.Now().Add(30 * time.Second); ; {
		err := s.ping()
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server has ended: %s", s.readLog())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

func (s *Server) readLog() string {
	text, _ := os.ReadFile(filepath.Join(s.folder, "log")) // then it is empty
	return string(text)
}

func (s *Server) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// URL is that of the server's database.
func (s *Server) URL() string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("wfc", Password),
		Host: fmt.Sprintf("127.0.0.1:%d", s.port), Path: "postgres", RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Schema makes an empty schema and returns the URL of the database in which
// tables are made there.
func (s *Server) Schema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.schemas.Add(1))
	s.Exec(t, "CREATE SCHEMA "+name)
	return s.URL() + "&search_path=" + name
}

// Exec runs a statement.
func (s *Server) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	if err == nil {
		_, err = conn.Exec(ctx, statement, args...)
		err = errors.Join(err, conn.Close(ctx))
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Count returns the number that a query finds.
func (s *Server) Count(t testing.TB, query string) (n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	if err == nil {
		err = conn.QueryRow(ctx, query).Scan(&n)
		err = errors.Join(err, conn.Close(ctx))
	}
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// Kill ends the server at once, as when it crashes, and returns when it is gone.
// Run runs it again.
func (s *Server) Kill() {
	if s.process != nil {
		_ = s.process.Signal(syscall.SIGQUIT) // it may be gone
		<-s.ended
		s.process = nil
	}
}

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	s.Kill()
	os.RemoveAll(s.folder)
}

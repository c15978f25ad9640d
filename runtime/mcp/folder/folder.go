// Package folder serves the workflow files of a folder to agents by the Model
// Context Protocol. It is the program behind `wfc mcp`, which is built when it is
// first wanted: wfc itself stays small and links no server.
//
// The work is others'. wfc checks files and builds programs of them; a program's
// own server, a child of this process, begins its runs, looks at them and resumes
// them. Runs belong to these children. When this process ends, in whatever way,
// their standard input does, and each cancels its runs and ends.
package folder

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/mcp"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Main serves what the command line of this process says until the client leaves
// or a signal comes, and returns the exit code. wfc writes that command line:
//
//	--wfc PROGRAM --dir FOLDER --state FOLDER [--database URL] [PATH…]
func Main(runs Runs) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A client that is gone must not end the server before its children have ended.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	s, err := newServer(ctx, runs, os.Args[1:], log)
	if err == nil {
		err = s.serve(ctx, os.Stdin, os.Stdout)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "wfc mcp: %v\n", err)
		return 1
	}
	return 0
}

// A server serves the workflow files below some roots.
type server struct {
	wfc wfc
	// dir is where workflows are saved.
	dir    string
	roots  []string // without symbolic links
	state  state.Folder
	store  store.Store
	engine *local.Engine
	log    *slog.Logger
	family family
}

func newServer(ctx context.Context, runs Runs, args []string, log *slog.Logger) (*server, error) {
	s := &server{log: log}
	flags := flag.NewFlagSet("wfc mcp", flag.ContinueOnError)
	flags.StringVar(&s.wfc.program, "wfc", "", "the program wfc")
	flags.StringVar(&s.dir, "dir", ".", "where workflows are saved")
	flags.StringVar(&s.state.Path, "state", "", "the state folder")
	database := flags.String("database", "", "the URL of the database, unless the environment has it")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	paths := flags.Args()
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if err := s.serveBelow(append(paths, s.dir)); err != nil {
		return nil, err
	}
	var err error
	if s.store, err = runs.open(ctx, s.state, *database); err != nil {
		return nil, err
	}
	// It performs nothing: programs do.
	if s.engine, err = local.New(local.Config{Store: s.store, State: s.state}); err != nil {
		return nil, err
	}
	s.family = family{wfc: s.wfc, state: s.state.Path, log: log}
	return s, nil
}

// serveBelow makes files and folders the roots. The folder for new workflows may
// not be there yet.
func (s *server) serveBelow(paths []string) error {
	for _, path := range paths {
		whole, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(whole)
		if errors.Is(err, os.ErrNotExist) && path == s.dir {
			real, err = whole, nil
		}
		if err != nil {
			return fmt.Errorf("what is to be served: %w", err)
		}
		s.roots = append(s.roots, real)
	}
	return nil
}

// serve serves until the client leaves or ctx is done.
func (s *server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	err := mcp.Listen(ctx, s.tools(), in, out, s.log)
	s.family.close()
	if closing := s.store.Close(); err == nil {
		err = closing
	}
	return err
}

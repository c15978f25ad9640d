// Package folder serves the workflow files of a folder to agents by the Model
// Context Protocol. It is the program behind `wfc mcp`, and other programs have no use for
// it. wfc builds it at its first use, because wfc itself links no server:
//
//	func main() { os.Exit(folder.Main(entstore.OpenState, nil)) }
//
// The program calls wfc to check files and to build their programs. The server of
// each program, a child process, starts, shows and resumes its runs. When this
// process ends, the standard input of its children ends, and each child cancels
// its runs and ends.
package folder

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Main serves the files that the command line of this process names, until the
// client leaves or a signal arrives, and returns the exit code. wfc writes the
// command line:
//
//	--wfc PROGRAM [--dir FOLDER] --state FOLDER [--database URL] [PATH…]
//
// PATH is a workflow file to serve, or a folder whose workflow files to serve; the default is
// the current folder. --dir is the folder for workflows that agents save, by default the
// current one; Main serves its files too. The runs are in a database if openURL is not nil,
// else in the state folder.
func Main(openState func(ctx context.Context, dir string) (store.Store, error), openURL func(ctx context.Context, url string) (store.Store, error)) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A client that is gone must not end the server before its children have ended.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	s, err := newHost(ctx, opener{openState, openURL}, os.Args[1:], log)
	if err == nil {
		err = s.serveClient(ctx, os.Stdin, os.Stdout)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "wfc mcp: %v\n", err)
		return 1
	}
	return 0
}

// A host serves the workflow files below some roots.
type host struct {
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

func newHost(ctx context.Context, runs opener, args []string, log *slog.Logger) (*host, error) {
	s := &host{log: log}
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
	if s.store, err = runs.openStore(ctx, s.state, *database); err != nil {
		return nil, err
	}
	// It performs nothing: programs do.
	if s.engine, err = local.New(local.Config{Store: s.store, State: s.state.Path}); err != nil {
		return nil, err
	}
	s.family = family{wfc: s.wfc, state: s.state.Path, log: log}
	return s, nil
}

// serveBelow makes files and folders the roots. The folder for new workflows may
// not be there yet.
func (s *host) serveBelow(paths []string) error {
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
			return fmt.Errorf("the settings of the server: %w", err)
		}
		s.roots = append(s.roots, real)
	}
	return nil
}

// serveClient serves until the client leaves or ctx is done.
func (s *host) serveClient(ctx context.Context, in io.Reader, out io.Writer) error {
	err := server.Listen(ctx, s.newServer(), in, out, s.log)
	s.family.close()
	if closing := s.store.Close(); err == nil {
		err = closing
	}
	return err
}

// An opener opens the store with the runs of all programs.
type opener struct {
	state func(ctx context.Context, dir string) (store.Store, error)
	url   func(ctx context.Context, url string) (store.Store, error)
}

func (o opener) openStore(ctx context.Context, f state.Folder, given string) (store.Store, error) {
	if o.url == nil {
		return o.state(ctx, f.Path)
	}
	url := cmp.Or(os.Getenv("WFC_DATABASE_URL"), given)
	if url == "" {
		return nil, errors.New("missing database: set WFC_DATABASE_URL, or `database:` in wfc.yaml")
	}
	return o.url(ctx, url)
}

// extension is how the files of saved workflows end.
const extension = ".yaml"

// longestName is how many bytes the name of a workflow's file may have.
const longestName = 100

// saveTool is the tool workflow_save.
func (s *host) saveTool(ctx context.Context, in saveArguments) (saved, error) {
	name, err := fileName(in.Name)
	if err != nil {
		return saved{}, err
	}
	path := filepath.Join(s.dir, name)
	r, err := s.wfc.checkFile(ctx, path, &in.Content)
	if err != nil {
		return saved{}, err
	}
	out := saved{verdict: verdictOf(r)}
	if !out.Valid {
		return out, &server.Refusal{Why: "not saved, because the workflow has errors:\n" + r.errorText()}
	}
	if err := s.writeFile(name, in.Content, in.Overwrite); err != nil {
		return out, err
	}
	out.Saved, out.Path = true, path
	return out, nil
}

// fileName is the file for a workflow of a name that a client gave, which may be
// anything: what is no plain name is refused, not mended.
func fileName(name string) (string, error) {
	bare := strings.TrimSuffix(strings.TrimSuffix(name, extension), ".yml")
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_. ", r) }
	switch {
	case bare == "":
		return "", errors.New("the name is empty")
	case len(bare) > longestName:
		return "", fmt.Errorf("the name is longer than %d bytes", longestName)
	case strings.ContainsFunc(bare, func(r rune) bool { return !plain(r) || r == unicode.ReplacementChar }),
		strings.Contains(bare, ".."), !filepath.IsLocal(bare + extension):
		return "", fmt.Errorf("invalid name %q: use letters, digits, `-`, `_` and single dots; the server chooses the folder", name)
	case strings.HasPrefix(bare, "."), strings.HasPrefix(bare, "-"), strings.TrimSpace(bare) != bare, strings.HasSuffix(bare, "."):
		return "", fmt.Errorf("invalid name %q: it must begin and end with a letter, a digit or `_`", name)
	case strings.EqualFold(bare, "wfc"):
		return "", fmt.Errorf("invalid name %q: it is the name of wfc's configuration", name)
	}
	return bare + extension, nil
}

// writeFile writes a file of the folder as one step. os.Root keeps it below the
// folder, whatever links there are.
func (s *host) writeFile(name, content string, overwrite bool) (err error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("the folder of workflows: %w", err)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return fmt.Errorf("the folder of workflows: %w", err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; it is not overwritten", filepath.Join(s.dir, name))
	case err == nil && !overwrite:
		return existsError(s.dir, name)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("save %s: %w", name, err)
	}
	beside := fmt.Sprintf(".%s.%d.%s", name, os.Getpid(), rand.Text()[:8])
	if err := writeNew(root, beside, content); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	defer func() { _ = root.Remove(beside) }() // gone when it was renamed
	if overwrite {
		err = root.Rename(beside, name)
	} else if err = root.Link(beside, name); errors.Is(err, os.ErrExist) {
		return existsError(s.dir, name) // it came in between
	} else if err != nil {
		err = writeNew(root, name, content) // no links here; this does not overwrite either
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return nil
}

func existsError(dir, name string) error {
	return fmt.Errorf("%s exists; give `overwrite: true` to replace it", filepath.Join(dir, name))
}

// writeNew writes a file that must not be there yet.
func writeNew(root *os.Root, name, content string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
)

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
	r, err := s.wfc.check(ctx, path, &in.Content)
	if err != nil {
		return saved{}, err
	}
	out := saved{verdict: verdictOf(r)}
	if !out.Valid {
		return out, &server.Refusal{Why: "not saved, because the workflow has errors:\n" + r.text()}
	}
	if err := s.write(name, in.Content, in.Overwrite); err != nil {
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
		return "", fmt.Errorf("%q is no plain name: use letters, digits, `-`, `_` and single dots; the folder is the server's", name)
	case strings.HasPrefix(bare, "."), strings.HasPrefix(bare, "-"), strings.TrimSpace(bare) != bare, strings.HasSuffix(bare, "."):
		return "", fmt.Errorf("%q is no plain name: it must begin and end with a letter, a digit or `_`", name)
	case strings.EqualFold(bare, "wfc"):
		return "", fmt.Errorf("%q is the name of wfc's configuration and of no workflow", name)
	}
	return bare + extension, nil
}

// write writes a file of the folder as one step. os.Root keeps it below the
// folder, whatever links there are.
func (s *host) write(name, content string, overwrite bool) (err error) {
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
		return fmt.Errorf("%s is no ordinary file; it is not overwritten", filepath.Join(s.dir, name))
	case err == nil && !overwrite:
		return exists(s.dir, name)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("save %s: %w", name, err)
	}
	beside := fmt.Sprintf(".%s.%d.%s", name, os.Getpid(), randomName())
	if err := writeNew(root, beside, content); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	defer func() { _ = root.Remove(beside) }() // gone when it was renamed
	if overwrite {
		err = root.Rename(beside, name)
	} else if err = root.Link(beside, name); errors.Is(err, os.ErrExist) {
		return exists(s.dir, name) // it came in between
	} else if err != nil {
		err = writeNew(root, name, content) // no links here; this does not overwrite either
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return nil
}

func exists(dir, name string) error {
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

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/config"
)

// An input is one file to look at.
type input struct {
	// name is the file as people are shown it, path its absolute path.
	name, path string
	// named says that the user named the file itself, and not a folder or a
	// pattern: that it is no workflow is then an error.
	named bool
	// content is what was read from the standard input; nil for a file.
	content []byte
}

// stdinName stands for the standard input among paths.
const stdinName = "-"

// inputs finds the files that arguments stand for, each once, in order: files,
// folders with all that is below them, patterns, and - for the standard input,
// which takes the name given for it.
func (a *app) inputs(args []string, stdinAs string) ([]input, error) {
	var all []input
	seen := map[string]bool{}
	add := func(in input) error {
		path, err := filepath.Abs(in.path)
		if err != nil {
			return err
		}
		in.path = path
		if !seen[path] {
			seen[path] = true
			all = append(all, in)
		}
		return nil
	}
	for _, arg := range args {
		if arg == stdinName {
			content, err := io.ReadAll(a.In)
			if err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
			if err := add(input{name: stdinAs, path: stdinAs, named: true, content: content}); err != nil {
				return nil, err
			}
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case err == nil && info.IsDir():
			err = walk(arg, func(name string) error { return add(input{name: filepath.ToSlash(name), path: name}) })
		case err == nil:
			err = add(input{name: filepath.ToSlash(arg), path: arg, named: true})
		case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?["):
			err = match(arg, func(name string) error { return add(input{name: filepath.ToSlash(name), path: name}) })
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("there is no file or folder `%s`", arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// walk visits the YAML files below a folder in order, without those of hidden
// folders (but .archon, where workflows live, and .github) and of folders of
// other people's code.
func walk(dir string, visit func(name string) error) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name != dir && passedOver(e.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		if !e.Type().IsRegular() {
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				return nil // a dangling link, or nothing that can be read to its end
			}
		}
		return visit(name)
	})
}

func passedOver(folder string) bool {
	switch folder {
	case ".archon", ".github":
		return false
	case "node_modules", "vendor", "__pycache__":
		return true
	}
	return strings.HasPrefix(folder, ".")
}

// match visits the YAML files that a pattern matches, ** standing for any
// folders. A pattern that matches nothing is an error: it is mistyped.
func match(pattern string, visit func(name string) error) error {
	slashed := filepath.ToSlash(filepath.Clean(pattern))
	if !config.Valid(slashed) {
		return fmt.Errorf("the pattern `%s` is malformed", pattern)
	}
	base := "."
	if i := strings.IndexAny(slashed, "*?["); i >= 0 {
		if cut := strings.LastIndexByte(slashed[:i], '/'); cut >= 0 {
			base = slashed[:cut+1]
		}
	}
	found := false
	err := walk(filepath.FromSlash(base), func(name string) error {
		if !config.Match(slashed, filepath.ToSlash(filepath.Clean(name))) {
			return nil
		}
		found = true
		return visit(name)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !found {
		return fmt.Errorf("nothing matches `%s`", pattern)
	}
	return nil
}

// read returns the content of an input.
func (in input) read() ([]byte, error) {
	if in.content != nil {
		return in.content, nil
	}
	return compiler.Disk{}.Read(in.path)
}

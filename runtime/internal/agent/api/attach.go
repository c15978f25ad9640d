package api

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// The most bytes that one file, and all files of a prompt, may have.
const (
	mostFile  = 256 << 10
	mostFiles = 1 << 20
)

// withFiles returns a prompt with the contents of files after it, each between two lines
// that name it. It only reads files in the agent's working folder, because their contents
// leave the machine.
func withFiles(prompt, dir string, files []string) (string, error) {
	if len(files) == 0 {
		return prompt, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("open the folder that the agent works in: %w", err)
	}
	defer root.Close()
	var all strings.Builder
	all.WriteString(prompt)
	total := 0
	for _, name := range files {
		text, err := readFile(root, dir, name)
		if err != nil {
			return "", err
		}
		if total += len(text); total > mostFiles {
			return "", failures.Fatal("the files that the prompt names have more than %d KiB together (too much with `%s`)", mostFiles>>10, name)
		}
		begin, end := fenceLines(name, text)
		fmt.Fprintf(&all, "\n\n%s\n%s", begin, text)
		if !strings.HasSuffix(text, "\n") {
			all.WriteByte('\n')
		}
		all.WriteString(end)
	}
	return all.String(), nil
}

// fenceLines returns the lines around a file's text, which holds neither.
func fenceLines(name, text string) (begin, end string) {
	name = strings.Join(strings.Fields(name), " ")
	marks := "-----"
	for strings.Contains(text, marks+" end of file") || strings.Contains(text, marks+" file") {
		marks += "-"
	}
	return marks + " file " + name + " " + marks, marks + " end of file " + name + " " + marks
}

// readFile reads a text file of the folder.
func readFile(root *os.Root, dir, name string) (string, error) {
	local := name
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			rel = ".." // on another drive
		}
		local = rel
	}
	if !filepath.IsLocal(local) {
		return "", failures.Fatal("the file `%s` is not below the agent's working folder, so it is not sent to the service", name)
	}
	text, err := readRegular(root, filepath.Clean(local))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", failures.Fatal("the file `%s` that the prompt names does not exist", name)
	case err != nil:
		return "", failures.Fatal("the file `%s` that the prompt names cannot be read: %v", name, causeWithoutPath(err))
	case len(text) > mostFile:
		return "", failures.Fatal("the file `%s` that the prompt names has more than %d KiB", name, mostFile>>10)
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return "", failures.Fatal("the file `%s` that the prompt names is not text", name)
	}
	return string(text), nil
}

// readRegular reads a regular file, a little more than its limit at most. To
// open anything else might wait for ever.
func readRegular(root *os.Root, local string) ([]byte, error) {
	info, err := root.Stat(local)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := root.Open(local)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostFile+1))
}

// causeWithoutPath returns the cause of an error of a file, without its path.
func causeWithoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

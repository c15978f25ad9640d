package acp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
)

// largestFile is the size in bytes of the largest file that is read for a
// program.
const largestFile = 32 << 20

// files reads and writes files for a program. Unless it may do anything, all
// access goes through the roots of folders, out of which no path leads: neither .., nor an
// absolute path, nor a symbolic link.
type files struct {
	policy policy
	// dir is the working directory. A program that may do anything has no folders.
	dir     string
	folders []folder
	// contained says that the program is in the sandbox and has to use files itself.
	contained bool
}

// A folder is one in which the program may use files, by one of its names.
type folder struct {
	dir  string
	root *os.Root
}

// openFiles opens the working directory, and the folder for artifacts if it exists.
func openFiles(dir, artifacts string, p policy) (*files, error) {
	f := &files{policy: p, dir: dir}
	if p == mayAll {
		return f, nil
	}
	if err := f.openFolder(dir); err != nil {
		return nil, fmt.Errorf("the working directory: %w", err)
	}
	_ = f.openFolder(artifacts)
	return f, nil
}

func (f *files) openFolder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	f.folders = append(f.folders, folder{dir, root})
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		f.folders = append(f.folders, folder{real, root})
	}
	return nil
}

func (f *files) closeRoots() {
	for _, one := range f.folders {
		one.root.Close()
	}
}

// rootOf returns the root of the folder that a path is in, or nil, and the path there.
func (f *files) rootOf(path string) (*os.Root, string) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.dir, path)
	}
	for _, one := range f.folders {
		if rel, err := filepath.Rel(one.dir, path); err == nil && filepath.IsLocal(rel) {
			return one.root, rel
		}
	}
	return nil, path
}

// isInside reports whether a path is in one of the folders, all links followed. For a
// path that does not exist yet, the nearest existing folder counts.
func (f *files) isInside(path string) bool {
	root, path := f.rootOf(path)
	for ; root != nil; path = filepath.Dir(path) {
		// A link that leads nowhere may lead out, so it must not count as missing.
		if _, err := root.Lstat(path); path != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
			continue
		}
		_, err := root.Stat(path)
		return err == nil
	}
	return false
}

// place is a file on which something is to be done, by functions of its root or of the system.
type place struct {
	path    string
	stat    func(path string) (fs.FileInfo, error)
	open    func(path string, flag int, mode fs.FileMode) (*os.File, error)
	makeAll func(dir string, mode fs.FileMode) error
}

// errOutside says that a path leads out of the working directory.
var errOutside = errors.New("it is outside of the working directory")

var errContained = errors.New("the agent runs in the sandbox, and uses files there by itself")

func (f *files) resolvePlace(path string) (place, error) {
	if f.contained {
		return place{}, errContained
	}
	root, path := f.rootOf(path)
	switch {
	case root != nil:
		return place{path, root.Stat, root.OpenFile, root.MkdirAll}, nil
	case f.policy < mayAll:
		return place{}, errOutside
	}
	return place{path, os.Stat, os.OpenFile, os.MkdirAll}, nil
}

// readText returns a file's text, or the lines of it that are asked for; lines count
// from 1.
func (f *files) readText(path string, line, limit *int) (string, error) {
	p, err := f.resolvePlace(path)
	if err != nil {
		return "", err
	}
	info, err := p.stat(p.path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a file") // reading a pipe might never end
	}
	file, err := p.open(p.path, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > largestFile:
		return "", fmt.Errorf("it is larger than %d MiB", largestFile>>20)
	}
	return linesOf(string(text), line, limit), nil
}

// linesOf returns as many lines of a text as limit says, from a line on.
func linesOf(text string, line, limit *int) string {
	for n := 1; line != nil && n < *line; n++ {
		var found bool
		if _, text, found = strings.Cut(text, "\n"); !found {
			return ""
		}
	}
	if limit == nil {
		return text
	}
	end := 0
	for range max(*limit, 0) {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// writeText gives a file a text, and makes it and its folders when they are missing.
func (f *files) writeText(path, text string) error {
	p, err := f.resolvePlace(path)
	if err != nil {
		return err
	}
	switch info, err := p.stat(p.path); {
	case err == nil && !info.Mode().IsRegular():
		return errors.New("it is not a file")
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := p.makeAll(filepath.Dir(p.path), 0o777); err != nil {
			return err
		}
	}
	file, err := p.open(p.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	return errors.Join(err, file.Close())
}

// readFile answers the request for a file.
func (t *turn) readFile(q *sdk.ReadTextFileRequest) (any, *rpcError) {
	text, err := t.files.readText(q.Path, q.Line, q.Limit)
	if err != nil {
		return nil, t.noFile("read", q.Path, err)
	}
	return sdk.ReadTextFileResponse{Content: text}, nil
}

// writeFile answers the request to write a file.
func (t *turn) writeFile(q *sdk.WriteTextFileRequest) (any, *rpcError) {
	if t.agent.policy < mayEdit {
		what := "write " + q.Path
		needed := program.Edit
		if !t.files.isInside(q.Path) {
			needed = program.All
		}
		t.noteDenial(what, needed)
		return nil, newRefusal(codeInternal, "not permitted: %s", what)
	}
	if err := t.files.writeText(q.Path, q.Content); err != nil {
		return nil, t.noFile("write", q.Path, err)
	}
	t.report.passNote("wrote %s", q.Path)
	return sdk.WriteTextFileResponse{}, nil
}

// noFile refuses an operation on a file, and notes it if it is not permitted.
func (t *turn) noFile(verb, path string, err error) *rpcError {
	if bare, ok := errors.AsType[*fs.PathError](err); ok {
		err = bare.Err
	}
	if errors.Is(err, errOutside) || t.files.policy < mayAll && !t.files.isInside(path) {
		t.noteDenial(verb+" "+path+", outside of the working directory", program.All)
		return newRefusal(codeInternal, "not permitted: %s %s: %v", verb, path, errOutside)
	}
	code := codeInternal
	if errors.Is(err, fs.ErrNotExist) {
		code = codeNotFound
	}
	return newRefusal(code, "cannot %s %s: %v", verb, path, err)
}

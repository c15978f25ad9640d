package starter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// Conflicts returns the paths that keep a plan from being written: files that exist, and
// files or links in the place of a folder. It returns an error if it cannot find out.
func (p *Plan) Conflicts() ([]string, error) {
	var list []string
	for _, f := range p.Files {
		at, err := blockingPath(f.Path)
		if err != nil {
			return nil, err
		}
		list = plain.AddNew(list, at)
	}
	if len(p.Ignore) > 0 {
		if info, err := os.Stat(p.IgnoreFile); err == nil && !info.Mode().IsRegular() && !slices.Contains(list, p.IgnoreFile) {
			list = append(list, p.IgnoreFile)
		}
	}
	return list, nil
}

// blockingPath returns the path that prevents a new file: the path itself, or a file in place
// of a folder above it; "" if there is none.
func blockingPath(name string) (string, error) {
	_, err := os.Lstat(name)
	switch {
	case err == nil:
		return name, nil
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return "", err
	}
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			return "", nil
		}
		if _, broken := os.Lstat(dir); err == nil || broken == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
		if filepath.Dir(dir) == dir {
			return "", nil
		}
	}
}

// NewIgnored returns the lines that .gitignore lacks, without those for files and folders
// that exist: a project may keep its scripts in bin.
func (p *Plan) NewIgnored() ([]string, error) {
	old, err := wholefile.Source.Read(p.IgnoreFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var has, lacking []string
	for line := range strings.Lines(string(old)) {
		has = append(has, strings.TrimSpace(line))
	}
	for _, line := range p.Ignore {
		if !slices.Contains(has, line) && !p.ignoredPathExists(line) {
			lacking = append(lacking, line)
		}
	}
	if !slices.ContainsFunc(lacking, func(line string) bool { return !strings.HasPrefix(line, "#") }) {
		return nil, nil // only comments
	}
	return lacking, nil
}

// ignoredPathExists reports whether a line of .gitignore names a file or a folder that exists.
func (p *Plan) ignoredPathExists(line string) bool {
	name, ok := strings.CutPrefix(line, "/")
	if !ok || strings.ContainsAny(name, "*?[") {
		return false
	}
	_, err := os.Lstat(filepath.Join(filepath.Dir(p.IgnoreFile), filepath.FromSlash(name)))
	return err == nil
}

// Write writes the files of a plan, and calls replace with the new content of an existing
// .gitignore. It creates files and never opens existing ones. If a file cannot be
// written, it removes those that it has written.
func (p *Plan) Write(replace func(path string, content []byte) error) (err error) {
	var made []string // files and folders, in the order of their creation
	defer func() {
		if err != nil {
			for _, name := range slices.Backward(made) {
				_ = os.Remove(name) // a folder that is not empty stays
			}
		}
	}()
	for _, f := range p.Files {
		folders, err := makeFolders(filepath.Dir(f.Path))
		made = append(made, folders...)
		if err != nil {
			return err
		}
		created, err := createFile(f.Path, f.Content, f.fileMode())
		if created {
			made = append(made, f.Path)
		}
		if err != nil {
			return err
		}
	}
	return p.updateIgnoreFile(replace)
}

// updateIgnoreFile adds the lines that .gitignore lacks.
func (p *Plan) updateIgnoreFile(replace func(path string, content []byte) error) error {
	lines, err := p.NewIgnored()
	if err != nil || len(lines) == 0 {
		return err
	}
	old, err := wholefile.Source.Read(p.IgnoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		created, err := createFile(p.IgnoreFile, []byte(strings.Join(lines, "\n")+"\n"), 0o666)
		if created && err != nil {
			_ = os.Remove(p.IgnoreFile) // err says more
		}
		return err
	}
	if err != nil {
		return err
	}
	end, text := "\n", string(old)
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return replace(p.IgnoreFile, []byte(text+strings.Join(lines, end)+end))
}

// makeFolders creates a folder and those above it, and returns the new ones.
func makeFolders(dir string) (made []string, err error) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil, nil
	}
	if up := filepath.Dir(dir); up != dir {
		if made, err = makeFolders(up); err != nil {
			return made, err
		}
	}
	err = os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
			return made, nil // another process was faster
		}
	}
	if err != nil {
		return made, err
	}
	return append(made, dir), nil
}

// createFile writes a new file. The error is fs.ErrExist if it exists.
func createFile(name string, content []byte, mode fs.FileMode) (created bool, err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return false, err
	}
	_, err = f.Write(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return true, fmt.Errorf("write %s: %w", name, err)
	}
	return true, nil
}

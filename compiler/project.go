package compiler

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/runtime/trust"
)

// archonFolder is where archon keeps workflows, seen from the project's folder.
const archonFolder = "/.archon/workflows/"

// Disk reads files from the disk.
type Disk struct{}

// maxResource is the size of the largest command file or script that is read.
const maxResource = 16 << 20

// Read returns a file's content. Something that is not a regular file cannot
// be read: a pipe would never end.
func (Disk) Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: not a regular file", path)
	case info.Size() > maxResource:
		return nil, fmt.Errorf("read %s: larger than %d MiB", path, maxResource>>20)
	}
	return os.ReadFile(path)
}

// List returns the names in a folder in order, folders with a slash at the
// end; nil when there is no such folder.
func (Disk) List(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		if isFolder(dir, e) {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// isFolder follows symbolic links, which entries do not.
func isFolder(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

// FindRoot returns the project's folder for a file of the given absolute path:
// the folder that holds .archon for a file in .archon/workflows; else the
// nearest one with wfc.yaml, .archon or .git; else the file's own. The .archon
// of the home folder holds what all projects share and marks none.
func FindRoot(path, home string) string {
	slashed := filepath.ToSlash(path)
	if i := strings.LastIndex(slashed, archonFolder); i >= 0 {
		return filepath.FromSlash(slashed[:max(i, 1)])
	}
	for dir := range ancestors(filepath.Dir(path)) {
		for _, marker := range []string{ConfigName, ".archon", ".git"} {
			if marker == ".archon" && dir == home {
				continue
			}
			if exists(filepath.Join(dir, marker)) {
				return dir
			}
		}
	}
	return filepath.Dir(path)
}

// ConfigName is the name of the configuration file.
const ConfigName = "wfc.yaml"

// FindConfig returns the path of the configuration that counts for files in a
// folder: wfc.yaml in the folder or in the nearest one above that has it; ""
// when there is none.
//
// The error is a *ForeignConfigError when that file may be somebody else's.
func FindConfig(dir string) (string, error) {
	repository := ""
	for dir := range ancestors(dir) {
		path := filepath.Join(dir, ConfigName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, foreignConfig(path, info, repository)
		}
		if repository == "" && exists(filepath.Join(dir, ".git")) {
			repository = dir
		}
	}
	return "", nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A ForeignConfigError says that a configuration is not used, because it may be
// somebody else's: it names programs that are run, and where results go.
type ForeignConfigError struct {
	// Path is the configuration's, and Why completes the sentence "it is not used
	// because it".
	Path, Why string
}

func (e *ForeignConfigError) Error() string {
	return fmt.Sprintf("%s is not used because it %s; %s to use it", e.Path, e.Why, trust.Allow(e.Path))
}

// foreignConfig returns why a configuration is not used, or nil. repository is
// the root of the repository that the configuration lies above, or "".
func foreignConfig(path string, info fs.FileInfo, repository string) error {
	owner, foreign := trust.Owner(info)
	switch {
	case !foreign && repository == "", trust.Allowed(path):
		return nil
	case foreign:
		return &ForeignConfigError{path, "belongs to " + owner}
	}
	return &ForeignConfigError{path, "lies outside of the repository " + repository}
}

// ancestors yields a folder and those above it, up to the root.
func ancestors(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(dir) {
			up := filepath.Dir(dir)
			if up == dir {
				return
			}
			dir = up
		}
	}
}

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// A GoModule is a module of Go on the disk.
type GoModule struct {
	// Dir is the folder of its go.mod.
	Dir  string
	Path string
}

// ErrNoGoModule is the error of FindGoModule for a folder that is in no module.
var ErrNoGoModule = errors.New("in no Go module")

// FindGoModule returns the module around a folder of the given absolute path, which need not
// exist.
func FindGoModule(dir string) (GoModule, error) {
	for root := range Ancestors(dir) {
		name := filepath.Join(root, "go.mod")
		content, err := wholefile.Source.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return GoModule{}, err
		}
		m := GoModule{root, modulePath(string(content))}
		if m.Path == "" {
			return m, fmt.Errorf("%s does not name its module", name)
		}
		return m, nil
	}
	return GoModule{}, fmt.Errorf("%s is %w", dir, ErrNoGoModule)
}

// ImportPath returns the import path of the package in a folder of the module.
func (m GoModule) ImportPath(dir string) (string, error) {
	rel, err := filepath.Rel(m.Dir, dir)
	return path.Join(m.Path, filepath.ToSlash(rel)), err
}

// modulePath returns the path that a go.mod file gives its module, or "".
func modulePath(content string) string {
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "module" {
			continue
		}
		if unquoted, err := strconv.Unquote(words[1]); err == nil {
			return unquoted
		}
		return words[1]
	}
	return ""
}

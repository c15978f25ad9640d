package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/trust"
)

// FileName is the name of the configuration file: wfc.yaml.
const FileName = workspace.ConfigName

// Find returns the path of the configuration for the files of a folder: wfc.yaml in
// the folder or in the nearest one above that has it, or "".
//
// Find returns the path and an error if wfc.yaml belongs to another user or lies outside
// the repository of dir. It returns no other errors.
func Find(dir string) (string, error) {
	repository := ""
	for dir := range workspace.Ancestors(dir) {
		path := filepath.Join(dir, FileName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, foreign(path, info, repository)
		}
		if repository == "" && workspace.Exists(filepath.Join(dir, ".git")) {
			repository = dir
		}
	}
	return "", nil
}

// A foreignError reports a configuration that belongs to another user or is outside the
// repository. Do not use such a file: it names programs to run and places to send results
// to.
type foreignError struct {
	// Path is the path of the configuration, and Why completes the sentence "it is not
	// used because it".
	Path, Why string
}

func (e *foreignError) Error() string {
	return fmt.Sprintf("%s is not used because it %s; %s to use it", e.Path, e.Why, trust.Advice(e.Path))
}

// foreign returns why a configuration is not used, or nil. repository is
// the root of the repository that the configuration lies above, or "".
func foreign(path string, info fs.FileInfo, repository string) error {
	owner, foreign := trust.Owner(info)
	switch {
	case !foreign && repository == "", trust.Trusted(path):
		return nil
	case foreign:
		return &foreignError{path, "belongs to " + owner}
	}
	return &foreignError{path, "is outside the repository " + repository}
}

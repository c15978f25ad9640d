package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/trust"
)

// FileName is the name of the configuration file.
const FileName = workspace.ConfigName

// Find returns the path of the configuration that counts for files in a
// folder: wfc.yaml in the folder or in the nearest one above that has it; ""
// when there is none.
//
// The error is a *ForeignError when that file may be somebody else's.
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

// A ForeignError says that a configuration is not used, because it may be
// somebody else's: it names programs that are run, and where results go.
type ForeignError struct {
	// Path is the configuration's, and Why completes the sentence "it is not used
	// because it".
	Path, Why string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s is not used because it %s; %s to use it", e.Path, e.Why, trust.Allow(e.Path))
}

// foreign returns why a configuration is not used, or nil. repository is
// the root of the repository that the configuration lies above, or "".
func foreign(path string, info fs.FileInfo, repository string) error {
	owner, foreign := trust.Owner(info)
	switch {
	case !foreign && repository == "", trust.Allowed(path):
		return nil
	case foreign:
		return &ForeignError{path, "belongs to " + owner}
	}
	return &ForeignError{path, "lies outside of the repository " + repository}
}

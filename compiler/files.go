package compiler

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// projectFiles reads files, but doesn't follow symbolic links that lead out of the project's
// folder: otherwise a workflow of a freshly cloned repository could put any file of its user
// into a prompt. Links within the Git repository around the project are fine.
// In the home folder, all files are the user's own.
type projectFiles struct {
	dialect.Files
	root string
	// border is the folder that links must not leave, without links, or "".
	border func() string
}

func newProjectFiles(files dialect.Files, root, home string) projectFiles {
	return projectFiles{files, root, sync.OnceValue(func() string {
		if root == home {
			return ""
		}
		border := root
		for dir := range workspace.Ancestors(root) {
			if dir == home {
				break
			}
			if workspace.Exists(filepath.Join(dir, ".git")) {
				border = dir
				break
			}
		}
		border, err := filepath.EvalSymlinks(border)
		if err != nil {
			return "" // the files are not on the disk
		}
		return border
	})}
}

var errLinkOut = errors.New("a symbolic link leads out of the project; copy the file into the project")

// Read implements dialect.Files.
func (p projectFiles) Read(path string) ([]byte, error) {
	if workspace.IsBelow(p.root, path) {
		// A file that is not on the disk has no links.
		if target, err := filepath.EvalSymlinks(path); err == nil && p.border() != "" && !workspace.IsBelow(p.border(), target) {
			return nil, &fs.PathError{Op: "read", Path: path, Err: errLinkOut}
		}
	}
	return p.Files.Read(path)
}

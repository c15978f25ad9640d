package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// definitionsFolder has the descriptions of workflows, one for each version that has had runs.
const definitionsFolder = "definitions"

// KeepDefinition keeps the description of a version of a workflow, unless the folder has it.
// encode makes it.
func (f Folder) KeepDefinition(fingerprint string, encode func() ([]byte, error)) error {
	path := f.definitionFile(fingerprint)
	if _, err := os.Stat(path); err == nil || path == "" {
		return nil
	}
	text, err := encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return wholefile.Write(path, text, 0o600, false)
}

// Definition returns the description of a version of a workflow. The error is fs.ErrNotExist if
// the folder has none.
func (f Folder) Definition(fingerprint string) ([]byte, error) {
	path := f.definitionFile(fingerprint)
	if path == "" {
		return nil, fs.ErrNotExist
	}
	return wholefile.Source.Read(path)
}

// definitionFile returns the path of a description, or "" for a text that is no fingerprint.
func (f Folder) definitionFile(fingerprint string) string {
	if fingerprint == "" || strings.Trim(fingerprint, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return filepath.Join(f.Path, definitionsFolder, fingerprint+".json")
}

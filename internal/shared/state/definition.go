package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// definitionsFolder has the descriptions of workflows, one for each version that has had runs.
const definitionsFolder = "definitions"

// KeepDefinition keeps the description of a version of a workflow, unless the folder has it.
// encode makes it.
func (f Folder) KeepDefinition(fingerprint string, encode func() ([]byte, error)) error {
	path := f.definitionFile(fingerprint)
	if path == "" {
		return nil
	}
	now := time.Now()
	if os.Chtimes(path, now, now) == nil { // DropDefinitions leaves it for the run that begins
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

// DropDefinitions removes the descriptions that are not needed.
func (f Folder) DropDefinitions(unneeded func(fingerprint string) bool) error {
	entries, err := os.ReadDir(filepath.Join(f.Path, definitionsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		fingerprint := strings.TrimSuffix(e.Name(), ".json")
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > newDefinition && unneeded(fingerprint) {
			err = os.Remove(f.definitionFile(fingerprint))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// newDefinition is the age from which a description without a run is one that nobody needs: its
// run is created a moment after it.
const newDefinition = time.Hour

// definitionFile returns the path of a description, or "" for a text that is no fingerprint.
func (f Folder) definitionFile(fingerprint string) string {
	if fingerprint == "" || strings.Trim(fingerprint, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return filepath.Join(f.Path, definitionsFolder, fingerprint+".json")
}

package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// sessionsOf returns what steps of the workflow see in the place of a file or folder of an agent's
// conversations. Runs share it, because a prompt may continue the session of the last run.
func (r *Run) sessionsOf(path string) string {
	return filepath.Join(r.stateFolder(), "sessions", process.FileName(r.Info.Workflow), process.FileName(path))
}

// makeSessions makes what is missing: the sandbox shows only what is there, and only in the place of
// what is there.
func (r *Run) makeSessions(grant grants.Reach) error {
	for _, folder := range grant.Made {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	for _, path := range grant.Sessions {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		own := r.sessionsOf(path)
		if !info.IsDir() {
			var file *os.File
			if err = os.MkdirAll(filepath.Dir(own), 0o700); err == nil {
				if file, err = os.OpenFile(own, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
					err = file.Close()
				}
			}
		} else {
			err = os.MkdirAll(own, 0o700)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Outside returns where a path of the programs lies for wfc.
func (s *step) Outside(path string) string {
	for _, of := range s.run.grantPlace().Sessions() {
		if rest, err := filepath.Rel(of, path); err == nil && sandbox.Within(path, of) {
			return filepath.Join(s.run.sessionsOf(of), rest)
		}
	}
	return path
}

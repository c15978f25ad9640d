package process

import (
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Keep writes the standard output of a process that completed its action to the file at
// path, and returns the action's result. If it cannot, the action fails.
func Keep(what, path string, end *End, r flow.Result) flow.Result {
	if r.Status != flow.Completed || end == nil {
		return r
	}
	if err := replace(path, end.Stdout); err != nil {
		return failed("artifact", flow.ClassFatal, end.ExitCode, "%s: its output cannot be kept as a file: %v", what, err)
	}
	return r
}

// replace writes a file that is there whole or not at all.
func replace(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

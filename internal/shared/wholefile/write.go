package wholefile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the content of a file, whose folder exists. With durable, the file also
// survives a loss of power.
func Write(path string, content []byte, mode fs.FileMode, durable bool) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	switch {
	case err != nil:
		os.Remove(f.Name())
	case durable:
		err = SyncFolder(dir)
	}
	return err
}

// SyncFolder makes the names in a folder durable. Windows has no such thing.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// TrimBOM returns the text of a file without a byte order mark, which Windows programs write
// at the beginning and JSON does not allow.
func TrimBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

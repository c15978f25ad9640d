package wholefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Write replaces the content of a file, whose folder exists. With durable, the file also
// survives a loss of power.
func Write(path string, content []byte, mode fs.FileMode, durable bool) error {
	return Stream(path, mode, durable, writerOf(content))
}

// Stream is Write with what write writes. If write fails, the file stays as it is.
func Stream(path string, mode fs.FileMode, durable bool, write func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return streamIn(root, filepath.Base(path), mode, durable, write)
}

// WriteIn is Write for a file below a folder. It follows no link that leads out of that.
func WriteIn(root *os.Root, path string, content []byte, mode fs.FileMode, durable bool) error {
	return streamIn(root, path, mode, durable, writerOf(content))
}

func writerOf(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

func streamIn(root *os.Root, path string, mode fs.FileMode, durable bool, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	fresh := filepath.Join(dir, ".new-"+strconv.FormatUint(rand.Uint64(), 36))
	f, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(fresh, path)
	}
	switch {
	case err != nil:
		_ = root.Remove(fresh)
	case durable:
		err = syncFolder(root.Open, dir)
	}
	return err
}

// SyncFolder makes the names in a folder durable. Windows has no such thing.
func SyncFolder(dir string) error { return syncFolder(os.Open, dir) }

func syncFolder(open func(string) (*os.File, error), dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// TrimBOM returns the text of a file without a byte order mark, which Windows programs write
// at the beginning and JSON does not allow.
func TrimBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

package graphfiles

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// writeJSON replaces a file by the JSON of a value, for people.
func writeJSON(path string, v any, sync bool) error {
	var content bytes.Buffer
	enc := json.NewEncoder(&content)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return write(path, content.Bytes(), sync)
}

// write replaces a file's content. With sync it is on the disk for certain.
func write(path string, content []byte, sync bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if sync && err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err == nil && sync {
		err = syncFolder(filepath.Dir(path))
	}
	return err
}

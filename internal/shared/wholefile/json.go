package wholefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadJSON reads a JSON file that a program keeps for itself. A missing file leaves v as it is. what
// names the content in errors.
func ReadJSON(path, what string, v any) error {
	text, err := Source.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case json.Unmarshal(text, v) != nil:
		return fmt.Errorf("%s cannot be read; remove %s to continue without it", what, path)
	}
	return nil
}

// WriteJSON writes such a file, as a whole or not at all. It makes its folder.
func WriteJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return err
	}
	return Write(path, append(text, '\n'), 0o600, true)
}

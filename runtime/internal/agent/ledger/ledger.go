// Package ledger keeps facts in the run's folder, where a later process of the run also finds
// them: about an agent's session, which continuing it needs, and about the turns of steps whose
// replies come from a list, so that a run which was killed and resumed gets the same ones as a
// run which was not.
package ledger

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A Book has the records of sessions under a name.
type Book struct {
	// Dir is the run's folder.
	Dir string
	// Name identifies the book in its folder, such as "codex-tokens".
	Name string
}

func (b Book) sessionFile(session string) string {
	return filepath.Join(b.Dir, b.Name+"-"+process.FileName(session)+".json")
}

// Last reads the last record of a session into a variable, and reports whether there is
// one.
func (b Book) Last(session string, into any) bool {
	if b.Dir == "" || session == "" {
		return false
	}
	text, err := wholefile.Source.Read(b.sessionFile(session))
	return err == nil && json.Unmarshal(text, into) == nil
}

// Keep keeps a value of a session in place of the last one.
func (b Book) Keep(session string, value any) error {
	if b.Dir == "" || session == "" {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	err = os.WriteFile(b.sessionFile(session), text, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the folder is gone, and nobody will ask
	}
	return err
}

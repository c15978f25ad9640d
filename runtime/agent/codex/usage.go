package codex

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/process"
)

// usage counts tokens.
type usage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// since returns what was used after another count of the same session.
func (u usage) since(before usage) usage {
	return usage{max(0, u.Input-before.Input), max(0, u.Cached-before.Cached), max(0, u.Output-before.Output)}
}

// The program counts the tokens of a session, so what a turn used is known only
// when the count before it is. That is kept in the run's folder, where a later
// process of the run finds it too.

// countFile is where a session's count is kept.
func countFile(dir, session string) string {
	return filepath.Join(dir, "codex-tokens-"+process.FileName(session)+".json")
}

// lastCount returns the count of a session after its last turn in this run.
func lastCount(dir, session string) (u usage, known bool) {
	text, err := os.ReadFile(countFile(dir, session))
	if err != nil {
		return usage{}, false
	}
	return u, json.Unmarshal(text, &u) == nil
}

// keepCount keeps the count of a session.
func keepCount(dir, session string, u usage) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	err = os.WriteFile(countFile(dir, session), text, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the folder is gone, and with it those who would ask
	}
	return err
}

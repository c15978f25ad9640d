package codex

import "github.com/wfc-lang/wfc/runtime/internal/agent/ledger"

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

// book is where the counts of sessions are kept: the program counts the tokens of
// a session, so what a turn used is known only when the count before it is.
func book(dir string) ledger.Book { return ledger.Book{Dir: dir, Name: "codex-tokens"} }

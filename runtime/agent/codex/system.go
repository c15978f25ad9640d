package codex

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
)

// A session keeps the system prompt of its first turn, whatever a later one is
// started with. So a later turn that has another one gets it with its prompt.

// systems is where it is kept which system prompt a session had last.
func systems(dir string) ledger.Book { return ledger.Book{Dir: dir, Name: "codex-system"} }

// mark stands for a system prompt: the prompt itself may be long, or secret.
func mark(system string) string {
	sum := sha256.Sum256([]byte(system))
	return hex.EncodeToString(sum[:])
}

// preface returns what goes before the prompt of a turn: nothing, unless the
// session is known to have another system prompt.
func preface(r *agent.Request, system string) string {
	var last string
	if system == "" || r.Session == "" || r.FreshSession || !systems(r.Dir).Last(r.Session, &last) || last == mark(system) {
		return ""
	}
	return agent.SystemPrompt(system)
}

// keepSystem keeps the system prompt that the session has from now on. One that
// goes on without any keeps the one that it has.
func (t *turn) keepSystem() {
	continued := t.request.Session != "" && !t.request.FreshSession
	if continued && t.system == "" {
		return
	}
	if err := systems(t.request.Dir).Keep(t.meta.Session, mark(t.system)); err != nil {
		t.output.Warn("the system prompt of the session cannot be kept, so that of a later turn may have no effect: %v", err)
	}
}

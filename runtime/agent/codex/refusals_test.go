package codex_test

import (
	"encoding/json"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/refusals"
)

// Recorded refusals are quotas, outages or failures, with the reset that they name.
func TestRefusals(t *testing.T) {
	for _, r := range refusals.Of(t, "codex") {
		text, err := json.Marshal(map[string]any{"type": "turn.failed", "error": map[string]string{"message": r.Text}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = converse(t, prints(t, "1", begin, string(text))).ask()
		r.Check(t, err)
	}
}

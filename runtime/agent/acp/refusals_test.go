package acp_test

import (
	"encoding/json"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/refusals"
)

// Recorded refusals are quotas, outages or failures, with the reset that they name.
func TestRefusals(t *testing.T) {
	for _, r := range refusals.Of(t, "gemini", "copilot", "opencode") {
		answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 3, "error": map[string]any{"code": r.Code, "message": r.Text, "data": r.Data}})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, fakeagent.Behaviour{Text: "x"})
		w.request.Text = "!send " + string(answer) + "\n!wait"
		_, err = w.turn()
		r.Check(t, err)
	}
}

package anthropic_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/anthropic"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/refusals"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Recorded refusals are quotas, outages or failures, with the reset that they name.
func TestRefusals(t *testing.T) {
	for _, r := range refusals.Of(t, "anthropic") {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for name, value := range r.Headers {
				w.Header().Set(name, value)
			}
			w.WriteHeader(r.Status)
			_, _ = w.Write(r.Body)
		}))
		a, err := anthropic.Kind().Open(settings.Agent{BaseURL: s.URL, Model: "claude-opus-5-5"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Turn(t.Context(), &agent.Request{
			Prompt: flow.Prompt{Agent: "bot", Text: "x"}, Environ: []string{"ANTHROPIC_API_KEY=k"}, RunDir: t.TempDir(), WorkDir: t.TempDir(),
		})
		s.Close()
		r.Check(t, err)
	}
}

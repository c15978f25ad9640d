package google_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/refusals"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Recorded refusals are quotas, outages or failures, with the reset that they name.
func TestRefusals(t *testing.T) {
	for _, r := range refusals.Of(t, "google") {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for name, value := range r.Headers {
				w.Header().Set(name, value)
			}
			w.WriteHeader(r.Status)
			_, _ = w.Write(r.Body)
		}))
		_, err := newStage(t, settings.Agent{BaseURL: s.URL}).turn(t.Context(), flow.Prompt{Text: "x"})
		s.Close()
		r.Check(t, err)
	}
}

package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// TestAlive has a server send comments, which SDKs pass over, each when the one
// before has been noted as a sign of life.
func TestAlive(t *testing.T) {
	const comments = 3
	noted := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range comments {
			_, _ = io.WriteString(w, ": still here\n\n")
			_ = http.NewResponseController(w).Flush()
			// The head and the first comment may come as one or as two.
			select {
			case <-noted:
			case <-r.Context().Done():
				return
			}
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	signs := 0
	s := &service{answer: func(ctx context.Context, c *api.Call) (*api.Completion, error) {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			return nil, err
		}
		response, err := api.Client().Do(q)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if _, err := io.ReadAll(response.Body); err != nil {
			return nil, err
		}
		return &api.Completion{Text: "done"}, nil
	}}
	r := request(t)
	r.Output = func(piece []byte) {
		if len(piece) > 0 {
			t.Errorf("said %q", piece)
		}
		signs++
		noted <- struct{}{}
	}
	if _, err := open(t, s, true, settings.Agent{}).Turn(ctx, r); err != nil || signs < comments {
		t.Errorf("%d signs of life, %v", signs, err)
	}
}

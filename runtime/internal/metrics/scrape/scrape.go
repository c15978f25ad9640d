// Package scrape answers scrapes of Prometheus with the text of package metrics. It is a package
// of its own because it links a web server.
//
//	figures := metrics.New(metrics.Source{Store: runs, Runs: engine.ListRuns})
//	mux.Handle("GET /metrics", scrape.Handler(figures.Text))
package scrape

import (
	"context"
	"net/http"

	"github.com/wfc-lang/wfc/runtime/internal/metrics"
)

// Handler returns the handler of scrapes. text is metrics.Figures.Text.
func Handler(text func(ctx context.Context) (string, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := text(r.Context())
		if err != nil {
			http.Error(w, "the runs cannot be read", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", metrics.ContentType)
		_, _ = w.Write([]byte(page))
	})
}

package openai_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/openai"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The requests that the SDK repeats count as outages, so eight turns side by side ask a dead
// service little more than once each, not five times.
func TestRepeatedRequestsCountAsOutages(t *testing.T) {
	var asked atomic.Int32
	first := make(chan struct{}) // all turns have asked
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 8 {
			close(first)
		}
		<-first
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(s.Close)
	bot, err := openai.Kind().Open(settings.Agent{Name: "bot", Kind: "openai", Model: "m", BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": bot}, Default: "bot",
		Environ: func(string, []string) (given, withheld []string) { return []string{"OPENAI_API_KEY=k"}, nil },
	})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			r := p.Perform(t.Context(), &engine.Attempt{
				Info: &flow.RunInfo{ID: "w-abc123"}, Action: flow.Action{Key: fmt.Sprint("n", i), Payload: flow.Prompt{Text: "x"}, Timeout: 3 * time.Second}, Number: 1,
				Log: slog.New(slog.DiscardHandler), Output: func(string, []byte) {},
			})
			if r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient {
				t.Errorf("%+v %+v", r, r.Failure)
			}
		})
	}
	wait.Wait()
	if n := asked.Load(); n > 10 {
		t.Errorf("the service was asked %d times", n)
	}
}

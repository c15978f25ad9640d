package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store/memory"

	"example.com/service/triage"
)

// openPaused opens the service, which keeps its runs in memory, and starts a run, which waits for a
// person. call sends a request of ann's.
func openPaused(t *testing.T, options ...embedding.Options) (e *local.Engine, id string, call func(method, path, body string) (int, string)) {
	t.Setenv("ANN_PASSWORD", "secret")
	e, err := triage.Open(t.Context(), append(options, embedding.Options{
		Dir: t.TempDir(), OpenStore: memory.OpenState, Defaults: settings.Project{State: t.TempDir()},
		AgentFuncs: map[string]embedding.AgentFunc{"": ask},
	})...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	call = func(method, path, body string) (int, string) {
		r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
		r.SetBasicAuth("ann", "secret")
		service{e}.handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	_, text := call("POST", "/runs", `{"arguments": "It crashes"}`)
	id = strings.Split(text, `"`)[3] // {"run_id":"…"}
	if s, err := e.Wait(t.Context(), id); err != nil || s.Status != flow.Paused {
		t.Fatalf("%+v, %v", s, err)
	}
	return e, id, call
}

func TestService(t *testing.T) {
	e, id, call := openPaused(t)
	if _, text := call("GET", "/waiting", ""); !strings.Contains(text, "Label it bug?") {
		t.Error(text)
	}
	if code, text := call("POST", "/runs/"+id+"/answer?question=agree%231&choice=approve", ""); code != http.StatusOK {
		t.Fatal(text)
	}
	if s, err := e.Wait(t.Context(), id); err != nil || s.Status != flow.Completed {
		t.Errorf("%+v, %v", s, err)
	}
	if code, _ := call("GET", "/runs/unknown", ""); code != http.StatusNotFound {
		t.Error(code)
	}
}

// An answer to a run of another version of the workflow is recorded, but the run waits.
func TestAnswerAfterChange(t *testing.T) {
	changed := triage.Workflow
	changed.Fingerprint = "another"
	_, id, call := openPaused(t, embedding.Options{Workflows: []*flow.Definition{&changed}})
	for _, want := range []int{http.StatusAccepted, http.StatusConflict} {
		if code, text := call("POST", "/runs/"+id+"/answer?question=agree%231&choice=approve", ""); code != want {
			t.Errorf("%d, want %d: %s", code, want, text)
		}
	}
}

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store/memory"

	"example.com/service/triage"
)

func TestService(t *testing.T) {
	t.Setenv("ANN_PASSWORD", "secret")
	e, err := triage.Open(t.Context(), embedding.Options{
		Dir: t.TempDir(), OpenStore: memory.OpenState, Defaults: settings.Project{State: t.TempDir()},
		AgentFuncs: map[string]embedding.AgentFunc{"": ask},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Shutdown(context.Background())
	call := func(method, path, body string) (int, string) {
		r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
		r.SetBasicAuth("ann", "secret")
		service{e}.handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	_, text := call("POST", "/runs", `{"arguments": "It crashes"}`)
	id := strings.Split(text, `"`)[3] // {"run_id":"…"}
	if s, err := e.Wait(t.Context(), id); err != nil || s.Status != flow.Paused {
		t.Fatalf("%+v, %v", s, err)
	}
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

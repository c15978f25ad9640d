package stamp

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stamps")
	t.Setenv(File, file)
	t.Setenv(Note, "a note")
	var out bytes.Buffer
	err := Serve(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"stamp","arguments":{"text":"hello"}}}
`), &out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"protocolVersion":"2025-06-18"`) || !strings.Contains(lines[1], `"id":"two"`) || !strings.Contains(lines[1], "stamped hello|a note") {
		t.Errorf("the answers are %q", lines)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "hello|a note\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestHandler(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stamps")
	for _, test := range []struct {
		method, body string
		status       int
		want         string
	}{
		{http.MethodGet, "", http.StatusMethodNotAllowed, ""},
		{http.MethodPost, "{", http.StatusBadRequest, ""},
		{http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusAccepted, ""},
		{http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, http.StatusOK, `"name":"stamp"`},
		{http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"text":"x"}}}`, http.StatusOK, "stamped x|a note"},
	} {
		r := httptest.NewRequest(test.method, "/", strings.NewReader(test.body))
		r.Header.Set(NoteHeader, "a note")
		w := httptest.NewRecorder()
		Handler(file).ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %d %s", test.method, test.body, w.Code, w.Body)
		}
	}
}

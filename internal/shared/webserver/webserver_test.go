package webserver_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/webserver"
)

// Of several programs, the first one answers that knows the address; each gets the whole request.
func TestProxy(t *testing.T) {
	start := func(name, knows string) string {
		socket := filepath.Join(t.TempDir(), name)
		listener, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if string(body) != knows {
				http.Error(w, "not mine", http.StatusNotFound)
				return
			}
			fmt.Fprintf(w, "%s has %s at %s", name, body, r.URL.Path)
		})}
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(func() { server.Close() })
		return socket
	}
	a, b := start("a", "run-a"), start("b", "run-b")
	for _, c := range []struct {
		sockets    []string
		body, want string
	}{
		{[]string{a, b}, "run-a", "200 a has run-a at /hook"},
		{[]string{a, b}, "run-b", "200 b has run-b at /hook"},
		{[]string{a, b}, "run-c", "404 not mine"},
		{[]string{a}, "run-c", "404 not mine"},
		{[]string{a, b}, strings.Repeat("x", 3<<20), "413 the body is too large, or did not arrive"},
		{[]string{a + "-gone"}, "run-a", "503 the workflow does not answer; send it again"},
		{[]string{a + "-gone", b}, "run-b", "503 the workflow does not answer; send it again"},
	} {
		w := httptest.NewRecorder()
		webserver.Proxy(c.sockets...).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://example.com/hook", strings.NewReader(c.body)))
		if got := fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String())); got != c.want {
			t.Errorf("%.10s of %d programs: %s, want %s", c.body, len(c.sockets), got, c.want)
		}
	}
}

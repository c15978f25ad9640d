package preview

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// watched is a server whose picture is the content of a file and of a file beside it.
type watched struct {
	*Server
	t            *testing.T
	file, beside string
	draws        int
	clock        time.Time
	events       *bufio.Reader
	address      string
}

func watch(t *testing.T) *watched {
	dir := t.TempDir()
	w := &watched{t: t, file: filepath.Join(dir, "flow.yaml"), beside: filepath.Join(dir, "command.md"), clock: time.Unix(1000, 0)}
	w.write(w.file, "one")
	w.Server = New(func() (Picture, []string) {
		w.draws++
		content, err := os.ReadFile(w.file)
		beside, _ := os.ReadFile(w.beside)
		p := Picture{Title: "flow.yaml", SVG: "<svg>" + string(content) + string(beside) + "</svg>"}
		if err != nil || strings.HasPrefix(string(content), "bad") {
			p = Picture{Title: "flow.yaml", Report: "flow.yaml:1:1: " + string(content)}
		}
		return p, []string{w.file, w.beside}
	})
	ctx, cancel := context.WithCancel(t.Context())
	l, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- w.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	w.address = "http://" + l.Addr().String()
	resp := w.get("/events", "")
	t.Cleanup(func() { resp.Body.Close() })
	w.events = bufio.NewReader(resp.Body)
	return w
}

func (w *watched) get(path, host string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.address+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

// write writes a file at a time of its own.
func (w *watched) write(path, content string) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.clock = w.clock.Add(time.Second)
	if err := os.Chtimes(path, w.clock, w.clock); err != nil {
		w.t.Fatal(err)
	}
}

// looks looks at the files as often as ticks would make it.
func (w *watched) looks(n int) {
	for range n {
		w.redrawIfChanged()
	}
}

// next is the next picture that the page gets.
func (w *watched) next() (p Picture) {
	w.t.Helper()
	for {
		line, err := w.events.ReadString('\n')
		if err != nil {
			w.t.Fatal(err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(data), &p); err != nil {
				w.t.Fatal(err)
			}
			return p
		}
	}
}

func (w *watched) want(want Picture) {
	w.t.Helper()
	want.Title = "flow.yaml"
	if got := w.next(); got != want {
		w.t.Errorf("got %+v, want %+v", got, want)
	}
}

// The page shows the first picture, then those of changed files. The last good picture stays
// while the file has errors.
func TestChanges(t *testing.T) {
	w := watch(t)
	w.want(Picture{SVG: "<svg>one</svg>"})
	w.write(w.file, "two")
	w.looks(2)
	w.want(Picture{SVG: "<svg>two</svg>"})
	w.write(w.file, "bad")
	w.looks(2)
	w.want(Picture{SVG: "<svg>two</svg>", Report: "flow.yaml:1:1: bad", Stale: true})
	if err := os.Remove(w.file); err != nil {
		t.Fatal(err)
	}
	w.looks(2)
	w.want(Picture{SVG: "<svg>two</svg>", Report: "flow.yaml:1:1: ", Stale: true})
	w.write(w.file, "three")
	w.write(w.beside, " and a file that was not there")
	w.looks(2)
	w.want(Picture{SVG: "<svg>three and a file that was not there</svg>"})
}

// A file that changes at every tick is drawn once, when it rests.
func TestRest(t *testing.T) {
	w := watch(t)
	w.want(Picture{SVG: "<svg>one</svg>"})
	for _, content := range []string{"a", "ab", "abc"} {
		w.write(w.file, content)
		w.looks(1)
	}
	w.looks(3)
	w.want(Picture{SVG: "<svg>abc</svg>"})
	if w.draws != 2 {
		t.Errorf("drawn %d times, want 2", w.draws)
	}
}

// Follow looks at each tick, and ends with its context.
func TestFollow(t *testing.T) {
	w := watch(t)
	w.want(Picture{SVG: "<svg>one</svg>"})
	w.write(w.file, "two")
	ctx, cancel := context.WithCancel(t.Context())
	ticks, ended := make(chan time.Time), make(chan bool)
	go func() { w.Follow(ctx, ticks); close(ended) }()
	ticks <- time.Time{}
	ticks <- time.Time{}
	w.want(Picture{SVG: "<svg>two</svg>"})
	cancel()
	<-ended
}

// The page loads nothing from elsewhere, and answers no request that another site has made.
func TestPage(t *testing.T) {
	w := watch(t)
	for path, want := range map[string]string{"/": `<script src="page.js">`, "/page.js": "new EventSource"} {
		resp := w.get(path, "")
		content, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s: %v\n%s", path, err, content)
		}
		if strings.Contains(string(content), "://") {
			t.Errorf("%s names an address:\n%s", path, content)
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	for path, c := range map[string]struct {
		host string
		code int
	}{"/": {"evil.example", 403}, "/events": {"evil.example:80", 403}, "/other": {"", 404}} {
		resp := w.get(path, c.host)
		resp.Body.Close()
		if resp.StatusCode != c.code {
			t.Errorf("%s for host %q: %d, want %d", path, c.host, resp.StatusCode, c.code)
		}
	}
}

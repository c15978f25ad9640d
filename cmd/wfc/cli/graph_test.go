package cli

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

	"github.com/wfc-lang/wfc/cmd/wfc/preview"
)

// TestGraphWatch serves a workflow, changes its command file, breaks it and mends it.
func TestGraphWatch(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	clock := time.Unix(1000, 0)
	write := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		clock = clock.Add(time.Second)
		if err := os.Chtimes(path, clock, clock); err != nil {
			t.Fatal(err)
		}
	}
	const flow = "name: flow\ndescription: d\nnodes:\n  - id: first\n    command: ask\n"
	write(".archon/commands/ask.md", "Ask.")
	write(".archon/workflows/flow.yaml", flow)

	ctx, cancel := context.WithCancel(t.Context())
	read, out := io.Pipe()
	g := graphFlags{app: &app{screen: screen{Streams: Streams{Out: out, Err: io.Discard}}, projects: newProjects(nil)}}
	ticks, ended := make(chan time.Time), make(chan error, 1)
	go func() { ended <- g.serveAndWatch(ctx, ".archon/workflows/flow.yaml", ticks) }()
	lines := bufio.NewReader(read)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	file, address, ok := strings.Cut(strings.TrimSpace(line), ": ")
	if !ok || file != ".archon/workflows/flow.yaml" || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("first line %q", line)
	}
	go io.Copy(io.Discard, lines)
	resp, err := http.Get(address + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	next := func() (p preview.Picture) {
		t.Helper()
		for {
			line, err := events.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if err := json.Unmarshal([]byte(data), &p); err != nil {
					t.Fatal(err)
				}
				return p
			}
		}
	}
	step := func() preview.Picture {
		t.Helper()
		ticks <- time.Time{}
		ticks <- time.Time{}
		return next()
	}
	if p := next(); p.Title != "flow" || p.Report != "" || !strings.Contains(p.SVG, `data-node="first"`) {
		t.Errorf("first picture: %+v", p)
	}
	write(".archon/workflows/flow.yaml", flow+"  - id: second\n    bash: echo\n    depends_on: [first]\n")
	if p := step(); p.Stale || !strings.Contains(p.SVG, `data-node="second"`) {
		t.Errorf("a second node: %+v", p)
	}
	write(".archon/workflows/flow.yaml", flow+"  - id: third\n    bash: echo\n    depends_on: [fist]\n")
	if p := step(); !p.Stale || !strings.Contains(p.SVG, `data-node="second"`) || !strings.Contains(p.Report, ".archon/workflows/flow.yaml:8:18") {
		t.Errorf("an unknown dependency: %+v", p)
	}
	write(".archon/workflows/flow.yaml", flow)
	if p := step(); p.Stale || p.Report != "" {
		t.Errorf("mended: %+v", p)
	}
	if err := os.Remove(".archon/commands/ask.md"); err != nil {
		t.Fatal(err)
	}
	if p := step(); p.Stale || !strings.Contains(p.Report, "flow.yaml:5:14") {
		t.Errorf("without its command file: %+v", p)
	}
	write(".archon/commands/ask.md", "Ask.")
	if p := step(); p.Report != "" {
		t.Errorf("with its command file again: %+v", p)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A file that is not there is an error at once, not a page.
func TestGraphWatchWithoutFile(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	g := graphFlags{app: &app{screen: screen{Streams: Streams{Out: &out, Err: io.Discard}}, projects: newProjects(nil)}}
	if err := g.serveAndWatch(t.Context(), "flow.yaml", nil); err == nil || out.Len() > 0 {
		t.Errorf("%v, output %q", err, out.String())
	}
}

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/preview"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/testkit/pictures"
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
	g := graphFlags{app: &app{Streams: Streams{Out: out, Err: io.Discard}, projects: newProjects()}}
	ticks, ended := make(chan time.Time), make(chan error, 1)
	go func() { ended <- g.follow(ctx, ".archon/workflows/flow.yaml", ticks) }()
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
	g := graphFlags{app: &app{Streams: Streams{Out: &out, Err: io.Discard}, projects: newProjects()}}
	if err := g.follow(t.Context(), "flow.yaml", nil); err == nil || out.Len() > 0 {
		t.Errorf("%v, output %q", err, out.String())
	}
}

// TestGraphsOfWorkflows checks the pictures of the examples, of the workflows that the code
// generator is tested with, and of real workflows beside the repository: nothing overlaps,
// no edge runs through a foreign node, and everything is inside.
func TestGraphsOfWorkflows(t *testing.T) {
	root := filepath.Join("..", "..")
	drawn, most := 0, 0
	look := func(name string, r *compiler.Result) {
		if r.Workflow == nil || r.HasErrors() {
			return
		}
		var svg strings.Builder
		if err := drawWorkflow(&svg, "svg", r.Workflow.Workflow); err != nil {
			t.Fatal(err)
		}
		for _, fault := range pictures.Faults(svg.String()) {
			t.Errorf("%s: %s", name, fault)
		}
		nodes := strings.Count(svg.String(), "data-node=")
		if want := countNodes(r.Workflow.Workflow.Body); nodes < want {
			t.Errorf("%s: the picture has %d nodes, want %d or more", name, nodes, want)
		}
		drawn, most = drawn+1, max(most, nodes)
	}
	for _, dir := range []string{filepath.Join(root, "examples"), filepath.Join(root, "..", "shared", "corpus"), filepath.Join(root, "..", "shared", "agents-lab")} {
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || ext != ".yaml" && ext != ".yml" {
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			look(path, compiler.Compile(source.NewFile(path, content), compiler.Options{Root: dir}))
			return nil
		})
	}
	fixtures, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*.txtar"))
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range fixtures {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := testkit.ParseFixture(content)
		for _, name := range f.Workflows() {
			look(path+" "+name, f.Compile(name, f.Fixed(t, name)))
		}
	}
	t.Logf("%d pictures, the largest with %d nodes", drawn, most)
	if drawn < 50 {
		t.Errorf("only %d pictures", drawn)
	}
}

// countNodes is the number of nodes of a body, without those inside them.
func countNodes(body ir.Body) int {
	n := 0
	for range body.All() {
		n++
	}
	return n
}

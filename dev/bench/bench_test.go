//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/testkit/large"
	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func compileText(t *testing.T, text string) *compiler.Result {
	t.Helper()
	dir := t.TempDir()
	r := compiler.Compile(source.NewFile("x.yaml", []byte(text)), compiler.Options{Path: filepath.Join(dir, "x.yaml"), Root: dir})
	for _, d := range r.Diagnostics {
		t.Errorf("%s at %v", d.Message, d.Span.Position())
	}
	return r
}

// The samples are clean, so that what is measured is checking and not
// reporting, and as long as the budget says.
func TestSamplesAreClean(t *testing.T) {
	seen := map[string]bool{}
	for i := range 10 {
		text := sampleWorkflow(i)
		if lines := strings.Count(text, "\n"); lines < 90 || lines > 110 {
			t.Errorf("sample %d has %d lines", i, lines)
		}
		if seen[text] {
			t.Errorf("sample %d is another one again", i)
		}
		seen[text] = true
		compileText(t, text)
	}
}

// The tested workflows are clean.
func TestTestedWorkflowIsClean(t *testing.T) { compileText(t, testedWorkflow("flow0")) }

// The document of the language server is clean, and as long as the budget says.
func TestLargeDocumentIsClean(t *testing.T) {
	text := large.Prompts(documentLines)
	if lines := strings.Count(text, "\n"); lines < documentLines || lines > documentLines+20 {
		t.Errorf("the document has %d lines", lines)
	}
	compileText(t, text)
}

// The contenders run the same graph: as many nodes, with the same edges.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape
		nodes, edges int
	}{{single(), 1, 0}, {chain(100), 100, 99}, {sideBySide(100), 102, 200}, {layers(1000, 100), 1000, 2700}} {
		r := compileText(t, c.workflow())
		nodes := r.Workflow.Workflow.Body.(*ir.DAG).Nodes
		edges := 0
		for _, n := range nodes {
			edges += len(n.Needs)
		}
		if len(nodes) != c.nodes || edges != c.edges {
			t.Errorf("%s: the workflow has %d nodes and %d edges, want %d and %d", c.name, len(nodes), edges, c.nodes, c.edges)
		}
		if n := strings.Count(c.script(), "bash -c true\n"); n != c.nodes {
			t.Errorf("%s: the script runs %d nodes, want %d", c.name, n, c.nodes)
		}
		makefile := c.makefile()
		if n := strings.Count(makefile, "@bash -c true\n"); n != c.nodes {
			t.Errorf("%s: the makefile runs %d nodes, want %d", c.name, n, c.nodes)
		}
		edges = 0
		for line := range strings.Lines(makefile) {
			if target, needs, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(target, "n") {
				edges += len(strings.Fields(needs))
			}
		}
		if edges != c.edges {
			t.Errorf("%s: the makefile has %d edges, want %d", c.name, edges, c.edges)
		}
	}
}

func TestSeries(t *testing.T) {
	s := series{{wall: 30 * time.Millisecond, peak: 3e6}, {wall: 10 * time.Millisecond, peak: 1e6}, {wall: 150 * time.Millisecond, peak: 2e6}}
	if s.String() != "30.0 (10.0) ms" || s.median() != 30*time.Millisecond || s.least() != 10*time.Millisecond || megabytes(s.peak()) != "2.0 MB" {
		t.Errorf("%s, %v, %v, %s", s, s.median(), s.least(), megabytes(s.peak()))
	}
	if s[0].wall != 30*time.Millisecond {
		t.Error("looking at the series changed its order")
	}
	if got := milliseconds(1234567 * time.Microsecond); got != "1235" {
		t.Errorf("a long time is %s", got)
	}
}

func TestTable(t *testing.T) {
	var tab table
	tab.add(row{what: "chain – long", must: "1 ms", measured: "2 ms"})
	var b strings.Builder
	tab.write(&b)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "| chain – long | 1 ms |") || !strings.HasPrefix(lines[0], "| what         | must |") || strings.Trim(lines[1], "|-") != "" {
		t.Errorf("the table is\n%s", b.String())
	}
}

// take measures every process once a round, without the first, and says which
// one failed.
func TestTake(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	b := launching(t)
	b.rounds = 2
	dir := t.TempDir()
	p := process{name: bash, args: []string{"-c", "echo $NAME >> took"}, dir: dir, env: []string{"NAME=a"}}
	q := p
	q.env = []string{"NAME=b"}
	all, err := b.take(p, q)
	if err != nil || len(all) != 2 || len(all[0]) != 2 || all[1].median() <= 0 || all[1].peak() <= 0 {
		t.Fatalf("%v, %v", all, err)
	}
	out, err := exec.Command(bash, "-c", "tr -d '\\n' < "+filepath.Join(dir, "took")).Output()
	if err != nil || string(out) != "ababab" {
		t.Errorf("the order is %s, %v", out, err)
	}
	_, err = b.take(process{name: bash, args: []string{"-c", "echo why >&2; exit 3"}})
	if err == nil || !strings.Contains(err.Error(), "why") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("the error is %v", err)
	}
}

// launching returns a bench that can start processes.
func launching(t *testing.T) bench {
	t.Helper()
	testkit.SkipBuild(t)
	launcher, err := (&bench{dir: t.TempDir()}).compiled("dev/bench/launcher")
	if err != nil {
		t.Fatal(err)
	}
	return bench{launcher: launcher, rounds: 1}
}

// The memory of a process is its own: neither that of this process, which is larger, nor
// less than the process has used.
func TestMemoryIsTheProcesssOwn(t *testing.T) {
	b := launching(t)
	ballast := make([]byte, 100<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	small, err := b.measure(process{name: "bash", args: []string{"-c", "true"}})
	if err != nil {
		t.Fatal(err)
	}
	large, err := b.measure(process{name: "bash", args: []string{"-c", "printf -v x '%40000000s'"}})
	if err != nil {
		t.Fatal(err)
	}
	if small.peak <= 0 || small.peak > 12e6 || large.peak < 40e6 || large.peak > 95e6 {
		t.Errorf("bash has %s, and with a string of 40 MB %s", megabytes(small.peak), megabytes(large.peak))
	}
	if small.wall <= 0 || small.cpu <= 0 || large.cpu < small.cpu {
		t.Errorf("%+v, %+v", small, large)
	}
	runtime.KeepAlive(ballast)
}

func TestBeside(t *testing.T) {
	ours := series{{wall: 30 * time.Millisecond}, {wall: 90 * time.Millisecond}, {wall: 26 * time.Millisecond}}
	other := series{{wall: 20 * time.Millisecond}, {wall: 60 * time.Millisecond}, {wall: 20 * time.Millisecond}}
	if got := ours.ratio(other); got != 1.5 {
		t.Errorf("the ratio is %v", got)
	}
	if got := ours.above(other); got != "10.0 (6.0) ms" {
		t.Errorf("the difference is %s", got)
	}
}

// Other engines get the same graph, and one that is missing gets a row.
func TestPeers(t *testing.T) {
	s := layers(20, 10)
	if text := s.taskfile(); strings.Count(text, "bash -c true") != 20 || !strings.Contains(text, "  n12:\n    deps: [n2, n3, n4]\n") {
		t.Errorf("%s", text)
	}
	if text := s.dagu(); strings.Count(text, "bash -c true") != 20 || !strings.Contains(text, "name: n12\n    command: bash -c true\n    depends: [n2, n3, n4]\n") {
		t.Errorf("%s", text)
	}
	t.Setenv("PATH", t.TempDir())
	if got := missing("dagu"); got != "skipped: dagu is not on PATH" {
		t.Errorf("%q", got)
	}
}

// The results name the machine and have the table.
func TestKeep(t *testing.T) {
	b := bench{table: table{{what: "chain", measured: "2 ms"}}}
	path := filepath.Join(t.TempDir(), "RESULTS.md")
	if err := b.keep(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# Results") || !strings.Contains(string(text), runtime.GOOS+"/"+runtime.GOARCH) || !strings.Contains(string(text), "| chain ") {
		t.Errorf("%s, %v", text, err)
	}
}

// The steps in layers are as wide as they say, and all of them are kept: 1,000 on
// disk, 100 at once, also for the race detector.
func TestIdleLayers(t *testing.T) {
	def := idle(1000, 100)
	layers := draw.Layers(def.Nodes)
	if len(layers) != 10 {
		t.Errorf("there are %d layers", len(layers))
	}
	for _, layer := range layers {
		if len(layer) != 100 {
			t.Errorf("a layer has %d steps", len(layer))
		}
	}
	if last := def.Nodes[999]; len(last.After) != 3 || last.After[0] != "n899" {
		t.Errorf("%+v", last)
	}
	b := bench{dir: t.TempDir()}
	e, closeStore, err := b.engine()
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	r, err := e.Run(t.Context(), def, nil, local.Options{WorkDir: b.dir})
	if err != nil || r.Status != flow.Completed {
		t.Fatalf("%+v, %v", r, err)
	}
	status, err := e.Status(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range status.Steps {
		if s.Key != def.Nodes[i].Key || s.Status != flow.Completed || s.Text != "done" {
			t.Fatalf("step %d is %+v", i, s)
		}
	}
}

// The steps' workflows complete and are measured.
func TestSteps(t *testing.T) {
	b := bench{rounds: 1, dir: t.TempDir()}
	if testing.Short() {
		t.Skip("10,000 durable steps take a second")
	}
	if err := b.steps(); err != nil || len(b.table) != 2 || !strings.Contains(b.table[0].measured, "/s (best ") || !strings.HasSuffix(b.table[1].what, "1,000, 100 wide") {
		t.Errorf("%v, %v", b.table, err)
	}
}

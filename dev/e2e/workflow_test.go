//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/dev/e2e/runner"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// check returns what `wfc check` prints about the nodes of a workflow, and its
// exit code.
func check(t *testing.T, text string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main([]string{"check", "-"}, cli.Streams{In: strings.NewReader(text), Out: &stdout, Err: &stderr})
	if said := strings.TrimPrefix(stderr.String(), "1 workflow, no findings\n"); said != "" {
		t.Errorf("wfc check: %s", said)
	}
	return stdout.String(), code
}

// finds wants `wfc check` to say all of this, and to end with the code.
func finds(t *testing.T, text string, code int, want ...string) {
	t.Helper()
	out, got := check(t, text)
	if got != code {
		t.Errorf("wfc check ended with %d, want %d: %s", got, code, out)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("wfc check does not say %q:\n%s", w, out)
		}
	}
	if len(want) == 0 && out != "" {
		t.Errorf("wfc check says:\n%s", out)
	}
}

// workflow is the text of a workflow with these nodes.
func workflow(nodes string) string {
	return "name: w\ndescription: A workflow of a test.\nnodes:\n" + nodes
}

// A suite are workflows that are built into one program.
type suite struct {
	batch  *devkit.Batch
	ids    map[string]string // of workflows, by their text
	binary string
}

func newSuite(t *testing.T) *suite {
	return &suite{batch: devkit.NewBatch(t), ids: map[string]string{}}
}

// add compiles a workflow. Files are those that it names.
func (s *suite) add(t *testing.T, text string, files testkit.Memory) {
	t.Helper()
	if files == nil {
		files = testkit.Memory{}
	}
	r := compiler.Compile(source.NewFile("w.yaml", []byte(text)), compiler.Options{Path: "/project/w.yaml", Root: "/project", Files: files})
	if r.HasErrors() {
		t.Fatalf("%s\n%s", text, describe(r.Diagnostics))
	}
	s.ids[text] = s.batch.Add(t, r.Workflow)
}

// build builds what was added.
func (s *suite) build(t *testing.T) { s.binary = s.batch.Build(t, "dev/e2e/runner") }

// A site is where one of the workflows runs.
type site struct {
	t *testing.T
	*program.Place
	// agents say what is behind claude, for workflows that prompt.
	agents         []string
	stdout, stderr string // of the last command
}

// site returns a new one. Its claude gives the replies; workflows without
// prompts have none.
func (s *suite) site(t *testing.T, text string, replies map[string]any) *site {
	t.Helper()
	id := s.ids[text]
	if id == "" {
		t.Fatalf("the workflow was not built:\n%s", text)
	}
	p := &site{t: t, Place: program.NewPlace(t, s.binary)}
	p.Environ = []string{runner.Variable + "=" + id}
	if replies == nil {
		return p
	}
	file := filepath.Join(p.State, "replies.json")
	content, err := json.Marshal(replies)
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.agents = []string{"--agent", "claude=scripted:" + file}
	return p
}

// echoes are replies that only say what was asked.
func echoes() map[string]any { return map[string]any{} }

// run runs the workflow.
func (p *site) run(code int, args ...string) *result {
	p.t.Helper()
	return p.json(code, slices.Concat([]string{"run"}, p.agents, args)...)
}

// json calls the program, and returns its document.
func (p *site) json(code int, args ...string) *result {
	p.t.Helper()
	p.call(code, append(args, "--json")...)
	r := &result{}
	if err := json.Unmarshal([]byte(p.stdout), r); err != nil {
		p.t.Fatalf("%v: %v: %.300q", args, err, p.stdout)
	}
	return r
}

// call calls the program, and wants it to end with the code.
func (p *site) call(code int, args ...string) {
	p.t.Helper()
	out, errs, got, err := p.Run(p.t.Context(), nil, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	if got != code {
		p.t.Fatalf("%v ended with %d, want %d: %s%s", args, got, code, errs, out)
	}
	p.stdout, p.stderr = string(out), errs
}

// file writes a file into the working folder.
func (p *site) file(name, content string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.Work, name), []byte(content), 0o700); err != nil {
		p.t.Fatal(err)
	}
}

// content returns the content of a file of the working folder, or "".
func (p *site) content(name string) string {
	text, _ := os.ReadFile(filepath.Join(p.Work, name))
	return string(text)
}

// node returns how a node ended: its status, its output, and its failure.
func (r *result) node(id string) (status, output, failure string) {
	for _, n := range r.Nodes {
		if n.ID == id {
			if n.Error != nil {
				failure = n.Error.Message
			}
			return n.Status, n.Output, failure
		}
	}
	return "", "", ""
}

// want wants a node to have completed with an output.
func (p *site) want(r *result, id, output string) {
	p.t.Helper()
	if status, got, failure := r.node(id); status != "completed" || got != output {
		p.t.Errorf("`%s` is %s with %q, want %q: %s", id, status, got, output, failure)
	}
}

// fails wants a node to have failed with a message that holds all of this.
func (p *site) fails(r *result, id string, parts ...string) {
	p.t.Helper()
	status, _, failure := r.node(id)
	for _, part := range parts {
		if status != "failed" || !strings.Contains(failure, part) {
			p.t.Errorf("`%s` is %s: %q, want %q in it", id, status, failure, part)
		}
	}
}

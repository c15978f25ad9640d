//go:build unix

// Package constructs runs a small workflow for each construct of today's Archon on both
// engines: in a real binary on the local engine, and as a test of `wfc test` on the
// simulated one. One set of expectations holds for both.
package constructs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/dev/e2e/runner"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// usualVersion is the version of Archon by whose rules the workflows are compiled that name none.
const usualVersion = "0.9"

// A construct is a file of testdata: its comment has a line `section NUMBER`, lines
// `construct NAME`, and lines `then COMMAND…`, commands of the binary after the run, in which
// $RUN is the run's id. A line `remembers` says that a script of it does something else when
// it runs again, so that no other process can repeat it. A line `version NUMBER` names the
// version of Archon. Its files are the workflow w.yaml,
// other files of the project, and test.yaml, a test of a test file without its name.
type construct struct {
	name, section string
	version       string
	constructs    []string
	then          []string
	remembers     bool
	files         map[string]string
	path          string // of the workflow in the project
	test          test
	id            string // of the workflow in the program
}

// A test has the parts of a test that the local engine reads, too.
type test struct {
	Inputs map[string]any
	Agents map[string]any
	Files  map[string]string
	Git    bool
	Expect struct {
		Status string
		Exit   int
		Nodes  map[string]any
		Files  map[string]any
	}
}

// read reads the constructs in testdata.
func read(t *testing.T) (all []*construct) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no constructs: %v", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c := &construct{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), version: usualVersion, files: map[string]string{}}
		for line := range strings.Lines(string(archive.Comment)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch key {
			case "section":
				c.section = value
			case "version":
				c.version = value
			case "construct":
				c.constructs = append(c.constructs, value)
			case "then":
				c.then = append(c.then, value)
			case "remembers":
				c.remembers = true
			case "", "#":
			default:
				t.Fatalf("%s: unknown line %q", name, line)
			}
		}
		for _, f := range archive.Files {
			c.files[f.Name] = string(f.Data)
			if path.Base(f.Name) == "w.yaml" {
				c.path = f.Name
			}
		}
		doc := yamlsrc.Parse(source.NewFile(name, []byte(c.files["test.yaml"])), &diag.Bag{})
		if err := json.Unmarshal([]byte(doc.Root.JSON()), &c.test); err != nil {
			t.Fatalf("%s: test.yaml: %v", name, err)
		}
		if c.section == "" || len(c.constructs) == 0 || c.path == "" {
			t.Fatalf("%s lacks its section, its constructs or w.yaml", name)
		}
		all = append(all, c)
	}
	return all
}

// compile adds the workflow to the program.
func (c *construct) compile(t *testing.T, batch *devkit.Batch) {
	t.Helper()
	memory := testkit.Memory{}
	for name, text := range c.files {
		memory["/project/"+name] = text
	}
	r := compiler.Compile(source.NewFile("w.yaml", []byte(c.files[c.path])), compiler.Options{
		Path: "/project/" + c.path, Dialect: "archon", Root: "/project", Home: "/home", Files: memory,
		Settings: settings.Project{Archon: settings.Archon{Version: c.version}},
	})
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s:%d: %s", c.name, d.Span.File.Name, d.Span.Position().Line, d.Message)
		}
	}
	if !r.HasErrors() {
		c.id = batch.Add(t, r.Workflow)
	}
}

// hasBun reports whether scripts with bun can run here.
func hasBun() bool {
	_, err := exec.LookPath("bun")
	return err == nil || os.Getenv("WFC_TEST_BUN") != ""
}

// TestConstructs runs every construct on both engines; those with bun only if it is here.
func TestConstructs(t *testing.T) {
	all := slices.DeleteFunc(read(t), func(c *construct) bool {
		return !hasBun() && strings.Contains(c.files[c.path], "runtime: bun")
	})
	batch := devkit.NewBatch(t)
	for _, c := range all {
		c.compile(t, batch)
	}
	if t.Failed() {
		t.FailNow()
	}
	binary := batch.Build(t, "dev/e2e/runner")
	for _, remembers := range []bool{false, true} {
		list := slices.DeleteFunc(slices.Clone(all), func(c *construct) bool { return c.remembers != remembers })
		t.Run(map[bool]string{false: "simulated and killed", true: "simulated"}[remembers], func(t *testing.T) {
			t.Parallel()
			simulate(t, binary, list, !remembers)
		})
	}
	for _, c := range all {
		t.Run("local/"+c.name, func(t *testing.T) {
			t.Parallel()
			c.local(t, binary)
		})
	}
}

// simulate runs the tests of constructs on the simulated engine. With crash, it repeats each
// with a process that dies at every point.
func simulate(t *testing.T, binary string, all []*construct, crash bool) {
	type file struct{ Path, Shown, Workflow string }
	request := struct {
		Files  []file
		Count  int
		Crash  bool
		Format string
	}{Count: 1, Crash: crash, Format: "text"}
	dir := t.TempDir()
	for _, c := range all {
		text := "tests:\n  - name: test\n"
		for line := range strings.Lines(c.files["test.yaml"]) {
			text += "    " + line
		}
		name := filepath.Join(dir, c.name+".test.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		request.Files = append(request.Files, file{name, c.name, c.id})
	}
	job, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), runner.Variable+"="+runner.Tests, testkit.PathWithBun())
	cmd.Stdin = bytes.NewReader(job)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// local runs the construct in a real binary.
func (c *construct) local(t *testing.T, binary string) {
	p := program.NewPlace(t, binary)
	p.Environ = []string{runner.Variable + "=" + c.id, testkit.PathWithBun(), "HOME=" + t.TempDir()}
	for name, text := range c.test.Files {
		to := filepath.Join(p.Work, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if c.test.Git {
		for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "--message=start"}} {
			cmd := exec.Command("git", append([]string{"-C", p.Work}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git: %v: %s", err, out)
			}
		}
	}
	args := append([]string{"run", "--json"}, c.agents(t, p.State)...)
	for _, name := range slices.Sorted(maps.Keys(c.test.Inputs)) {
		value, isText := c.test.Inputs[name].(string)
		if !isText {
			text, err := json.Marshal(c.test.Inputs[name])
			if err != nil {
				t.Fatal(err)
			}
			value = string(text)
		}
		args = append(args, "--input", name+"="+value)
	}
	out, said, code := c.call(t, p, args...)
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: exit %d: %s%s", err, code, out, said)
	}
	for _, line := range c.then {
		args := strings.Fields(strings.ReplaceAll(line, "$RUN", r.RunID))
		_, said, code = c.call(t, p, append(args, c.agents(t, p.State)...)...)
	}
	if len(c.then) > 0 {
		last := code
		if out, said, code = c.call(t, p, "status", "--json", r.RunID); json.Unmarshal(out, &r) != nil {
			t.Fatalf("status: exit %d: %s%s", code, out, said)
		}
		code = last
	}
	if code != c.test.Expect.Exit {
		t.Errorf("exit code %d, want %d: %s", code, c.test.Expect.Exit, said)
	}
	c.compare(t, &r, p.Work)
}

// call calls a command of the binary.
func (c *construct) call(t *testing.T, p *program.Place, args ...string) (out []byte, said string, code int) {
	t.Helper()
	out, said, code, err := p.Run(t.Context(), nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out, said, code
}

// agents writes the replies of the test for scripted agents, and returns the flags that name
// them; none for a workflow that asks no agent.
func (c *construct) agents(t *testing.T, dir string) []string {
	t.Helper()
	if len(c.test.Agents) == 0 {
		return nil
	}
	all := map[string][]any{}
	for key, value := range c.test.Agents {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, v := range list {
			if reply, ok := v.(map[string]any); ok && reply["json"] != nil {
				v = map[string]any{"structured": reply["json"]}
			}
			// A step in a child run has its own key there.
			all[key[strings.LastIndex(key, "/")+1:]] = append(all[key[strings.LastIndex(key, "/")+1:]], v)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "replies.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--agent", "claude=scripted:" + file}
}

// A result is the part of a run's document that tests expect something of.
type result struct {
	RunID  string `json:"run_id"`
	Status string `json:"status"`
	Nodes  []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Output string `json:"output"`
		Reason string `json:"reason"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"nodes"`
}

// compare compares a run with the expectations of the test.
func (c *construct) compare(t *testing.T, r *result, work string) {
	t.Helper()
	status := c.test.Expect.Status
	if status == "" {
		status = "completed"
	}
	if r.Status != status {
		t.Errorf("the run is %s, want %s: %+v", r.Status, status, r.Nodes)
	}
	for _, id := range slices.Sorted(maps.Keys(c.test.Expect.Nodes)) {
		want := map[string]any{"status": "completed"}
		switch v := c.test.Expect.Nodes[id].(type) {
		case map[string]any:
			maps.Copy(want, v)
		default:
			want["output"] = fmt.Sprint(v)
		}
		found := false
		for _, n := range r.Nodes {
			if n.ID != id {
				continue
			}
			found = true
			for key, value := range want {
				got := map[string]string{"status": n.Status, "output": n.Output, "reason": n.Reason}[key]
				if got != fmt.Sprint(value) {
					t.Errorf("%s of `%s` is %q, want %q (%+v)", key, id, got, value, n)
				}
			}
		}
		if !found {
			t.Errorf("the run has no node `%s`", id)
		}
	}
	for name, want := range c.test.Expect.Files {
		text, _ := os.ReadFile(filepath.Join(work, name)) // "" if there is none
		if _, isText := want.(string); isText && string(text) != want {
			t.Errorf("file %s has %q, want %q", name, text, want)
		}
	}
}

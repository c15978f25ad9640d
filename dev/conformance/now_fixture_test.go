package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/placeholder"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A fixture is a recorded dry run as a fixture of archon, which `wfc test` runs: its stubs,
// and the recorded end as the expected one.
type fixture struct {
	c *nowCase
	// workflow is the name of the compiled workflow, and tolerated are the outputs of nodes
	// without a stub that have one.
	workflow  string
	tolerated map[string]string
	program   *ir.Program
	// invented are the stubs of a dry run that invents the missing ones. A fixture has no
	// such option, so they are in it.
	invented map[string]any
	// report is its part of the report.
	report *fixtureReport
}

// A fixtureReport is the part of the JSON report of `wfc test -v` about a fixture.
type fixtureReport struct {
	Faults []struct{ Message string }
	Tests  []struct {
		Passed          bool
		Status, Summary string
		Failures        []struct{ Message, Expected, Happened string }
		Stubs           struct{ Missing, Unused []string }
		Steps           []fixtureStep
	}
}

type fixtureStep struct {
	Step, Node, Kind, Status, Reason, Error, Output string
	Texts                                           []string
	Agent, Model                                    string
	Options                                         map[string]json.RawMessage
}

// newFixture makes the fixture of a dry run.
func newFixture(b *bench, c *nowCase, r *compiler.Result) *fixture {
	f := &fixture{c: c, workflow: b.batch.Add(b.t, r.Workflow), tolerated: placeholder.Tolerated(r.Workflow), program: r.Workflow}
	if c.in.DefaultStubs {
		f.invented = map[string]any{}
		for id, texts := range invented(r.Workflow, c.in.ExecCode) {
			f.invented[id] = stubValue(texts[0])
		}
	}
	return f
}

// invented are the outputs that wfc invents for nodes, by id; of those with the same id in
// several bodies, one of each. Programs that run have none.
func invented(p *ir.Program, programsRun bool) map[string][]string {
	texts := map[string][]string{}
	loops := map[string]bool{}
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		kind := n.Action.Kind()
		text, ok := placeholder.Of(n)
		if !ok || programsRun && (kind == "bash" || kind == "script") || loops[n.ID] {
			return
		}
		loops[n.ID] = kind == "loop" // its prompt has the same id
		id := n.ID[strings.LastIndex(n.ID, ".")+1:]
		texts[id] = append(texts[id], text)
	})
	return texts
}

// stubValue is a stub for an output: an object if the output is the JSON of one.
func stubValue(text string) any {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil && object != nil {
		return object
	}
	return text
}

// text is the text of the fixture. YAML has JSON in it.
func (f *fixture) text() (string, error) {
	var stubs map[string]json.RawMessage
	if len(f.c.in.Stubs) > 0 {
		if err := json.Unmarshal(f.c.in.Stubs, &stubs); err != nil {
			return string(f.c.in.Stubs), nil // they are no mapping, which is a fault of the fixture
		}
	}
	doc := map[string]any{}
	for id, value := range f.invented {
		doc[id] = value
	}
	for id, value := range stubs {
		doc[id] = value
	}
	doc["fixture"] = f.expected()
	if f.c.in.ExecCode {
		doc["exec-code"] = true
	}
	text, err := json.Marshal(doc)
	return string(text), err
}

// expected is the recorded end as the mapping `fixture`.
func (f *fixture) expected() map[string]any {
	want := f.c.dry
	all := map[string]any{"expect": string(flow.Completed)}
	if want.Outcome != "" {
		all["expect"] = want.Outcome
	}
	texts, failing, reached := map[string]string{}, []string{}, []string{}
	for _, t := range want.Trace {
		switch t.State {
		case failedStatus:
			failing = append(failing, t.Node)
		case "completed", "stubbed":
			reached = append(reached, t.Node)
			if t.Text != nil && t.Type != "cancel" && !f.c.namesScript(*t.Text) {
				texts[t.Node] = *t.Text
			}
		}
	}
	if len(failing) > 0 {
		all["fail-node"] = failing
	}
	all["reached"], all["resolved-text-contains"] = reached, texts
	inputs := map[string]string{}
	if f.c.in.Arguments != "" {
		inputs["arguments"] = f.c.in.Arguments
	}
	var given []string
	_ = json.Unmarshal(f.c.in.Inputs, &given) // none
	for _, pair := range given {
		name, value, _ := strings.Cut(pair, "=")
		inputs[name] = value
	}
	all["inputs"] = inputs
	return all
}

// namesScript reports whether a recorded text is the name of a script in a file, whose text
// is not recorded.
func (c *nowCase) namesScript(text string) bool {
	for name := range c.in.Files {
		base := filepath.Base(name)
		if strings.Contains(name, "/scripts/") && strings.TrimSuffix(base, filepath.Ext(base)) == text {
			return true
		}
	}
	return false
}

// runFixtures runs all fixtures as `wfc test` does.
func runFixtures(t testing.TB, program string, all []*fixture) {
	t.Helper()
	if len(all) == 0 {
		return
	}
	type file struct {
		Path, Shown, Workflow, Label string
		Placeholders                 map[string]string
	}
	request := struct {
		Files   []file
		Count   int
		Verbose bool
		Format  string
	}{Count: 1, Verbose: true, Format: "json"}
	root := t.TempDir()
	for i, f := range all {
		path, err := f.write(filepath.Join(root, fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("%s: %v", f.c.id(), err)
		}
		request.Files = append(request.Files, file{path, f.c.id(), f.workflow, "w/fixtures/case", f.tolerated})
	}
	job, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, runner.TestMode)
	cmd.Env = append(os.Environ(), testkit.PathWithBun())
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(job), &errs
	answer, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1) {
		t.Fatalf("run the fixtures: %v\n%s", err, errs.String())
	}
	var report struct{ Files []*fixtureReport }
	if err := json.Unmarshal(answer, &report); err != nil || len(report.Files) != len(all) {
		t.Fatalf("%d reports of %d fixtures: %v", len(report.Files), len(all), err)
	}
	for i, f := range all {
		f.report = report.Files[i]
	}
}

// write writes the project of the case with the fixture into a folder, which is a
// repository if programs run, and returns the fixture's path.
func (f *fixture) write(dir string) (string, error) {
	text, err := f.text()
	if err != nil {
		return "", err
	}
	name, workflow := f.c.in.workflow()
	path := filepath.Join(filepath.Dir(name), "fixtures", "case.stubs.yaml")
	files := map[string]string{name: workflow, path: text}
	for name, content := range f.c.in.Files {
		files[name] = content
	}
	for name, content := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, []byte(content), 0o666); err != nil {
			return "", err
		}
	}
	if f.c.in.ExecCode {
		for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=start"}} {
			cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("git: %w: %s", err, out)
			}
		}
	}
	return filepath.Join(dir, filepath.FromSlash(path)), nil
}

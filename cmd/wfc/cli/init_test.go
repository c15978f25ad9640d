package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/cmd/wfc/starter"
)

// wfc runs a command of wfc in this process and returns its exit code and all that it
// prints.
func wfc(args ...string) (code int, printed string) {
	var out bytes.Buffer
	code = cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return code, out.String()
}

// TestTemplatesAreClean checks the project of each template for each agent as strictly as
// its CI file does.
func TestTemplatesAreClean(t *testing.T) {
	for _, template := range starter.Names() {
		for _, agent := range starter.AgentNames() {
			t.Run(template+"/"+agent, func(t *testing.T) {
				dir := t.TempDir()
				if code, printed := wfc("init", template, dir, "--agent", agent); code != 0 {
					t.Fatalf("exit code %d: %s", code, printed)
				}
				code, printed := wfc("check", "--strict", dir)
				if code != 0 || printed != "1 workflow, no findings\n" {
					t.Errorf("exit code %d: %s", code, printed)
				}
			})
		}
	}
}

// TestTemplatesPass runs the tests of all templates, which share one program, and wants
// them to cover almost everything: not the steps of a sequence that an input replaces, nor
// loops without items.
func TestTemplatesPass(t *testing.T) {
	if testing.Short() {
		t.Skip("this test compiles workflows")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the scripts of templates need python3")
	}
	dir := t.TempDir()
	for _, template := range starter.Names() {
		if code, printed := wfc("init", template, filepath.Join(dir, template), "--agent", "claude"); code != 0 {
			t.Fatalf("%s: exit code %d: %s", template, code, printed)
		}
	}
	cmd := exec.Command(os.Args[0], "test", "--cover-min", "90", "-v", dir)
	cmd.Env = append(os.Environ(), "WFC_TEST_AS_WFC=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, template := range starter.Templates() {
		if name := strings.TrimSuffix(filepath.Base(template.Workflow), ".yaml"); !strings.Contains(string(out), "ok    "+name+"/") {
			t.Errorf("no test of %s ran: %s", name, out)
		}
	}
}

// A ciWorkflow has the keys of a workflow of GitHub Actions that `wfc init` writes.
type ciWorkflow struct {
	Name string
	On   struct {
		PullRequest *struct{} `yaml:"pull_request"`
		Push        struct{ Branches []string }
	}
	Permissions map[string]string
	Jobs        map[string]struct {
		RunsOn         string `yaml:"runs-on"`
		TimeoutMinutes int    `yaml:"timeout-minutes"`
		Defaults       struct {
			Run struct {
				WorkingDirectory string `yaml:"working-directory"`
			}
		}
		Steps []actionStep
	}
}

// TestCIFile runs the commands of the CI file, in the folder that it names, and compares
// its use of wfc's action with the action.
func TestCIFile(t *testing.T) {
	if testing.Short() {
		t.Skip("this test compiles workflows")
	}
	for _, folder := range []string{".", "flows/my reviews"} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, ".git"), 0o777); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, folder)
		if code, printed := wfc("init", "review", dir, "--agent", "claude", "--go"); code != 0 {
			t.Fatalf("exit code %d: %s", code, printed)
		}
		names, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yaml"))
		if err != nil || len(names) != 1 {
			t.Fatalf("%d CI files: %v", len(names), err)
		}
		content, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		var ci ciWorkflow
		d := yaml.NewDecoder(bytes.NewReader(content))
		d.KnownFields(true)
		if err := d.Decode(&ci); err != nil {
			t.Fatalf("%v: %s", err, content)
		}
		job := ci.Jobs["check"]
		at := filepath.Join(root, job.Defaults.Run.WorkingDirectory)
		if ci.On.PullRequest != nil || len(job.Steps) != 4 || at != dir {
			t.Fatalf("steps in %s: %+v", at, job.Steps)
		}
		known := readAction(t).Inputs
		for name, value := range job.Steps[1].With {
			if _, ok := known[name]; !ok || name == "working-directory" && value != folder {
				t.Errorf("%s gets the input %s: %s", job.Steps[1].Uses, name, value)
			}
		}
		if code, printed := wfc("gen", filepath.Join(dir, ".archon/workflows/review.yaml"), "-o", filepath.Join(dir, "internal/review")); code != 0 {
			t.Fatalf("exit code %d: %s", code, printed)
		}
		for _, step := range job.Steps[2:] {
			cmd := exec.Command(os.Args[0], strings.Fields(strings.TrimPrefix(step.Run, "wfc "))...)
			cmd.Dir, cmd.Env = at, append(os.Environ(), "WFC_TEST_AS_WFC=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", step.Run, err, out)
			}
		}
	}
}

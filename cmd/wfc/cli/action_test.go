package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
)

// An action is the part of GitHub's action.yml that a composite action may have.
type action struct {
	Name, Description string
	Branding          struct{ Icon, Color string }
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	Name, ID, Uses, Run, Shell string
	With, Env                  map[string]string
	WorkingDirectory           string `yaml:"working-directory"`
}

func readAction(t *testing.T) action {
	t.Helper()
	content, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

// The action, the workflow for GitHub Pages and the CI file of `wfc init` satisfy GitHub's schemas. WFC_TEST_ACTION_VALIDATOR
// is the program action-validator of npm, which contains them.
func TestActionSchema(t *testing.T) {
	validator := os.Getenv("WFC_TEST_ACTION_VALIDATOR")
	if validator == "" {
		t.Skip("needs WFC_TEST_ACTION_VALIDATOR, the path of action-validator; .ci/run installs it")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Abs("../../../.github/workflows/pages.yml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var messages bytes.Buffer
	if code := cli.Main([]string{"init", "review", ".", "--ci", "github", "--go"}, cli.Streams{In: strings.NewReader(""), Out: &messages, Err: &messages}); code != 0 {
		t.Fatalf("wfc init: exit code %d\n%s", code, &messages)
	}
	workflows, err := filepath.Glob(".github/workflows/*.yaml")
	if err != nil || len(workflows) != 1 {
		t.Fatalf("wfc init writes the CI files %q, %v", workflows, err)
	}
	broken := filepath.Join(t.TempDir(), "action.yml")
	if err := os.WriteFile(broken, []byte("name: a\ndescription: d\nruns: {using: composite}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, valid := range map[string]bool{action: true, pages: true, workflows[0]: true, broken: false} {
		if out, err := exec.Command(validator, path).CombinedOutput(); (err == nil) != valid {
			t.Errorf("%s: %v, valid %v expected\n%s", path, err, valid, out)
		}
	}
}

// The action has the form that GitHub wants, and its steps read no input in their code: an
// input would be part of the program.
func TestActionIsWellFormed(t *testing.T) {
	a := readAction(t)
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Errorf("an action of another form: %+v", a)
	}
	input := regexp.MustCompile(`\$\{\{\s*inputs\.([\w-]+)\s*\}\}`)
	used := map[string]bool{}
	note := func(text string) {
		for _, m := range input.FindAllStringSubmatch(text, -1) {
			if _, known := a.Inputs[m[1]]; !known {
				t.Errorf("input %s is not declared", m[1])
			}
			used[m[1]] = true
		}
	}
	ids := map[string]bool{}
	for _, s := range a.Runs.Steps {
		ids[s.ID] = true
		if (s.Uses == "") == (s.Run == "") || s.Run != "" && s.Shell != "bash" {
			t.Errorf("a step has either uses, or run with a shell: %+v", s)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %s has an expression in its script", s.Name)
		}
		note(s.WorkingDirectory)
		for _, table := range []map[string]string{s.With, s.Env} {
			for _, text := range table {
				note(text)
			}
		}
	}
	for name, in := range a.Inputs {
		if !used[name] || in.Description == "" {
			t.Errorf("input %s is not used or not described", name)
		}
	}
	if out := a.Outputs["findings"].Value; out != "${{ steps.check.outputs.findings }}" || !ids["check"] {
		t.Errorf("output %q of no step", out)
	}
}

// The action uses other actions by the hash of a commit, and installs the wfc of its own
// commit unless a version is given. Settings of the job cannot turn off Go's checksums.
func TestActionIsPinned(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this test needs bash")
	}
	pinned := regexp.MustCompile(`^[\w-]+/[\w./-]+@[0-9a-f]{40}$`)
	var install actionStep
	for _, s := range readAction(t).Runs.Steps {
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not pinned by a hash", s.Uses)
		}
		if s.Name == "Install wfc" {
			install = s
		}
	}
	for version, want := range map[string]string{"": "install -mod=readonly ./cmd/wfc", "v1.2.3": "install github.com/wfc-lang/wfc/cmd/wfc@v1.2.3", "$(touch owned)": "install github.com/wfc-lang/wfc/cmd/wfc@$(touch owned)"} {
		dir, source := t.TempDir(), t.TempDir()
		const fake = "#!/bin/sh\necho \"$PWD|$*|$GOFLAGS|$GONOSUMDB|$GOSUMDB|$GOPRIVATE|$GOINSECURE\"\necho fake > \"$GOBIN/wfc\"\n"
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", install.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+dir, "GITHUB_PATH="+filepath.Join(dir, "path"), "GITHUB_ACTION_PATH="+source,
			"WFC_VERSION="+version, "GOFLAGS=-mod=mod", "GONOSUMDB=*", "GOSUMDB=off", "GOPRIVATE=*", "GOINSECURE=*")
		out, err := cmd.CombinedOutput()
		where := dir
		if version == "" {
			where = source
		}
		if want := where + "|" + want + "|||sum.golang.org||\n"; err != nil || string(out) != want {
			t.Errorf("version %q: %v, go gets\n%swant\n%s", version, err, out, want)
		}
		path, _ := os.ReadFile(filepath.Join(dir, "path"))
		if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(path)), "wfc")); err != nil {
			t.Errorf("version %q: the folder %q in the path has no wfc", version, path)
		}
		if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
			t.Error("an input ran as code")
		}
	}
}

// runAction runs the check step in a folder as GitHub would, and returns its exit code, what
// it prints and its outputs.
func runAction(t *testing.T, dir string, inputs map[string]string, env ...string) (code int, out, outputs string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this test needs bash")
	}
	a := readAction(t)
	step := a.Runs.Steps[len(a.Runs.Steps)-1]
	bin, output := t.TempDir(), filepath.Join(t.TempDir(), "output")
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "wfc")); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GITHUB_OUTPUT="+output, "GITHUB_BASE_REF=")
	cmd.Env = append(cmd.Env, env...)
	for name, value := range step.Env {
		key := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
		if set, ok := inputs[key]; ok {
			value = set
		} else {
			value = a.Inputs[key].Default
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	printed, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(output)
	return cmd.ProcessState.ExitCode(), string(printed), string(text)
}

func TestActionChecks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = "name: a\ndescription: d\nnodes:\n  - id: one\n    bash: echo hi\n"
	write("flows/a b.yaml", strings.Replace(good, "    bash", "    depends_on: [x]\n    bash", 1))
	write("good/a.yaml", good)
	code, out, outputs := runAction(t, dir, nil)
	if code != 1 || !strings.Contains(out, "::error file=flows/a b.yaml,line=5") || outputs != "findings=1\n" {
		t.Errorf("exit code %d, outputs %q\n%s", code, outputs, out)
	}
	code, out, outputs = runAction(t, dir, map[string]string{"paths": "good", "args": "--strict --verbose"})
	if code != 0 || outputs != "findings=0\n" {
		t.Errorf("exit code %d, outputs %q\n%s", code, outputs, out)
	}
	code, out, _ = runAction(t, dir, map[string]string{"sarif": "found.sarif"})
	content, err := os.ReadFile(filepath.Join(dir, "found.sarif"))
	var log struct{ Runs []struct{ Results []any } }
	if err != nil || json.Unmarshal(content, &log) != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 || code != 1 {
		t.Errorf("exit code %d, %v: %s\n%s", code, err, content, out)
	}
	if code, out, _ := runAction(t, dir, map[string]string{"paths": "good; touch owned"}); code != 2 || !strings.Contains(out, "`good;` does not exist") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
		t.Error("an input ran as code")
	}
}

// In a pull request, only its own changes count.
func TestActionChecksChanges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this test needs git")
	}
	origin, dir := t.TempDir(), t.TempDir()
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	const bad = "name: a\ndescription: d\nnodes:\n  - id: one\n    depends_on: [x]\n    bash: echo hi\n"
	git(origin, "init", "-q", "-b", "main")
	if err := os.WriteFile(filepath.Join(origin, "old.yaml"), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	git(origin, "add", "-A")
	git(origin, "commit", "-qm", "first")
	git(dir, "clone", "-q", origin, ".")
	if err := os.WriteFile(filepath.Join(dir, "new.yaml"), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	git(dir, "add", "-A")
	git(dir, "commit", "-qm", "second")
	code, out, outputs := runAction(t, dir, map[string]string{"changed": "auto"}, "GITHUB_BASE_REF=main")
	if code != 1 || !strings.Contains(out, "file=new.yaml") || strings.Contains(out, "old.yaml") || outputs != "findings=1\n" {
		t.Errorf("exit code %d, outputs %q\n%s", code, outputs, out)
	}
}

// The pattern for editors reads the lines that --format oneline prints.
func TestProblemMatcher(t *testing.T) {
	content, err := os.ReadFile("../../../docs/problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var matchers struct {
		ProblemMatcher []struct {
			Pattern []struct {
				Regexp                                      string
				File, Line, Column, Severity, Code, Message int
			}
		}
	}
	if err := json.Unmarshal(content, &matchers); err != nil {
		t.Fatal(err)
	}
	p := matchers.ProblemMatcher[0].Pattern[0]
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"wfc", "check", "-", "--format", "oneline", "--stdin-filename", "flows/a b.yaml"}
	cmd.Stdin = strings.NewReader("name: a\ndescription: d\nnodes:\n  - id: one\n    depends_on: [x]\n    bash: echo hi\n")
	out, _ := cmd.Output()
	m := regexp.MustCompile(p.Regexp).FindStringSubmatch(strings.TrimSpace(string(out)))
	if m == nil || m[p.File] != "flows/a b.yaml" || m[p.Line] != "5" || m[p.Column] != "18" || m[p.Severity] != "error" || m[p.Code] != "WFC203" || !strings.Contains(m[p.Message], "unknown node") {
		t.Errorf("%q matches as %q", out, m)
	}
}

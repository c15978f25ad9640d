// Package outside tests programs of other modules: what they do with the compiler,
// and what generated code brings them.
package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// TestMain leaves all out with -short.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

// build compiles the files of a folder, with more files, as a program of another
// module. It returns the binary.
func build(t *testing.T, folder string, more map[string][]byte) string {
	t.Helper()
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", folder))); err != nil {
		t.Fatal(err)
	}
	for _, list := range []map[string][]byte{testkit.OutsideModule(t, repository), more} {
		for name, content := range list {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	binary := filepath.Join(dir, folder+".exe")
	cmd := exec.Command("go", "build", "-mod=mod", "-o", binary, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// A program of another module checks files, with positions, by the settings of their
// project, and fixes them.
func TestCheck(t *testing.T) {
	binary := build(t, "check", nil)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"wfc.yaml": `agents: {mine: {use: claude, permision: edit}}
models: {"@fast": {agent: mine, model: haiku}}
severities: {prose-comparison: note}
dialects: {"notes/*.yaml": none}
exclude: [old]
env: {A: b}
workflows: {"reports/*.yaml": {deliver_to: slack}}
`,
		"flow.yaml": `name: w
description: d
nodes:
  - {id: a, prompt: Hi, provider: mine, model: "@fast"}
  - {id: b, bash: "true", when: "$a.output = 'x'", depends_on: [a]}
`,
		"old/flow.yaml":     "nodes: 1\n",
		"notes/flow.yaml":   "nodes: 1\n",
		"reports/flow.yaml": "name: w\ndescription: d\nnodes:\n  - {id: a, prompt: Hi, provider: mime}\n",
		"bare.yaml":         "name: w\ndescription: d\nnodes:\n  - {id: a, bash: echo hi}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const settings = "wfc.yaml:1:30: error WFC125 wrong-key\n"
	for _, test := range []struct{ file, want string }{
		{"bare.yaml", settings},
		{"old/flow.yaml", settings + "excluded\n"},
		{"notes/flow.yaml", settings},
		{"reports/flow.yaml", settings + "flow.yaml:4:35: error WFC222 unknown-agent\n"},
		{"flow.yaml", settings + "flow.yaml:5:44: error WFC301 unknown-operator\nflow.yaml:5:46: note WFC323 prose-comparison\n" +
			"fixed 1\nflow.yaml:5:47: note WFC323 prose-comparison\n"},
	} {
		out, err := exec.Command(binary, filepath.Join(dir, test.file)).CombinedOutput()
		if err != nil || string(out) != test.want {
			t.Errorf("%s: %v\ngot:\n%swant:\n%s", test.file, err, out, test.want)
		}
	}
	fixed, err := os.ReadFile(filepath.Join(dir, "flow.yaml"))
	if err != nil || !strings.Contains(string(fixed), "$a.output == 'x'") {
		t.Errorf("%v\n%s", err, fixed)
	}
}

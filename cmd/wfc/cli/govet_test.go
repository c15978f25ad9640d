package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

const flow = `name: greet
description: Greet somebody
nodes:
  - id: hello
    bash: echo hello
`

// The go command keeps the findings of a package. When a workflow changes, it asks again.
func TestVet(t *testing.T) {
	testkit.SkipBuild(t)
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	wfc := filepath.Join(dir, "bin", "wfc.exe")
	run := func(folder, name string, args ...string) (string, error) {
		t.Helper()
		cmd := exec.Command(name, args...)
		// The other flags stay, so that this uses what the build cache has.
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(folder, name string, args ...string) string {
		t.Helper()
		out, err := run(folder, name, args...)
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return out
	}
	module := filepath.Join(dir, "module")
	for name, content := range testkit.OutsideModule(t, repository) {
		write(t, filepath.Join(module, name), string(content))
	}
	write(t, filepath.Join(module, "greet.yaml"), flow)
	must(repository, "go", "build", "-o", wfc, "./cmd/wfc")
	must(module, wfc, "gen", "greet.yaml", "-o", "greet")
	if out := must(module, wfc, "vettool"); strings.TrimSpace(out) != wfc {
		t.Errorf("wfc vettool prints %q, want %q", out, wfc)
	}
	must(module, "go", "vet", "-vettool="+wfc, "./...")
	write(t, filepath.Join(module, "greet.yaml"), strings.Replace(flow, "echo hello", "echo good morning", 1))
	out, err := run(module, "go", "vet", "-vettool="+wfc, "./...")
	if want := "the generated code is stale: greet.yaml has changed"; err == nil || !strings.Contains(out, want) {
		t.Errorf("go vet: %v, want %q in\n%s", err, want, out)
	}
	if out, err := run(module, wfc, "vettool", "./..."); err == nil || !strings.HasPrefix(out, "go vet first compiles the packages") || !strings.Contains(out, "is stale") {
		t.Errorf("wfc vettool: %v\n%s", err, out)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

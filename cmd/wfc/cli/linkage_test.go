package cli

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// sdks are the modules that only some kinds of agents need.
var sdks = []string{
	"github.com/anthropics/anthropic-sdk-go", "github.com/openai/openai-go/v3", "google.golang.org/genai", "github.com/coder/acp-go-sdk",
}

// A program links the kinds of agents that its workflow asks, and no others. One
// that asks a program needs no module of another kind, not even to be built.
func TestLinkage(t *testing.T) {
	testkit.SkipBuild(t)
	without := moduleCacheWithout(t, append(slices.Clone(sdks), "go.temporal.io/sdk", "go.temporal.io/api"))
	for _, test := range []struct {
		name, agents, provider string
		want                   []string
	}{
		{"a program", "agents: {}", "claude", nil},
		{"another program behind a name", "agents: {reviewer: {use: fast, model: m}, fast: {use: codex}}", "reviewer", nil},
		{"a program of the user's own", "agents: {claude: {command: ./ask}, api: {use: openai}}", "claude", nil},
		{"the protocol", "agents: {}", "opencode", sdks[3:]},
		{"a service behind a name", "agents: {api: {use: anthropic, model: m}, claude: {use: api}}", "claude", sdks[:1]},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "wfc.yaml"), test.agents+"\n")
			write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nprovider: "+test.provider+"\nnodes:\n  - id: a\n    prompt: x\n")
			program := filepath.Join(dir, "flow.exe")
			env := []string{"GOPROXY=off"}
			if len(test.want) == 0 {
				env = append(env, "GOMODCACHE="+without)
			}
			if code, _, messages := wfcCommand(t, dir, env, "build", "flow.yaml", "-o", program); code != ExitClean {
				t.Fatalf("exit code %d\n%s", code, messages)
			}
			info, err := buildinfo.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			var linked []string
			for _, module := range info.Deps {
				if strings.HasPrefix(module.Path, "go.temporal.io/") {
					t.Errorf("the program links %s, without --engine temporal", module.Path)
				}
				if slices.Contains(sdks, module.Path) {
					linked = append(linked, module.Path)
				}
			}
			if text, err := os.ReadFile(program); err != nil || bytes.Contains(text, []byte("runDesk")) || bytes.Contains(text, []byte("html/template.(*Template)")) {
				t.Errorf("the program has code of pages, without --serve (%v)", err)
			}
			if !slices.Equal(linked, test.want) {
				t.Errorf("the program links %q, want %q", linked, test.want)
			}
		})
	}
	t.Run("what is not there", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nprovider: opencode\nnodes:\n  - id: a\n    prompt: x\n")
		code, _, messages := wfcCommand(t, dir, []string{"GOPROXY=off", "GOMODCACHE=" + without}, "build", "--prefetch", "flow.yaml")
		for _, part := range []string{"prefetching for flow.yaml: agents of kind acp\n", sdks[3], "Run the same command once"} {
			if code != ExitUsage || !strings.Contains(messages, part) {
				t.Errorf("exit code %d, want %q in\n%s", code, part, messages)
			}
		}
	})
}

// wfcCommand runs wfc in a folder, with what was compiled before, and returns
// what it prints on standard output and on standard error.
func wfcCommand(t *testing.T, dir string, env []string, args ...string) (code int, out, messages string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "WFC_TEST_AS_WFC=1"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// moduleCacheWithout returns a module cache that has what this machine's has,
// less some modules: links to all else.
func moduleCacheWithout(t *testing.T, modules []string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs links")
	}
	text, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	from, to := string(bytes.TrimSpace(text)), t.TempDir()
	var missing []string
	for _, m := range modules {
		missing = append(missing, filepath.FromSlash(m), filepath.Join("cache", "download", filepath.FromSlash(m)))
	}
	var link func(folder string)
	link = func(folder string) {
		entries, err := os.ReadDir(filepath.Join(from, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			rel := filepath.Join(folder, e.Name())
			bare, _, _ := strings.Cut(rel, "@")
			switch {
			case slices.Contains(missing, bare):
			case slices.ContainsFunc(missing, func(m string) bool { return strings.HasPrefix(m, rel+string(filepath.Separator)) }):
				if err := os.Mkdir(filepath.Join(to, rel), 0o755); err != nil {
					t.Fatal(err)
				}
				link(rel)
			default:
				if err := os.Symlink(filepath.Join(from, rel), filepath.Join(to, rel)); err != nil {
					t.Skipf("no links here: %v", err)
				}
			}
		}
	}
	link("")
	return to
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

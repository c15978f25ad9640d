package folder

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// fakeVariable makes a stand-in for wfc of the test's own binary. It finds one
// error in a text for each word `bad`, and breaks where a text says so.
const fakeVariable = "WFC_TEST_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(fakeVariable) == "" {
		os.Exit(m.Run())
	}
	os.Exit(fake(os.Args[1:]))
}

func fake(args []string) int {
	if args[0] == "mcp-list" {
		fmt.Println(`{"workflows":[{"path":"a.yaml","name":"a","inputs":[{"name":"who","type":"text"}]}]}`)
		return 0
	}
	if args[0] != "check" {
		fmt.Fprintln(os.Stderr, "wfc: that is none of its commands")
		return 2
	}
	content, err := os.ReadFile(args[len(args)-1])
	if args[len(args)-1] == "-" {
		content, err = io.ReadAll(os.Stdin)
	}
	if err != nil || strings.Contains(string(content), "break") {
		fmt.Fprintln(os.Stderr, "wfc: it broke")
		return 2
	}
	bad := strings.Count(string(content), "bad")
	list := strings.TrimSuffix(strings.Repeat(`{"code":"WFC203","severity":"error","message":"it is bad","at":{"file":"f","start":{"offset":1,"line":2,"column":3}}},`, bad), ",")
	fmt.Printf(`{"schema_version":1,"summary":{"files":1,"errors":%d},"diagnostics":[%s]}`, bad, list)
	return min(bad, 1)
}

// start serves what is in a new folder, in memory.
func start(t *testing.T) (c *sdk.ClientSession, dir string) {
	t.Helper()
	t.Setenv(fakeVariable, "1")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opener := opener{state: memory.OpenState}
	s, err := newHost(t.Context(), opener, []string{"--wfc", exe, "--dir", "flows", "--state", t.TempDir()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := sdk.NewInMemoryTransports()
	server, err := s.newServer().Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err = sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		_ = server.Wait()
		s.family.close()
	})
	return c, dir
}

// args are arguments of a tool.
type args map[string]any

// call calls a tool and returns its output and, when it failed, its words.
func call[T any](t *testing.T, c *sdk.ClientSession, tool string, a args) (out T, failure string) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if r.StructuredContent != nil {
		text, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
	}
	if r.IsError {
		failure = r.Content[0].(*sdk.TextContent).Text
	}
	return out, failure
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSave(t *testing.T) {
	c, dir := start(t)
	file := filepath.Join(dir, "flows", "triage.yaml")
	out, failure := call[saved](t, c, "workflow_save", args{"name": "triage", "yaml_content": "one"})
	if failure != "" || !out.Saved || !out.Valid || out.Path != filepath.Join("flows", "triage.yaml") || read(t, file) != "one" {
		t.Fatalf("%+v %s", out, failure)
	}
	out, failure = call[saved](t, c, "workflow_save", args{"name": "triage", "yaml_content": "two"})
	if !strings.Contains(failure, "triage.yaml exists; give `overwrite: true` to replace it") || out.Saved || read(t, file) != "one" {
		t.Errorf("%+v %s", out, failure)
	}
	// A file with errors replaces nothing, and what is wrong is told.
	out, failure = call[saved](t, c, "workflow_save", args{"name": "triage", "yaml_content": "bad bad", "overwrite": true})
	if !strings.Contains(failure, "not saved, because the workflow has errors:\n2:3: WFC203: it is bad") || out.Saved || out.Valid || out.Errors != 2 || len(out.Diagnostics) != 2 || read(t, file) != "one" {
		t.Errorf("%+v %s", out, failure)
	}
	if _, failure = call[saved](t, c, "workflow_save", args{"name": "triage.yaml", "yaml_content": "two", "overwrite": true}); failure != "" || read(t, file) != "two" {
		t.Errorf("%s", failure)
	}
	if _, failure = call[saved](t, c, "workflow_save", args{"name": "triage", "yaml_content": "break", "overwrite": true}); failure != "it broke" || read(t, file) != "two" {
		t.Errorf("%s", failure)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "flows"))
	if err != nil || len(entries) != 1 {
		t.Errorf("files are left over: %v %v", entries, err)
	}
}

func TestNames(t *testing.T) {
	c, dir := start(t)
	for _, name := range []string{
		"", ".", "..", "...", "../x", "..\\x", "a/b", "a\\b", "/abs", "C:\\x", "C:x", "\\\\host\\x", "x/../y", "./x", "a\x00b", "a\nb", ".hidden", "-f", " x", "x ", "x.", "a..b",
		"~", "~/x", "$HOME", "*", "a:b", "wfc", "WFC.yaml", ".yaml", "a\u202eb", "a\xffb", strings.Repeat("x", 101),
	} {
		if out, failure := call[saved](t, c, "workflow_save", args{"name": name, "yaml_content": "one", "overwrite": true}); failure == "" || out.Saved {
			t.Errorf("%q is taken: %+v", name, out)
		}
	}
	for _, name := range []string{"x", "Größe", "a-b_c.d", "a b", "y.yml", "_x", "2"} {
		if out, failure := call[saved](t, c, "workflow_save", args{"name": name, "yaml_content": "one"}); failure != "" || !out.Saved {
			t.Errorf("%q is refused: %s", name, failure)
		}
	}
	found := 0
	if err := filepath.WalkDir(filepath.Dir(dir), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(path, filepath.Join(dir, "flows")+string(filepath.Separator)) {
			t.Errorf("%s was written", path)
		}
		found++
		return err
	}); err != nil || found < 8 {
		t.Errorf("%d files: %v", found, err)
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	c, dir := start(t)
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	write(t, outside, "theirs")
	if err := os.Mkdir(filepath.Join(dir, "flows"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": outside, "dangling": outside + ".not", "folder": filepath.Dir(outside)} {
		if err := os.Symlink(target, filepath.Join(dir, "flows", name+".yaml")); err != nil {
			t.Fatal(err)
		}
		for _, overwrite := range []bool{false, true} {
			if out, failure := call[saved](t, c, "workflow_save", args{"name": name, "yaml_content": "ours", "overwrite": overwrite}); failure == "" || out.Saved {
				t.Errorf("%s, overwrite %v: %+v", name, overwrite, out)
			}
		}
	}
	if read(t, outside) != "theirs" {
		t.Error("a file outside was overwritten")
	}
	if _, err := os.Stat(outside + ".not"); err == nil {
		t.Error("a file outside was made")
	}
	// What is outside is not read either.
	for _, path := range []string{outside, "flows/link.yaml", "flows/folder.yaml/outside.yaml", outside + ".not", "/etc/passwd", "../x.yaml"} {
		for _, tool := range []string{"workflow_validate", "workflow_run"} {
			if _, failure := call[verdict](t, c, tool, args{"path": path}); !strings.Contains(failure, "is not one of the served files") {
				t.Errorf("%s %s: %q", tool, path, failure)
			}
		}
	}
}

// Of many that save one name at a time, one does.
func TestOneSaves(t *testing.T) {
	c, dir := start(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	kept := []string{}
	for i := range 20 {
		all.Go(func() {
			content := fmt.Sprint(i)
			out, _ := call[saved](t, c, "workflow_save", args{"name": "x", "yaml_content": content})
			if out.Saved {
				mu.Lock()
				defer mu.Unlock()
				kept = append(kept, content)
			}
		})
	}
	all.Wait()
	if len(kept) != 1 || read(t, filepath.Join(dir, "flows", "x.yaml")) != kept[0] {
		t.Errorf("%v kept", kept)
	}
}

func TestValidate(t *testing.T) {
	c, dir := start(t)
	write(t, filepath.Join(dir, "a.yaml"), "bad")
	if out, failure := call[verdict](t, c, "workflow_validate", args{"path": "a.yaml"}); failure != "" || out.Valid || out.Errors != 1 || !strings.Contains(string(out.Diagnostics[0]), "it is bad") {
		t.Errorf("%+v %s", out, failure)
	}
	if out, failure := call[verdict](t, c, "workflow_validate", args{"yaml_content": "fine"}); failure != "" || !out.Valid || out.Diagnostics == nil {
		t.Errorf("%+v %s", out, failure)
	}
	for _, tt := range []struct {
		args args
		want string
	}{
		{args{}, "give either `path` or `yaml_content`"},
		{args{"path": "a.yaml", "yaml_content": ""}, "give either"},
		{args{"path": "none.yaml"}, "the file `none.yaml` does not exist"},
		{args{"path": "."}, "`.` is not a file"},
		{args{"yaml_content": "break"}, "it broke"},
		{args{"yaml_content": 7}, "yaml_content"},
		{args{"what": 7}, "what"},
	} {
		if _, failure := call[verdict](t, c, "workflow_validate", tt.args); !strings.Contains(failure, tt.want) {
			t.Errorf("%v: %q does not say %q", tt.args, failure, tt.want)
		}
	}
}

func TestMistakesWithRuns(t *testing.T) {
	c, dir := start(t)
	write(t, filepath.Join(dir, "a.yaml"), "fine")
	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"workflow_run", args{}, "path"},
		{"workflow_run", args{"path": ""}, "`path` is empty"},
		{"workflow_run", args{"path": "a.yaml"}, "that is none of its commands"}, // the building fails
		{"workflow_run", args{"path": "a.yaml", "inputs": 7}, "inputs"},
		{"workflow_status", args{"run_id": "latest"}, "no runs in "},
		{"workflow_status", args{"run_id": "x-123456"}, "run x-123456: "},
		{"workflow_status", args{"run_id": ""}, "`run_id` is empty"},
		{"workflow_cancel", args{"run_id": "x"}, "run x: "},
		{"workflow_resume", args{"run_id": "x"}, "run x: "},
		{"workflow_list", args{"limit": -1}, "a limit of -1"},
		{"workflow_list", args{"status": "failed,fine"}, "unknown status `fine`"},
	} {
		if _, failure := call[any](t, c, tt.tool, tt.args); !strings.Contains(failure, tt.want) {
			t.Errorf("%s %v: %q does not say %q", tt.tool, tt.args, failure, tt.want)
		}
	}
	if out, failure := call[listing](t, c, "workflow_list", args{}); failure != "" || len(out.Workflows) != 1 || out.Workflows[0].Inputs[0].Name != "who" || out.Runs == nil {
		t.Errorf("%+v %s", out, failure)
	}
}

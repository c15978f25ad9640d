package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
)

// askingFlow is a workflow that asks agents, one a node.
func askingFlow(agents ...string) string {
	text := "name: flow\ndescription: d\nnodes:\n"
	for i, a := range agents {
		text += "  - {id: n" + string(rune('a'+i)) + ", prompt: x, provider: " + a + "}\n"
	}
	return text
}

// The doctor tells what there is and what not, of the agents that are asked, in
// each project by its own settings.
func TestDoctor(t *testing.T) {
	testkit.SkipBuild(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	fake := fakeagent.Program(t, "claude", fakeagent.Behaviour{Version: "2.1.150"})
	dir := t.TempDir()
	env := []string{
		"PATH=" + filepath.Dir(tool), "GOPROXY=off",
		"WFC_STATE=" + filepath.Join(dir, "state"), "ANTHROPIC_API_KEY=sk-very-secret",
		"IS_SANDBOX=1", // for root
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	settings := "agents:\n  claude: {use: claude, program: '" + fake + "'}\n"
	write(t, filepath.Join(dir, "wfc.yaml"), settings+"  reviewer: {use: claude, permission: all}\n  unasked: {command: ./not-there}\n")
	write(t, filepath.Join(dir, "one.yaml"), askingFlow("reviewer", "claude"))
	write(t, filepath.Join(dir, "two.yaml"), askingFlow("claude", "codex"))
	write(t, filepath.Join(dir, "none.yaml"), "name: n\ndescription: d\nnodes:\n  - {id: a, approval: {message: x}}\n")
	write(t, filepath.Join(sub, "wfc.yaml"), settings+"  codex: {use: claude}\n")
	write(t, filepath.Join(sub, "three.yaml"), askingFlow("codex"))

	code, out, messages := wfcCommand(t, dir, env, "doctor")
	if code != ExitFindings {
		t.Errorf("exit code %d\n%s", code, messages)
	}
	table := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"AGENT KIND PROGRAM VERSION INSTALLED SIGNED IN USABLE",
		"reviewer claude " + fake + " 2.1.150 yes yes yes",
		"claude claude " + fake + " 2.1.150 yes yes yes",
		"codex codex - - no unknown no",
		"codex claude " + fake + " 2.1.150 yes yes yes", // in the other project
		"npm install -g @openai/codex",
		"codex: used by two.yaml",
		"reviewer: may do anything to this machine without asking: `permission: all` in wfc.yaml",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, not := range []string{"sk-very-secret", "unasked", "claude: used by", "none.yaml"} {
		if strings.Contains(out, not) {
			t.Errorf("%q in\n%s", not, out)
		}
	}

	code, out, messages = wfcCommand(t, dir, env, "doctor", "--json", "one.yaml")
	var d struct {
		SchemaVersion int `json:"schema_version"`
		Agents        []struct {
			Name, Kind, Usable, Permission, Config string
			Workflows                              []string
		}
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != ExitClean || d.SchemaVersion != 1 || len(d.Agents) != 2 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, messages)
	}
	if a := d.Agents[0]; a.Name != "reviewer" || a.Kind != "claude" || a.Usable != "yes" || a.Permission != "all" || a.Config != "wfc.yaml" || !slices.Equal(a.Workflows, []string{"one.yaml"}) {
		t.Errorf("%+v", a)
	}
	if a := d.Agents[1]; a.Name != "claude" || a.Permission != "" {
		t.Errorf("%+v", a)
	}

	code, out, messages = wfcCommand(t, dir, env, "doctor", "none.yaml")
	if code != ExitClean || !strings.HasPrefix(out, "no agents in use\n\nGo: ") {
		t.Errorf("exit code %d\n%s%s", code, out, messages)
	}
	code, out, messages = wfcCommand(t, dir, append(env, "WFC_STATE=runs"), "doctor", "none.yaml")
	if code != ExitClean || !strings.Contains(out, "\nSandbox: steps can") || !strings.HasSuffix(out, "\nState folder: "+filepath.Join(dir, "runs")+"\n") {
		t.Errorf("exit code %d\n%s%s", code, out, messages)
	}
	code, out, messages = wfcCommand(t, dir, append(env, "WFC_STATE=runs"), "doctor", "none.yaml", "--json")
	if code != ExitClean || !strings.Contains(out, `"sandbox": {`) || !strings.Contains(out, fmt.Sprintf("%q: %q", "state_folder", filepath.Join(dir, "runs"))) {
		t.Errorf("exit code %d\n%s%s", code, out, messages)
	}
	write(t, filepath.Join(dir, "wfc.yaml"), "agents: {reviewer: {use: cloude}}\n")
	code, out, messages = wfcCommand(t, dir, env, "doctor", "one.yaml")
	if code != ExitFindings || out != "" || !strings.Contains(messages, "WFC113") {
		t.Errorf("of a wrong configuration: exit code %d\n%s", code, messages)
	}
	code, out, messages = wfcCommand(t, dir, env, "doctor", "none-such.yaml")
	if code != ExitUsage || out != "" || !strings.Contains(messages, "file or folder `none-such.yaml` does not exist") {
		t.Errorf("of a file that is not there: exit code %d\n%s", code, messages)
	}
}

// oldGo writes a go command that is too old.
func oldGo(t *testing.T, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the go command of this test is a shell script")
	}
	write(t, filepath.Join(dir, "go"), "#!/bin/sh\necho go1.10\n")
	if err := os.Chmod(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestDoctorWithoutGo has only an old Go on PATH. That is a fault only if none may be downloaded.
func TestDoctorWithoutGo(t *testing.T) {
	dir := t.TempDir()
	oldGo(t, dir)
	write(t, filepath.Join(dir, "none.yaml"), "name: n\ndescription: d\nnodes:\n  - {id: a, approval: {message: x}}\n")
	for setting, want := range map[string]int{"GOTOOLCHAIN=local": ExitFindings, "GOPROXY=off": ExitFindings, "GOPROXY=https://127.0.0.1:1": ExitClean} {
		env := []string{"PATH=" + dir, "HOME=" + dir, "WFC_CACHE=" + filepath.Join(dir, "cache"), "WFC_STATE=" + filepath.Join(dir, "state"), "GOROOT=", "GOTOOLCHAIN=auto", setting}
		code, out, messages := wfcCommand(t, dir, env, "doctor", "none.yaml")
		if code != want || !strings.Contains(out, "\nGo: ") {
			t.Errorf("%s: exit code %d\n%s%s", setting, code, out, messages)
		}
	}
}

// TestRunChecksFirst wants wfc run to name what a run lacks before it builds anything: the
// cache is empty, and there is no Go.
func TestRunChecksFirst(t *testing.T) {
	dir := t.TempDir()
	oldGo(t, dir)
	write(t, filepath.Join(dir, "bun.yaml"), "name: n\ndescription: d\nnodes:\n  - {id: a, runtime: bun, script: console.log(1)}\n  - {id: b, depends_on: [a], when: \"$a.output == 'x'\", runtime: uv, script: print(1)}\n")
	write(t, filepath.Join(dir, "agent.yaml"), askingFlow("codex"))
	write(t, filepath.Join(dir, "user.yaml"), askingFlow("mine"))
	write(t, filepath.Join(dir, "wfc.yaml"), "agents: {mine: {use: codex}}\n")
	env := []string{"PATH=" + dir, "HOME=" + dir, "WFC_CACHE=" + filepath.Join(dir, "cache"), "WFC_STATE=" + filepath.Join(dir, "state"), "GOROOT=", "GOTOOLCHAIN=local"}
	const bun, agent, noGo = "step `a` starts `bun`: bun is not on PATH; install it as https://bun.sh says", "  codex: the program `codex` is not on PATH; install it with", "GOTOOLCHAIN=local does not allow wfc to download Go"
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"bun.yaml"}, 1, bun},
		{[]string{"bun.yaml", "--worktree"}, 1, "the worktree starts `git`: git is not on PATH"},
		{[]string{"bun.yaml", "--skip-agent-check"}, 125, noGo},
		{[]string{"bun.yaml", "--dry-run"}, 125, noGo},
		{[]string{"agent.yaml"}, 1, agent},
		{[]string{"agent.yaml", "--replay=x.json"}, 125, noGo},
		{[]string{"agent.yaml", "--agent", "codex=command:./ask"}, 125, noGo},
		{[]string{"agent.yaml", "--agent", "claude=command:./ask"}, 1, agent}, // it replaces another one
		{[]string{"user.yaml", "--agent", "codex=command:./ask"}, 125, noGo},  // what uses it is replaced, too
		{[]string{"agent.yaml", "--", "--dry-run"}, 1, agent},
	} {
		code, _, messages := wfcCommand(t, dir, env, append([]string{"run"}, test.args...)...)
		if code != test.code || !strings.Contains(messages, test.want) || strings.Contains(messages, "uv") {
			t.Errorf("%q: exit code %d, want %d and %q\n%s", test.args, code, test.code, test.want, messages)
		}
	}
}

// TestDoctorFindsTools wants doctor to find what a run would: programs that its steps start, and the
// base branch.
func TestDoctorFindsTools(t *testing.T) {
	dir := t.TempDir()
	oldGo(t, dir)
	write(t, filepath.Join(dir, "bun.yaml"), "name: n\ndescription: d\nnodes:\n  - {id: a, runtime: bun, script: console.log(1)}\n  - {id: b, depends_on: [a], when: \"$a.output == 'x'\", runtime: uv, script: print(1)}\n")
	write(t, filepath.Join(dir, "some.yaml"), "name: s\ndescription: d\nnodes:\n  - {id: a, approval: {message: x}}\n  - {id: b, depends_on: [a], when: \"$a.output == 'x'\", runtime: uv, script: print(1)}\n")
	write(t, filepath.Join(dir, "base.yaml"), "name: b\ndescription: d\nnodes:\n  - {id: a, prompt: Compare with $BASE_BRANCH.}\n")
	env := []string{"PATH=" + dir, "HOME=" + dir, "WFC_STATE=" + filepath.Join(dir, "state"), "GOROOT=", "GOTOOLCHAIN=auto", "GOPROXY=https://127.0.0.1:1"}
	const bun = "\nMissing: step `a` starts `bun`: bun is not on PATH; install it as https://bun.sh says, or set PATH so that it is found\n  no run of bun.yaml starts without it\n"
	const base = "\nMissing: workflow b reads the base branch, but `origin` has neither a known default branch nor `main`: add --base-branch NAME, or set base_branch in wfc.yaml\n  no run of base.yaml starts without it\n"
	for _, test := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"bun.yaml"}, ExitFindings, []string{bun, "\n  some runs of bun.yaml need it\n"}},
		{[]string{"base.yaml"}, ExitFindings, []string{base}},
		{[]string{"some.yaml"}, ExitClean, []string{"\nMissing: step `b` starts `uv`: uv is not on PATH; ", "\n  some runs of some.yaml need it\n"}},
		{[]string{"some.yaml", "bun.yaml"}, ExitFindings, []string{bun, "\n  some runs of some.yaml and bun.yaml need it\n"}},
		{[]string{"some.yaml", "--json"}, ExitClean, []string{`"name": "uv",`, `"required": false,`}},
		{[]string{"bun.yaml", "--from", "archon"}, ExitFindings, []string{bun, "0 with errors\n"}},
		{[]string{"some.yaml", "--from", "archon"}, ExitClean, []string{"some runs of some.yaml need it"}},
		{[]string{"bun.yaml", "--from", "archon", "--json"}, ExitFindings, []string{`"name": "bun",`, `"required": true,`}},
	} {
		code, out, messages := wfcCommand(t, dir, env, append([]string{"doctor"}, test.args...)...)
		for _, want := range test.want {
			if code != test.code || !strings.Contains(out, want) {
				t.Errorf("%q: exit code %d, want %d and %q\n%s%s", test.args, code, test.code, want, out, messages)
			}
		}
	}
}

// The agents that doctor checks depend on the named workflows, or on all of them.
func TestAgentsToCheck(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "wfc.yaml", "agents:\n  own: {command: ./ask}\n  claude: {use: own}\n")
	find := func(args ...string) (names []string, told string, err error) {
		var messages strings.Builder
		d := &doctor{app: &app{screen: screen{Streams: Streams{Out: io.Discard, Err: &messages}}, projects: newProjects(nil)}}
		groups, err := d.agentGroups(args)
		for _, g := range groups {
			names = append(names, g.names...)
		}
		return names, messages.String(), err
	}
	want := []string{"own", "claude"}
	for _, a := range catalog.Agents() {
		if a.Name != "claude" {
			want = append(want, a.Name)
		}
	}
	if got, _, err := find(); err != nil || !slices.Equal(got, want) {
		t.Errorf("without workflows: %q, %v", got, err)
	}
	write(t, "notes.yaml", "a: b\n")
	if _, _, err := find("notes.yaml"); err != nil {
		t.Errorf("of a file that is no workflow: %v", err) // it has a finding
	}
	write(t, "flow.yaml", askingFlow("own", "codex", "own"))
	if got, _, err := find(); err != nil || !slices.Equal(got, []string{"own", "codex"}) {
		t.Errorf("of a workflow: %q, %v", got, err)
	}
	// What is wrong with a workflow does not hide its agents.
	write(t, "flow.yaml", strings.Replace(askingFlow("pi", "codex"), "id: na", "id: na, depends_on: [x]", 1))
	got, told, err := find("flow.yaml")
	if err != nil || !slices.Equal(got, []string{"pi", "codex"}) || !strings.Contains(told, "flow.yaml has errors") {
		t.Errorf("of a faulty workflow: %q, %q, %v", got, told, err)
	}
}

// The doctor needs no Go, no cache and no network, and shows no key.
func TestDoctorBuildsNothing(t *testing.T) {
	dir := t.TempDir()
	fake := fakeagent.Program(t, "claude", fakeagent.Behaviour{Version: "2.1.150"})
	cache := filepath.Join(dir, "cache")
	telemetry := filepath.Join(dir, ".config", "go", "telemetry")
	if err := os.MkdirAll(telemetry, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(telemetry, "mode"), "off") // `go` would write there even after the test
	env := []string{
		"PATH=" + filepath.Join(dir, "nothing"), "GOROOT=", "WFC_CACHE=" + cache, "HOME=" + dir, "CLAUDE_CONFIG_DIR=" + dir,
		"ANTHROPIC_API_KEY=", "ANTHROPIC_AUTH_TOKEN=", "CLAUDE_CODE_OAUTH_TOKEN=", "OPENAI_API_KEY= ", "MY_KEY=sk-very-secret", "GEMINI_API_KEY=", "GOOGLE_API_KEY=",
	}
	write(t, filepath.Join(dir, "wfc.yaml"), "agents:\n  claude: {use: claude, program: '"+fake+"'}\n  follower: {use: claude}\n"+
		"  api: {use: openai}\n  gem: {use: google}\n  set: {use: openai, key_variable: MY_KEY}\n  own: {command: ['"+fake+"', --ask]}\n  lost: {command: [./nowhere]}\n")
	write(t, filepath.Join(dir, "flow.yaml"), askingFlow("claude", "follower", "api", "set", "gem", "own", "lost", "opencode"))
	code, out, messages := wfcCommand(t, dir, env, "doctor")
	if code != ExitFindings || messages != "" {
		t.Errorf("exit code %d\n%s", code, messages)
	}
	table := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"claude claude " + fake + " 2.1.150 yes ", "follower claude " + fake + " 2.1.150 yes ",
		"api openai - - yes no no", "api: missing key for the OpenAI API", "api: → set the environment variable `OPENAI_API_KEY`",
		"set openai - - yes unknown unknown",
		"gem google - - yes no no", "gem: → set the environment variable `GEMINI_API_KEY` or `GOOGLE_API_KEY`",
		"own command " + fake + " - yes unknown unknown", "lost command - - no unknown no",
		"opencode acp - - no unknown no", "npm install -g opencode-ai",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "sk-very-secret") {
		t.Errorf("a key in\n%s", out)
	}
	if _, err := os.Stat(cache); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cache: %v", err)
	}
}

// A program that does not answer does not hold the doctor up.
func TestDoctorWaitsForNobody(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	dir := t.TempDir()
	slow := filepath.Join(dir, "slow")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "wfc.yaml"), "agents: {claude: {use: claude, program: '"+slow+"'}}\n")
	write(t, filepath.Join(dir, "flow.yaml"), askingFlow("claude"))
	code, out, messages := wfcCommand(t, dir, []string{"HOME=" + dir}, "doctor")
	if code != ExitClean || !strings.Contains(out, "claude: it did not report its version within 900ms; `wfc doctor --deep` waits longer") {
		t.Errorf("exit code %d\n%s%s", code, out, messages)
	}
}

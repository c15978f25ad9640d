package secrets_test

import (
	"bufio"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/mcp"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"teller": func() {
		os.Exit(cli.Main(cli.Program{
			Definition: teller(), OpenStore: entstore.OpenState, MCP: mcp.Server(), Prompts: prompts.Opener(nil),
			Performers: []engine.Performer{&shell.Performer{}, deliver.New(settings.Channel{Name: "ops", Kind: "webhook", URLVariable: "OPS_HOOK", TokenVariable: "OPS_BOT"})},
			Defaults:   settings.Project{Environ: []string{"PROJECT_PAT=pat-of-the-project"}},
		}))
	}})
}

// tells prints all that it has, in all the ways that programs have.
const tells = `printf '%s\n' "$OPS_HOOK" "$OPS_BOT" "$PLAIN" "$DB_DSN" "$SESSION_COOKIE" "$PROJECT_PAT" >&2
	printf '{"Authorization":"Bearer %s"}\n' "$OPS_BOT" >&2
	printf 'user:%s' "$OPS_BOT" | base64 -w0 >&2; echo >&2
	printf 'user:%s' "$LONG_TOKEN" | base64 >&2; printf '%s' "$LONG_TOKEN" | base64 | sed 's/^/12:00:01 INFO /' >&2
	printf '%s' "$LONG_TOKEN" | od -An -tx1 >&2; printf '%s\n' "${LONG_TOKEN//\//%2f}" "${LONG_TOKEN//\//\\/}" >&2
	printf '%s' "$OPS_HOOK"`

// teller has a script, an agent and a delivery that hold secrets.
func teller() *flow.Definition {
	def := &flow.Definition{Name: "teller", Fingerprint: "t1", Agents: []string{"bot"}, Nodes: []flow.NodeInfo{
		{Key: "fail", Kind: "bash"}, {Key: "tell", Kind: "bash"}, {Key: "ask", Kind: "prompt", Agent: "bot"}, {Key: "deliver", Kind: "deliver", After: []string{"tell"}},
	}}
	bash := func(c *flow.Context, key, script string) *flow.Task[string] {
		return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: script})
			return r.Text, err
		}})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		told := bash(c, "tell", tells)
		bash(c, "fail", `echo "cannot reach $OPS_HOOK with $OPS_BOT" >&2; exit 3`)
		flow.Spawn(c, flow.Node[string]{Key: "ask", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "bot", Text: "say it"})
			return r.Text, err
		}})
		flow.Spawn(c, flow.Node[string]{Key: "deliver", Kind: "deliver", After: []flow.AnyTask{told}, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Delivery{Workflow: "teller", Targets: []string{"ops"}, Text: "it is " + told.Final().Text})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	return def
}

func TestSecretsReachNobody(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("the workflow of this test needs bash")
	}
	dir := t.TempDir()
	var mu sync.Mutex
	var delivered string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		delivered += string(text)
	}))
	defer server.Close()
	secrets := map[string]string{
		"OPS_HOOK": server.URL + "/hook/0123456789abcdefXYZ", "OPS_BOT": "987654:bot-and-token", "PLAIN": "redis://u:pass-of-redis@h/0",
		"DB_DSN": "host=db password=pass-of-dsn", "SESSION_COOKIE": "sid=cookie-of-session", "WFC_SLACK_URL": "https://hooks.slack.com/services/T0/B0/zyx987654321",
	}
	const long = "the/long/token/0123456789abcdefghijklmnopqrstuvwxyz/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ/last"
	secrets["LONG_TOKEN"] = long
	hidden := []string{"%2flong%2f", `\/long\/`, "74 6f 6b 65 6e 2f 30", "0123456789abcdefXYZ", "987654:bot-and-token", "pass-of-redis", "pass-of-dsn", "cookie-of-session", "pat-of-the-project", "zyx987654321",
		base64.StdEncoding.EncodeToString([]byte("user:987654:bot-and-token"))}
	for _, before := range []string{"", "user:"} {
		for code := base64.StdEncoding.EncodeToString([]byte(before + long)); len(code) > 8; code = code[min(76, len(code)):] {
			hidden = append(hidden, code[min(8, len(code)-8):min(72, len(code)-4)])
		}
	}
	agent := filepath.Join(dir, "agent.sh")
	script := "#!/bin/bash\nenv >'" + filepath.Join(dir, "seen") + "'\necho 'my guess: 987654:bot-and-token'\necho 'note pass-of-dsn 0123456789abcdefXYZ' >&2\nbase64 <<<'user:" + long + "'\n"
	if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath("teller")
	if err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) *exec.Cmd {
		cmd := &exec.Cmd{Path: path, Args: append([]string{"teller"}, args...), Dir: dir}
		for _, entry := range os.Environ() {
			if !strings.HasPrefix(entry, "WFC_") {
				cmd.Env = append(cmd.Env, entry)
			}
		}
		cmd.Env = append(cmd.Env, "WFC_STATE="+filepath.Join(dir, "state"), "NO_COLOR=1")
		for name, value := range secrets {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		return cmd
	}
	call := func(args ...string) string {
		out, _ := command(args...).CombinedOutput() // that it fails is wanted
		return string(out)
	}
	nowhere := func(what, text string) {
		t.Helper()
		for _, secret := range hidden {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is in\n%s", what, secret, text)
			}
		}
		if text == "" {
			t.Errorf("%s: nothing", what)
		}
	}
	read := func(name string) string {
		t.Helper()
		files, _ := filepath.Glob(filepath.Join(dir, name)) // the pattern is right
		if len(files) == 0 {
			t.Fatalf("there is no %s", name)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	record := filepath.Join(dir, "tape")
	out := call("run", "--agent", "bot=command:"+agent, "--record", record, "--jsonl")
	if !strings.Contains(out, "cannot reach *** with ***") {
		t.Errorf("shown: %s", out)
	}
	nowhere("the lines of --jsonl", out)
	nowhere("what the agent sees", read("seen"))
	nowhere("the log", read("state/runs/*/log.jsonl"))
	nowhere("the recording", read("tape"))
	mu.Lock()
	nowhere("what is delivered", delivered)
	mu.Unlock()
	nowhere("info", call("info", "--agent", "bot=command:"+agent, "--check"))
	nowhere("the plan", call("run", "--dry-run", "--agent", "bot=command:"+agent))
	answer := ask(t, command("mcp"), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"workflow_status","arguments":{"run_id":"latest","full":true}}}
`)
	if nowhere("an MCP answer", answer); !strings.Contains(answer, "my guess: ***") {
		t.Errorf("%s", answer)
	}
	nowhere("an error", call("run", "--agent", "bot=987654:bot-and-token:"))
}

// ask sends messages to an MCP server and returns the answer to the one of id 2.
func ask(t *testing.T, server *exec.Cmd, messages string) string {
	t.Helper()
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, messages); err != nil {
		t.Fatal(err)
	}
	answer := ""
	for lines := bufio.NewReader(out); !strings.Contains(answer, `"id":2`); {
		if answer, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	_ = server.Wait() // its answer counts
	return answer
}

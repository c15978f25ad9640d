package codex_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// always are the arguments of every turn without permissions.
var always = []string{"exec", "--json", "--color=never", "--skip-git-repo-check", "-c", `sandbox_mode="read-only"`, "-c", `approval_policy="never"`}

// Each option of the kind is in the table, and reaches the program.
func TestOptions(t *testing.T) {
	// The runtime holds a turn to its budget; the program knows none. Skills are
	// named in the prompt.
	tested := map[string]bool{"maxBudgetUsd": true, "skills": true}
	for _, test := range []struct {
		name, value string
		want        []string
	}{
		{"systemPrompt", `"be \"brief\"\n$(x) <\u007f>"`, []string{"-c", `developer_instructions="be \"brief\"\n$(x) <\u007f>"`}},
		{"modelReasoningEffort", `"xhigh"`, []string{"-c", `model_reasoning_effort="xhigh"`}},
		{"webSearchMode", `"live"`, []string{"-c", `web_search="live"`}},
		{"maxBudgetUsd", `1`, nil},
		{"skills", `["a"]`, nil},
		{"mcp", `{"s":{"command":"c","args":["a b","$HOME"],"env":{"A":"x=\"y\""},"startup_timeout_sec":5,"enabled_tools":["t"]},"t":{"type":"http","url":"http://x","headers":{"X-A":"b"}}}`,
			[]string{"-c", `mcp_servers.s={command = "c", args = ["a b", "$HOME"], env = {A = "x=\"y\""}, startup_timeout_sec = 5, enabled_tools = ["t"], default_tools_approval_mode = "approve"}`,
				"-c", `mcp_servers.t={url = "http://x", http_headers = {X-A = "b"}, default_tools_approval_mode = "approve"}`}},
	} {
		tested[test.name] = true
		path := fakeagent.Program(t, "codex", answers)
		c := converse(t, path)
		c.request.Options = []flow.Option{{Name: test.name, Value: test.value}}
		if _, err := c.ask(); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if args, want := fakeagent.Turns(t, path)[0].Args, append(append(slices.Clone(always), test.want...), "-"); !slices.Equal(args, want) {
			t.Errorf("%s: got %q, want %q", test.name, args, want)
		}
	}
	kind, _ := catalog.KindNamed("codex")
	for _, name := range kind.Options {
		if !tested[name] {
			t.Errorf("the option `%s` has no test", name)
		}
	}
}

func TestOptionsTogether(t *testing.T) {
	path := fakeagent.Program(t, "codex", answers)
	c := converse(t, path)
	c.request.Model, c.request.Session = "gpt-5.5", "s-1"
	c.request.Schema = json.RawMessage(`{"type":"object"}`)
	c.request.Options = []flow.Option{{Name: "skills", Value: `["a","b"]`}, {Name: "systemPrompt", Value: `"brief"`}}
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	turn := fakeagent.Turns(t, path)[0]
	if turn.Prompt != "Skills to use: $a, $b\n\nsay hi" || turn.Model != "gpt-5.5" || turn.Session != "s-1" || turn.System != "brief" || turn.Schema == nil {
		t.Errorf("got %+v", turn)
	}
	if n := len(turn.Args); !slices.Equal(turn.Args[n-3:], []string{"resume", "s-1", "-"}) {
		t.Errorf("arguments %q", turn.Args)
	}
}

func TestPermissions(t *testing.T) {
	edit := slices.Clone(always)
	edit[5] = `sandbox_mode="workspace-write"`
	for permission, want := range map[string][]string{
		"": always, "safe": always, "edit": edit, "all": append(slices.Clone(always[:4]), "--dangerously-bypass-approvals-and-sandbox"),
	} {
		path := fakeagent.Program(t, "codex", answers)
		c := converse(t, path)
		c.choice.Permission = permission
		if _, err := c.ask(); err != nil {
			t.Fatal(err)
		}
		if args := fakeagent.Turns(t, path)[0].Args; !slices.Equal(args, append(slices.Clone(want), "-")) {
			t.Errorf("%s: %q", permission, args)
		}
	}
}

// With edit, the agent also writes in the run's folder for artifacts, in continued sessions, too.
func TestArtifacts(t *testing.T) {
	for _, permission := range []string{"safe", "edit", "all"} {
		path := fakeagent.Program(t, "codex", answers)
		c := converse(t, path)
		c.choice.Permission = permission
		c.request.ArtifactsDir, c.request.Session = "/a b", "s-1"
		if _, err := c.ask(); err != nil {
			t.Fatal(err)
		}
		args := fakeagent.Turns(t, path)[0].Args
		at := slices.Index(args, "--add-dir=/a b")
		if (at >= 0) != (permission == "edit") || at > slices.Index(args, "resume") {
			t.Errorf("%s: %q", permission, args)
		}
	}
}

// What comes from a variable is in no argument.
func TestSecretsOfServers(t *testing.T) {
	path := fakeagent.Program(t, "codex", answers)
	c := converse(t, path)
	c.request.Environ = append(c.request.Environ, "MY_TOKEN=secret-value")
	c.request.Options = []flow.Option{{Name: "mcp", Value: `{"s":{"command":"c","env":{"MY_TOKEN":"$MY_TOKEN","OTHER":"x-${MY_TOKEN}","LITERAL":"l"}},
		  "t":{"url":"http://x","headers":{"A":"${MY_TOKEN}","B":"Bearer $MY_TOKEN","C":"c","D":"$NONE"}}}`}}
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	turn := fakeagent.Turns(t, path)[0]
	all := strings.Join(turn.Args, "\n")
	if strings.Contains(all, "secret-value") {
		t.Error("a secret is in the arguments")
	}
	var header string
	for _, entry := range turn.Environ {
		if name, value, _ := strings.Cut(entry, "="); value == "Bearer secret-value" {
			header = name
		}
	}
	if header == "" || !slices.Contains(turn.Environ, "OTHER=x-secret-value") {
		t.Errorf("the values are not in the environment")
	}
	for _, want := range []string{
		`mcp_servers.s={command = "c", args = [], env = {LITERAL = "l"}, env_vars = ["MY_TOKEN", "OTHER"], default_tools_approval_mode = "approve"}`,
		`mcp_servers.t={url = "http://x", http_headers = {C = "c"}, env_http_headers = {A = "MY_TOKEN", B = "` + header + `", D = "NONE"}, default_tools_approval_mode = "approve"}`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in\n%s", want, all)
		}
	}
	if !strings.Contains(c.warnings, "refer to $NONE") {
		t.Errorf("notes %q", c.notes)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for want, server := range map[string]string{
		"the MCP server `a.b`: codex allows only letters":   `{"a.b":{"command":"c"}}`,
		"codex supports servers of type `stdio` and `http`": `{"s":{"type":"sse","url":"u"}}`,
		"its variable PATH differs from the agent's":        `{"s":{"command":"c","env":{"PATH":"/x:$HOME"}}}`,
		"`cwd`: settings cannot be null":                    `{"s":{"command":"c","cwd":{"a":[null]}}}`,
		"the MCP servers must be a JSON object":             `[]`,
	} {
		c := converse(t, fakeagent.Program(t, "codex", answers))
		c.request.Options = []flow.Option{{Name: "mcp", Value: server}}
		_, err := c.ask()
		wantFailure(t, err, flow.ClassFatal, "agent", want)
	}
}

package claude_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// always are the arguments of every turn.
var always = []string{"-p", "--output-format=stream-json", "--verbose", "--include-partial-messages"}

// Each option of the kind is in the table, and reaches the program.
func TestOptions(t *testing.T) {
	safe := "--permission-mode=default"
	tested := map[string]bool{}
	for _, test := range []struct {
		name, value string
		want        []string
	}{
		{"systemPrompt", `"be \"brief\"\n$(x)"`, []string{safe, "--system-prompt=be \"brief\"\n$(x)"}},
		{"allowed_tools", `["Read","Bash(git:*)","mcp__x__y"]`, []string{safe, "--allowedTools=Read,Bash(git:*),mcp__x__y", "--tools", "Read,Bash"}},
		{"allowed_tools", `[]`, []string{safe, "--tools", ""}},
		{"denied_tools", `["WebFetch","Bash"]`, []string{safe, "--disallowedTools=WebFetch,Bash"}},
		{"skills", `["a","b"]`, []string{safe, "--allowedTools=Skill(a),Skill(b)"}},
		{"agents", `{"x":{"description":"d","prompt":"p"}}`, []string{safe, `--agents={"x":{"description":"d","prompt":"p"}}`}},
		{"settingSources", `["project","user"]`, []string{safe, "--setting-sources=project,user"}},
		{"settingSources", `[]`, []string{safe, "--setting-sources="}},
		{"plugins", `["./a",{"type":"local","path":"b c"}]`, []string{safe, "--plugin-dir=./a", "--plugin-dir=b c"}},
		{"effort", `"max"`, []string{safe, "--effort=max"}},
		{"thinking", `{"type":"adaptive"}`, []string{safe, "--thinking=adaptive"}},
		{"thinking", `{"type":"disabled"}`, []string{safe, "--thinking=disabled"}},
		{"thinking", `{"type":"enabled"}`, []string{safe, "--thinking=adaptive"}},
		{"thinking", `{"type":"enabled","budgetTokens":2048}`, []string{safe, "--max-thinking-tokens=2048"}},
		{"maxBudgetUsd", `0.0000001`, []string{safe, "--max-budget-usd=0.0000001"}},
		{"fallbackModel", `"-haiku"`, []string{safe, "--fallback-model=-haiku"}},
		{"betas", `["a","b"]`, []string{safe, "--betas=a,b"}},
		{"mcp", `{"s":{"command":"c"}}`, []string{safe, "--mcp-config=FILE", "--allowedTools=mcp__s"}},
		{"mcp", `{}`, []string{safe}},
		{"hooks", `{"Stop":[{"response":{"continue":true}}]}`, []string{safe, "--settings=FILE"}},
		{"sandbox", `{"enabled":true}`, []string{safe, "--settings=FILE"}},
	} {
		tested[test.name] = true
		path := fakeagent.Program(t, "claude", answers)
		c := converse(t, path)
		c.request.Options = []flow.Option{{Name: test.name, Value: test.value}}
		if _, err := c.ask(); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		args := fakeagent.Turns(t, path)[0].Args
		for i, arg := range args {
			if flag, value, _ := strings.Cut(arg, "="); strings.HasPrefix(value, c.request.RunDir) {
				args[i] = flag + "=FILE"
			}
		}
		if want := append(slices.Clone(always), test.want...); !slices.Equal(args, want) {
			t.Errorf("%s %s: got %q, want %q", test.name, test.value, args, want)
		}
	}
	kind, _ := catalog.KindNamed("claude")
	for _, name := range kind.Options {
		if !tested[name] {
			t.Errorf("the option `%s` has no test", name)
		}
	}
}

func TestOptionsTogether(t *testing.T) {
	path := fakeagent.Program(t, "claude", answers)
	c := converse(t, path)
	c.request.Model = "opus"
	c.request.Text = "/x --y 'z' $(touch w)"
	c.request.Options = []flow.Option{
		{Name: "allowed_tools", Value: `["Read"]`}, {Name: "skills", Value: `["a"]`},
		{Name: "agents", Value: `{"x":{}}`}, {Name: "mcp", Value: `{"s":{"url":"http://x"}}`},
	}
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	turn := fakeagent.Turns(t, path)[0]
	if turn.Prompt != "Skills to use: a\n\n/x --y 'z' $(touch w)" || turn.Model != "opus" {
		t.Errorf("got %+v", turn)
	}
	for _, want := range []string{"--allowedTools=Read,mcp__s,Skill(a)", "Read,Skill,Agent,Task", "--model=opus"} {
		if !slices.Contains(turn.Args, want) {
			t.Errorf("%q is not in %q", want, turn.Args)
		}
	}
}

func TestPermissions(t *testing.T) {
	for permission, want := range map[string]string{
		"": "--permission-mode=default", "safe": "--permission-mode=default", "edit": "--permission-mode=acceptEdits", "all": "--dangerously-skip-permissions",
	} {
		path := fakeagent.Program(t, "claude", answers)
		c := converse(t, path)
		c.choice.Permission = permission
		if _, err := c.ask(); err != nil {
			t.Fatal(err)
		}
		if args := fakeagent.Turns(t, path)[0].Args; !slices.Equal(args, append(slices.Clone(always), want)) {
			t.Errorf("%s: %q", permission, args)
		}
	}
}

// The folder for artifacts is one more working directory, for permissions that have any.
func TestArtifacts(t *testing.T) {
	for permission, want := range map[string]string{
		"safe": `{"permissions":{"additionalDirectories":["/a b"]}}`, "edit": `{"permissions":{"additionalDirectories":["/a b"]}}`, "all": "",
	} {
		path := fakeagent.Program(t, "claude", answers)
		c := converse(t, path)
		c.choice.Permission = permission
		c.request.ArtifactsDir = "/a b"
		if _, err := c.ask(); err != nil {
			t.Fatal(err)
		}
		var files struct {
			Settings json.RawMessage `json:"--settings"`
		}
		if body := fakeagent.Turns(t, path)[0].Body; len(body) > 0 {
			if err := json.Unmarshal(body, &files); err != nil {
				t.Fatal(err)
			}
		}
		if string(files.Settings) != want {
			t.Errorf("%s: settings %s", permission, files.Settings)
		}
	}
}

// Servers and hooks come in files that only the owner reads.
func TestFiles(t *testing.T) {
	path := fakeagent.Program(t, "claude", answers)
	c := converse(t, path)
	c.request.Environ = append(c.request.Environ, "MY_TOKEN=secret-value")
	c.request.Options = []flow.Option{
		{Name: "mcp", Value: `{"s":{"command":"c","args":["$MY_TOKEN"],"env":{"A":"x-${MY_TOKEN}","B":"$NONE"},"timeout":5}}`},
		{Name: "hooks", Value: `{"PreToolUse":[{"matcher":"Bash","response":{"decision":"block"},"timeout":3}]}`},
		{Name: "sandbox", Value: `{"enabled":true}`},
	}
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	var files struct {
		MCP      json.RawMessage `json:"--mcp-config"`
		Settings struct {
			Sandbox json.RawMessage
			Hooks   map[string][]struct {
				Matcher string
				Hooks   []struct {
					Type, Command string
					Timeout       float64
				}
			}
		} `json:"--settings"`
	}
	if err := json.Unmarshal(fakeagent.Turns(t, path)[0].Body, &files); err != nil {
		t.Fatal(err)
	}
	if got, want := string(files.MCP), `{"mcpServers":{"s":{"args":["$MY_TOKEN"],"command":"c","env":{"A":"x-secret-value","B":""},"timeout":5,"type":"stdio"}}}`; got != want {
		t.Errorf("servers %s", got)
	}
	hook := files.Settings.Hooks["PreToolUse"]
	if len(hook) != 1 || hook[0].Matcher != "Bash" || len(hook[0].Hooks) != 1 || hook[0].Hooks[0].Type != "command" ||
		hook[0].Hooks[0].Timeout != 3 || !strings.HasPrefix(hook[0].Hooks[0].Command, "cat ") || string(files.Settings.Sandbox) != `{"enabled":true}` {
		t.Errorf("settings %+v", files.Settings)
	}
	if !strings.Contains(c.warnings, "refer to $NONE") || strings.Contains(c.warnings, "MY_TOKEN") {
		t.Errorf("notes %q", c.notes)
	}
}

// The command of a hook prints the answer, and does so in every folder.
func TestHooksAnswer(t *testing.T) {
	path := script(t, `for a; do case "$a" in --settings=*) f=${a#--settings=};; esac; done
ls -l "${f%/*}" | cut -c1-10 | sort -u | tr '\n' ' ' >&2
command=$(sed 's/.*"command":"\([^"]*\)".*/\1/' "$f")
text=$(eval "$command" | sed 's/"/\\"/g')
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$text"'"}'`)
	c := converse(t, path)
	c.request.RunDir += "/with a blank"
	mkdir(t, c.request.RunDir)
	c.request.Options = []flow.Option{{Name: "hooks", Value: `{"Stop":[{"response":{"decision":"block"}}]}`}}
	reply, err := c.ask()
	if err != nil || reply.Text != `{"decision":"block"}` {
		t.Errorf("got %+v, %v; %s", reply, err, c.notes)
	}
	if strings.Contains(c.notes, "-rw-r") || !strings.Contains(c.notes, "-rw-------") {
		t.Errorf("modes %q", c.notes)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for want, o := range map[string]flow.Option{
		"the option `effort`": {Name: "effort", Value: `1`},
		"the option `hooks`":  {Name: "hooks", Value: `[]`},
		"the MCP server `s`: it needs a `command` or a `url`": {Name: "mcp", Value: `{"s":{}}`},
		"the MCP server `s`: unknown type `ws`: use one of ":  {Name: "mcp", Value: `{"s":{"type":"ws","url":"u"}}`},
	} {
		c := converse(t, fakeagent.Program(t, "claude", answers))
		c.request.Options = []flow.Option{o}
		_, err := c.ask()
		wantFailure(t, err, flow.ClassFatal, "agent", want)
	}
}

package config

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func parseAll(text string) (*Config, []*diag.Diagnostic) {
	return Parse(source.NewFile("wfc.yaml", []byte(text)))
}

func parse(t *testing.T, text string) (*Config, []string) {
	t.Helper()
	c, ds := parseAll(text)
	var got []string
	for _, d := range ds {
		p := d.Span.Position()
		got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, d.Code.ID, d.Message))
	}
	return c, got
}

func TestParse(t *testing.T) {
	c, faults := parse(t, `
severities: {unused-ignore: off, WFC804: error}
agents:
  reviewer: {use: claude, model: opus, system_prompt: Be brief.}
  mine: {command: [./agent, --fast], options: [effort, mcp]}
  split: {command: ./my agent, options: []}
models:
  small: haiku
  "@deep": {agent: codex, model: big, effort: max}
commands: prompts
scripts: [tools, bin]
dialects:
  "flows/**/*.yaml": archon
  "kind/**": none
exclude: [vendor/, "./old/**/*.yaml"]
base_branch: develop
docs_dir: doc
env: {A: x, N: 1.50, B: true}
archon: {until: strict, version: 0.10}
max_parallel: 3
delivery:
  default: [slack, "ops:C1"]
  channels:
    slack: {url_variable: SLACK_URL}
    ops: {kind: slack, token_variable: BOT, receiver: C9, base_url: "http://127.0.0.1:1"}
on_interrupt: {default: ask, bash: fail, loop: rerun, nodes: {deploy: rerun}}
state: ./state
`)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	unused, _ := codes.Lookup("unused-ignore")
	unknown, _ := codes.Lookup("WFC804")
	agents := settings.Agents{
		{Name: "reviewer", Use: "claude", Model: "opus", SystemPrompt: "Be brief."},
		{Name: "mine", Kind: "command", Program: "./agent", Args: []string{"--fast"}, Options: []string{"effort", "mcp"}},
		{Name: "split", Kind: "command", Program: "./my", Args: []string{"agent"}, Options: []string{}},
	}
	want := &Config{
		severities: map[*diag.Code]diag.Severity{unused: diag.Off, unknown: diag.Error},
		exclude:    []string{"vendor", "old/**/*.yaml"},
		dialects:   []rule{{pattern: "flows/**/*.yaml", dialect: "archon"}, {pattern: "kind/**", dialect: "none"}},
		settings: settings.Project{
			Agents:   agents,
			Models:   []settings.Model{{Name: "small", Model: "haiku"}, {Name: "@deep", Agent: "codex", Model: "big", Effort: "max"}},
			Commands: []string{"prompts"}, Scripts: []string{"tools", "bin"},
			BaseBranch: "develop", DocsDir: "doc",
			Environ: []string{"A=x", "N=1.50", "B=true"},
			Archon:  settings.Archon{LooseUntil: true, Version: "0.10"}, MaxParallel: 3, State: "./state",
			DeliverTo: []string{"slack", "ops:C1"}, Channels: []settings.Channel{
				{Name: "slack", URLVariable: "SLACK_URL"}, {Name: "ops", Kind: "slack", TokenVariable: "BOT", Receiver: "C9", BaseURL: "http://127.0.0.1:1"},
			},
			OnInterrupt: settings.Interrupts{
				Default: settings.InterruptAsk, Kinds: map[string]settings.Policy{"bash": settings.InterruptFail, "loop": settings.InterruptRerun},
				Nodes: map[string]settings.Policy{"deploy": settings.InterruptRerun},
			},
		},
	}
	c.set = nil
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	c.Dir = "/p"
	if got := c.Options("/p/flows/a/b/c.yaml").ConfigDialect; got != "archon" {
		t.Errorf("dialect %q", got)
	}
	if got := c.Options("/p/other/c.yaml").ConfigDialect; got != "" {
		t.Errorf("dialect %q", got)
	}
	agents[0].Kind = "claude"
	if got := c.Options("/p/x.yaml").Settings.Agents; !reflect.DeepEqual(got, agents) {
		t.Errorf("the compiler's agents: %+v, want %+v", got, agents)
	}
}

// Agents that use others have what those have, and models by their own names.
func TestResolved(t *testing.T) {
	c, faults := parse(t, `
agents:
  careful: {use: reviewer, system_prompt: Be careful., options: [effort]}
  reviewer: {use: local, model: "@deep"}
  local: {command: [./my agent], model: m, system_prompt: Be brief.}
  claude: {use: claude, model: large}
  quick: {use: claude, model: small}
  plain: {use: codex}
models: {small: tiny, deep: {agent: local, model: big}}
`)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	own := settings.Agent{Kind: "command", Program: "./my agent", Args: []string{}, SystemPrompt: "Be brief."}
	careful, reviewer, local := own, own, own
	careful.Name, careful.Model, careful.SystemPrompt, careful.Options = "careful", "big", "Be careful.", []string{"effort"}
	reviewer.Name, reviewer.Model = "reviewer", "big"
	local.Name, local.Model = "local", "m"
	want := settings.Agents{
		careful, reviewer, local,
		{Name: "claude", Use: "claude", Kind: "claude", Model: "opus"},
		{Name: "quick", Use: "claude", Kind: "claude", Model: "tiny"},
		{Name: "plain", Use: "codex", Kind: "codex"},
	}
	if got := c.Agents(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFaults(t *testing.T) {
	const known = "claude, codex, opencode, pi, copilot, gemini, anthropic, openai, google, self"
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"# nothing\n", nil},
		{"agents:\n", nil},
		{"base_brunch: x\n", []string{"1:1 WFC125 unknown key `base_brunch` in the configuration"}},
		{"archon: {version: newest}\n", []string{"1:19 WFC113 `archon.version` must be a version such as \"0.9\""}},
		{"archon: {version: 9}\n", []string{"1:19 WFC113 `archon.version` must be a version such as \"0.9\""}},
		{"archon: {untill: x}\n", []string{"1:10 WFC125 unknown key `untill` in `archon`"}},
		{"- a\n", []string{"1:1 WFC113 `wfc.yaml` must be a mapping of names to values"}},
		{"max_parallel: 0\nstate: 3\ndocs_dir: ''\n", []string{
			"1:15 WFC113 `max_parallel` must be an integer of at least 1",
			"2:8 WFC113 `state` must be a string that is not empty",
			"3:11 WFC113 `docs_dir` must be a string that is not empty",
		}},
		{"scripts: [a, 1]\n", []string{"1:14 WFC113 `scripts[1]` must be a string that is not empty"}},
		{"on_interrupt: rerum\n", []string{"1:15 WFC113 `on_interrupt` must be one of rerun, ask, fail"}},
		{"severities: {unused-ignored: off, yaml-syntax: warning, unused-ignore: no}\n", []string{
			"1:14 WFC114 unknown diagnostic `unused-ignored`",
			"1:35 WFC153 `yaml-syntax` is an error and cannot be lowered",
			"1:72 WFC113 `severities.unused-ignore` must be one of off, note, warning, error",
		}},
		{"severities: {yaml-syntax: error}\n", nil},
		{"agents: {a: {use:claude}}\n", []string{"1:14 WFC125 unknown key `use:claude` in `agents.a`: no space follows the colon"}},
		{"agents: {a: {}, b: {use: claude, command: x}, c: {use: command}, d: 1}\n", []string{
			"1:13 WFC113 `agents.a` must be a mapping with `use` or `command`",
			"1:20 WFC113 `agents.b` must be a mapping with either `command` or a `use` other than `command`",
			"1:50 WFC113 `agents.c` must be a mapping with either `command` or a `use` other than `command`",
			"1:69 WFC113 `agents.d` must be a mapping with `use` or `command`, such as `{use: claude}`",
		}},
		{"agents: {a: {use: cloude}, b: {use: c}, c: {use: b}, d: {use: d}, codex: {use: codex}}\n", []string{
			"1:19 WFC113 `agents.a.use` must be one of " + known + ", a, b, c, d, acp, command",
			"1:37 WFC113 `agents.b.use` must be an agent that does not itself use this one",
			"1:50 WFC113 `agents.c.use` must be an agent that does not itself use this one",
			"1:63 WFC113 `agents.d.use` must be an agent that does not itself use this one",
		}},
		{"agents: {a: {use: claude, options: [effort, efort, 1]}, b: {command: x, options: all}}\n", []string{
			"1:45 WFC113 `agents.a.options` must be one of " + strings.Join(archon.OptionNames(), ", "),
			"1:52 WFC113 `agents.a.options` must be one of " + strings.Join(archon.OptionNames(), ", "),
			"1:82 WFC113 `agents.b.options` must be a list of option names",
		}},
		{"agents: {a: {use: claude, model: '@x'}, b: {use: a, model: '@y'}, c: {use: a, model: '@z'}}\nmodels: {y: {agent: codex, model: m}, z: {agent: claude, model: n}}\n", []string{
			"1:34 WFC113 `agents.a.model` must be one of y, z",
			"1:60 WFC113 `agents.b.model` must be a model of this agent; `@y` is one of `codex`",
		}},
		{"models: {a: '@b', b: {agent: cloude, model: x}, c: {model: '@b'}}\n", []string{
			"1:13 WFC113 `models.a` must be a model name, not an alias",
			"1:30 WFC113 `models.b.agent` must be one of " + known,
			"1:60 WFC113 `models.c` must be a model name, not an alias",
		}},
		{"models: {a: {model: x, effort: hihg}, b: {model: y, effort: low}}\nagents: {c: {use: claude, model: b}}\n", []string{
			"1:32 WFC113 `models.a.effort` must be one of minimal, low, medium, high, xhigh, max, ultra, persistent",
			"2:34 WFC113 `agents.c.model` must be a model without an effort; `b` has the effort `low`, which only a prompt can take",
		}},
		{"models: {a: {agent: x}, b: 1}\n", []string{
			"1:13 WFC113 `models.a` must be a model name, or a mapping with `model`",
			"1:21 WFC113 `models.a.agent` must be one of " + known,
			"1:28 WFC113 `models.b` must be a mapping of names to values",
		}},
		{"env: {1A: x, B: [1]}\n", []string{
			"1:7 WFC113 `env.1A` must be a name of letters, digits and `_`, not starting with a digit",
			"1:17 WFC113 `env.B` must be a string, a number or a boolean",
		}},
		{"dialects: {'[': archon, a: arch}\n", []string{
			"1:12 WFC113 `dialects.[` must be a pattern such as `flows/**/*.yaml`",
			"1:28 WFC113 `dialects.a` must be one of archon, graphloop, lango, xprompt, none",
		}},
		{"state: a\nstate: b\n", []string{"2:1 WFC103 duplicate key `state`"}},
		{"state: a\n---\nb: c\n", []string{"2:1 WFC113 `wfc.yaml` must be a single document"}},
	}
	for _, test := range tests {
		_, got := parse(t, test.text)
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%q\ngot:\n  %s\nwant:\n  %s", test.text, strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
		}
	}
}

func TestLoadWithoutFile(t *testing.T) {
	if _, _, err := Load(t.TempDir()+"/wfc.yaml", "wfc.yaml"); err == nil {
		t.Error("no error")
	}
}

func TestExcludes(t *testing.T) {
	c, faults := parse(t, "exclude: [kind, 'flows/*/old', '**/*.draft.yaml', a/**]\n")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c.Dir = "/p"
	for path, want := range map[string]bool{
		"/p/kind": true, "/p/kind/a.yaml": true, "/p/kind/x/y/a.yaml": true, "/p/x/kind/a.yaml": false,
		"/p/flows/x/old/a.yaml": true, "/p/flows/old/a.yaml": false, "/p/flows/x/older/a.yaml": false,
		"/p/x/a.draft.yaml": true, "/p/a.draft.yaml": true, "/p/a.yaml": false, "/p/a/b/c.yaml": true,
		"/other/kind/a.yaml": false, "/p": false,
	} {
		if got := c.Excludes(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if one, faults := parse(t, "exclude: kind\n"); len(faults) > 0 || len(one.exclude) != 1 {
		t.Errorf("a single pattern: %v, %v", one.exclude, faults)
	}
	for _, text := range []string{"exclude: [a, '[']\n", "exclude: [a, ../b]\n", "exclude: [a, /b]\n", "exclude: [a, 5]\n", "exclude: {a: b}\n", "exclude: ''\n"} {
		if _, faults := parse(t, text); len(faults) != 1 || !strings.Contains(faults[0], "WFC113 `exclude") {
			t.Errorf("%s: %v", text, faults)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("agents: {a: {use: x}}\nseverities: {WFC801: off}\n"))
	f.Add([]byte("agents: {a: {use: b, model: '@m'}, b: {use: a}, claude: {use: claude, options: []}}\nmodels: {m: {agent: b, model: x}}\n"))
	f.Add([]byte("agents: {a: {use: b, price: {input: 1}}, b: {use: acp, args: []}}\nlimits: {cost_usd: 1}\nenvironment: {agents: []}\n"))
	f.Add([]byte("on_interrupt: {nodes: {a: ask}}\nenv: &e {A: 1}\nmodels: *e\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, _ := Parse(source.NewFile("wfc.yaml", content))
		c.Options("/p/a.yaml")
		c.Settings("/p")
	})
}

// The first pattern with a level for a code decides, and then the project.
func TestSeveritiesOfFolders(t *testing.T) {
	c, faults := parse(t, `
severities: {unused-ignore: off, WFC118: error}
workflows:
  "old/new/**": {severities: {WFC118: warning}}
  "old/**": {severities: {WFC118: off, WFC117: note}}
`)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c.Dir = "/p"
	code := func(name string) *diag.Code {
		found, _ := codes.Lookup(name)
		return found
	}
	ignore, ignored, unknown := code("unused-ignore"), code("WFC118"), code("WFC117")
	type levels = map[*diag.Code]diag.Severity
	for path, want := range map[string]levels{
		"/p/a.yaml":         {ignore: diag.Off, ignored: diag.Error},
		"/p/old/a.yaml":     {ignore: diag.Off, ignored: diag.Off, unknown: diag.Note},
		"/p/old/new/a.yaml": {ignore: diag.Off, ignored: diag.Warning, unknown: diag.Note},
	} {
		if got := c.Options(path).Severities; !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if _, faults := parse(t, `workflows: {"a/**": {severities: {WFC999: off}}}`); len(faults) != 1 {
		t.Errorf("an unknown code: %q", faults)
	}
}

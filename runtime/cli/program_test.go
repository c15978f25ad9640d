package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"demo": func() { os.Exit(cli.Main(program(demo()))) },
		"daily": func() {
			p := program(demo())
			p.Definition.Schedule = "TZ=UTC 0 9 * * MON"
			p.Defaults.DeliverTo = []string{"slack", "webhook:ci"}
			os.Exit(cli.Main(p))
		},
		"tells": func() {
			p := program(ship())
			p.Performers = append(p.Performers, deliver.New(settings.Channel{Name: "pager", Kind: "command", Command: []string{"./tell.sh"}}))
			p.Defaults.Gates.Mode = settings.GatesToken
			p.Defaults.Notify.Rules = []settings.NoticeRule{{Event: settings.NoticeWaits, Targets: []string{"pager"}}}
			os.Exit(cli.Main(p))
		},
		"contained": func() {
			p := program(demo())
			p.Defaults.Sandbox = settings.Sandbox{
				Kinds: map[string]settings.SandboxMode{"bash": settings.SandboxOn}, Nodes: map[string]settings.SandboxMode{"bye": settings.SandboxOff, "hold": settings.SandboxReport},
				Grants: settings.Grants{Default: []string{"npm"}, Nodes: map[string][]string{"gate": {"internal"}}},
				Sets:   map[string]settings.Grant{"internal": {Hosts: []string{"git.example.com"}}},
			}
			os.Exit(cli.Main(p))
		},
		"hooked":      func() { os.Exit(cli.Main(hooked())) },
		"pooled":      func() { os.Exit(cli.Main(pooled(paged(ship())))) },
		"pooledhooks": func() { os.Exit(cli.Main(pooled(hooked()))) },
		"posts":       func() { os.Exit(cli.Main(posts("webhook:ci"))) },
		"shouts":      func() { os.Exit(cli.Main(program(shouts()))) },
		"silent":      func() { os.Exit(cli.Main(posts())) },
		"typed":       func() { os.Exit(cli.Main(program(typed()))) },
		"places":      func() { os.Exit(cli.Main(program(places()))) },
		"lists":       func() { os.Exit(cli.Main(program(lists()))) },
		"asks":        func() { os.Exit(cli.Main(asking())) },
		"ship":        func() { os.Exit(cli.Main(program(ship()))) },
		"pages":       func() { os.Exit(cli.Main(paged(ship()))) },
		"writes":      func() { os.Exit(cli.Main(writes())) },
		"tidies":      func() { os.Exit(cli.Main(paged(tidies()))) },
		"calls":       func() { os.Exit(cli.Main(paged(calls()))) },
		"ruled": func() {
			p, rule := paged(ship()), settings.GateRule{}
			if text := os.Getenv("RULE"); text != "" {
				if err := json.Unmarshal([]byte(text), &rule); err != nil {
					panic(err)
				}
			}
			p.Defaults.Gates.Nodes = map[string]settings.GateRule{"gate": rule}
			os.Exit(cli.Main(p))
		},
		"two":     func() { os.Exit(cli.Main(program(two()))) },
		"fix":     func() { os.Exit(cli.Main(fix())) },
		"self":    func() { os.Exit(cli.Main(program(self()))) },
		"pick":    func() { os.Exit(cli.Main(program(picks()))) },
		"draft":   func() { os.Exit(cli.Main(program(drafts()))) },
		"steps":   func() { os.Exit(cli.Main(program(sequence()))) },
		"plans":   func() { os.Exit(cli.Main(plans())) },
		"team":    func() { os.Exit(cli.Main(team())) },
		"squad":   func() { os.Exit(cli.Main(squad())) },
		"release": func() { os.Exit(cli.Main(program(releases()))) },
		"outer":   func() { os.Exit(cli.Main(program(outer()))) },
		"fan":     func() { os.Exit(cli.Main(program(fan()))) },
		"waits":   func() { os.Exit(cli.Main(program(waitQuestions()))) },
		"decides": func() { os.Exit(cli.Main(program(decides()))) },
		"bare": func() {
			def := mute()
			def.Nodes = nil
			os.Exit(cli.Main(program(def)))
		},
		"mute":   func() { os.Exit(cli.Main(program(mute()))) },
		"editor": editor,
		"lacks": func() {
			p := program(demo())
			p.Needs = map[string]string{"bash": "greet", "frobnicate": "build"}
			p.MayNeed = map[string]string{"twiddle": "pr"}
			os.Exit(cli.Main(p))
		},
		"panics": func() {
			p := program(demo())
			p.OpenStore = nil
			os.Exit(cli.Main(p))
		},
	})
}

func TestScripts(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("the workflows of this test need bash")
	}
	testscript.Run(t, scriptsIn("testdata"))
}

// scriptsIn are the scripts of a folder, with the commands that they have.
func scriptsIn(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("WFC_STATE", env.Getenv("WORK")+"/state")
			env.Setenv("XDG_STATE_HOME", env.Getenv("WORK")+"/xdg")
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "sandbox" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return len(sandbox.Probe()) == 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":    codeCommand,
			"waitfor": waitCommand,
			"post":    postCommand,
			"serve":   serveProgram,
			"page":    pageCommand,
			"form":    formCommand,
			"sign":    signCommand,
			"scrape":  scrapeCommand,
		},
	}
}

// codeCommand is `code N PROGRAM ARGS…`: it runs a program that must exit with N.
func codeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = err.Error()
		if len(code) > len("exit status ") {
			code = code[len("exit status "):]
		}
	}
	if code != args[0] {
		ts.Fatalf("%v exits with %s, want %s\n%s", args[1:], code, args[0], ts.ReadFile("stderr"))
	}
}

// waitCommand is `waitfor FILE [TEXT]`: it waits until something is in a file, the text if one is given.
// What makes a file writes into it a moment later.
func waitCommand(ts *testscript.TestScript, neg bool, args []string) {
	for range 3000 {
		content, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && len(content) > 0 && strings.Contains(string(content), strings.Join(args[1:], " ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s does not come", args[0])
}

func program(def *flow.Definition) cli.Program {
	return cli.Program{Definition: def, Performers: []engine.Performer{&shell.Performer{}}, OpenStore: entstore.OpenState}
}

// node spawns a bash node.
func node(c *flow.Context, key, script string, bindings []flow.Binding, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(flow.Bash{Script: script, Bindings: bindings})
		return r.Text, err
	}})
}

// demo greets, fails while there is a file `fail`, and holds while there is a
// file `hold`: also against being asked to end when that is not empty.
func demo() *flow.Definition {
	def := &flow.Definition{
		Name: "demo", Description: "Greet somebody.\n\nFor tests.", Source: "demo.yaml", Fingerprint: "f1",
		Inputs: []flow.InputInfo{{Name: "arguments", Type: "text", Doc: "whom to greet", Default: `"world"`, Rest: true}},
		Nodes: []flow.NodeInfo{
			{Key: "greet", Kind: "bash", Line: 3},
			{Key: "gate", Kind: "bash", After: []string{"greet"}, Line: 5},
			{Key: "hold", Kind: "bash", After: []string{"gate"}, Line: 7},
			{Key: "bye", Kind: "bash", After: []string{"hold"}, Line: 9},
		},
		Tags: []string{"test"},
	}
	if f := os.Getenv("DEMO_FINGERPRINT"); f != "" && os.Getenv("WFC_RESUMED_FOR") == "" {
		def.Fingerprint = f // as another build has it
	}
	switch os.Getenv("DEMO_WORKTREE") {
	case "always":
		def.Worktree = flow.WorktreeAlways
	case "never":
		def.Worktree = flow.WorktreeNever
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct {
			Arguments string `json:"arguments"`
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		greet := node(c, "greet", `printf 'hello %s' "$WHO"; echo greeted >>performed`, []flow.Binding{{Name: "WHO", Value: in.Arguments}})
		gate := node(c, "gate", "if [ -e fail ]; then echo the gate is closed >&2; exit 7; fi", nil, greet)
		hold := node(c, "hold", "if [ -s hold ]; then trap '' TERM; fi; if [ -e hold ]; then echo $$ >held; sleep 600 & wait; fi; if [ -e once ]; then rm once; fi", nil, gate)
		bye := node(c, "bye", `printf 'bye, %s' "$WHO"`, []flow.Binding{{Name: "WHO", Value: in.Arguments}}, hold)
		err := flow.Settle(c)
		return map[string]string{"bye": bye.Final().Text}, err
	}
	return def
}

// typed has an input of each type.
func typed() *flow.Definition {
	def := &flow.Definition{
		Name: "typed", Fingerprint: "t1",
		Inputs: []flow.InputInfo{
			{Name: "title", Type: "line"}, // required
			{Name: "count", Type: "int", Default: "1"},
			{Name: "max_share", Type: "float", Default: "0.5", Doc: "how much at most, used by `plan`"},
			{Name: "dry", Type: "bool", Default: "false"},
			{Name: "word", Type: "word", Default: `"w"`},
			{Name: "file", Type: "path", Default: `""`},
			{Name: "json", Type: "text", Default: `""`}, // collides with a flag
			{Name: "größe", Type: "text", Default: `""`},
		},
		Nodes: []flow.NodeInfo{{Key: "show", Kind: "bash"}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		show := node(c, "show", `printf '%s' "$ALL"`, []flow.Binding{{Name: "ALL", Value: string(c.Scheduler().Run().Inputs)}})
		err := flow.Settle(c)
		return map[string]string{"show": show.Final().Text}, err
	}
	return def
}

// asking has a prompt and reads the base branch.
func asking() cli.Program {
	def := &flow.Definition{
		Name: "asks", Fingerprint: "a1", Agents: []string{"claude", "codex"}, Uses: flow.Uses{BaseBranch: true},
		Nodes: []flow.NodeInfo{{Key: "plan", Kind: "prompt", Agent: "claude"}, {Key: "show", Kind: "bash", After: []string{"plan"}}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		plan := flow.Spawn(c, flow.Node[string]{Key: "plan", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: "make a plan"})
			return r.Text, err
		}})
		run := c.Scheduler().Run()
		node(c, "show", `printf '%s on %s, docs in %s, %s' "$PLAN" "$BRANCH" "$DOCS" "$GREETING"; if [ -e fail ]; then exit 1; fi`,
			[]flow.Binding{{Name: "PLAN", Value: "plan"}, {Name: "BRANCH", Value: run.BaseBranch}, {Name: "DOCS", Value: run.DocsDir}}, plan)
		return nil, flow.Settle(c)
	}
	p := program(def)
	p.Prompts = prompts.Opener(nil)
	p.Defaults = settings.Project{
		Agents:     []settings.Agent{{Name: "claude", Kind: "scripted", Program: os.Getenv("WORK") + "/default.json"}},
		BaseBranch: "trunk", DocsDir: "manual/", Environ: []string{"GREETING=hi"}, MaxParallel: 2,
	}
	return p
}

// posts is demo with its result delivered to the targets of the project, if any.
func posts(targets ...string) cli.Program {
	p := program(demo())
	inner := p.Definition.Flow
	p.Definition.Flow = func(c *flow.Context) (any, error) {
		out, err := inner(c)
		if err == nil {
			flow.DeliverResult(c, "the result")
		}
		return out, err
	}
	p.Performers = append(p.Performers, deliver.New())
	p.Defaults.DeliverTo = targets
	return p
}

package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The definition says where on a cluster a workflow can run.
func TestFilesAndTags(t *testing.T) {
	project := settings.Project{Agents: settings.Agents{
		{Name: "codex", Kind: "openai", WorkerTags: []string{"trusted"}},
	}}
	for _, tt := range []struct{ name, nodes, want, not string }{
		{"bash", "{id: a, bash: 'true'}", "", "NoFiles"},
		{"service", "{id: a, prompt: hi, provider: codex}", "Uses: flow.Uses{NoFiles: true},", "SessionAt"},
		{"program", "{id: a, prompt: hi, provider: claude}", "", "NoFiles"},
		{"gate", "{id: a, approval: {message: ok}}", "Uses: flow.Uses{NoFiles: true},", ""},
		{"tags of the agent", "{id: a, prompt: hi, provider: codex}", `Tags: []string{"trusted"}`, ""},
		{"loop", "{id: a, provider: codex, loop: {prompt: hi, until: DONE, max_iterations: 3}}", `Uses: flow.Uses{SessionAt: "a"},`, ""},
		{"fresh loop", "{id: a, provider: codex, loop: {prompt: hi, until: DONE, max_iterations: 3, fresh_context: true}}", "", "SessionAt"},
	} {
		p := workflow("w", "nodes:\n  - "+tt.nodes+"\n")
		code := squeeze(string(gen.Generate(p, gen.Options{Defaults: project})[0].Content))
		if !strings.Contains(code, squeeze(tt.want)) || tt.not != "" && strings.Contains(code, tt.not) {
			t.Errorf("%s: the code lacks %q or has %q:\n%s", tt.name, tt.want, tt.not, code)
		}
	}
}

func TestWorktreeRule(t *testing.T) {
	yes, no := true, false
	fingerprints := map[string]bool{}
	for _, tt := range []struct {
		worktree *bool
		want     string
	}{{nil, ""}, {&yes, "Worktree: flow.WorktreeAlways,"}, {&no, "Worktree: flow.WorktreeNever,"}} {
		p := workflow("tree", "nodes:\n  - {id: a, bash: 'true'}\n")
		p.Workflow.Worktree = tt.worktree
		fingerprints[p.Fingerprint()] = true
		code := squeeze(string(gen.Generate(p, gen.Options{})[0].Content))
		if !strings.Contains(code, squeeze(tt.want)) || tt.want == "" && strings.Contains(code, "Worktree") {
			t.Errorf("the code has no %s", tt.want)
		}
	}
	if len(fingerprints) != 3 {
		t.Error("fingerprints do not tell the rules apart")
	}
}

// A program whose schedule names a zone carries the zones, and no other does.
func TestZonesOfSchedules(t *testing.T) {
	for _, tt := range []struct {
		schedule *ir.Schedule
		zones    bool
	}{
		{nil, false},
		{&ir.Schedule{Cron: "0 9 * * MON"}, false},
		{&ir.Schedule{Cron: "TZ=UTC 0 9 * * MON", Zone: "UTC"}, false},
		{&ir.Schedule{Cron: "TZ=Europe/Berlin 0 9 * * MON", Zone: "Europe/Berlin"}, true},
	} {
		p := workflow("timed", "nodes:\n  - {id: a, bash: 'true'}\n")
		p.Workflow.Schedule = tt.schedule
		files := gen.Generate(p, gen.Options{Main: true})
		if got := strings.Contains(string(files[1].Content), `_ "github.com/wfc-lang/wfc/runtime/schedule/zones"`); got != tt.zones {
			t.Errorf("%+v: the program has zones: %v", tt.schedule, got)
		}
		if tt.schedule != nil && !strings.Contains(string(files[0].Content), tt.schedule.Cron) {
			t.Errorf("%+v is not in the definition", tt.schedule)
		}
	}
}

// Scripts get the variables of inputs that are constants, too.
func TestScriptsGetConstants(t *testing.T) {
	for want, constants := range map[string][]string{
		"c.ScriptEnv(in.Arguments, in.Context)": nil,
		`c.ScriptEnv("same", in.Context)`:       {"arguments"},
		`c.ScriptEnv(in.Arguments, "same")`:     {"context"},
		`c.ScriptEnv("same", "same")`:           {"arguments", "context"},
	} {
		p := workflow("fixed", "nodes:\n  - {id: a, bash: 'true'}\n")
		p.Workflow.Rewrite(func(e expr.Expr) expr.Expr {
			for _, name := range constants {
				if in, ok := e.(*expr.Input); ok && in.Name == name {
					return &expr.Literal{Text: "same", Typ: types.Text}
				}
			}
			return e
		})
		if code := string(gen.Generate(p, gen.Options{})[0].Content); !strings.Contains(code, want) {
			t.Errorf("no %s in\n%s", want, code)
		}
	}
}

// A program takes the policies of its own nodes and kinds along, in one order.
func TestMainFileTakesInterruptPolicies(t *testing.T) {
	p := workflow("policies", `nodes:
  - {id: deploy, bash: "true"}
  - {id: pay, bash: "true"}
  - {id: fix, loop: {prompt: x DONE, until: DONE, max_iterations: 1, until_bash: "true"}}
`)
	for _, tt := range []struct {
		name string
		o    settings.Interrupts
		want string
	}{
		{"none", settings.Interrupts{}, ""},
		{"of others", settings.Interrupts{Kinds: map[string]settings.Policy{"script": "fail"}, Nodes: map[string]settings.Policy{"other": "ask"}}, ""},
		{"default", settings.Interrupts{Default: "ask"}, `OnInterrupt: settings.Interrupts{Default: "ask"},`},
		{"all", settings.Interrupts{
			Default: "rerun", Kinds: map[string]settings.Policy{"loop": "ask", "bash": "fail", "script": "ask"},
			Nodes: map[string]settings.Policy{"pay": "fail", "other": "ask", "deploy": "ask"},
		}, `OnInterrupt: settings.Interrupts{Default: "rerun", Kinds: map[string]settings.Policy{"bash": "fail", "loop": "ask"}, Nodes: map[string]settings.Policy{"deploy": "ask", "pay": "fail"}},`},
	} {
		files := gen.Generate(p, gen.Options{Main: true, Defaults: settings.Project{OnInterrupt: tt.o}})
		code := squeeze(string(files[1].Content))
		if !strings.Contains(code, squeeze(tt.want)) || tt.want == "" && strings.Contains(code, "OnInterrupt") {
			t.Errorf("%s: main.go has no %s:\n%s", tt.name, tt.want, files[1].Content)
		}
	}
}

// A program takes the sandbox of its own nodes along, also of those inside others. One without
// a sandbox has nothing of it.
func TestMainFileTakesSandbox(t *testing.T) {
	p := workflow("contained", `nodes:
  - {id: deploy, bash: "true"}
  - id: each
    loop_group:
      until_bash: "true"
      max_iterations: 1
      nodes: [{id: pay, bash: "true"}]
`)
	on, report := settings.SandboxOn, settings.SandboxReport
	for _, tt := range []struct {
		name string
		s    settings.Sandbox
		want string
	}{
		{"none", settings.Sandbox{}, ""},
		{"off", settings.Sandbox{Default: settings.SandboxOff}, ""},
		{"of others", settings.Sandbox{Nodes: map[string]settings.SandboxMode{"other": on}, Grants: settings.Grants{Nodes: map[string][]string{"other": {"npm"}}}}, ""},
		{"all", settings.Sandbox{
			Default: on, Agents: map[string]settings.SandboxMode{"claude": settings.SandboxOff}, Kinds: map[string]settings.SandboxMode{"bash": on},
			Nodes:  map[string]settings.SandboxMode{"each.pay": report, "pay": on, "other": on},
			Grants: settings.Grants{Default: []string{"npm"}, Nodes: map[string][]string{"deploy": {"own", "go"}, "other": {"go"}}},
			Sets:   map[string]settings.Grant{"own": {Hosts: []string{"x.y"}, Write: []string{"~/z"}}},
		}, `Sandbox: settings.Sandbox{Default: "on", Agents: map[string]settings.SandboxMode{"claude": "off"}, Kinds: map[string]settings.SandboxMode{"bash": "on"}, ` +
			`Nodes: map[string]settings.SandboxMode{"each.pay": "report"}, Grants: settings.Grants{Default: []string{"npm"}, Nodes: map[string][]string{"deploy": {"own", "go"}}}, ` +
			`Sets: map[string]settings.Grant{"own": {Hosts: []string{"x.y"}, Write: []string{"~/z"}}}},`},
	} {
		code := string(gen.Generate(p, gen.Options{Main: true, Defaults: settings.Project{Sandbox: tt.s}})[1].Content)
		if !strings.Contains(squeeze(code), squeeze(tt.want)) || tt.want == "" && strings.Contains(code, "Sandbox") {
			t.Errorf("%s: main.go has no %s:\n%s", tt.name, tt.want, code)
		}
	}
}

// squeeze makes code one line without the commas that end lines, so that tests do
// not depend on where lines break.
func squeeze(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	code = strings.TrimSuffix(code, ",")
	return strings.NewReplacer("{ ", "{", ", }", "}", " }", "}", "( ", "(", ", )", ")").Replace(code)
}

// The definition says whether only agents could change the checkout.
func TestPromptsOnly(t *testing.T) {
	const only, prompt = "PromptsOnly: true,", "{id: a, prompt: hi}"
	for _, tt := range []struct{ name, text, want string }{
		{"prompts", "nodes: [" + prompt + ", {id: b, prompt: 'and $a.output', depends_on: [a]}]\n", only},
		{"a gate and a wait", "nodes: [" + prompt + ", {id: b, approval: {message: ok, on_reject: {prompt: again}}}, {id: c, cancel: no, when: \"$a.output == 'x'\", depends_on: [a]}]\n", only},
		{"a loop", "nodes: [{id: a, loop: {prompt: hi, until: DONE, max_iterations: 3}}]\n", only},
		{"no tools", "nodes: [{id: a, prompt: hi, allowed_tools: [], denied_tools: [Bash]}]\n", only},
		{"a tool", "nodes: [{id: a, prompt: hi, allowed_tools: [Edit]}]\n", ""},
		{"a server", "nodes: [{id: a, prompt: hi, skills: [deploy], provider: claude}]\n", ""},
		{"a loop's script", "nodes: [{id: a, loop: {prompt: hi, until: DONE, until_bash: 'true', max_iterations: 3}}]\n", ""},
		{"a script", "nodes: [" + prompt + ", {id: b, bash: 'true'}]\n", ""},
		{"a comparison of the checkout", "nodes: [{id: a, prompt: hi, mutates_checkout: false}]\n", ""},
		{"the file's own word", "mutates_checkout: true\nnodes: [" + prompt + "]\n", ""},
		{"no lock at all", "mutates_checkout: false\nnodes: [" + prompt + "]\n", ""},
	} {
		code := squeeze(string(gen.Generate(workflow("w", tt.text), gen.Options{})[0].Content))
		if tt.want == "" && strings.Contains(code, "PromptsOnly") || !strings.Contains(code, squeeze(tt.want)) {
			t.Errorf("%s: want %q in the code:\n%s", tt.name, tt.want, code)
		}
	}
}

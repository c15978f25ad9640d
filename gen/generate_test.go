package gen_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// What no front end makes is a fault of the compiler, not a program.
func TestOddLoopsPanic(t *testing.T) {
	for name, p := range notPlain() {
		func() {
			defer func() {
				if why := fmt.Sprint(recover()); !strings.Contains(why, "reached the generator") {
					t.Errorf("loop %s: %s", name, why)
				}
			}()
			gen.Generate(p, gen.Options{})
		}()
	}
}

// A loop whose signal is strict ends by another rule.
func TestStrictSignals(t *testing.T) {
	p := workflow("strict", "nodes:\n  - {id: a, loop: {prompt: x DONE, until: DONE, max_iterations: 1}}\n")
	p.Workflow.Body.All()[0].Action.(*ir.Loop).Strict = true
	if code := squeeze(string(gen.Generate(p, gen.Options{})[0].Content)); !strings.Contains(code, `Done: done.SaidAsArchon`) {
		t.Errorf("the code knows no strict signal:\n%s", code)
	}
}

func TestMainFileNamesWhatIsUsed(t *testing.T) {
	cases := map[string][]string{
		"triage":     {`"os"`, "&shell.Performer{}", "prompts.Opener(structured.Check)", "entstore.OpenState"},
		"conditions": {"&shell.Performer{}"},
		"settings":   {"&shell.Performer{}", "&script.Performer{}"},
	}
	for _, s := range samples {
		want, ok := cases[s.name]
		if !ok {
			continue
		}
		files := gen.Generate(s.make(), gen.Options{Main: true, Package: "ignored"})
		if len(files) != 2 || files[1].Name != "main.go" {
			t.Fatalf("%s: %d files", s.name, len(files))
		}
		for _, f := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.PackageClauseOnly)
			if err != nil || parsed.Name.Name != "main" {
				t.Errorf("%s: %s is of package %v, %v", s.name, f.Name, parsed.Name, err)
			}
		}
		code := string(files[1].Content)
		kept := gen.Generate(s.make(), gen.Options{Main: true, Store: settings.StorePostgres, Defaults: settings.Project{Database: "postgres://h/d"}})[1].Content
		for text, want := range map[string]bool{
			"postgres.OpenURL": true, `Database: "postgres://h/d"`: true, "runtime/store/entstore/postgres": true, "OpenState": false, `runtime/store/entstore"`: false,
		} {
			if strings.Contains(string(kept), text) != want {
				t.Errorf("%s: a program of PostgreSQL has %s: %v", s.name, text, !want)
			}
		}
		for _, text := range want {
			if !strings.Contains(code, text) {
				t.Errorf("%s: main.go does not name %s", s.name, text)
			}
		}
		if !strings.Contains(strings.Join(want, " "), "script.Performer") && strings.Contains(code, "runtime/script") {
			t.Errorf("%s: main.go links what is not used", s.name)
		}
	}
}

// A program knows of what is inside its loops and approvals.
func TestPartsAreSeen(t *testing.T) {
	loop := func(text, script, message string) *ir.Program {
		nodes := fmt.Sprintf("interactive: true\nnodes:\n  - id: a\n    loop:\n      prompt: %s DONE\n      until: DONE\n      max_iterations: 1\n", text)
		if script != "" {
			nodes += fmt.Sprintf("      until_bash: %q\n", script)
		}
		if message != "" {
			nodes += "      interactive: true\n      gate_message: " + message + " ok?\n"
		}
		return workflow("parts", nodes)
	}
	approval := func(message, rework string) *ir.Program {
		nodes := "nodes:\n  - id: a\n    approval:\n      message: " + message + "\n"
		if rework != "" {
			nodes += "      on_reject: {prompt: " + rework + "}\n"
		}
		return workflow("parts", nodes)
	}
	for _, tt := range []struct {
		name                string
		p                   *ir.Program
		shell, agent, based bool
	}{
		{"loop", loop("x", "", ""), false, true, false},
		{"loop's prompt", loop("$BASE_BRANCH", "", ""), false, true, true},
		{"loop's test", loop("x", "echo $BASE_BRANCH", ""), true, true, true},
		{"loop's gate", loop("x", "true", "Fine"), true, true, false},
		{"approval", approval("x", ""), false, false, false},
		{"approval's rework", approval("x", "$BASE_BRANCH"), false, true, true},
	} {
		files := gen.Generate(tt.p, gen.Options{Main: true})
		code, main := string(files[0].Content), string(files[1].Content)
		if got := strings.Contains(main, "&shell.Performer{}"); got != tt.shell {
			t.Errorf("%s: scripts are performed: %v", tt.name, got)
		}
		if got := strings.Contains(main, "prompts.Opener(nil)"); got != tt.agent {
			t.Errorf("%s: prompts are performed: %v", tt.name, got)
		}
		if got := strings.Contains(squeeze(code), `Agents: []string{"claude"}`); got != tt.agent {
			t.Errorf("%s: the agent is named: %v", tt.name, got)
		}
		if got := strings.Contains(code, `Agent: "claude"`); got != tt.agent {
			t.Errorf("%s: the node's agent is named: %v", tt.name, got)
		}
		if got := strings.Contains(squeeze(code), "Uses: flow.Uses{BaseBranch: true}"); got != tt.based {
			t.Errorf("%s: the base branch is used: %v", tt.name, got)
		}
	}
}

func TestMainFileTakesTheProjectsSettings(t *testing.T) {
	opt := gen.Options{Main: true, Store: settings.StoreMemory, MCP: true, OTel: true, Defaults: settings.Project{
		Agents:     []settings.Agent{{Name: "claude", Kind: "command", Program: "ask", Args: []string{"-a", "b c"}}, {Name: "other", Kind: "command", Program: "x"}},
		BaseBranch: "trunk", DocsDir: "manual/", MaxParallel: 3, Environ: []string{"A=b\"c"}, State: "/s",
	}}
	for _, s := range samples {
		if s.name != "triage" {
			continue
		}
		files := gen.Generate(s.make(), opt)
		code := squeeze(string(files[1].Content))
		for _, want := range []string{
			`OpenStore: memory.OpenState, MCP: mcp.Server(), Telemetry: otel.Exporter(),`,
			`Defaults: settings.Project{ Agents: settings.Agents{ {Name: "claude", Kind: "command", Program: "ask", Args: []string{"-a", "b c"}}, }, BaseBranch: "trunk", DocsDir: "manual/", MaxParallel: 3, Environ: []string{"A=b\"c"}, State: "/s", },`,
		} {
			if !strings.Contains(code, squeeze(want)) {
				t.Errorf("main.go has no %s:\n%s", want, files[1].Content)
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	for workflow, want := range map[string]string{
		"triage": "triage", "Fix-GitHub Issue": "fixgithubissue", "日本": "workflow", "": "workflow", "type": "wftype", "main": "wfmain", "3d": "wf3d", "a_test": "atest", "x_linux": "xlinux",
	} {
		if got := gen.PackageName(workflow); got != want || !gen.ValidPackage(got) {
			t.Errorf("the package of %q is %q, want %q", workflow, got, want)
		}
	}
	for _, bad := range []string{"", "_", "func", "a-b", "1a", "a.b"} {
		if gen.ValidPackage(bad) {
			t.Errorf("%q is taken for a package's name", bad)
		}
	}
}

// Names must not depend on what comes later in the file.
func TestNamesAreStable(t *testing.T) {
	code := func(ids ...string) string {
		nodes := "nodes:\n"
		for _, id := range ids {
			nodes += fmt.Sprintf("  - {id: %q, bash: 'true'}\n", id)
		}
		return string(gen.Generate(workflow("stable", nodes), gen.Options{})[0].Content)
	}
	for _, c := range []string{code("a-b", "a_b"), code("a-b", "a_b", "a.b", "A B", "x")} {
		if !strings.Contains(c, "runAB2 runs the bash script of node `a_b`") || !strings.Contains(c, "runAB runs the bash script of node `a-b`") {
			t.Error("names changed when nodes were added")
		}
	}
}

func TestFileNamesAreNotPlaces(t *testing.T) {
	p := compile(filepath.Join("some", "folder", "odd\nname_test.yaml"), "name: place\ndescription: d\nnodes:\n  - {id: a, bash: 'true'}\n", nil)
	for _, mode := range []bool{false, true} {
		files := gen.Generate(p, gen.Options{LineDirectives: mode})
		if strings.Contains(string(files[0].Content), "folder") || files[0].Name != "place.go" {
			t.Errorf("%s names the folder", files[0].Name)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", files[0].Content, 0); err != nil {
			t.Error(err)
		}
	}
}

// big is a workflow of n nodes in layers of ten.
func big(n int) *ir.Program {
	var b strings.Builder
	b.WriteString("nodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - id: node-%d\n", i)
		text := fmt.Sprintf("echo node-%d", i)
		if i >= 10 {
			fmt.Fprintf(&b, "    depends_on: [node-%d, node-%d]\n", i-10, i-i%10-10)
			text += fmt.Sprintf(" $node-%d.output", i-10)
		}
		if i%3 == 0 {
			fmt.Fprintf(&b, "    prompt: %s\n    output_format: {type: object, properties: {kind: {type: string, enum: [bug, feature]}, note: {type: string}}, required: [kind]}\n", text)
			continue
		}
		fmt.Fprintf(&b, "    bash: %s\n", text)
	}
	return workflow("big", b.String())
}

// ordinary is a workflow as people write them.
func ordinary() *ir.Program {
	var b strings.Builder
	b.WriteString("nodes:\n  - id: step-0\n    bash: git diff --stat\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "  - id: step-%d\n    depends_on: [step-%d]\n", i, i-1)
		if i > 1 {
			fmt.Fprintf(&b, "    when: $step-%d.output != ''\n", i-1)
		}
		fmt.Fprintf(&b, "    prompt: |\n%s      $step-%d.output\n", strings.Repeat("      Look at the change and say \"what\" it does.\n", 8), i-1)
	}
	return workflow("ordinary", b.String())
}

// notPlain are loops that no front end makes.
func notPlain() map[string]*ir.Program {
	out := map[string]*ir.Program{}
	for i, change := range []func(l *ir.Loop){
		func(l *ir.Loop) { l.Body = nil },
		func(l *ir.Loop) { l.Body = &ir.Sequence{Nodes: append(l.Body.All(), l.Body.All()...)} },
		func(l *ir.Loop) { l.Body.All()[0].Action = &ir.Bash{} },
		func(l *ir.Loop) { l.Body.All()[0].Timeout = time.Second },
		func(l *ir.Loop) { l.Body.All()[0].Action.(*ir.Prompt).Continues = []string{"a"} },
	} {
		p := workflow("odd", "nodes:\n  - id: a\n    loop: {prompt: x DONE, until: DONE, max_iterations: 1}\n")
		change(p.Workflow.Body.All()[0].Action.(*ir.Loop))
		out[fmt.Sprint(i)] = p
	}
	return out
}

// templates are the texts of an action.
func templates(a ir.Action) []*template.Template {
	switch a := a.(type) {
	case *ir.Prompt:
		return []*template.Template{a.Text}
	case *ir.Approval:
		return []*template.Template{a.Gate.Message}
	}
	return nil
}

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		name string
		p    *ir.Program
	}{{"triage", program("triage")}, {"ordinary", ordinary()}, {"1000 nodes", big(1000)}} {
		for mode, name := range map[bool]string{false: "comments", true: "directives"} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					gen.Generate(c.p, gen.Options{LineDirectives: mode})
				}
			})
		}
	}
}

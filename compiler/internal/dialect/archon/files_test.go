package archon_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

func TestCommandFiles(t *testing.T) {
	tests := []struct {
		name    string
		command string
		files   testkit.Memory
		want    string // the prompt, or the findings
	}{
		{"own folder first", "c", testkit.Memory{"commands/c.md": "1", ".archon/commands/c.md": "2", "home/.archon/commands/c.md": "3"}, "1"},
		{"dialect's folder", "c", testkit.Memory{".archon/commands/c.md": "2", ".archon/commands/defaults/c.md": "3"}, "2"},
		{"subfolder before defaults", "c", testkit.Memory{".archon/commands/defaults/c.md": "3", ".archon/commands/z/c.md": "2"}, "2"},
		{"defaults", "c", testkit.Memory{".archon/commands/defaults/c.md": "3", "prompts/c.md": "4"}, "3"},
		{"configured folder", "c", testkit.Memory{"prompts/c.md": "4", "home/.archon/commands/c.md": "5"}, "4"},
		{"home", "c", testkit.Memory{"home/.archon/commands/c.md": "5"}, "5"},
		{"subfolder of home", "c", testkit.Memory{"home/.archon/commands/x/c.md": "5"}, "5"},
		{"too deep", "c", testkit.Memory{"commands/x/y/c.md": "1"}, "warning missing-file c"},
		{"with its ending", "c.md", testkit.Memory{"commands/c.md": "1"}, "1"},
		{"front matter", "c", testkit.Memory{"commands/c.md": "\ufeff---\r\ndescription: d\r\n---  \r\n\r\ntext\r\n---\r\n"}, "\r\ntext\r\n---\r\n"},
		{"front matter without end", "c", testkit.Memory{"commands/c.md": "---\ntext\n"}, "---\ntext\n"},
		{"a line later", "c", testkit.Memory{"commands/c.md": "\n---\na: b\n---\n"}, "\n---\na: b\n---\n"},
		{"empty front matter", "c", testkit.Memory{"commands/c.md": "---\n---\nx"}, "x"},
		{"blank", "c", testkit.Memory{"commands/c.md": " \n\t"}, "warning missing-file c"},
		{"front matter alone", "c", testkit.Memory{"commands/c.md": "---\na: b\n---\n\n"}, "warning missing-file c"},
		{"path", "../c", nil, "error invalid-name ../c"},
		{"hidden", ".c", nil, "error invalid-name .c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := project(test.files)
			env.Settings.Commands = []string{"prompts"}
			p, list := lint(t, env, nodes("  - id: a\n    command: "+test.command+"\n"))
			got := strings.Join(findings(list), ", ")
			if got == "" {
				got = constant(p.Workflow.Body.All()[0].Action.(*ir.Prompt).Text)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A reference in a command file is reported in that file.
func TestCommandFilePlaces(t *testing.T) {
	env := project(testkit.Memory{".archon/commands/c.md": "---\na: b\n---\nsee $none.output\n"})
	p, list := lint(t, env, nodes("  - id: a\n    command: c\n"))
	if len(list) != 1 || list[0].Span.File.Name != ".archon/commands/c.md" || list[0].Span.Position().Line != 4 {
		t.Errorf("findings %q", findings(list))
	}
	if len(p.Resources) != 1 || p.Resources[0] != list[0].Span.File {
		t.Errorf("resources %v", p.Resources)
	}
}

func TestScriptFiles(t *testing.T) {
	tests := []struct {
		name, script, runtime string
		files                 testkit.Memory
		want                  string // name and content, or the findings
	}{
		{"own folder", "s", "bun", testkit.Memory{"scripts/s.ts": "1", ".archon/scripts/s.ts": "2"}, "s.ts 1"},
		{"dialect's folder", "s", "uv", testkit.Memory{".archon/scripts/x/s.py": "2"}, "s.py 2"},
		{"configured folder", "s", "bun", testkit.Memory{"tools/s.js": "3", "home/.archon/scripts/s.js": "4"}, "s.js 3"},
		{"home", "s", "bun", testkit.Memory{"home/.archon/scripts/s.js": "4"}, "s.js 4"},
		{"path", "sub/s", "bun", testkit.Memory{"scripts/sub/s.js": "5"}, "s.js 5"},
		{"with its ending", "s.ts", "bun", testkit.Memory{"scripts/s.ts": "1", "scripts/s.js": "2"}, "s.ts 1"},
		{"for both runtimes", "s", "uv", testkit.Memory{"scripts/s.ts": "1", "scripts/s.py": "2"}, "s.py 2"},
		{"further on with the right runtime", "s", "uv", testkit.Memory{"scripts/s.ts": "1", "home/.archon/scripts/s.py": "2"}, "s.py 2"},
		{"wrong runtime", "s", "uv", testkit.Memory{"scripts/s.ts": "1"}, "error script-runtime s"},
		{"ambiguous", "s", "bun", testkit.Memory{"scripts/s.ts": "1", "scripts/s.js": "2"}, "error ambiguous-name s"},
		{"outside", "../s", "bun", testkit.Memory{"s.ts": "1"}, "warning missing-file ../s"},
		{"a folder", "s/", "bun", testkit.Memory{"scripts/s/.ts": "1"}, "warning missing-file s/"},
		{"not there", "x=1", "uv", nil, "warning missing-file x=1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := project(test.files)
			env.Settings.Scripts = []string{"tools"}
			p, list := lint(t, env, nodes("  - id: a\n    script: "+test.script+"\n    runtime: "+test.runtime+"\n"))
			got := strings.Join(findings(list), ", ")
			if got == "" {
				s := p.Workflow.Body.All()[0].Action.(*ir.Script)
				got = s.Name + " " + s.Source
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMCPFiles(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"not JSON", "{\n\"a\": }", "MCP file `m.json` is not valid JSON: unexpected `}` at line 2, column 6"},
		{"cut off", "{", "MCP file `m.json` is not valid JSON: it ends too early: a bracket or a quote is not closed"},
		{"a list", "[]", "MCP file `m.json` must contain a JSON object of servers"},
		{"good, with a byte order mark", "\ufeff{ \"a\": {} }\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, list := lint(t, project(testkit.Memory{"m.json": test.content}), nodes("  - id: a\n    prompt: x\n    mcp: m.json\n"))
			var got string
			if len(list) > 0 {
				got = list[0].Message
			}
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// unreadable has all files and cannot read any.
type unreadable struct{ testkit.Memory }

func (unreadable) Read(string) ([]byte, error) { return nil, errors.New("permission denied") }

func TestUnreadableFiles(t *testing.T) {
	files := testkit.Memory{"/repo/commands/c.md": "", "/repo/scripts/s.ts": ""}
	env := &dialect.Env{Root: filepath.FromSlash("/repo"), Files: unreadable{files}}
	_, list := lint(t, env, nodes("  - {id: a, command: c}\n  - {id: b, script: s, runtime: bun}\n  - {id: c, prompt: x, mcp: m.json}\n"))
	want := []string{"error unreadable-file c", "error unreadable-file s", "error unreadable-file m.json"}
	if got := findings(list); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if message := list[0].Message; message != "cannot read `commands/c.md`: permission denied" {
		t.Errorf("message %q", message)
	}
}

func TestSkills(t *testing.T) {
	env := project(testkit.Memory{".claude/skills/near/SKILL.md": "", "home/.claude/skills/far/SKILL.md": "", ".claude/skills/hollow/README.md": ""})
	_, list := lint(t, env, nodes("  - {id: a, prompt: x, skills: [near, far, hollow, neer]}\n"))
	want := []string{"warning missing-file hollow", "warning missing-file neer"}
	if got := findings(list); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if help := list[1].Help; len(help) == 0 || help[0] != "did you mean `near`?" {
		t.Errorf("help %q", help)
	}
}

// A node whose file is missing still exists, and names the file when it runs;
// readers of its output have no fault themselves.
func TestMissingFileFailsTheNodeAtItsTurn(t *testing.T) {
	const yaml = `name: w
description: d
nodes:
  - id: ask
    command: nope
    output_format: {type: object, properties: {kind: {type: string}}, required: [kind]}
  - id: calc
    script: nope
    runtime: bun
  - id: tools
    prompt: hi
    mcp: nope.json
  - id: reader
    depends_on: [ask]
    prompt: it is $ask.output.kind
`
	p, list := lint(t, project(nil), yaml)
	if hasError(list) {
		t.Fatalf("findings %q", findings(list))
	}
	want := map[string]ir.Fail{
		"ask":   {Step: "prompt", Message: "unknown command `nope` when the workflow was compiled; mend that, and resume the run with --force"},
		"calc":  {Step: "script", Message: "unknown script `nope` when the workflow was compiled; mend that, and resume the run with --force"},
		"tools": {Step: "prompt", Message: "MCP file `nope.json` does not exist when the workflow was compiled; mend that, and resume the run with --force"},
	}
	for _, n := range p.Workflow.Body.All() {
		w, missing := want[n.ID]
		if !missing {
			continue
		}
		got, ok := n.Action.(*ir.Fail)
		if !ok || *got != w {
			t.Errorf("node %s: action %#v, want %#v", n.ID, n.Action, w)
		}
	}
	if len(list) != 3 {
		t.Errorf("findings %q, want the three missing files alone", findings(list))
	}
}

package xprompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/types"
)

// Every rule about the keys of the successor, with the finding and its place.
func TestSuccessorRules(t *testing.T) {
	const pair = "[{name: x, bash: echo v=1}, {name: y, bash: echo v=2}]"
	for _, test := range []struct {
		name, yaml string
		want       []string
	}{
		{"agent", steps("  - {name: a, agent: hi}\n"), nil},
		{"agent and prompt", steps("  - {name: a, agent: bob, prompt: hi}\n"), []string{"warning no-effect agent"}},
		{"agent and bash", steps("  - {name: a, agent: hi, bash: ls}\n"), []string{"error node-action bash"}},
		{"agent is a list", steps("  - {name: a, agent: [hi]}\n"), []string{"error wrong-value [hi]"}},
		{"misspelt agent", steps("  - {name: a, agnet: hi}\n"), []string{"error wrong-key agnet"}},

		{"metadata", "description: d\ntags: [a, b]\n" + steps("  - bash: ls\n"), nil},
		{"tags are a mapping", "tags: {a: b}\n" + steps("  - bash: ls\n"), []string{"error wrong-value {a: b}"}},
		{"misspelt tags", "tag: a\n" + steps("  - bash: ls\n"), []string{"error wrong-key tag"}},
		{"wraps_all", "wraps_all: true\n" + steps("  - bash: ls\n"), []string{"note no-effect wraps_all"}},
		{"wraps_all is false", "wraps_all: false\n" + steps("  - bash: ls\n"), nil},
		{"a hidden workflow", "hidden: true\n" + steps("  - bash: ls\n"), []string{"note no-effect hidden"}},

		{"environment", "environment: {A: x, B_2: '{{ 1 + 1 }}', C: 3}\n" + steps("  - bash: ls\n"), nil},
		{"environment is a list", "environment: [A]\n" + steps("  - bash: ls\n"), []string{"error wrong-value [A]"}},
		{"a variable is a list", "environment: {A: [x]}\n" + steps("  - bash: ls\n"), []string{"error wrong-value [x]"}},
		{"a variable without a value", "environment: {A: }\n" + steps("  - bash: ls\n"), []string{"error wrong-value A"}},
		{"a variable with a hyphen", "environment: {a-b: x}\n" + steps("  - bash: ls\n"), []string{"error invalid-name a-b"}},
		{"a variable that begins with a digit", "environment: {1a: x}\n" + steps("  - bash: ls\n"), []string{"error invalid-name 1a"}},
		{"misspelt environment", "enviroment: {A: x}\n" + steps("  - bash: ls\n"), []string{"error wrong-key enviroment"}},
		{"an output in the environment", "environment: {A: '{{ a.x }}'}\n" + steps("  - {name: a, bash: echo x=1}\n"), []string{"error reference-order a"}},
		{"an unknown name in the environment", "environment: {A: '{{ nope }}'}\n" + steps("  - {name: a, bash: echo x=1}\n"), []string{"error undefined-variable nope"}},
		{"a value chooses a program", "input: {v: line}\nenvironment: {BASH_ENV: '{{ v }}', PATH: /bin}\n" + steps("  - {name: a, bash: git log}\n"), []string{"error script-environment '{{ v }}'"}},
		{"a value of the environment is code in bash", "input: {v: line}\nenvironment: {V: '{{ v }}'}\n" + steps("  - {name: a, bash: 'eval \"$V\"'}\n"), []string{"error value-as-code $V"}},
		{"a constant of the environment is the author's code", "environment: {V: ls}\n" + steps("  - {name: a, bash: 'eval \"$V\"'}\n"), nil},
		{"a value of the environment is code in python", "input: {v: line}\nenvironment: {V: '{{ v }}'}\n" + steps("  - {name: a, python: 'import os; eval(os.environ[\"V\"])'}\n"), []string{"error value-as-code os.environ[\"V\"]"}},

		{"finally", steps("  - {name: a, bash: ls}\n  - {name: b, bash: ls, finally: true}\n  - {name: c, parallel: " + pair + ", finally: true}\n"), nil},
		{"finally is false", steps("  - {name: a, bash: ls, finally: false}\n  - {name: b, bash: ls}\n"), nil},
		{"finally is a number", steps("  - {name: a, bash: ls, finally: 3}\n"), []string{"error wrong-value 3"}},
		{"misspelt finally", steps("  - {name: a, bash: ls, finaly: true}\n"), []string{"error wrong-key finaly"}},
		{"finally is not at the end", steps("  - {name: a, bash: ls, finally: true}\n  - {name: b, bash: ls}\n"), []string{"error misplaced-node finally"}},
		{"finally in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, finally: true}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node finally"}},
		{"finally with a review", steps("  - {name: a, bash: ls, finally: true, hitl: true}\n"), []string{"error misplaced-node hitl"}},
		{"finally reads a step", steps("  - {name: a, bash: ls}\n  - {name: b, bash: 'echo {{ a.x }}', finally: true}\n"), []string{"warning maybe-missing a"}},
		{"finally reads a finally", steps("  - {name: a, bash: ls, finally: true}\n  - {name: b, bash: 'echo {{ a.x }}', finally: true}\n"), []string{"warning maybe-missing a"}},
		{"a condition guards finally", steps("  - {name: a, bash: ls}\n  - {name: b, bash: 'echo {{ a.x }}', finally: true, if: '{{ a.x }}'}\n"), nil},
		{"a test guards finally", steps("  - {name: a, bash: ls}\n  - {name: b, bash: 'echo {% if a is defined %}{{ a.x }}{% endif %}', finally: true}\n"), nil},
		{"the condition of the step guards nothing", steps("  - {name: a, bash: ls}\n  - {name: b, bash: ls, if: '{{ a.x }}'}\n  - {name: c, bash: 'echo {{ b.y }}', finally: true, if: '{{ a.x }}'}\n"), []string{"warning maybe-missing b"}},

		{"artifact", steps("  - {name: a, bash: ls, artifact: stdout, output: {x: int}}\n  - {name: b, agent: 'See {{ a._artifact }} and {{ a.x }}.'}\n"), nil},
		{"artifact without output", steps("  - {name: a, python: 'print(1)', artifact: stdout}\n  - {name: b, agent: 'See {{ a._artifact }}.'}\n"), nil},
		{"no artifact", steps("  - {name: a, bash: ls, output: {x: int}}\n  - {name: b, agent: 'See {{ a._artifact }}.'}\n"), []string{"warning unknown-field _artifact"}},
		{"artifact of something else", steps("  - {name: a, bash: ls, artifact: stderr}\n"), []string{"error unknown-value stderr"}},
		{"artifact of an agent", steps("  - {name: a, agent: hi, artifact: stdout}\n"), []string{"error unsuitable-key artifact"}},
		{"artifact of a parallel", steps("  - {name: a, parallel: " + pair + ", artifact: stdout}\n"), []string{"error unsuitable-key artifact"}},
		{"artifact in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, artifact: stdout}, {name: y, bash: ls}]}\n"), []string{"error unsuitable-key artifact"}},

		{"prompt_part", steps("  - {name: a, bash: ls}\n  - {name: b, prompt_part: hi}\n  - {name: c, bash: 'echo {{ _prompt }} {{ _response }}'}\n"), nil},
		{"an empty prompt_part", steps("  - {name: b, prompt_part: ''}\n"), []string{"warning empty-value ''"}},
		{"two prompt_parts", steps("  - {name: a, prompt_part: x}\n  - {name: b, prompt_part: hi}\n"), []string{"error misplaced-node prompt_part"}},
		{"prompt_part in a parallel", steps("  - {name: a, parallel: [{name: x, prompt_part: hi}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node prompt_part"}},
		{"prompt_part in a loop", steps("  - {name: a, prompt_part: 'hi {{ x }}', for: {x: [1]}}\n"), []string{"error misplaced-node for"}},
		{"prompt_part with output", steps("  - {name: a, prompt_part: hi, output: {x: int}}\n"), []string{"error misplaced-node output"}},
		{"prompt_part and bash", steps("  - {name: a, prompt_part: hi, bash: ls}\n"), []string{"error node-action bash"}},
		{"the answer before the prompt_part", steps("  - {name: a, bash: 'echo {{ _response }}'}\n  - {name: b, prompt_part: hi}\n"), []string{"error undefined-variable _response"}},
		{"a directive", steps("  - {name: a, agent: '%model:opus hi %w(x) `%m:x` 100% %{a | b}'}\n"), []string{"error prompt-directive %model", "error prompt-directive %w", "error prompt-directive %{"}},
		{"no directive", steps("  - {name: a, agent: '%Y-%m %d(x) 5%model:x %strange:x {% if true %}{% endif %}'}\n"), nil},
		{"misspelt prompt_part", steps("  - {name: b, prompt_prt: hi}\n"), []string{"error wrong-key prompt_prt"}},

		{"use of a missing file", steps("  - {name: a, use: shared/lint}\n"), []string{"error invalid-import shared/lint"}},
		{"use of an absolute path", steps("  - {name: a, use: /etc/x}\n"), []string{"error invalid-import /etc/x"}},
		{"use of a path outside", steps("  - {name: a, use: shared/../../x}\n"), []string{"error invalid-import shared/../../x"}},
		{"use of a path of Windows", steps("  - {name: a, use: 'shared\\x'}\n"), []string{"error invalid-import 'shared\\x'"}},
		{"use of nothing", steps("  - {name: a, use: ''}\n"), []string{"error empty-value ''"}},
		{"use is a list", steps("  - {name: a, use: [x]}\n"), []string{"error wrong-value [x]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, list := compile(t, project(nil), test.yaml)
			if got := findings(list); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q\n%s\n%s", got, test.want, messages(list), test.yaml)
			}
		})
	}
}

// The keys of the successor reach the program.
func TestSuccessorProgram(t *testing.T) {
	w, nodes := good(t, `
description: Deploys.
tags: "vcs, rollover"
input: {target: word}
environment: {DEPLOY_TARGET: "{{ target }}", VERBOSE: "1"}
steps:
  - name: build
    bash: make
    artifact: stdout
    output: {status: word}
  - name: review
    agent: Review {{ build._artifact }} for {{ target }}.
  - name: cleanup
    finally: true
    bash: rm -rf build
`)
	if w.Description != "Deploys." || fmt.Sprint(w.Tags) != "[vcs rollover]" {
		t.Errorf("%q %q", w.Description, w.Tags)
	}
	if len(w.Environment) != 2 || w.Environment[0].Name != "DEPLOY_TARGET" || dumpExpr(w.Environment[1].Value) != `text "1"` {
		t.Errorf("%+v", w.Environment)
	}
	if r, ok := w.Environment[0].Value.(*expr.Rendered); !ok || r.Type() != types.Text {
		t.Errorf("%T", w.Environment[0].Value)
	}
	if !nodes[0].SaveStdout || nodes[0].Output.(*types.Struct).Field("_artifact") == nil {
		t.Errorf("%+v", nodes[0])
	}
	if p, ok := nodes[1].Action.(*ir.Prompt); !ok || dump(p.Text) != "Review ‹build._artifact› for ‹$target›." {
		t.Errorf("%+v", nodes[1].Action)
	}
	if nodes[0].Finally || nodes[1].Finally || !nodes[2].Finally {
		t.Error("finally")
	}
}

// A value in a script does not take the name of an environment variable.
func TestVariablesKeepTheirNames(t *testing.T) {
	_, nodes := good(t, "input: {who: word}\nenvironment: {who: nobody}\n"+steps("  - {name: a, bash: 'env | grep {{ who }}'}\n"))
	if b := nodes[0].Action.(*ir.Bash).Bindings; len(b) != 1 || b[0].Name != "who_value" {
		t.Errorf("%+v", b)
	}
}

// An imported step is a step of the workflow, whose own keys replace those of the file.
func TestImportedSteps(t *testing.T) {
	files := testkit.Memory{
		"/repo/xprompts/steps/shared/lint.yml": "bash: ruff check .\noutput: {errors: text}\n",
		"/repo/.xprompts/steps/first.yaml":     "name: hidden_first\nbash: echo hidden\n",
		"/repo/xprompts/steps/first.yaml":      "bash: echo visible\n",
		"/home/xprompts/steps/mine.yml":        "parallel:\n  - {name: x, use: shared/lint}\n  - {name: y, bash: ls}\n",
		"/repo/flows/xprompts/steps/near.yml":  "bash: echo near\n",
	}
	_, nodes := goodIn(t, files, `
steps:
  - {name: lint, use: shared/lint, output: {warnings: text}}
  - {use: first}
  - {name: both, use: mine}
  - {name: near, use: near, finally: true}
`)
	script := func(n *ir.Node) string { return n.Action.(*ir.Bash).Script }
	if n := nodes[0]; n.ID != "lint" || script(n) != "ruff check ." || n.Output.(*types.Struct).Field("errors") != nil || n.Output.(*types.Struct).Field("warnings") == nil {
		t.Errorf("%+v", n)
	}
	if n := nodes[1]; n.ID != "hidden_first" || script(n) != "echo hidden" || n.IDSpan.File.Name != ".xprompts/steps/first.yaml" {
		t.Errorf("%+v", n)
	}
	if n := nodes[2].Action.(*ir.Fork).Nodes[0]; n.ID != "x" || script(n) != "ruff check ." {
		t.Errorf("%+v", n)
	}
	if n := nodes[3]; !n.Finally || script(n) != "echo near" {
		t.Errorf("%+v", n)
	}
}

// Faults in a file of a step are shown there, with the place of its use.
func TestFaultsOfImports(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"unknown key", "bash: ls\ntimeot: 5\n", "warning unknown-key timeot"},
		{"misspelt key", "bsh: ls\n", "error wrong-key bsh"},
		{"misspelt name in a template", "bash: echo {{ whoo }}\n", "error undefined-variable whoo"},
		{"value as code", "bash: eval {{ who }}\n", "error value-as-code {{ who }}"},
		{"two actions", "bash: ls\npython: pass\n", "error node-action python"},
		{"no mapping", "- bash: ls\n", "error not-a-mapping - bash: ls"},
		{"empty", "", "error not-a-mapping"},
		{"no YAML", "bash: [\n", "error yaml-syntax"},
		{"uses another", "use: other\n", "error invalid-import use"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, list := compile(t, project(testkit.Memory{"/repo/xprompts/steps/s.yml": c.file}), "input: {who: line}\n"+steps("  - {name: a, use: s}\n  - {name: b, bash: 'echo {{ who }}'}\n"))
			if len(list) != 1 || !strings.HasPrefix(findings(list)[0], c.want) || list[0].Span.File.Name != "xprompts/steps/s.yml" {
				t.Fatalf("%q\n%s", findings(list), messages(list))
			}
			if len(list[0].Related) == 0 || list[0].Related[len(list[0].Related)-1].Span.File.Name != "flow.yaml" {
				t.Errorf("the use is not shown: %+v", list[0].Related)
			}
		})
	}
	files := testkit.Memory{"/repo/xprompts/steps/shared/lint.yml": "bash: ls\n"}
	_, list := compile(t, project(files), steps("  - {name: a, use: shared/lnt}\n"))
	if len(list) != 1 || len(list[0].Fixes) != 1 || list[0].Fixes[0].Edits[0].New != "shared/lint" {
		t.Errorf("%+v", list)
	}
}

// Rules that differ in the successor: its keys select them, and nothing else does.
func TestSuccessorSelects(t *testing.T) {
	const newer = "tags: x\n"
	files := testkit.Memory{
		"/repo/xprompts/ask.md":  "---\ninput: {who: word, query: text}\n---\n{{ who }}: {{ query }}",
		"/repo/xprompts/say.md":  "---\ninput: {who: word, query: {type: text, default: nothing}}\n---\n{{ who }}: {{ query }}",
		"/repo/xprompts/free.md": "---\ninput: {query: text}\n---\n<{{ query }}>",
	}
	for _, c := range []struct{ name, prompt, old, successor string }{
		{"text is the missing argument", "#ask(bob): how\nare you?\n\nEnd.", "bob: how\nare you?\n\nEnd.", "bob: how\nare you?\n\nEnd."},
		{"only argument", "#free(): how are you?", "<how are you?>", "<how are you?>"},
		{"text that is no argument", "#say(bob): how are you?", "bob: nothing: how are you?", "bob: how are you?"},
		{"indented text", "#say(bob): how\n    are\n      you?", "bob: nothing: how\n    are\n      you?", "bob: how\n    are\n      you?"},
		{"not at the start of a line", "- #say(bob): how are you?", "- bob: nothing: how are you?", "- bob: how are you?"},
		{"no space", "#say(bob):how", "bob: nothing:how", "bob: nothing:how"},
		{"named argument", "#ask(query=why, bob): how", "bob: why: how", "bob: why"},
	} {
		yaml := "steps:\n  - name: a\n    prompt: |-\n      " + strings.ReplaceAll(c.prompt, "\n", "\n      ") + "\n"
		for _, file := range []struct{ text, want string }{{yaml, c.old}, {newer + yaml, c.successor}} {
			p, list := compile(t, project(files), file.text)
			if p == nil || len(list) > 0 {
				t.Errorf("%s: %s", c.name, messages(list))
				continue
			}
			if got := dump(p.Workflow.Body.All()[0].Action.(*ir.Prompt).Text); got != file.want {
				t.Errorf("%s: got %q, want %q", c.name, got, file.want)
			}
		}
	}

	const typed = "input: {a: string, b: path}\nsteps:\n  - {name: s, bash: 'echo {{ a }} {{ b }}'}\n"
	_, list := compile(t, project(nil), typed)
	if got := findings(list); len(got) != 1 || got[0] != "warning unknown-value string" {
		t.Errorf("%q", got)
	}
	w, _ := good(t, newer+strings.Replace(typed, "string", "agent", 1))
	if w.Inputs[0].Type != types.Word || w.Inputs[1].Type != types.Line {
		t.Errorf("%v %v", w.Inputs[0].Type, w.Inputs[1].Type)
	}
	if w, _ = good(t, newer+typed); w.Inputs[0].Type != types.Line {
		t.Errorf("%v", w.Inputs[0].Type)
	}
}

// Files of the format itself keep their fingerprints.
func TestOldFingerprints(t *testing.T) {
	p, list := compile(t, project(nil), "name: w\ninput: {who: line}\nsteps:\n  - {name: a, bash: 'echo x={{ who }}', output: {x: int}, hidden: true}\n  - {name: b, prompt: 'Hi {{ a.x }}', if: '{{ a.x }}'}\n")
	if p == nil {
		t.Fatal(messages(list))
	}
	if got, want := p.Fingerprint(), "3181a1397136d8e83b5687b1dc923e9e0d75175f024c945fd5e0f18afe166f72"; got != want {
		t.Errorf("the fingerprint is %s", got)
	}
}

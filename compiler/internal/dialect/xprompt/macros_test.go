package xprompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/types"
)

// macros are the prompts of the tests of the format's successor.
var macros = testkit.Memory{
	"/repo/macros/txt.md":     "---\ninput: {t: text}\n---\n[{{ t }}]",
	"/repo/macros/two.md":     "---\ninput: {a: text, b: {type: text, default: none}}\n---\n({{ a }}|{{ b }})",
	"/repo/macros/ns/sub.md":  "sub",
	"/repo/macros/many.md":    "---\ninput: {first: word, rest: {type: int, repeatable: true, default: null}}\n---\n{{ first }}{{ rest }}",
	"/repo/macros/pick.md":    "---\ninput: {env: {type: enum, choices: [\"prod\", {value: \"test\", label: Test}]}, effort: {type: effort, default: low}}\n---\n{{ env }}/{{ effort }}",
	"/repo/macros/helped.md":  "---\ninput: {topic: word}\nmacros:\n  _rule: About {{ topic }}.\n  _list: {input: {n: int}, content: \"{{ n }} x #_rule\"}\n---\n#_list(2) #outside",
	"/repo/macros/outside.md": "#txt(out)",
	"/repo/macros/leaky.md":   "#_rule",
	"/repo/macros/marked.md":  "---\nname: marked\n---\n---\n\nbody",
	"/repo/macros/swarm.md":   "---\nname: swarm\n---\none\n---\ntwo",
	"/repo/macros/deploy.yml": "steps: [{prompt_part: hi}]",
	"/repo/sase.yml":          "macro_aliases: {t: txt, gone: nowhere}\n",
}

// macroStep is a workflow of the successor that asks a prompt.
func macroStep(prompt string) string {
	return "steps:\n  - name: p\n    agent: |-\n      " + strings.ReplaceAll(prompt, "\n", "\n      ") + "\n"
}

// Every form of a reference that the successor has.
func TestSuccessorReferences(t *testing.T) {
	for _, test := range []struct{ prompt, want string }{
		{"#txt:a/b-c~d@e.f.", "[a/b-c~d@e.f]."},
		{"#two:a+b,c", "(a b|c)"},
		{"#txt:`two words, and+more`", "[two words, and+more]"},
		{"#two(a,) #two(,b)", "(a|) (|b)"},
		{"#two([[a]] b]], [[ c ]])", "(a]] b|c)"},
		{"see #txt: one\ntwo\n\nthree", "see [one\ntwo]\n\nthree"},
		{"#txt:: one\n\n#ns/sub\ntwo\n#txt: three", "[one\n\nsub\ntwo]\n[three]"},
		{"#two(x)::\none\n\ntwo", "(x|one\n\ntwo)"},
		{"#txt::: no #ns__sub", ""},
		{"#ns__sub #t(aliased)", "sub [aliased]"},
		{"`#txt(code)` and\n```\n#nope(x)\n```\n%macros_enabled:false\n#txt(off)\n#nope\n%macros_enabled:true\n#txt(on)", "`#txt(code)` and\n```\n#nope(x)\n```\n#txt(off)\n#nope\n[on]"},
		{"#many(a) #many(a, 1, 2) #many:b,3 #many(a, rest=4) #many(a, null)", `a‹list of int or null "null"› a‹[int "1", int "2"]› b‹[int "3"]› a‹[int "4"]› a‹list of int or null "null"›`},
		{"#two(a, null)", "(a|none)"},
		{"#pick(prod) #pick(test, max)", "prod/low test/max"},
		{"#helped(x)", "2 x About x. [out]"},
		{"a #marked", "a body"},
		{"#fff [link](#anchor) # heading\n## more\n#1", "#fff [link](#anchor) # heading\n## more\n#1"},
	} {
		p, list := compile(t, project(macros), macroStep(test.prompt))
		if test.want == "" {
			if !slices.Equal(findings(list), []string{"error unknown-prompt #txt"}) && !slices.Equal(findings(list), []string{"error wrong-argument #txt"}) {
				t.Errorf("%s: %q", test.prompt, findings(list))
			}
			continue
		}
		if p == nil || len(list) > 0 {
			t.Errorf("%s: %s", test.prompt, messages(list))
			continue
		}
		if got := dump(p.Workflow.Body.All()[0].Action.(*ir.Prompt).Text); got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.prompt, got, test.want)
		}
	}
}

// A reference that would stay text is an error at its place, in every form. In files of the
// older format, a word with a # alone is a warning.
func TestUnresolvedReferences(t *testing.T) {
	const newer, older = "error unknown-prompt ", "error unknown-prompt "
	for _, test := range []struct {
		prompt, want string
		old          string
	}{
		{"say #nothing here", newer + "#nothing", "warning unknown-prompt #nothing"},
		{"say #nothing(a) here", newer + "#nothing", older + "#nothing"},
		{"#nothing(a", newer + "#nothing", older + "#nothing"},
		{"#nothing:a", newer + "#nothing", older + "#nothing"},
		{"#nothing+", newer + "#nothing", older + "#nothing"},
		{"#nothing:: a", newer + "#nothing", older + "#nothing"},
		{"#nothing: a", newer + "#nothing", older + "#nothing"},
		{"(#other/thing)", newer + "#other/thing", older + "#other/thing"},
		{"#other__thing", newer + "#other__thing", "warning unknown-prompt #other__thing"},
		{"#nothing!!", newer + "#nothing", "warning unknown-prompt #nothing"},
		{"#!nothing", newer + "#!nothing", older + "#!nothing"},
		{"#!ns/sub(a)", newer + "#!ns/sub", older + "#!ns/sub"},
		{"#deploy", newer + "#deploy", older + "#deploy"},
		{"#gone", newer + "#gone", "warning unknown-prompt #gone"},
		{"#leaky", newer + "#_rule", "warning unknown-prompt #_rule"},
		{"#swarm", "error invalid-import ---", ""},
		{"#ns/sub!!", newer + "!!", ""},
		{"#!/bin/bash x#no page#anchor", "", ""},
	} {
		for _, file := range []struct{ yaml, want string }{
			{macroStep(test.prompt), test.want}, {strings.Replace(macroStep(test.prompt), "agent:", "prompt:", 1), test.old},
		} {
			_, list := compile(t, project(macros), file.yaml)
			if got := strings.Join(findings(list), "; "); got != file.want {
				t.Errorf("%s\ngot  %q\nwant %q", file.yaml, got, file.want)
			}
			for _, d := range list {
				if len(d.Help) == 0 {
					t.Errorf("%s: no way out", d.Message)
				}
			}
		}
	}
	_, list := compile(t, project(macros), macroStep("#heped(x)"))
	if len(list) != 1 || len(list[0].Fixes) != 1 || list[0].Fixes[0].Edits[0].New != "#helped" {
		t.Errorf("%+v", list)
	}
}

// Faults of inputs that only the successor has.
func TestSuccessorInputs(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{"a: {type: enum, choices: [\"x\", {value: \"y\", label: Y}], default: \"y\"}", ""},
		{"a: {type: builtin@enum, choices: [\"x\"]}", ""},
		{"a: {type: effort, default: high}", ""},
		{"a: model", ""},
		{"a: {type: Integer, repeatable: true, default: [1, 2]}", ""},
		{"a: {type: boolean, repeatable: true, default: yes}", ""},
		{"a: {type: enum, choices: [yes]}", "error wrong-value yes"},
		{"a: {type: enum, choices: [3]}", "error wrong-value 3"},
		{"a: {type: enum, choices: [\"two words\"]}", "error wrong-value \"two words\""},
		{"a: {type: enum, choices: [\"x\", \"x\"]}", "error wrong-value \"x\""},
		{"a: {type: enum, choices: [{label: x}]}", "error wrong-value {label: x}"},
		{"a: {type: enum, choices: []}", "error wrong-value []"},
		{"a: {type: enum}", "error wrong-value enum"},
		{"a: {type: word, choices: [\"x\"]}", "error wrong-value choices"},
		{"a: {type: enum, choices: [\"x\"], default: z}", "error wrong-value z"},
		{"a: {type: effort, default: huge}", "error wrong-value huge"},
		{"a: code", "error unknown-value code"},
		{"a: dist@kind", "error unknown-value dist@kind"},
		{"a: {type: enmu, repeatable: true}", "error unknown-value enmu"},
		{"a: {type: int, repeatable: true, default: [1, x]}", "error wrong-value x"},
		{"b: {type: int, repeatable: true}, a: int", "error wrong-value repeatable"},
	} {
		yaml := "input: {" + test.input + "}\ntags: t\nsteps:\n  - {name: s, bash: 'echo {{ a }}'}\n"
		_, list := compile(t, project(nil), yaml)
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code.Slug == "unused-value" })
		if got := strings.Join(findings(list), "; "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.input, got, test.want)
		}
	}
	w, _ := good(t, "input: {a: {type: int, repeatable: true}}\nsteps:\n  - {name: s, bash: 'echo {{ a | sum }}'}\n")
	if list, ok := w.Inputs[0].Type.(*types.List); !ok || list.Elem != types.Int {
		t.Errorf("%v", w.Inputs[0].Type)
	}
}

// Faults of arguments and of heads that only the successor has.
func TestWrongMacros(t *testing.T) {
	for name, test := range map[string]struct{ head, prompt, want string }{
		"no choice":             {"", "#pick(stage)", "error wrong-argument stage"},
		"no item":               {"", "#many(a, 1, x)", "error wrong-argument x"},
		"null among items":      {"", "#many(a, null, 1)", "error wrong-argument null"},
		"helper without _":      {"macros: {rule: x}", "#own", "error invalid-import rule"},
		"both names":            {"macros: {_a: x}\nxprompts: {_b: y}", "#own", "error invalid-import xprompts"},
		"helpers are a list":    {"macros: [_a]", "#own", "error invalid-import [_a]"},
		"no choices":            {"input: {a: {type: enum}}", "#own(x)", "error invalid-import enum"},
		"choices of a word":     {"input: {a: {type: word, choices: [\"x\"]}}", "#own(x)", "error invalid-import [\"x\"]"},
		"code":                  {"input: {a: code}", "#own(x)", "error unknown-value code"},
		"repeatable before":     {"input: {a: {type: int, repeatable: true}, b: int}", "#own(1)", "error wrong-value b"},
		"default of an item":    {"input: {a: {type: int, repeatable: true, default: [x]}}", "#own(1)", "error wrong-value [x]"},
		"a fault in the helper": {"macros: {_a: \"{{ nope }}\"}", "#own", "error undefined-variable nope"},
	} {
		files := testkit.Memory{"/repo/macros/own.md": "---\n" + test.head + "\n---\n#_a"}
		for path, text := range macros {
			files[path] = text
		}
		_, list := compile(t, project(files), macroStep(test.prompt))
		if got := findings(list); len(got) == 0 || got[0] != test.want {
			t.Errorf("%s: got %q, want %q\n%s", name, got, test.want, messages(list))
		}
	}
}

package lango_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/lango"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func compile(t testing.TB, yaml string, agents ...settings.Agent) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	if doc == nil || bag.HasErrors() {
		return nil, bag.Sorted()
	}
	env := &dialect.Env{Root: "/repo", Dir: "/repo", Files: testkit.Memory{}, Settings: settings.Project{Agents: agents}}
	return lango.Frontend{}.Compile(doc, env, &bag), bag.Sorted()
}

// good compiles a workflow that has no findings.
func good(t testing.TB, yaml string) *ir.Workflow {
	t.Helper()
	p, list := compile(t, yaml)
	if p == nil || len(list) > 0 {
		t.Fatalf("%q\n%s", findings(list), yaml)
	}
	return p.Workflow
}

// findings lists findings as "severity slug text: message".
func findings(list []*diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		text, _, _ := strings.Cut(d.Span.Text(), "\n")
		out = append(out, d.Severity.String()+" "+d.Code.Slug+" "+text+": "+d.Message)
	}
	return out
}

func TestWorkflow(t *testing.T) {
	w := good(t, `name: nightly
description: what it does
schedule: "0 9 * * MON"
deliver_to: [slack, "telegram:1"]
steps:
  - id: fetch-changes
    agent: researcher
    prompt: Fetch
    deliver_to: [discord]
    timeout: 1h30m
  - id: 7
    prompt: "Analyze: {{fetch-changes.result}}"
    depends_on: [fetch-changes]
`)
	dag := w.Body.(*ir.DAG)
	a, b := dag.Nodes[0], dag.Nodes[1]
	switch {
	case w.Name != "nightly" || w.Description != "what it does" || w.Schedule.Cron != "0 9 * * MON":
		t.Errorf("%+v", w)
	case len(w.DeliverTo) != 2 || w.DeliverTo[1].Name != "telegram:1" || w.Concurrency != 4 || !dag.Halts:
		t.Errorf("%+v", w)
	case a.ID != "fetch-changes" || a.Timeout != 90*time.Minute || len(a.DeliverTo) != 1 || a.Action.(*ir.Prompt).Agent.Name != "researcher":
		t.Errorf("%+v", a)
	case b.ID != "7" || b.Timeout != 10*time.Minute || len(b.Needs) != 1 || b.Needs[0].Node != a || b.Action.(*ir.Prompt).Agent.Name != "executor":
		t.Errorf("%+v", b)
	}
	if got := show(b.Action.(*ir.Prompt).Text.Parts); got != "Analyze: <fetch-changes>" {
		t.Errorf("the prompt is %s", got)
	}
}

// show writes a template's parts in a compact form.
func show(parts []template.Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			b.WriteString(p.Value)
		case *template.Hole:
			b.WriteString("<" + form(p.Expr) + ">")
		case *template.Set:
			b.WriteString("[" + p.Target.Var.Name + "=" + form(p.Value) + "]")
		case *template.Scope:
			b.WriteString("(" + show(p.Body) + ")")
		case *template.If:
			b.WriteString("[if " + form(p.Branches[0].Cond) + ":" + show(p.Branches[0].Body) + "|" + show(p.Else) + "]")
		}
	}
	return b.String()
}

func form(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Output:
		return e.Node
	case *expr.Literal:
		return "'" + e.Text + "'"
	case *expr.Local:
		return e.Of.Name
	case *expr.Str:
		return form(e.X)
	case *expr.Negation:
		return "!" + form(e.X)
	case *expr.Either:
		return form(e.X) + map[expr.LogicOp]string{expr.And: "&", expr.Or: "|"}[e.Op] + form(e.Y)
	case *expr.Logic:
		return form(e.X) + "||" + form(e.Y)
	case *expr.Relation:
		return form(e.X) + e.Links[0].Op.String() + form(e.Links[0].Y)
	case *expr.GoCall:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = form(a)
		}
		return e.Func + "(" + strings.Join(args, ",") + ")"
	}
	return "?"
}

// steps is a workflow of a step b with the given prompt, which comes after a and
// after fetch-changes.
func steps(prompt string) string {
	return "name: w\nsteps:\n  - {id: a, prompt: x}\n  - {id: fetch-changes, prompt: x, depends_on: [a]}\n  - {id: 9b.c, prompt: x}\n  - id: b\n    depends_on: [fetch-changes, 9b.c]\n    prompt: |-\n      " + strings.ReplaceAll(prompt, "\n", "\n      ") + "\n  - {id: late, depends_on: [b]}\n  - {id: other}\n"
}

func TestPrompts(t *testing.T) {
	for prompt, want := range map[string]string{
		"no braces, { } and }}":                                          "no braces, { } and }}",
		"{{a.result}}{{ fetch-changes.result }}":                         "<a><fetch-changes>",
		"{{9b.c.result}} $1 \\1":                                         "<9b.c> $1 \\1",
		"a {{- a.result -}} b":                                           "a<a>b",
		"{{.a.result}}{{$.a.result}}":                                    "<a><a>",
		`{{index . "fetch-changes" "result"}}`:                           "<fetch-changes>",
		`{{(index . "a").result}}`:                                       "<a>",
		"{{if a.result}}y{{else}}n{{end}}":                               "[if a:y|n]",
		"{{if not a.result}}y{{end}}":                                    "[if !a:y|]",
		`{{if eq a.result "x" "y"}}1{{else if ne a.result "z"}}2{{end}}`: "[if a=='x'||a=='y':1|[if a!='z':2|]]",
		"{{with a.result}}<{{.}}{{$.fetch-changes.result}}{{end}}":       "([dot=a][if dot:<<dot><fetch-changes>|])",
		"{{$x := a.result}}{{$x}}{{$x = fetch-changes.result}}{{$x}}":    "[$x=a]<$x>[$x=fetch-changes]<$x>",
		"{{len a.result}} {{len a.result | printf \"%03d\"}}":            "<len(a)> <printf('%03d',len(a))>",
		`{{"{{"}}literal{{/* a comment }} */}}`:                          "<'{{'>literal",
		"{{a.result | html | printf `%s!`}}":                             "<printf('%s!',html(a))>",
		`{{$.fetch-changes.result}}{{.fetch-changes.result}}`:            "<fetch-changes><fetch-changes>",
		`{{and a.result fetch-changes.result}}`:                          "<a&fetch-changes>",
		`{{if and a.result (gt (len a.result) 3)}}y{{end}}`:              "[if a&len(a)>'3':y|]",
		`{{slice a.result 0 3}}{{print true 1.5}}`:                       "<slice(a,'0','3')><print('true','1.5')>",
	} {
		w := good(t, steps(prompt))
		if got := show(w.Body.(*ir.DAG).Nodes[3].Action.(*ir.Prompt).Text.Parts); got != want {
			t.Errorf("%s\ngives %s\nnot   %s", prompt, got, want)
		}
	}
}

func TestPromptFaults(t *testing.T) {
	for prompt, want := range map[string]string{
		"x {{a.result":                    "error template-syntax {{: this `{{` is never closed",
		"{{if a.result}}x":                "error template-syntax {{if a.result}}: missing `{{end}}` for this `if`",
		"{{a.result}}\n {{ if }}x{{end}}": "error template-syntax {{ if }}: invalid action: missing value for if",
		"{{a.output}}":                    "error template-arguments {{a.output}}: step `a` has no `output`: a step has only `result`",
		"{{a}}":                           "error template-arguments a: `a` is a step: read `a.result`",
		"{{.a}}":                          "error template-arguments {{.a}}: `a` is a step: read `a.result`",
		"{{.}}":                           "error template-arguments {{.}}: `.` alone is not a value: write `.id.result`",
		"{{upper a.result}}":              "error template-arguments upper: `upper` is neither a result nor a function",
		"{{a.result | upper}}":            "error template-arguments upper: `upper` is neither a result nor a function",
		"{{fetch-change.result}}":         "error unknown-node fetch-change: unknown step `fetch-change`",
		"{{b.result}}":                    "error reference-order b: step `b` reads its own result",
		"{{late.result}}":                 "error reference-order late: step `b` reads the result of `late`, which runs later",
		"{{other.result}}":                "error reference-order other: step `b` reads the result of `other` without depending on it",
		"{{range a.result}}x{{end}}":      "error template-arguments {{range a.result}}: `range` has nothing to iterate over: results are strings",
		"{{template \"x\"}}":              "error template-arguments {{template \"x\"}}: a prompt cannot define or call templates: the template `x`",
		"{{printf \"%d\" a.result}}":      "error template-arguments {{printf \"%d\" a.result}}: the format \"%d\" does not match its arguments: it prints \"%!d(string=a)\"",
		"{{if lt a.result 3}}x{{end}}":    "error template-arguments {{if lt a.result 3}}: `lt` compares values of the same type, got a string and an integer",
		"{{not}}":                         "error template-arguments {{not}}: `not` needs 1 argument, got 0",
		"{{a.result 3}}":                  "error template-arguments {{a.result 3}}: `a.result` is a value and takes no arguments",
		"{{$y}}":                          "error template-syntax {{$y}}: invalid action: undefined variable \"$y\"",
		"{{$x := 1}}{{$x = a.result}}":    "error template-arguments {{$x = a.result}}: the variable `$x` is a int, got a text",
		"{{and a.result 3}}":              "error template-arguments {{and a.result 3}}: `and` and `or` with different types are allowed only in conditions",
	} {
		_, list := compile(t, steps(prompt))
		got := findings(list)
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s\nfinds %q\nnot    %s", prompt, got, want)
		}
	}
}

func TestPlacesInBlockScalars(t *testing.T) {
	_, list := compile(t, "name: w\nsteps:\n  - id: b\n    prompt: >-\n      one\n      two {{zz.result}}\n")
	if len(list) != 1 || list[0].Span.Text() != "zz" || list[0].Span.Position().Line != 6 {
		t.Errorf("%q", findings(list))
	}
}

// The format has given other names to three of its agents. A project may define either one.
func TestRenamedAgents(t *testing.T) {
	for _, c := range []struct{ asked, defined, want string }{
		{"agent: executor", "operator", "operator"},
		{"agent: operator", "executor", "executor"},
		{"agent: researcher", "librarian", "librarian"},
		{"agent: chronicler", "memory-manager", "memory-manager"},
		{"prompt: x", "operator", "operator"},
		{"agent: operator", "operator", "operator"},
		{"agent: vault", "operator", "vault"},
		{"agent: planner", "librarian", "planner"},
	} {
		p, list := compile(t, "name: w\nsteps:\n  - {id: a, "+c.asked+"}\n", settings.Agent{Name: c.defined})
		if len(list) > 0 {
			t.Fatalf("%s: %q", c.asked, findings(list))
		}
		if got := p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent.Name; got != c.want {
			t.Errorf("%s with %s is answered by %s, not %s", c.asked, c.defined, got, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"steps:\n  - {id: a}\n", "error missing-key steps: missing key `name` in the workflow"},
		{"name: w\n", "error missing-key name: missing key `steps` in the workflow"},
		{"name: w\nsteps: []\n", "error empty-value []: `steps` must not be empty"},
		{"name: w\nsteps: {a: {prompt: x}}\n", "error wrong-value {a: {prompt: x}}: `steps` must be a list, got a mapping"},
		{"name: w\nsteps:\n  - {prompt: x}\n", "error missing-key prompt: missing key `id` in the step"},
		{"name: w\nsteps:\n  - {id: a}\n  - {id: a}\n", "error duplicate-name a: duplicate node id `a`"},
		{"name: w\nsteps:\n  - {id: a, depends_on: [b]}\n", "error unknown-node b:"},
		{"name: w\nsteps:\n  - {id: a, depends_on: [a]}\n", "error dependency-cycle a:"},
		{"name: w\nsteps:\n  - {id: A, depends_on: [C]}\n  - {id: B, depends_on: [A]}\n  - {id: C, depends_on: [B]}\n", "error dependency-cycle C:"},
		{"name: w\nsteps:\n  - {id: a, depends_on: b}\n", "error wrong-value b: `depends_on` must be a list, got a string"},
		{"name: w\ndeliver_to: slack\nsteps:\n  - {id: a}\n", "error wrong-value slack: `deliver_to` must be a list, got a string"},
		{"name: w\ndeliver_to: [slack, slack]\nsteps:\n  - {id: a}\n", "warning no-effect slack:"},
		{"name: w\nsteps:\n  - {id: a, agent: reseacher}\n", "warning unnamed-agent reseacher: unknown agent `reseacher`"},
		{"name: w\nsteps:\n  - {id: a, timeout: 5 minutes}\n", "error wrong-value 5 minutes: `timeout` must be a duration, got `5 minutes`"},
		{"name: w\nsteps:\n  - {id: a, timeout: 90}\n", "error wrong-value 90:"},
		{"name: w\nsteps:\n  - {id: a, timeout: -5s}\n", "warning no-effect -5s:"},
		{"name: w\nschedule: \"0 25 * * MON\"\nsteps:\n  - {id: a}\n", "error bad-schedule 25:"},
		{"name: w\nschedule: \"0 9 31 2 *\"\nsteps:\n  - {id: a}\n", "error bad-schedule "},
		{"name: w\nversion: 2\nsteps:\n  - {id: a}\n", "warning unknown-key version:"},
		{"name: w\nsteps:\n  - {id: a, retries: 3}\n", "warning unknown-key retries:"},
		{"name: w\nsteps:\n  - {id: a, depend_on: []}\n", "error wrong-key depend_on: unknown key `depend_on` in a step"},
		{"name: w\nsteps:\n  - {id: a, schedule: x}\n", "warning misplaced-key schedule:"},
		{"name: w\nname: v\nsteps:\n  - {id: a}\n", "error duplicate-key name:"},
	} {
		_, list := compile(t, c.yaml)
		got := findings(list)
		if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s\nfinds %q\nnot    %s", c.yaml, got, c.want)
		}
	}
}

// Keys of other formats for the work of a step, or for whether it runs, are errors:
// an agent would be asked instead, or in spite of them.
func TestOtherWork(t *testing.T) {
	for _, key := range []string{"bash", "python", "script", "command", "run", "parallel", "loop", "for", "repeat", "approval", "when", "if"} {
		_, list := compile(t, "name: w\nsteps:\n  - {id: a, prompt: x}\n  - {id: b, "+key+": make}\n")
		if got := findings(list); len(got) != 1 || !strings.HasPrefix(got[0], "error wrong-key "+key+":") {
			t.Errorf("%s: %q", key, got)
		}
	}
	_, list := compile(t, "name: w\nbash: make\nsteps:\n  - {id: a, prompt: x}\n")
	if got := findings(list); len(got) != 1 || !strings.HasPrefix(got[0], "warning unknown-key bash:") {
		t.Errorf("at the top: %q", got)
	}
}

func TestConfiguredAgentsAreKnown(t *testing.T) {
	if _, list := compile(t, "name: w\nsteps:\n  - {id: a, agent: mine}\n", settings.Agent{Name: "mine"}); len(list) > 0 {
		t.Errorf("%q", findings(list))
	}
}

func TestFixes(t *testing.T) {
	for _, c := range []struct{ yaml, title, text string }{
		{"name: w\nsteps:\n  - {id: a, timeout: 5 minutes}\n", "replace with `5m`", "5m"},
		{"name: w\nsteps:\n  - {id: a, timeout: 90}\n", "replace with `90s`", "90s"},
		{"name: w\nsteps:\n  - {id: a}\n  - {id: b, prompt: \"{{a.result}}\", depends_on: []}\n", "add `a` to the `depends_on` of `b`", "a"},
		{"name: w\nsteps:\n  - {id: a}\n  - {id: c}\n  - {id: b, prompt: \"{{a.result}}\", depends_on: [c]}\n", "add `a` to the `depends_on` of `b`", ", a"},
	} {
		_, list := compile(t, c.yaml)
		if len(list) != 1 || len(list[0].Fixes) != 1 || list[0].Fixes[0].Title != c.title || list[0].Fixes[0].Edits[0].New != c.text {
			t.Errorf("%s\n%q", c.yaml, findings(list))
		}
	}
}

func FuzzPrompt(f *testing.F) {
	for _, s := range []string{"{{a.result}}", "{{if a.result}}x{{else}}y{{end}}", "{{with $x := a.result}}{{.}}{{end}}", "{{index . `a` \"result\" | printf `%q`}}", "{{/* x", "{{- \"}}\" -}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		compile(t, steps(prompt))
	})
}

func TestScheduleKnowsItsZone(t *testing.T) {
	for schedule, zone := range map[string]string{"0 9 * * MON": "", "CRON_TZ=Europe/Berlin 0 9 * * MON": "Europe/Berlin", "TZ=UTC @daily": "UTC"} {
		w := good(t, "name: w\nschedule: \""+schedule+"\"\nsteps:\n  - {id: a, prompt: x}\n")
		if w.Schedule.Cron != schedule || w.Schedule.Zone != zone {
			t.Errorf("%q is %+v", schedule, w.Schedule)
		}
	}
}

// A key without a value is as if it were not there, but for those that are needed.
func TestKeysWithoutValues(t *testing.T) {
	w := good(t, "name: w\ndescription:\nschedule:\ndeliver_to:\nsteps:\n  - {id: a, agent: , prompt: , depends_on: ~, deliver_to: null, timeout: }\n")
	if n := w.Body.All()[0]; w.Schedule != nil || w.DeliverTo != nil || n.Timeout != 10*time.Minute || n.Action.(*ir.Prompt).Agent.Name != "executor" {
		t.Errorf("%+v %+v", w, n)
	}
	for _, yaml := range []string{"name:\nsteps:\n  - id: a\n", "name: w\nsteps:\n", "name: w\nsteps:\n  - {id: , prompt: x}\n"} {
		if _, list := compile(t, yaml); len(list) != 1 || list[0].Severity != diag.Error {
			t.Errorf("%q has the findings %q", yaml, findings(list))
		}
	}
}

// TestDeepPrompt nests actions, and values in them, as deep as is allowed and deeper.
func TestDeepPrompt(t *testing.T) {
	for name, prompt := range map[string]func(n int) string{
		"if":      func(n int) string { return strings.Repeat("{{if 1}}", n) + "x" + strings.Repeat("{{end}}", n) },
		"with":    func(n int) string { return strings.Repeat("{{with 1}}", n) + "x" + strings.Repeat("{{end}}", n) },
		"else if": func(n int) string { return "{{if 1}}x" + strings.Repeat("{{else if 1}}x", n-1) + "{{end}}" },
		"pipes":   func(n int) string { return "{{1" + strings.Repeat(" | print", n) + "}}" },
		"parentheses": func(n int) string {
			return "{{print " + strings.Repeat("(print ", n) + "1" + strings.Repeat(")", n) + "}}"
		},
		"if one after the other": func(n int) string {
			return strings.Repeat("{{if 1}}{{print (1) (2)}}{{else}}x{{end}}", 3*n) + strings.Repeat("{{if 1}}", n) + strings.Repeat("{{end}}", n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			workflow := func(n int) string {
				return "name: w\ndescription: d\nsteps:\n  - id: a\n    prompt: '" + prompt(n) + "'\n"
			}
			good(t, workflow(150))
			_, list := compile(t, workflow(151))
			if len(list) != 1 || !strings.Contains(list[0].Message, "nested too deeply") {
				t.Errorf("%q", findings(list))
			}
			if len(list) == 1 && !strings.HasPrefix(list[0].Span.Text(), "{{") {
				t.Errorf("the place is %q", list[0].Span.Text())
			}
		})
	}
}

package xprompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// prompts are the prompts of the tests.
var prompts = testkit.Memory{
	"/repo/xprompts/greet.md": "---\nname: greet\ninput: { who: word, n: { type: int, default: 2 }, loud: { type: bool, default: false } }\n---\n\n" +
		"Hi {{ who }} x{{ n }}{% if loud %} LOUD{% endif %}\n",
	"/repo/xprompts/txt.md":             "---\ninput: { t: text }\n---\n[{{ t }}]",
	"/repo/xprompts/opt.md":             "---\ninput: { t: { type: text, default: d }, u: { type: text, default: null } }\n---\n[{{ t }}|{{ u }}]",
	"/repo/.xprompts/outer.md":          "Outer[#inner(a b)] end",
	"/repo/flows/xprompts/inner.md":     "---\ninput: { t: text }\n---\nINNER<{{ t }}>",
	"/repo/xprompts/sect.md":            "### Section\nbody of section",
	"/repo/xprompts/ns/sub.md":          "sub",
	"/repo/xprompts/legacy.md":          "Legacy {1:one} then {2:two} and {x} {",
	"/repo/xprompts/plain.md":           "Plain {{ _1 }} of {{ _args | length }}",
	"/repo/xprompts/calls.md":           "#legacy(a, b); #plain(x, y); #plain(z)",
	"/home/.xprompts/greet.md":          "never seen",
	"/home/xprompts/mine.md":            "mine",
	"/home/.config/gai/gai.yml":         "xprompts:\n  set/up: {input: {k: int}, content: 'cfg {{ k }}'}\n  just: text\n",
	"/home/.config/gai/xprompts/p/q.md": "project",
	"/repo/xprompts/pass.md":            "---\ninput: { v: text }\n---\n#txt({{ v }}) #greet({{ v }})",
	"/repo/xprompts/twice.md":           "---\ninput: { v: int }\n---\n{{ v + v }}",
}

// promptStep is a workflow that asks a prompt, which reads the step d and the
// input n.
func promptStep(prompt string) string {
	return "input: {n: {type: int, default: 1}}\nsteps:\n  - {name: d, bash: 'echo \"who={{ n }}\"'}\n  - name: p\n    prompt: |-\n      " +
		strings.ReplaceAll(prompt, "\n", "\n      ") + "\n"
}

// The successor calls prompts macros, and has other folders for them.
func TestMacros(t *testing.T) {
	files := testkit.Memory{
		"/repo/sase/macros/near.md":     "nearest",
		"/repo/.macros/near.md":         "hidden",
		"/repo/.macros/second.md":       "second",
		"/repo/macros/ns/third.md":      "third",
		"/repo/sase/xprompts/fourth.md": "fourth",
		"/home/sase/macros/near.md":     "far",
		"/home/.macros/home.md":         "home",
		"/repo/sase.yml":                "macros: {fifth: a fifth, near: settings}\n",
		"/home/.config/sase/sase.yml":   "macros: {sixth: a sixth}\nxprompts: {fifth: late}\n",
	}
	text := "#own #near #second #ns/third #fourth #home #fifth #sixth"
	_, nodes := goodIn(t, files, "macros: {own: mine}\nsteps:\n  - {name: p, prompt: '"+text+"'}\n")
	if got, want := dump(nodes[0].Action.(*ir.Prompt).Text), "mine nearest second third fourth home a fifth a sixth"; got != want {
		t.Errorf("%q\n%q", got, want)
	}
	for yaml, want := range map[string]string{
		"macros: {a: x}\nxprompts: {b: y}\nsteps:\n  - {name: p, prompt: '#a #b'}\n": "WFC103",
	} {
		if _, list := compile(t, project(files), yaml); !strings.Contains(messages(list), want) {
			t.Errorf("%s\nfinds %q", yaml, messages(list))
		}
	}
}

func TestReferences(t *testing.T) {
	for _, test := range []struct{ prompt, want string }{
		{"#greet(bob)", "Hi bob x2"},
		{"#greet(who=\"al\", n=5, loud=yes)", "Hi al x5 LOUD"},
		{"#greet:eve and (#greet:zed) x#greet:no", "Hi eve x2 and (Hi zed x2) x#greet:no"},
		{"#outer", "Outer[INNER<a b>] end"},
		{"intro #sect", "intro \n\n### Section\nbody of section"},
		{"intro\n#sect", "intro\n### Section\nbody of section"},
		{"#txt([[first\n  second\n    third]])", "[first\nsecond\n  third]"},
		{"# heading\n#1 issue", "# heading\n#1 issue"},
		{"#txt('quoted, with comma') #txt(\"a=b\")", "[quoted, with comma] [a=b]"},
		{"#txt+", "[true]"},
		{"#opt: shorthand text\n  continues here\n\nnext para\n#opt(a): second one", "[shorthand text\n  continues here|None]\n\nnext para\n[a|None]: second one"},
		{"#opt:: text with\n\nblank line\n#opt: next", "[d|None]:: text with\n\nblank line\n[next|None]"},
		{"not here #opt: text", "not here [d|None]: text"},
		{"#ns/sub and #mine, #just #set/up(7) #p/q", "sub and mine, text cfg 7 project"},
		{"#legacy #calls", "Legacy one then two and {x} { Legacy a then b and {x} {; Plain x of ‹[text \"x\", text \"y\"]|length›; Plain z of ‹[text \"z\"]|length›"},
		{"#txt(#inner(x))", "[INNER<x>]"},
		{"#txt({{ d.who }})", "[‹[‹d.who›]›]"},
		{"#txt(a {{ d.who }} b)", "[‹[a ‹d.who› b]›]"},
		{"#greet({{ d.who }})", "Hi ‹word([‹d.who›])› x2"},
		{"#twice({{ n }})", "‹($n + $n)›"},
		{"#twice({{ d.who }})", "‹(int([‹d.who›]) + int([‹d.who›]))›"},
		{"#txt:{{ n }}.", "[‹[‹$n›.]›]"},
		{"#pass(x)", "[x] Hi x x2"},
		{"#pass('{{ n }} #txt(y), \"z')", "[‹[‹$n› [y], \"z]›] Hi ‹word([‹[‹$n› [y], \"z]›])› x2"},
		{"{% if n %}#txt(a){% else %}#txt(b){% endif %}", "‹if $n›[a]‹else›[b]‹end›"},
		{"{% set v %}#txt(a){% endset %}{{ v }}", "‹set [[a]]›‹v›"},
		{"{% macro m() %}#txt(a){% endmacro %}{{ m() }}", "‹macro [a]›‹*expr.Call›"},
		{"'#txt(a)' { #txt(b) } [#txt(c)]", "'[a]' { [b] } [[c]]"},
		{"#txt()", ""},
	} {
		p, list := compile(t, project(prompts), promptStep(test.prompt))
		if test.want == "" {
			if len(list) == 0 {
				t.Errorf("%s: nothing is reported", test.prompt)
			}
			continue
		}
		for _, d := range list {
			t.Errorf("%s: %s %s", test.prompt, d.Code.ID, d.Message)
		}
		asked := p.Workflow.Body.All()[1].Action.(*ir.Prompt)
		if got := dump(asked.Text); got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.prompt, got, test.want)
		}
	}
}

// A fault in a reference is reported at the reference.
func TestWrongReferences(t *testing.T) {
	for _, test := range []struct {
		name, prompt string
		want         []string
	}{
		{"missing", "#greet(n=3)", []string{"error wrong-argument #greet"}},
		{"unknown name", "say #greet(bob, m=3)", []string{"error wrong-argument m"}},
		{"too many", "#txt(a, b, c)", []string{"error wrong-argument b"}},
		{"without inputs", "#sect(a)", []string{"error wrong-argument a"}},
		{"no word", "#greet('two words')", []string{"error wrong-argument 'two words'"}},
		{"no int", "#greet(bob, many)", []string{"error wrong-argument many"}},
		{"no end", "#sect(bob", []string{"warning loose-call ("}},
		{"a near name", "#gret(bob)", []string{"error unknown-prompt #gret"}},
		{"in a block, over lines", "line\n  #txt(a,\n  zz)", []string{"error wrong-argument zz"}},
		{"behind a hole", "{{ d.x }} #txt(a, zz)", []string{"error wrong-argument zz"}},
		{"a command", "today is $(date +%F).", []string{"warning prompt-command $(date +%F)"}},
		{"no command", `it costs \$(5) or $5`, nil},
	} {
		_, list := compile(t, project(prompts), promptStep(test.prompt))
		if got := slices.DeleteFunc(findings(list), func(s string) bool { return strings.Contains(s, "unused-value") }); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, messages(list))
		}
	}
}

// A fault in a prompt is reported in its file.
func TestWrongPrompts(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       []string
	}{
		{"cycle", "again #x", []string{"error recursion #x"}},
		{"undefined", "a {{ nope }}", []string{"error undefined-variable nope"}},
		{"syntax", "a {{ 1 + }}", []string{"error template-syntax +"}},
		{"head is no YAML", "---\na: [\n---\nb", []string{"error invalid-import ["}},
		{"head is a list", "---\n- a\n---\nb", []string{"error invalid-import - a"}},
		{"unknown key", "---\ninputs: {a: int}\n---\nb", []string{"error wrong-key inputs"}},
		{"unknown type", "---\ninput: {a: itn}\n---\nb", []string{"error unknown-value itn"}},
		{"default", "---\ninput: {a: {type: int, default: many}}\n---\nb", []string{"error wrong-value many"}},
		{"not UTF-8", "a \xfe", []string{"error invalid-import"}},
	} {
		_, list := compile(t, project(testkit.Memory{"/repo/xprompts/x.md": test.file}), "steps:\n  - {name: p, prompt: '#x'}\n")
		if got := findings(list); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, messages(list))
		}
	}
}

// Two prompts that each refer twice to the next end after a while.
func TestPromptsThatDouble(t *testing.T) {
	files := testkit.Memory{}
	for i := range 60 {
		name := func(n int) string { return "x" + string(rune('a'+n/26)) + string(rune('a'+n%26)) }
		files["/repo/xprompts/"+name(i)+".md"] = "#" + name(i+1) + " #" + name(i+1)
	}
	files["/repo/xprompts/xci.md"] = "end"
	_, list := compile(t, project(files), "steps:\n  - {name: p, prompt: '#xaa'}\n")
	if len(list) == 0 || list[0].Code.Slug != "recursion" {
		t.Errorf("%q", findings(list))
	}
}

// The output of the first prompt is the form of the agent's answer, and the output
// of a step that declares none; the text stays unchanged.
func TestOutputOfPrompts(t *testing.T) {
	files := testkit.Memory{
		"/repo/xprompts/ask.md":  "---\noutput: {a: int, b: {type: word, default: c}}\n---\nGive a.",
		"/repo/xprompts/list.md": "---\noutput: [{a: line, b: {type: bool, default: null}, c: {type: float, default: 1}}]\n---\nGive all.",
		"/repo/xprompts/long.md": "---\noutput: {type: json_schema, schema: {type: object, required: [a]}}\n---\nGive a.",
		"/repo/xprompts/say.md":  "Say it.",
	}
	w, nodes := goodIn(t, files, "steps:\n  - {name: p, prompt: '#say #ask'}\n  - {name: q, bash: 'echo {{ p.a + 1 }}'}\n  - {name: r, prompt: '#ask', output: {b: word}}\n"+
		"  - {name: l, prompt: '#list', for: {i: [1, 2]}}\n  - {name: o, prompt: '#long #ask'}\n  - {name: n, prompt: '#say', output: {b: word}}\n")
	const asked = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`
	inner := nodes[3].Action.(*ir.ForEach).Body
	for i, c := range []struct {
		node   *ir.Node
		schema string
	}{
		{nodes[0], asked}, {nodes[2], asked},
		{inner, `{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"c":{"type":"number"}},"required":["a"]}}`},
		{nodes[4], `{"type":"object","required":["a"]}`}, {nodes[5], ""},
	} {
		if c.node.Schema != c.schema {
			t.Errorf("%d: asked for %s, want %s", i, c.node.Schema, c.schema)
		}
	}
	if nodes[0].Spec == nil || nodes[0].Output.String() != "object" || nodes[2].Spec.Defaults != nil || inner.Output.String() != "list of object" {
		t.Errorf("%+v %+v %s", nodes[0].Spec, nodes[2].Spec, inner.Output)
	}
	if got := dump(nodes[2].Action.(*ir.Prompt).Text); got != "Give a." {
		t.Errorf("%q", got)
	}
	if len(w.Inputs) != 2 || w.Inputs[0].Name != "r" {
		t.Errorf("%d inputs", len(w.Inputs))
	}
}

// The files that prompts come from are part of the program, each once, and no
// others.
func TestResources(t *testing.T) {
	p, _ := compile(t, project(prompts), promptStep("#outer #outer #greet(a)"))
	var got []string
	for _, f := range p.Resources {
		got = append(got, f.Name)
	}
	if want := []string{".xprompts/outer.md", "flows/xprompts/inner.md", "xprompts/greet.md"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A local prompt sees the workflow's names, and others do not.
func TestLocalPrompts(t *testing.T) {
	_, nodes := good(t, "xprompts:\n  _a: 'A {{ d.x }}'\nsteps:\n  - {name: d, bash: echo x=1}\n  - {name: p, prompt: '#_a'}\n")
	if got := dump(nodes[1].Action.(*ir.Prompt).Text); got != "A ‹d.x›" {
		t.Errorf("%q", got)
	}
	_, list := compile(t, project(testkit.Memory{"/repo/xprompts/a.md": "A {{ d.x }}"}), "steps:\n  - {name: d, bash: echo x=1}\n  - {name: p, prompt: '#a'}\n")
	if got := findings(list); !slices.Equal(got, []string{"error undefined-variable d"}) {
		t.Errorf("%q", got)
	}
}

// Whatever a prompt and a file that it refers to hold, expanding ends, and holes
// are neither lost nor taken apart.
func FuzzReferences(f *testing.F) {
	f.Add("#greet(bob) #x: {{ n }}", "{{ _1 }} {1:x}")
	f.Add("#x([[a\n  {{ n }}]], \"b, c\", t='d')", "---\ninput: {t: text, u: {type: int, default: 1}}\n---\n### {{ t }}{% if u %}#txt({{ t }}){% endif %}")
	f.Add("{% for i in [1] %}#x:{{ i }}.{% endfor %}(#x+ '#x", "#x")
	f.Fuzz(func(t *testing.T, prompt, file string) {
		files := testkit.Memory{"/repo/xprompts/x.md": file}
		for path, content := range prompts {
			files[path] = content
		}
		p, list := compile(t, project(files), promptStep(prompt))
		for _, d := range list {
			if !d.Span.IsValid() {
				t.Errorf("%s has no place: %s", d.Code, d.Message)
			}
		}
		if p == nil || diag.HasErrors(list) {
			return
		}
		ir.Walk(p.Workflow.Body, func(n *ir.Node) {
			if a, ok := n.Action.(*ir.Prompt); ok {
				sound(t, a.Text)
			}
		})
	})
}

// Package languages lists the languages that the parsers of wfc and of workflows read, with
// texts that each parser must read in linear time.
package languages

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/output"
	"github.com/wfc-lang/wfc/runtime/reply"
	"github.com/wfc-lang/wfc/runtime/signal"
)

// A Language is what one place of a workflow is written in. Its tokens, repeated, are the texts
// that its parser must read in linear time.
type Language struct {
	Name string
	// Workflow returns the workflow that has a text at this place. It is nil if Read reads the text.
	Workflow func(text string) string
	Tokens   []string
	// Read reads a text while a workflow runs.
	Read func(text string)
}

// Text returns what the parser of the language reads for a text.
func (l *Language) Text(text string) string {
	if l.Workflow == nil {
		return text
	}
	return l.Workflow(text)
}

// Repeated returns the text of a size in which two tokens alternate, or with nested stand
// all of the first before all of the second.
func Repeated(a, b string, nested bool, size int) string {
	n := max(1, size/(len(a)+len(b)))
	if nested {
		return strings.Repeat(a, n) + strings.Repeat(b, n)
	}
	return strings.Repeat(a+b, n)
}

func block(indent, text string) string { return strings.ReplaceAll(text, "\n", "\n"+indent) }

// All returns all languages that a workflow contains, and the texts that its runs read.
func All() []Language {
	arch := "name: w\ndescription: d\nnodes:\n  - {id: a, bash: echo}\n"
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	jinja := []string{"{{ ", " }}", "{% if x %}", "{% if 1 %}", "{% elif x %}", "{% else %}", "{% endif %}", "{% for x in y %}", "{% endfor %}", "{% set x = 1 %}", "{% set x %}", "{% endset %}", "{% macro m() %}", "{% endmacro %}", "{% raw %}", "{% endraw %}", "{# ", " #}", "{{ x }}", "{{ x.y }}", "{{ [x] }}", "{{ 'x' }}", "{{ x | upper }}", "{%- ", "%}", "#a(b) ", "#a ", "#(", "`", "```\n", "$x ", "[[", "]]", "\n", "{{ 1 if x else 2 }}", "{{ x is defined }}"}
	jexpr := []string{"(", ")", "[", "]", "{", "}", "not ", "x ", "x.", "'", "\"", "1 ", "+ ", "- ", "** ", "~ ", "and ", "or ", "if ", "else ", "in ", "is ", "is not ", "| ", "| upper ", "| default(", "x(", "x[", ", ", ": ", "== ", "< ", "\\", "x if x else "}
	return []Language{
		{"archon when", func(s string) string {
			return arch + "  - id: b\n    bash: echo\n    depends_on: [a]\n    when: " + quote(s) + "\n"
		}, []string{"(", ")", "!", "$a.output", " == ", " != ", " && ", " || ", "'x'", "\"x\"", "'", "\"", "1 ", ".", "x ", " < ", "$", "`", "\\", "$a.output == 'x' && ", "$a.output == 'x' || ", "true ", "|", "| length", "{{ "}, nil},
		{"archon prompt", func(s string) string {
			return arch + "  - id: b\n    depends_on: [a]\n    prompt: |-\n      x" + block("      ", s) + "\n"
		}, []string{"$a.output", "$a.output.x", "$zz.output ", "$", "${", "}", "`", "```\n", "``", "~~~\n", "{{ a.output }}", "{{", "}}", "\n", "    x\n", "> ", "- ", "$ARGUMENTS", "$1", "$USER_MESSAGE ", "\\", "#a(", "{% if x %}", "<a>", "[x](y)", "\t"}, nil},
		{"archon bash", func(s string) string {
			return arch + "  - id: b\n    depends_on: [a]\n    bash: |-\n      x=1" + block("      ", "\n"+s) + "\n"
		}, []string{"(", ")", "((", "))", "{ ", "; }", "[[ ", " ]]", "$(", "`", "$((", "${x", "}", "\"", "'", "$'", "if x; then\n", "fi\n", "else ", "elif x; then ", "for i in x; do\n", "done\n", "while x; do ", "case x in\n", "esac\n", "x) y ;;\n", "f() { ", "cat <<E\n", "E\n", "<<<x ", "| ", "&& ", "; ", "\n", "x=$a.output\n", "echo \"$x\"\n", "$a.output ", "eval x ", "\\", "# c\n", "${x:-", "${x//a/", "a[", "]", "x=(", "export x=1\n", "read x\n", "! ", "time ", "& ", "$x ", "local x=$y\n", "let x=1\n", "declare -i y=$x\n"}, nil},
		{"archon python", func(s string) string {
			return arch + "  - id: b\n    depends_on: [a]\n    runtime: uv\n    script: |-\n      x=1" + block("      ", "\n"+s) + "\n"
		}, []string{"(", ")", "[", "]", "{", "}", "'", "\"", "'''", "\"\"\"\n", "f'", "f'{", "r'", "b'", "x ", "x.", "x(", "$a.output", "'$a.output'", "\n", "  x\n", "if x:\n  ", "def f():\n", "class a:\n", "lambda x: ", "for x in y:\n", "x = y\n", "x = $a.output\n", "eval(x)\n", "import x\n", "\\", "#c\n", "@", "not ", "and ", "match x:\n", "\t", ",", ":", ";", "exec("}, nil},
		{"archon bun", func(s string) string {
			return arch + "  - id: b\n    depends_on: [a]\n    runtime: bun\n    script: |-\n      x=1" + block("      ", "\n"+s) + "\n"
		}, []string{"(", ")", "[", "]", "{", "}", "'", "\"", "`", "${", "/", "/x/", "//c\n", "/*", "*/", "x ", "x.", "x(", "$a.output", "'$a.output'", "`$a.output`", "\n", "if (x) {\n", "=> ", "x = y;\n", "const x = $a.output;\n", "eval(x)\n", "import x from 'x'\n", "\\", "function f() {", "class a {", "async ", "new ", "<", ">", "?", ":", ";", ",", "...", "require('x')", "x => "}, nil},
		{"archon schema", func(s string) string {
			return arch + "  - id: b\n    prompt: x\n    output_format: {type: object, properties: {k: " + s + "}}\n"
		}, []string{"{type: object, properties: {k: ", "{type: array, items: ", "{anyOf: [", "{allOf: [{}, ", "{not: ", "{", "}", "[", "]", "{}", ", ", "{enum: [a, ", "{$ref: '#/properties/k'}, ", "{$defs: {a: "}, nil},
		{"yaml flow", func(s string) string { return "name: w\ndescription: d\nnodes: " + s + "\n" },
			[]string{"[", "]", "{", "}", ",", ": ", "a: ", "? ", "- ", "&a ", "*a ", "!x ", "!!str ", "'", "\"", "|\n", ">\n", "\n", "\n ", "# c\n", "---\n", "...\n", "%YAML\n", "<<: ", "\t", "x", "&a [*a, ", "\\", "é"}, nil},
		{"yaml block", func(s string) string { return "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo\n" + s },
			[]string{"  - id: a\n", "  - a: b\n", "    k: v\n", "    k:\n", "      - x\n", "# c\n", "\n", "  x: |\n", "    text\n", "  -\n", "  - - ", "    ? a\n", "    : b\n", "    depends_on: [a]\n", "    when: $a.output == 'x'\n", "    prompt: $a.output\n", "# wfc:ignore[WFC804] x\n", "# wfc: dialect=archon\n", "x: *a\n", "x: &a b\n", "\t", " ", "---\n"}, nil},
		{"xprompt prompt", func(s string) string {
			return "name: w\nsteps:\n  - name: a\n    prompt: |-\n      x" + block("      ", s) + "\n"
		}, jinja, nil},
		{"xprompt bash", func(s string) string {
			return "name: w\ninput: {x: text, y: text}\nsteps:\n  - name: a\n    bash: |-\n      x" + block("      ", s) + "\n"
		}, append(jinja[:len(jinja):len(jinja)], "echo {{ x }}\n", "\"", "'", "$(", ")", "\"{{ x }}\"\n", "if x; then\n", "fi\n", "cat <<E\n", "E\n"), nil},
		{"xprompt python", func(s string) string {
			return "name: w\ninput: {x: text, y: text}\nsteps:\n  - name: a\n    python: |-\n      x=1" + block("      ", s) + "\n"
		}, append(jinja[:len(jinja):len(jinja)], "print({{ x }})\n", "\"", "'", "(", ")", "'{{ x }}'\n"), nil},
		{"xprompt if", func(s string) string {
			return "name: w\ninput: {x: text, y: text}\nsteps:\n  - name: a\n    bash: echo\n    if: " + quote("{{ "+s+" }}") + "\n"
		}, jexpr, nil},
		{"xprompt for", func(s string) string {
			return "name: w\ninput: {x: text, y: text}\nsteps:\n  - name: a\n    bash: echo\n    for: {i: " + quote("{{ "+s+" }}") + "}\n"
		}, jexpr, nil},
		{"graph when", func(s string) string {
			return "name: w\nstart: a\nstate: {n: 0}\nnodes:\n  a: {type: task, agent: self, prompt: x, outputs: [done]}\nedges:\n  - {from: a, to: END, when: " + quote(s) + "}\n"
		}, []string{"(", ")", "!", "not ", "n ", "state.n ", "== ", "< ", "&& ", "|| ", "and ", "or ", "1 ", "'", "\"", "'x' ", "+ ", "- ", ".", "in ", "[", "]", "done ", "output ", "n == 1 and ", "n == 1 or ", "x ", ","}, nil},
		{"graph prompt", func(s string) string {
			return "name: w\nstart: a\nstate: {n: 0}\nnodes:\n  a: {type: task, agent: self, outputs: [done], prompt: \"x" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n").Replace(s) + "\"}\nedges:\n  - {from: a, to: END}\n"
		}, []string{"{{", "}}", "{{ state.n }}", "{{n}}", "${n}", "${", "}", "$n ", "{n}", "{", "`", "\n", "```\n", "\"", "done"}, nil},
		{"lango prompt", func(s string) string {
			return "name: w\nsteps:\n  - {id: z, agent: x, prompt: x}\n  - id: a\n    agent: x\n    depends_on: [z]\n    prompt: |-\n      x" + block("      ", s) + "\n"
		}, []string{"{{", "}}", "{{if 1}}", "{{if}}", "{{if z.result}}", "{{else}}", "{{else if 1}}", "{{end}}", "{{with 1}}", "{{range 1}}", "{{range .}}", "{{define \"x\"}}", "{{block \"x\" 1}}", "{{template \"x\"}}", "{{z.result}}", "{{q.result}}", "{{$x := 1}}", "{{$x = 2}}", "{{$x}}", "{{(", ")}}", "(", ")", "|print ", "{{print ", "\"", "`", "'", "{{/*", "*/}}", "{{- ", " -}}", "{{break}}", "{{.z.result}}", "{{index . \"z\" \"result\"}}", "{{and 1 1}}", "\n", ".x", "{{1}}"}, nil},
		{"lango schedule", func(s string) string {
			return "name: w\nschedule: " + quote(s) + "\nsteps:\n  - {id: z, agent: x, prompt: x}\n"
		}, []string{"* ", "*", "/", ",", "-", "1", "1,", "*/2 ", "@daily ", "TZ=UTC ", "MON ", "0 9 31 2 * "}, nil},
		{"a reply's JSON", nil, []string{"{", "}", "[", "]", "\"", "\"a\": ", "1", ",", "```json\n", "```", "\n", "a=1\n", "\\", "{\"a\": 1}", "[1]", "text ", "true", " "}, func(s string) {
			_, _ = output.Undeclared.FromReply(flow.Result{Text: s}, nil)
			_, _ = output.Undeclared.FromStdout(flow.Result{Text: s}, nil)
		}},
		{"a reply's label", nil, []string{"[OUTPUT:done]", "[OUTPUT:", "]", "done", "retry ", "\n", "**", "`", "```\n", "score", "score: 1\n", "1", "is ", "{", "}", "\"", " "}, func(s string) {
			_, _ = reply.Label(s, []string{"done", "retry"})
			_, _ = reply.Read[int64]("score", s)
			_ = reply.ReadAny(s)
		}},
		{"a signal", nil, []string{"DONE", "<promise>", "</promise>", "<", ">", "</", "DONE.", "\n", " ", "<promise>DONE</promise>", "not ", "`"}, func(s string) {
			done := signal.Word("DONE")
			done.Said(s)
			done.SaidAsArchon(s)
			done.Clean(s)
		}},
	}
}

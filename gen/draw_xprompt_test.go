package gen_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// stepName are the names that templates can read.
var stepName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// jinjaNames are names that have a meaning in templates.
var jinjaNames = regexp.MustCompile(`^(and|or|not|in|is|if|else|elif|for|set|true|false|none|True|False|None|loop|namespace|range|dict|lipsum|cycler|joiner|recursive|import|include|macro|call|filter|block|raw|self|caller|varargs|kwargs|items|keys|values)$`)

// A jinjaValue is an expression that templates can read, with its kind: a type of inputs,
// "list" with the fields of its elements, or "any".
type jinjaValue struct {
	text, kind string
	fields     []jinjaValue
}

// xpromptFlow draws the steps of a workflow.
type xpromptFlow struct {
	*drawer
	taken  map[string]bool
	inputs []jinjaValue
	values []jinjaValue
	// prompts are references to prompts.
	prompts []string
	// finally says that the steps that clean up have begun.
	finally bool
}

// drawXPrompt draws a workflow with up to 20 steps of one kind and some of others.
func drawXPrompt(d *drawer) string {
	f := &xpromptFlow{drawer: d, taken: map[string]bool{}}
	const top = "At the top of the file"
	w := f.at(top)
	f.maybe(w, 80, "name", func() any { return "drawn" })
	f.maybe(w, 20, "description", func() any { return "Many steps." })
	f.maybe(w, 10, "tags", func() any { return pick[any](d, "a, b", []any{"a", "b"}) })
	f.maybe(w, 5, "wraps_all", func() any { return true })
	f.maybe(w, 5, "hidden", func() any { return true })
	if f.often(70) {
		f.set(w, "input", f.declareInputs())
	}
	f.maybe(w, 20, "environment", func() any {
		return f.at("", "TARGET", f.hole(f.inputs), "LANG", "C", "FLAG", "a "+f.hole(f.inputs))
	})
	f.maybe(w, 20, pick(d, "xprompts", "macros"), func() any {
		f.prompts = append(f.prompts, "#short", `#greet(who="ann")`, "#greet:bob")
		return f.at("", "short", "Be short.", "greet", f.at("", "input", f.at("", "who", "word"), "content", "Greet {{ who | upper }}."))
	})
	if f.often(20) {
		f.files["/project/xprompts/listed.md"] = "---\ninput: {n: int}\noutput: {line: line, ok: {type: bool, default: false}}\n---\nList {{ n }} of them.\n"
		f.prompts = append(f.prompts, "#listed(3)", "#listed:4")
	}
	f.set(w, "steps", f.steps())
	return f.yaml(w)
}

var inputKinds = []string{"word", "line", "text", "path", "int", "bool", "float", "agent"}

func (f *xpromptFlow) declareInputs() any {
	var list []any
	o := f.at("")
	inList := f.often(30)
	for range 1 + f.upTo(4) {
		name := f.stepName()
		kind := pick(f.drawer, inputKinds...)
		f.use("input " + kind)
		in := f.at("On an input")
		if inList {
			f.set(in, "name", name)
		}
		f.set(in, "type", kind)
		f.maybe(in, 50, "default", func() any {
			switch kind {
			case "int":
				return pick[any](f.drawer, 3, nil)
			case "float":
				return pick[any](f.drawer, 1.5, nil)
			case "bool":
				return pick[any](f.drawer, true, nil)
			}
			return pick[any](f.drawer, "x", nil)
		})
		f.maybe(in, 20, "description", func() any { return "What it is." })
		if f.often(15) { // a choice, or a list
			in, kind = f.at("On an input"), "any"
			if inList {
				f.set(in, "name", name)
			}
			if f.often(50) {
				f.set(in, "type", "enum")
				f.set(in, "choices", []any{"x", "y"})
			} else {
				f.set(in, "repeatable", true)
			}
		}
		if kind == "path" || kind == "agent" {
			kind = "line"
		}
		list = append(list, in)
		if len(in.pairs) == 1 {
			f.set(o, name, in.pairs[0].value)
		} else {
			f.set(o, name, in)
		}
		f.inputs = append(f.inputs, jinjaValue{text: name, kind: kind})
	}
	f.values = append(f.values, f.inputs...)
	if inList {
		return list
	}
	return o
}

func (f *xpromptFlow) stepName() string {
	for {
		if name := f.name(f.taken, stepName); !jinjaNames.MatchString(name) {
			return name
		}
	}
}

// ofKind draws a value of one of some kinds, or a literal of the first.
func (f *xpromptFlow) ofKind(values []jinjaValue, kinds ...string) string {
	var list []string
	for _, v := range values {
		for _, kind := range kinds {
			if v.kind == kind {
				list = append(list, v.text)
			}
		}
	}
	if len(list) > 0 && f.often(85) {
		return pick(f.drawer, list...)
	}
	switch kinds[0] {
	case "int":
		return "7"
	case "bool":
		return "true"
	case "list":
		return "[1, 2]"
	}
	return "'x'"
}

// expression draws an expression of a kind.
func (f *xpromptFlow) expression(values []jinjaValue, kind string, depth int) string {
	text := func() string { return f.ofKind(values, "line", "word", "text") }
	number := func() string { return f.ofKind(values, "int", "float") }
	if depth > 0 {
		text = func() string { return bracketed(f.expression(values, "line", depth-1)) }
		number = func() string { return bracketed(f.expression(values, "int", depth-1)) }
	}
	switch kind {
	case "int":
		return f.fill(pick(f.drawer, "N", "N", "(N + N)", "(N * 2)", "N | abs", "(N - 1)", "(S | length)", "(L | length)", "(N // 3)", "(N if B else 2)", "(S | int)", "(L | first)", "(L | sum)"), values, text, number)
	case "bool":
		return f.fill(pick(f.drawer, "B", "not B", "N > 3", "N <= N", "S == 'a'", "S != S", "S in ['a', 'b']", "B and N < 2", "(B or S)", "S is defined", "N is even", "L", "'x' in S", "A", "A == 3", "N == 3.5", "1 < N < 9", "S is string"), values, text, number)
	case "list":
		return f.ofKind(values, "list")
	case "any":
		return f.fill(pick(f.drawer, "S", "N", "B", "L", "A", "A | tojson", "L | tojson", "A | default('none')", "L | join(', ')", "[N, S]", "{'a': N}", "(1, S)"), values, text, number)
	}
	return f.fill(pick(f.drawer, "S", "S", "S | upper", "S | trim", "(S ~ N)", "S | replace('a', S)", "S | default('x', true)", "(S if B else 'no')", "L | join('-')", "S.strip()", "'%s!' % S", "S[0]", "S[1:]", "S | truncate(9)", "N | string", "S.upper()", "A | string", "'%d %s' | format(N, S)"), values, text, number)
}

// bracketed puts brackets around an operand that is more than a name.
func bracketed(e string) string {
	if strings.ContainsAny(e, " |[") {
		return "(" + e + ")"
	}
	return e
}

// fill puts values into a form: S a string, N a number, B a bool, L a list, A anything.
func (f *xpromptFlow) fill(form string, values []jinjaValue, text, number func() string) string {
	return regexp.MustCompile(`\b[SNBLA]\b`).ReplaceAllStringFunc(form, func(kind string) string {
		switch kind {
		case "S":
			return text()
		case "N":
			return number()
		case "B":
			return f.ofKind(values, "bool")
		case "L":
			return f.ofKind(values, "list")
		}
		return f.ofKind(values, "any", "line")
	})
}

func (f *xpromptFlow) hole(values []jinjaValue) string {
	return "{{ " + f.expression(values, pick(f.drawer, "line", "int", "any", "line"), f.upTo(1)) + " }}"
}

// condition draws a condition in braces.
func (f *xpromptFlow) condition(values []jinjaValue) string {
	return "{{ " + f.expression(values, "bool", f.upTo(1)) + " }}"
}

// template draws the text of a prompt.
func (f *xpromptFlow) template(values []jinjaValue, depth int) string {
	var b strings.Builder
	for range 1 + f.upTo(3) {
		b.WriteString(pick(f.drawer, "Do it.", "a `code` \"b\"", "\nNext: ", "", "100% {# note #}"))
		switch n := f.upTo(9); {
		case n < 5 || depth == 0:
			b.WriteString(f.hole(values))
		case n == 5:
			f.use("{% if %}")
			dash := pick(f.drawer, "", "-")
			b.WriteString("{%" + dash + " if " + f.expression(values, "bool", 1) + " %}" + f.template(values, depth-1))
			if f.often(40) {
				b.WriteString("{% elif " + f.expression(values, "bool", 0) + " %}" + f.template(values, depth-1))
			}
			if f.often(50) {
				b.WriteString("{% else %}" + f.template(values, depth-1))
			}
			b.WriteString("{% endif " + dash + "%}")
		case n == 6 || n == 7:
			f.use("{% for %}")
			f.number++
			name := pick(f.drawer, fmt.Sprintf("v%d", f.number), f.stepName())
			list := f.ofKind(values, "list")
			inner := append(values[:len(values):len(values)], jinjaValue{text: "loop.index", kind: "int"}, jinjaValue{text: "loop.first", kind: "bool"}, jinjaValue{text: name, kind: "any"})
			for _, v := range values {
				if v.text == list {
					for _, field := range v.fields {
						inner = append(inner, jinjaValue{text: name + "." + field.text, kind: field.kind})
					}
				}
			}
			filter := ""
			if f.often(20) {
				filter = " if " + f.expression(append(values[:len(values):len(values)], inner[len(values)+2:]...), "bool", 0)
			}
			b.WriteString("{% for " + name + " in " + list + filter + " %}" + f.template(inner, depth-1))
			if f.often(20) {
				b.WriteString("{% else %}nothing")
			}
			b.WriteString("{% endfor %}")
		case n == 8:
			f.use("{% set %}")
			kind := pick(f.drawer, "line", "int", "list")
			name := f.stepName()
			if f.often(70) {
				b.WriteString("{% set " + name + " = " + f.expression(values, kind, 1) + " %}")
			} else {
				kind = "line"
				b.WriteString("{% set " + name + " %}" + f.template(values, depth-1) + "{% endset %}")
			}
			values = append(values[:len(values):len(values)], jinjaValue{text: name, kind: kind})
		default:
			f.use("{% macro %}")
			name, param := f.stepName(), f.stepName()
			inner := append(values[:len(values):len(values)], jinjaValue{text: param, kind: "any"})
			b.WriteString("{% macro " + name + "(" + param + ", more='x') %}" + f.template(inner, 0) + "{{ more }}{% endmacro %}{{ " + name + "(" + f.expression(values, "line", 0) + ") }}")
		}
	}
	return b.String()
}

// bash and python draw scripts that read values.
func (f *xpromptFlow) bash(values []jinjaValue) string {
	var lines []string
	for range 1 + f.upTo(2) {
		line := pick(f.drawer, "true", `echo "HOLE"`, `printf '%s\n' "HOLE" "HOLE"`, "cat <<EOF\nsome HOLE\nEOF", `value="HOLE"`)
		for strings.Contains(line, "HOLE") {
			line = strings.Replace(line, "HOLE", f.hole(values), 1)
		}
		switch f.upTo(7) {
		case 0:
			line = "{% if " + f.expression(values, "bool", 0) + " %}\n" + line + "\n{% endif %}"
		case 1:
			line = "{% for one in " + f.ofKind(values, "list") + " %}\necho \"{{ one }}\"\n{% endfor %}\n" + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (f *xpromptFlow) python(values []jinjaValue) string {
	line := pick(f.drawer, "print(1)", "x = {{ HOLE }}\nprint(x)", "print('a', {{ HOLE }})", "print(\"{{ HOLE }}\")")
	return strings.ReplaceAll(line, "HOLE", f.expression(values, pick(f.drawer, "line", "int", "any"), 0))
}

// outputOf draws the form of an output, and what can be read of it.
func (f *xpromptFlow) outputOf(name string) (form any, values []jinjaValue) {
	taken := map[string]bool{}
	field := func(o *object) jinjaValue {
		field := f.name(taken, stepName)
		if jinjaNames.MatchString(field) {
			field = "n" + field
		}
		kind := pick(f.drawer, "word", "line", "text", "path", "int", "bool", "float")
		f.use("output " + kind)
		if f.often(30) {
			def := map[string]any{"int": 3, "float": 0.5, "bool": false}[kind]
			if def == nil {
				def = "x"
			}
			if f.often(30) {
				def = nil
			}
			f.set(o, field, f.at("", "type", kind, "default", def))
		} else {
			f.set(o, field, kind)
		}
		return jinjaValue{text: field, kind: strings.Replace(kind, "path", "line", 1)}
	}
	o := f.at("")
	var fields []jinjaValue
	switch f.upTo(6) {
	case 0:
		f.use("output of a list")
		for range 1 + f.upTo(2) {
			fields = append(fields, field(o))
		}
		return []any{o}, []jinjaValue{{text: name, kind: "list", fields: fields}}
	case 1:
		properties := f.at("", "title", f.at("", "type", "string"), "tags", f.at("", "type", "array", "items", f.at("", "type", pick(f.drawer, "string", "integer", "word"))),
			"deep", f.at("", "type", "object", "properties", f.at("", "n", f.at("", "type", "integer"), "kind", f.at("", "enum", []any{"a", "b"}))))
		schema := f.at("", "type", "object", "properties", properties)
		f.maybe(schema, 60, "required", func() any { return []any{"title", "tags", "deep"} })
		return f.at("Under output", "type", "json_schema", "schema", schema), []jinjaValue{{text: name + ".title", kind: "line"}, {text: name + ".tags", kind: "list"}, {text: name + ".deep.n", kind: "int"}, {text: name, kind: "any"}}
	}
	for range 1 + f.upTo(4) {
		v := field(o)
		values = append(values, jinjaValue{text: name + "." + v.text, kind: v.kind})
	}
	return o, append(values, jinjaValue{text: name, kind: "any"})
}

var stepKinds = []string{"bash", "python", "prompt", "agent", "parallel", "for", "while", "repeat", "for parallel", "hitl", "use", "typed"}

func (f *xpromptFlow) steps() (list []any) {
	var kinds []string
	most := pick(f.drawer, stepKinds...)
	for range f.size() {
		kinds = append(kinds, most)
	}
	for range 1 + f.upTo(5) {
		kinds = append(kinds, pick(f.drawer, stepKinds...))
	}
	cleaning := f.upTo(3)
	for i := range kinds {
		j := f.upTo(len(kinds) - 1)
		kinds[i], kinds[j] = kinds[j], kinds[i]
	}
	for i, kind := range kinds {
		f.finally = f.often(60) && i >= len(kinds)-cleaning || f.finally
		list = append(list, f.step(kind))
	}
	return list
}

const onStep = "On a step"

// step draws a step of a kind.
func (f *xpromptFlow) step(kind string) *object {
	f.use("step " + kind)
	name := f.stepName()
	o := f.at(onStep, "name", name)
	if kind == "use" {
		file := "s" + strconv.Itoa(len(f.files))
		f.files["/project/xprompts/steps/"+file+".yml"] = f.yaml(f.action(f.at(""), pick(f.drawer, "bash", "prompt"), f.values))
		f.set(o, "use", file)
		return o
	}
	values := f.values
	var known []jinjaValue
	if f.finally {
		f.set(o, "finally", true)
		f.use("finally " + kind)
		if kind == "hitl" {
			kind = "bash"
		}
	}
	f.maybe(o, 20, "if", func() any { return f.condition(values) })
	f.maybe(o, 3, "hidden", func() any { return true })
	loop := strings.HasPrefix(kind, "for")
	if loop {
		vars := f.at("")
		for range 1 + f.upTo(1) {
			v := f.stepName()
			list := "[1, 2, 3]"
			if f.often(60) {
				list = "{{ " + f.ofKind(f.values, "list") + " }}"
			}
			if len(vars.pairs) > 0 {
				list = vars.pairs[0].value.(string)
			}
			f.set(vars, v, list)
			values = append(values[:len(values):len(values)], jinjaValue{text: v, kind: "any"})
		}
		f.set(o, "for", vars)
	}
	if strings.HasSuffix(kind, "parallel") {
		f.parallel(o, name, values, loop)
		return o
	}
	if kind == "while" || kind == "repeat" {
		f.set(o, "output", f.at("", "n", "int", "go", "bool"))
		known = []jinjaValue{{text: name + ".n", kind: "int"}, {text: name + ".go", kind: "bool"}}
		until := "{{ " + pick(f.drawer, name+".n > 3", name+".go", "not "+name+".go and "+name+".n < 9") + " }}"
		switch {
		case kind == "repeat":
			f.set(o, "repeat", f.at("Under repeat", "until", until, "max", 5))
		case f.often(50):
			f.set(o, "while", until)
		default:
			f.set(o, "while", f.at("Under while", "condition", until, "max", 1+f.upTo(9)))
		}
	} else if f.often(60) || kind == "typed" {
		var form any
		form, known = f.outputOf(name)
		f.set(o, "output", form)
	} else if f.often(20) {
		known = []jinjaValue{{text: name, kind: "any"}, {text: name + ".field", kind: "any"}}
	}
	if kind == "typed" || kind == "hitl" || loop || kind == "while" || kind == "repeat" {
		if kind == "hitl" {
			f.set(o, "hitl", true)
			known = append(known, jinjaValue{text: name + ".approved", kind: "bool"})
		}
		kind = pick(f.drawer, "bash", "python", "prompt", "agent")
	}
	f.action(o, kind, values)
	if (kind == "bash" || kind == "python") && f.often(10) {
		f.set(o, "artifact", "stdout")
		if len(known) > 0 && known[0].kind != "list" && !loop {
			known = append(known, jinjaValue{text: name + "._artifact", kind: "line"})
		}
	}
	if loop {
		known = []jinjaValue{{text: name, kind: "list"}}
		f.maybe(o, 30, "join", func() any {
			join := pick(f.drawer, "array", "text", "lastOf")
			if join != "array" {
				known = []jinjaValue{{text: name, kind: "any"}}
			}
			return join
		})
	}
	f.values = append(f.values, known...)
	return o
}

// action sets what a step does.
func (f *xpromptFlow) action(o *object, kind string, values []jinjaValue) *object {
	switch kind {
	case "bash":
		f.set(o, "bash", f.bash(values))
	case "python":
		f.set(o, "python", f.python(values))
	default:
		text := f.template(values, 2)
		if len(f.prompts) > 0 && f.often(60) {
			text = pick(f.drawer, f.prompts...) + "\n" + text
		}
		f.set(o, strings.Replace(kind, "hitl", "prompt", 1), text)
	}
	return o
}

// parallel draws steps that run at the same time.
func (f *xpromptFlow) parallel(o *object, name string, values []jinjaValue, loop bool) {
	var list []any
	var known []jinjaValue
	taken := map[string]bool{}
	for range 2 + f.upTo(4) {
		child := f.name(taken, stepName)
		if jinjaNames.MatchString(child) || f.taken[child] {
			child = fmt.Sprintf("c%d", len(list))
			taken[child] = true
		}
		c := f.at(onStep, "name", child)
		f.maybe(c, 15, "if", func() any { return f.condition(values) })
		if f.often(60) {
			form, inside := f.outputOf(name + "." + child)
			f.set(c, "output", form)
			known = append(known, inside...)
		}
		list = append(list, f.action(c, pick(f.drawer, "bash", "python", "prompt"), values))
	}
	f.set(o, "parallel", list)
	f.maybe(o, 20, "fail_fast", func() any { return f.often(50) })
	joins := false
	f.maybe(o, 20, "join", func() any {
		joins = true
		return pick(f.drawer, "array", "object", "text", "lastOf")
	})
	if !loop && !joins {
		f.values = append(f.values, known...)
	}
}

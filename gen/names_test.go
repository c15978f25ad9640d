package gen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// usedNames are the names of packages, variables and functions in generated code, and of
// what Go declares.
var usedNames = strings.Fields(`flow steps value json slices strconv time output structured signal local context py
	c i in err t r now last run done gate message prompt reason until attention item word script text data complete items
	count part attempt previous tasks inputs nodes workflow len new string append any panic min`)

// Nodes of a DAG may have the names that functions of other nodes use.
func TestNodesNamedAsVariables(t *testing.T) {
	kid := testkit.Memory{"kid.yaml": "name: kid\ndescription: d\nmutates_checkout: false\ninputs: {word: {required: true}, more: {default: ''}}\nnodes: [{id: say, bash: echo $INPUTS.word}]\n"}
	check := testkit.TypeChecker[gen.File](t)
	for _, name := range usedNames {
		text := strings.ReplaceAll(`name: names
description: Nodes with the names of variables.
nodes:
  - {id: NAME, bash: "echo '[1]'"}
  - id: b-typed
    depends_on: [NAME]
    bash: cat $NAME.output
    output_format: {type: object, properties: {a: {type: integer}, list: {type: array, items: {type: string}}}, required: [a]}
  - id: b-cond
    depends_on: [NAME, b-typed]
    when: $NAME.output == 'x' && $b-typed.output.a > 3 && $NAME.output.field == 'y'
    bash: "true"
  - id: b-loop
    depends_on: [NAME]
    loop: {prompt: "One\n\n$NAME.output $LOOP_PREV_OUTPUT", until: DONE, until_bash: test "$NAME.output", interactive: true, gate_message: "Go?", max_iterations: 2}
  - id: b-group
    depends_on: [NAME]
    loop_group: {until: END, max_iterations: 2, nodes: [{id: x, prompt: "$NAME.output after $LOOP_PREV.x.output"}]}
  - id: b-child
    depends_on: [NAME]
    workflow: kid
    fan_out: {items: $NAME.output, as: word}
    with: {more: "$NAME.output"}
  - id: b-ask
    depends_on: [NAME]
    approval: {message: "One\n\n$NAME.output", on_reject: {prompt: "One\n\n$REJECTION_REASON $NAME.output"}}
  - id: b-wait
    depends_on: [NAME]
    wait: {until: $NAME.output}
  - id: b-cancel
    depends_on: [NAME]
    cancel: "One\n\n$NAME.output"
`, "NAME", name)
		p := compile("names.yaml", text, kid)
		for _, directives := range []bool{false, true} {
			files := gen.Generate(p, gen.Options{LineDirectives: directives, ImportPath: "goldens/names"})
			for i := len(files) - 1; i >= 0; i-- { // those that a workflow runs come behind it
				check("goldens/names", files[i])
			}
		}
	}
}

// Steps of a sequence may have the names that functions of other steps use.
func TestStepsNamedAsVariables(t *testing.T) {
	check := testkit.TypeChecker[gen.File](t)
	for _, name := range usedNames {
		text := fmt.Sprintf(`name: names
input: { most: { type: int, default: 3 } }
steps:
  - { name: %[1]s, bash: echo a=1, output: { a: int, b: { type: line, default: "" } } }
  - { name: lists, bash: echo, output: [{ a: word }] }
  - name: b_each
    for: { one: "{{ lists }}", two: [1, 2] }
    if: "{{ %[1]s.a <= most }}"
    prompt: "{{ one.a }} {{ two }} {{ %[1]s.a }} {{ %[1]s.b | upper }}"
    output: { text: line }
  - name: b_fork
    parallel:
      - { name: x, bash: "echo {{ %[1]s.a }}" }
      - { name: y, python: "print({{ %[1]s }})" }
  - name: b_poll
    bash: echo "a={{ %[1]s.a }}{{ b_poll.a if b_poll is defined else 0 }}"
    repeat: { until: "{{ b_poll.a >= 2 and %[1]s.b }}", max: 5 }
    output: { a: int }
  - name: b_draft
    prompt: "{%% for l in lists %%}{{ l.a }}{%% endfor %%}{{ %[1]s.b }}{%% if %[1]s.a > 2 %%}x{%% endif %%}"
    hitl: true
`, name)
		p := compile("names.yml", text, nil)
		for _, directives := range []bool{false, true} {
			check("goldens/names", gen.Generate(p, gen.Options{LineDirectives: directives})[0])
		}
	}
}

// Steps with templates may have any name of generated code, such as those of packages.
func TestTemplatesNamedAsVariables(t *testing.T) {
	typeErrors := testkit.TypeErrors[gen.File](t)
	for _, name := range goNames() {
		if name != strings.ToLower(name) {
			continue
		}
		p := compile("names.yaml", strings.ReplaceAll(`name: names
steps:
  - {id: NAME, prompt: Go}
  - id: Z-end
    depends_on: [NAME]
    prompt: '{{slice (print .NAME.result "abc") 0 1}}{{if eq .NAME.result "x"}}{{$v := len .NAME.result}}{{printf "%d" $v}}{{end}}'
`, "NAME", name), nil)
		for _, err := range typeErrors("goldens/names", gen.Generate(p, gen.Options{})...) {
			t.Errorf("step `%s`: %v", name, err)
		}
	}
}

// The type of a list's elements is the singular of the list's name if dropping an s makes
// one. A field that is called like its node does not repeat the name.
func TestNamesOfTypesInside(t *testing.T) {
	for _, tt := range []struct{ node, field, element string }{
		{"review", "tags", "ReviewTag"},
		{"review", "ids", "ReviewID"},
		{"review", "open_issues", "ReviewOpenIssue"},
		{"review", "data", "ReviewDataItem"},
		{"review", "entries", "ReviewEntriesItem"},
		{"review", "classes", "ReviewClassesItem"},
		{"review", "status", "ReviewStatusItem"},
		{"review", "analysis", "ReviewAnalysisItem"},
		{"review", "news", "ReviewNewsItem"},
		{"review", "s", "ReviewSItem"},
		{"files", "files", "File"},
	} {
		p := workflow("names", fmt.Sprintf(`nodes:
  - id: %s
    prompt: Hi
    output_format: {type: object, properties: {%s: {type: array, items: {type: string, enum: [low, high]}}}}
`, tt.node, tt.field))
		code := string(gen.Generate(p, gen.Options{})[0].Content)
		if !strings.Contains(code, "\ntype "+tt.element+" string\n") {
			t.Errorf("the elements of `%s` of node `%s` are not of type %s:\n%s", tt.field, tt.node, tt.element, code)
		}
	}
	p := workflow("names", "nodes:\n  - {id: verdict, prompt: Hi, output_format: {type: object, properties: {verdict: {type: string, enum: [go, stop]}}}}\n")
	if code := string(gen.Generate(p, gen.Options{})[0].Content); !strings.Contains(code, "\ntype Verdict string\n") {
		t.Errorf("the name of the type repeats:\n%s", code)
	}
}

// A workflow that another one runs may have the name of any variable of generated code: its
// package has another name then.
func TestCalleesNamedAsVariables(t *testing.T) {
	calls := find("calls")
	check := testkit.TypeChecker[gen.File](t)
	names := variables(t, calls.golden())
	if !slices.Contains(names, "item") || !slices.Contains(names, "c") {
		t.Fatalf("the variables are %q", names)
	}
	word := regexp.MustCompile(`(workflow|name): check\b`)
	for _, name := range names {
		renamed := sample{name: "calls" + name, archive: &txtar.Archive{}}
		for _, f := range calls.archive.Files {
			if f.Name == goldenFile || strings.HasPrefix(f.Name, goldenFolder) {
				continue
			}
			f.Data = word.ReplaceAll(f.Data, []byte("$1: "+name))
			if f.Name == "check.yaml" {
				f.Name = name + ".yaml"
			}
			renamed.archive.Files = append(renamed.archive.Files, f)
		}
		files := renamed.generate(gen.Options{})
		for _, f := range slices.Backward(files) { // those that a workflow runs come behind it
			check("goldens/"+renamed.name, f)
		}
	}
}

// variables returns the names of the parameters and variables of functions that a workflow
// can have, too.
func variables(t *testing.T, code []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "calls.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	add := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" && id.Name == strings.ToLower(id.Name) {
			names = append(names, id.Name)
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, e := range n.Lhs {
						add(e)
					}
				}
			case *ast.RangeStmt:
				add(n.Key)
				add(n.Value)
			case *ast.Field:
				for _, id := range n.Names {
					add(id)
				}
			case *ast.ValueSpec:
				for _, id := range n.Names {
					add(id)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Nodes and variables may have the names that the code of graphs uses itself.
func TestGraphNames(t *testing.T) {
	ids := strings.Fields("type in run walk node visit step edge info nodes inputs r o state labels start func main init error string time flow graph reply work value completion at interrupt Walk State Keep append")
	var b strings.Builder
	b.WriteString("workflow: names\nversion: \"1.0\"\nstate:\n  variables:\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "    %s: \"\"\n", id)
	}
	b.WriteString("nodes:\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "  %s:\n    type: task\n    agent: self\n    prompt: \"Do (reference state.%[1]s)\"\n    outputs: [done, again]\n    on_output:\n      done:\n        set:\n          %[1]s: output\n", id)
	}
	fmt.Fprintf(&b, "edges:\n  - {from: START, to: %s}\n", ids[0])
	for i, id := range ids {
		next := append(ids, "END")[i+1]
		fmt.Fprintf(&b, "  - {from: %s, to: %s, condition: \"done\"}\n  - {from: %[1]s, to: %[1]s, condition: \"again\"}\n", id, next)
	}
	b.WriteString("interrupts:\n  - before: state\n    prompt: \"go (reference state.in)?\"\nlimits:\n  max_iterations: 99\n")
	check := testkit.TypeChecker[gen.File](t)
	for _, directives := range []bool{false, true} {
		check("names", gen.Generate(compile("names.yaml", b.String(), nil), gen.Options{LineDirectives: directives})[0])
	}
}

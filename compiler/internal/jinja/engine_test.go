package jinja_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// compiling tells for each template of a list what Jinja2 says of it: the kind of
// error and the message, both empty when it compiles.
const compiling = `
import json, sys
from jinja2 import Environment, StrictUndefined
answers = []
env = Environment(undefined=StrictUndefined)
for source in json.load(sys.stdin):
    try:
        env.compile(source)
        answers.append(["", ""])
    except Exception as e:
        answers.append([type(e).__name__, str(e)])
json.dump(answers, sys.stdout)
`

// python returns a python3 that has Jinja2 3.1.
func python(t *testing.T) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import sys, jinja2; sys.exit(not jinja2.__version__.startswith('3.1.'))").Run() == nil {
			return name
		}
	}
	t.Skip("no python3 with jinja2 3.1 is here (Debian: python3-jinja2): nothing to compare with")
	return ""
}

// run has Python answer about a list of texts.
func run(t *testing.T, program string, texts []string) [][2]string {
	t.Helper()
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), "-W", "ignore", "-c", program)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, &stderr)
	}
	var answers [][2]string
	if err := json.Unmarshal(output, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// anything is a scope in which every name is an input of which nothing is known.
type anything struct{}

func (anything) Lookup(name string, at source.Span) (expr.Expr, bool) {
	return &expr.Input{At: at, Name: name, Typ: types.Any}, true
}

func (anything) Names() []string { return nil }

// syntaxFault returns what is wrong with a template before names and types
// matter; "" when nothing is.
func syntaxFault(text string) string {
	var bag diag.Bag
	jinja.Template(source.PlainText(text), anything{}, jinja.Options{}, &bag)
	for _, d := range bag.Sorted() {
		switch d.Code.Slug {
		case "template-syntax", "unknown-operator":
			return d.Message
		}
	}
	return ""
}

// TestSyntaxIsThatOfJinja compares which templates are accepted. Not compared are
// templates that Jinja2 refuses for what its compiler knows of filters, tests and
// the special variables, or because computing a constant fails, and words such as `and` that it takes for variables.
func TestSyntaxIsThatOfJinja(t *testing.T) {
	python(t)
	var texts []string
	for seed := range 300 {
		texts = append(texts, templates().Example(seed))
	}
	texts = slices.Compact(texts)
	accepted, refused := 0, 0
	for i, answer := range run(t, compiling, texts) {
		fault := syntaxFault(texts[i])
		if answer[0] == "TemplateAssertionError" || answer[0] == "UndefinedError" || strings.HasPrefix(fault, "expected an expression, got ") {
			continue
		}
		switch {
		case answer[0] == "" && fault != "":
			t.Errorf("refused: %q\n%s", texts[i], fault)
		case answer[0] != "" && fault == "":
			t.Errorf("accepted: %q\n%s: %s", texts[i], answer[0], answer[1])
		case fault == "":
			accepted++
		default:
			refused++
		}
	}
	t.Logf("both accept %d templates and refuse %d", accepted, refused)
	if accepted < 100 || refused < 100 {
		t.Error("too few templates of one kind were drawn to say anything")
	}
}

package jinjatest_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// renderer is the other side: it renders every template of a list with Jinja2, as
// the engine does that the language is from.
const renderer = `
import json, sys
from jinja2 import Environment, StrictUndefined
world = json.load(sys.stdin)
env = Environment(undefined=StrictUndefined)
env.filters["tojson"] = json.dumps
answers = []
for text in world["templates"]:
    context = {k: json.loads(v) for k, v in world["json"].items()}
    context.update(world["texts"])
    try:
        answers.append(["", env.from_string(text).render(context)])
    except Exception as e:
        answers.append([type(e).__name__, str(e)])
json.dump(answers, sys.stdout)
`

// python returns a python3 that has Jinja2.
func python(t *testing.T) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import jinja2").Run() == nil {
			return name
		}
	}
	t.Skip("there is no python3 with jinja2 to compare with")
	return ""
}

// rounds is how many times a few templates are drawn.
const rounds = 4

// drawn is the batch of templates of the comparison.
var drawn = sync.OnceValue(func() *batch { return &batch{} })

// TestJinjaAgrees renders drawn templates here, compiled into one program, and in
// one Python process. The texts are the same; where there is an error in one there
// is one in the other.
func TestJinjaAgrees(t *testing.T) {
	testkit.SkipBuild(t)
	interpreter := python(t)
	b := drawn()
	rapid.Check(t, func(t *rapid.T) {
		for range rounds {
			w := &writer{t: t, vars: map[string][]string{}}
			b.texts = append(b.texts, w.parts(1+w.number(3)/3))
		}
	})
	ends := b.run(t)
	answers := render(t, interpreter, b.texts)
	same, failed, refused := 0, 0, 0
	for i, text := range b.texts {
		want := answers[i]
		got, compiled := ends[i]
		switch {
		case unsupported(got.Error), unsupported(b.faults[i]):
		case !compiled:
			// Jinja2 does not get to faults in what it skips.
			refused++
		case got.Status == "completed":
			if same++; want[0] != "" || got.Text != want[1] {
				t.Errorf("%s\ngives %q\nnot   %q %s", text, got.Text, want[1], want[0])
			}
		default:
			failed++
			// A value that is not there is never printed as the word Undefined.
			printed := want[0] == "" && strings.Contains(want[1], "Undefined")
			if want[0] == "" && !printed || want[0] == "UndefinedError" && !strings.HasPrefix(got.Error, want[1]) {
				t.Errorf("%s\nfails: %s\nnot   %q %s", text, got.Error, want[1], want[0])
			}
		}
	}
	t.Logf("%d templates: %d texts, %d errors, %d refused", len(b.texts), same, failed, refused)
	if same < 300 || refused > len(b.texts)/5 {
		t.Error("too few templates give a text, or too many are refused")
	}
}

// unsupported reports whether a message says that we do not go as far as Python.
func unsupported(message string) bool { return strings.Contains(message, "is not supported") }

func render(t *testing.T, interpreter string, templates []string) [][2]string {
	world := map[string]any{"templates": templates}
	values, texts := map[string]string{}, map[string]string{}
	var in map[string]json.RawMessage
	if err := json.Unmarshal([]byte(inputJSON), &in); err != nil {
		t.Fatal(err)
	}
	for name, v := range in {
		values[name] = string(v)
	}
	for _, s := range steps {
		switch {
		case s.skipped:
		case s.name == "said":
			texts[s.name] = s.text
		default:
			values[s.name] = s.text
		}
	}
	world["json"], world["texts"] = values, texts
	request, err := json.Marshal(world)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, "-c", renderer)
	cmd.Stdin = bytes.NewReader(request)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var answers [][2]string
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

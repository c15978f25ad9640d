package py

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// runner is the Python side of the comparison: it evaluates every expression
// of a list with the functions below and answers with a list of results.
const runner = `
import inspect, json, sys
from jinja2 import Environment, StrictUndefined, Undefined
from markupsafe import Markup
env = Environment(undefined=StrictUndefined)
env.filters["tojson"] = json.dumps
context = env.from_string("").new_context({})
nan, inf = float("nan"), float("inf")
U = lambda: env.undefined(name="nope")
NE = lambda: Undefined("the inline if-expression evaluated to false and no else section was defined.")

def show(v):
    if isinstance(v, Undefined):
        return "undefined: " + v._undefined_message
    if isinstance(v, Markup):
        v = str(v)
    if hasattr(v, "__next__"):
        v = list(v)
    return repr(v)

def flt(name, v, /, *args, **kw):
    return env.call_filter(name, v, list(args), kw, context=context)

def tst(name, v, /, *args, **kw):
    return env.call_test(name, v, list(args), kw, context=context)

def meth(v, name, /, *args, **kw):
    r = env.getattr(v, name)(*args, **kw)
    return (r, v) if isinstance(v, (list, dict)) else r

def cat(*v):
    return "".join(map(str, v))

answers = []
for source in json.load(sys.stdin):
    try:
        answers.append(["", show(eval(source))])
    except Exception as e:
        answers.append([type(e).__name__, str(e)])
json.dump({"version": list(sys.version_info[:2]), "answers": answers}, sys.stdout)
`

// python returns a python3 that has Jinja2 and is the version that the package follows.
func python(t *testing.T) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		const check = "import sys, jinja2; sys.exit(sys.version_info[:2] != (3, 11) or not jinja2.__version__.startswith('3.1.'))"
		if exec.Command(name, "-c", check).Run() == nil {
			return name
		}
	}
	t.Skip("no python3 of version 3.11 with jinja2 3.1 is here (Debian: python3-jinja2): nothing to compare with")
	return ""
}

// A comparison is one expression and what this package makes of it.
type comparison struct {
	source string
	value  Value
	err    error
}

// done reads an iterator to its end, as it can be read but once.
func (c comparison) done() comparison {
	if it, ok := c.value.(*iterator); ok && c.err == nil {
		items, err := caught(func() []Value { return collectValues(it) })
		c.value, c.err = NewList(items...), err
	}
	return c
}

// answer renders a result as the runner does; false when the two are known to
// differ, as where limits are met.
func (c comparison) answer() (kind, text string, ok bool) {
	v, err := c.value, c.err
	if u, missing := v.(*undefined); missing && err == nil {
		_, err = Text(u)
		if err == nil {
			return "", "undefined: the inline if-expression evaluated to false and no else section was defined.", true
		}
		return "", "undefined: " + err.Error(), true
	}
	if err == nil {
		text, err = Repr(v)
	}
	if e, failed := err.(*exception); failed {
		return e.Kind, e.Message, e.Kind != "LimitError" && e.Kind != "Unsupported"
	}
	return "", text, true
}

// A section is a group of comparisons. Words tells whether the messages of
// errors must be the same too, not only their kinds.
type section struct {
	name  string
	words bool
	cases []comparison
}

// sources returns the expressions that can be compared.
func (s section) sources() []string {
	var out []string
	for _, c := range s.cases {
		if _, _, ok := c.answer(); ok {
			out = append(out, c.source)
		}
	}
	return out
}

func (s section) compare(t *testing.T, answers [][2]string) {
	t.Helper()
	wrong, at := 0, 0
	for _, c := range s.cases {
		kind, text, ok := c.answer()
		if !ok {
			continue
		}
		got, want := [2]string{kind, text}, answers[at]
		at++
		// Some functions of Python take an undefined value for one of a wrong
		// type, and print one within a list.
		undefined := got[0] == "UndefinedError" && (want[0] == "TypeError" || want[0] == "") && strings.Contains(want[1], "Undefined")
		if got == want || undefined || got[0] == want[0] && got[0] != "" && !s.words {
			continue
		}
		if wrong++; wrong <= 40 {
			t.Errorf("%s\n\tpython: %s %s\n\there:   %s %s", c.source, want[0], want[1], got[0], got[1])
		}
	}
	t.Logf("%d expressions compared, %d left out because of limits, %d different", at, len(s.cases)-at, wrong)
	if at < len(s.cases)*3/4 {
		t.Errorf("only %d of %d expressions could be compared", at, len(s.cases))
	}
}

func ask(t *testing.T, interpreter string, sources []string) [][2]string {
	t.Helper()
	in, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, "-c", runner)
	cmd.Stdin = bytes.NewReader(in)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			t.Fatalf("python: %v\n%s", err, e.Stderr)
		}
		t.Fatal(err)
	}
	var reply struct{ Answers [][2]string }
	if err := json.Unmarshal(out, &reply); err != nil {
		t.Fatal(err)
	}
	if len(reply.Answers) != len(sources) {
		t.Fatalf("%d answers to %d expressions", len(reply.Answers), len(sources))
	}
	return reply.Answers
}

// source writes a value as a Python expression.
func source(v Value) string {
	list := func(items []Value) string {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = source(item)
		}
		return strings.Join(parts, ", ")
	}
	switch v := v.(type) {
	case *undefined:
		if _, err := Text(v); err == nil {
			return "NE()"
		}
		return "U()"
	case *List:
		return "[" + list(v.Items()) + "]"
	case *tuple:
		if len(v.Items()) == 1 {
			return "(" + source(v.Items()[0]) + ",)"
		}
		return "(" + list(v.Items()) + ")"
	case *Dict:
		var parts []string
		_ = v.Each(func(key, value Value) error {
			parts = append(parts, source(key)+": "+source(value))
			return nil
		})
		return "{" + strings.Join(parts, ", ") + "}"
	}
	s, err := Repr(v)
	if err != nil {
		panic(err)
	}
	if strings.HasPrefix(s, "-") {
		return "(" + s + ")"
	}
	return s
}

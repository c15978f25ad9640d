package testfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

func TestFaults(t *testing.T) {
	const head = "tests:\n  - name: one\n    "
	for _, tt := range []struct{ text, want string }{
		{"", "1:1 the file is empty"},
		{"tests: [", "1:1 invalid YAML at or near this line"},
		{"- a", "1:1 a test file must be a mapping, not a list"},
		{"{}", "1:1 a test file needs the key `tests`"},
		{"tests: []", "1:8 `tests` must be a list of tests"},
		{"tests: {a: b}", "1:8 `tests` must be a list of tests"},
		{"test:\n  - name: a", "1:1 unknown key `test` in a test file; did you mean `tests`?"},
		{"tests:\n  - {inputs: {}}", "2:5 a test needs the key `name`"},
		{"tests:\n  - {name: \"\"}", "2:12 a test needs a name that is not empty"},
		{"tests:\n  - {name: a}\n  - {name: a}", "3:5 duplicate test name `a`"},
		{"tests:\n  - {name: a}\n---\nx: 1", "3:1 a test file has one YAML document"},
		{head + "expct: {}", "3:5 unknown key `expct` in a test; did you mean `expect`?"},
		{head + "inputs: [a]", "3:13 `inputs` must be a mapping, not a list"},
		{head + "inputs: {a: 1, a: 2}", "3:20 duplicate key `a`"},
		{head + "git: maybe", "3:10 `git` must be true or false"},
		{head + "now: yesterday", "3:10 `now` must be a time such as"},
		{head + "files: {a: [b]}", "3:16 the content of a file must be a string, not a list"},
		{head + "agents: {a: {txt: b}}", "3:18 unknown key `txt` in a reply; did you mean `text`?"},
		{head + "agents: {a: {fail: b, class: transent}}", "3:34 unknown class `transent`; did you mean `transient`?"},
		{head + "agents: {a: {text: b, class: fatal}}", "3:17 `class` belongs to a failure; add `fail`"},
		{head + "agents: {a: {prompt: '('}}", "3:26 invalid regular expression: missing closing ): `(`"},
		{head + "agents: {a: {delay: 5}}", "3:25 `delay` must be a duration such as 30s"},
		{head + "agents: {a: {cost: -1}}", "3:24 `cost` must be a number, 0 or more"},
		{head + "agents: {a: null}", "3:17 a reply must be a string, not nothing"},
		{head + "bash: {a: {exit: x}}", "3:22 `exit` must be an integer"},
		{head + "commands: {gh: {arg: x}}", "3:21 unknown key `arg` in a stand-in for a command; did you mean `args`?"},
		{head + "answers: {a: {}}", "3:18 an answer needs a choice"},
		{head + "answers: {a: {approve: x, reject: y}}", "3:39 an answer has one choice, not `approve` and `reject`"},
		{head + "expect: {stat: failed}", "3:14 unknown key `stat` in `expect`; did you mean `state`?"},
		{head + "expect: {status: fialed}", "3:22 unknown status `fialed`; did you mean `failed`?"},
		{head + "expect: {nodes: {a: {contians: b}}}", "3:26 unknown key `contians`"},
		{head + "expect: {nodes: {a: {status: paused}}}", "3:34 unknown status `paused`"},
		{head + "expect: {prompts: {a: {matches: '['}}}", "3:37 invalid regular expression"},
		{head + "expect: {ran: {only: [a], but: b}}", "3:31 unknown key `but` in `ran`"},
		{head + "expect: {ran: {}}", "3:19 `ran` needs the key `only`"},
		{head + "expect: {cost: {mn: 1}}", "3:21 unknown key `mn` in `cost`; did you mean `min`?"},
		{head + "inputs: {a: &a [x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], " +
			"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]}",
			"3:"},
		{head + "snapshot: 1", "3:15 `snapshot` must be true or false"},
	} {
		_, faults := testfile.Parse("a.test.yaml", []byte(tt.text))
		got := ""
		for _, f := range faults {
			got += fmt.Sprintf("%d:%d %s\n", f.Line, f.Column, f.Message)
		}
		if len(faults) != 1 || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s\ngot  %swant %s", tt.text, got, tt.want)
		}
	}
}

// TestEveryFault: a fault does not hide the others, and a test with one is left out.
func TestEveryFault(t *testing.T) {
	f, faults := testfile.Parse("a.test.yaml", []byte("tests:\n  - {name: a, x: 1, y: 2}\n  - {name: b}\n  - {name: c, git: 3}\n"))
	if len(faults) != 3 || len(f.Tests) != 1 || f.Tests[0].Name != "b" {
		t.Errorf("%v, %d tests", faults, len(f.Tests))
	}
}

func TestParse(t *testing.T) {
	f, faults := testfile.Parse("a.test.yaml", []byte(`
workflow: ../a.yaml
tests:
  - name: one
    inputs: {n: 1.50, s: "1", list: [a, {b: c}], at: 2027-01-31}
    now: 2027-01-31T10:00:00+01:00
    agents:
      a: &replies [plain, {json: {b: 1, a: [x]}, cost: 0.5, delay: 1m}]
      b: *replies
      c: {structured: {b: 1, a: [x]}} # as in a recording
    bash: {a: real, b: "real", c: {exit: 2, error: no}}
    answers: {a: none, b: {edit: text}, c: [{choice: go, text: on}]}
    expect:
      cost: {max: 2}
      turns: 3
`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	test := f.Tests[0]
	if f.Workflow != "../a.yaml" || f.WorkflowAt != (testfile.Place{Line: 2, Column: 11}) {
		t.Errorf("workflow %q at %v", f.Workflow, f.WorkflowAt)
	}
	var inputs []string
	for _, in := range test.Inputs {
		inputs = append(inputs, in.Key+"="+string(in.Value))
	}
	if want := []string{"n=1.5", `s="1"`, `list=["a",{"b":"c"}]`, `at="2027-01-31"`}; !reflect.DeepEqual(inputs, want) {
		t.Errorf("inputs %q, want %q", inputs, want)
	}
	if !test.Now.Equal(time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("now %v", test.Now)
	}
	if b, _ := test.Agents.Get("b"); len(b) != 2 || b[1].Text != `{"b":1,"a":["x"]}` || b[1].Delay != time.Minute {
		t.Errorf("replies %+v", b)
	}
	if c, _ := test.Agents.Get("c"); len(c) != 1 || c[0].Text != `{"b":1,"a":["x"]}` {
		t.Errorf("replies %+v", c)
	}
	var programs []string
	for _, p := range test.Bash {
		programs = append(programs, fmt.Sprint(p.Key, p.Value[0].Real, p.Value[0].Output, p.Value[0].Exit))
	}
	if want := "[atrue0 bfalsereal0 cfalse2]"; strings.ReplaceAll(fmt.Sprint(programs), " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("programs %v", programs)
	}
	if a, _ := test.Answers.Get("a"); a[0].Choice != "" {
		t.Errorf("none is %+v", a)
	}
	if cost := test.Expect.Cost; !cost.Holds(2) || cost.Holds(2.1) || !cost.Holds(0) {
		t.Errorf("cost %v", cost)
	}
	if turns := test.Expect.Turns; !turns.Holds(3) || turns.Holds(4) || turns.Holds(2) {
		t.Errorf("turns %v", turns)
	}
}

// TestSchema: the schema accepts the tests of all examples, and refuses what Parse refuses.
func TestSchema(t *testing.T) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(testfile.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text []byte) error {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		// A time without quotes is a string of the file.
		encoded, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(encoded, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	files, err := filepath.Glob("../../../examples/*/*.test.yaml")
	if err != nil || len(files) < 11 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, text := range []string{
		"{}", "tests: []", "tests: [{name: a, x: 1}]", "tests: [{name: a, agents: {b: {txt: c}}}]", "tests: [{name: a, expect: {status: fialed}}]",
		"tests: [{name: a, expect: {nodes: {b: {contians: c}}}}]", "tests: [{name: a, expect: {cost: {mn: 1}}}]", "tests: [{name: a, git: 1}]",
	} {
		if validate([]byte(text)) == nil {
			t.Errorf("the schema accepts %s", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("tests:\n  - name: a\n    expect: {nodes: {a: {json: [1]}}}\n"))
	f.Add([]byte("tests: &a [*a]"))
	f.Add([]byte("tests:\n  - &t {name: a, inputs: {x: *t}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, _ := testfile.Parse("a.test.yaml", text)
		for _, test := range file.Tests {
			for _, e := range test.Expect.Nodes {
				if e.Value.Output != nil {
					e.Value.Output.Check("x", true, func(schema, value json.RawMessage) ([]string, error) { return nil, nil })
				}
			}
		}
	})
}

// TestNumbers: whole numbers are compared to the last digit, however they are written.
func TestNumbers(t *testing.T) {
	const beyondFloats, beyondWords = "9007199254740993", "18446744073709551617"
	for _, tt := range []struct {
		want, have string
		equal      bool
	}{
		{beyondFloats, beyondFloats, true},
		{beyondFloats, "9007199254740992", false},
		{beyondFloats, "9007199254740993.0", true},
		{beyondWords, beyondWords, true},
		{beyondWords, "18446744073709551616", false},
		{"-" + beyondWords, "-" + beyondWords, true},
		{"1", "1.0", true},
		{"100", "1e2", true},
		{"0", "-0", true},
		{"1", `"1"`, false},
		{"0.1", "0.10", true},
		{"3.14159265358979323846", "3.14159265358979323846", true},
		{"0.1", "0.2", false},
		{"1", "1e999999999", false},
		{"0", "1e-999999999", false},
	} {
		for _, form := range []string{"equals: [%s]", "json: [%s]", "json: [[%s], 7]"} {
			nested := strings.Replace(strings.TrimSpace(strings.SplitN(form, ":", 2)[1]), "%s", tt.have, 1)
			file, faults := testfile.Parse("a.test.yaml", []byte("tests:\n  - {name: a, expect: {nodes: {a: {"+fmt.Sprintf(form, tt.want)+"}}}}\n"))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			wrong := file.Tests[0].Expect.Nodes[0].Value.Output.Check(nested, true, nil)
			if got := len(wrong) == 0; got != tt.equal {
				t.Errorf("%s and the output %s: equal is %v: %v", fmt.Sprintf(form, tt.want), nested, got, wrong)
			}
		}
	}
}

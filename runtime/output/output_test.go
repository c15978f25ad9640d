package output_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/output"
)

var (
	typed    = output.Of[typedShape]("bash", "s")
	items    = output.Of[[]itemShape]("bash", "s")
	defaults = output.Of[defaultShape]("bash", "s")
	schema   = &output.Spec{Step: "s", Kind: "prompt", Check: structured.Check,
		Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"type":"boolean"}}},"required":["n"]}`)}
)

type typedShape struct {
	W *string  `json:"w,omitempty" is:"word"`
	L *string  `json:"l,omitempty" is:"line"`
	T *string  `json:"t,omitempty"`
	P *string  `json:"p,omitempty" is:"path"`
	I *int64   `json:"i,omitempty"`
	F *float64 `json:"f,omitempty"`
	B *bool    `json:"b,omitempty"`
}

type itemShape struct {
	Name string `json:"name" is:"word"`
	N    int64  `json:"n" default:"0"`
}

type defaultShape struct {
	Name   *string `json:"name,omitempty" is:"word"`
	Parent string  `json:"parent" is:"word" default:"\"\""`
	N      int64   `json:"n" default:"7"`
	Maybe  *int64  `json:"maybe,omitempty" default:"null"`
}

func TestPrinted(t *testing.T) {
	for _, c := range []struct {
		name   string
		spec   *output.Spec
		stdout string
		want   string // the output, or the beginning of the error's text after "! "
	}{
		{"nothing", nil, "", `{}`},
		{"blanks", nil, " \n\n", `{}`},
		{"equals in the value", nil, "a=b=c\n", `{"a":"b=c"}`},
		{"blanks around equals", nil, "  a = 1\n", `{"_output":"a = 1"}`},
		{"indented", nil, "   a=1  \n\n  b= 2 \n", `{"a":"1","b":" 2"}`},
		{"hyphen", nil, "my-key=1\n", `{"_output":"my-key=1"}`},
		{"digit first", nil, "1a=1\n", `{"_output":"1a=1"}`},
		{"text first", nil, "hello\na=1\n", `{"_output":"hello\na=1"}`},
		{"text after", nil, "a=1\nhello\nb=2\n", `{"a":"1","b":"2"}`},
		{"twice", nil, "b=0\na=1\nb=2\n", `{"b":"2","a":"1"}`},
		{"no value", nil, "a=", `{"a":""}`},
		{"quotes", nil, `a="q"`, `{"a":"\"q\""}`},
		{"carriage returns", nil, "a=1\r\nb=2\r\n", `{"a":"1","b":"2"}`},
		{"object", nil, ` {"z": 1, "a": [1.0, 1e3, null], "z": "é"} `, `{"z":"é","a":[1.0,1000.0,null]}`},
		{"large numbers", nil, `{"n": 123456789012345678901234567890, "m": 9007199254740993}`, `{"n":123456789012345678901234567890,"m":9007199254740993}`},
		{"list", nil, `[{"a":1},2]`, `[{"a":1},2]`},
		{"two documents", nil, "{}\n{}", `{"_output":"{}\n{}"}`},
		{"scalar", nil, `42`, `{"_output":"42"}`},
		{"invalid UTF-8", nil, "a=\xff", `{"a":"�"}`},
		{"not a number of JSON", nil, `{"a": NaN}`, `{"_output":"{\"a\": NaN}"}`},
		{"not a number of JSON, deep", nil, `[1, {"a": [-Infinity]}]`, `{"_output":"[1, {\"a\": [-Infinity]}]"}`},
		{"too large a number", nil, `{"a": 1e999}`, `{"_output":"{\"a\": 1e999}"}`},
		{"not a number, in a text", nil, `{"a": "NaN"}`, `{"a":"NaN"}`},

		{"integers", typed, "i= 7 ", `{"i":7}`},
		{"underscores", typed, "i=1_000", `{"i":1000}`},
		{"plus", typed, "i=+5", `{"i":5}`},
		{"zeros", typed, "i=007", `{"i":7}`},
		{"5.0 is whole", typed, `{"i": 5.0}`, `{"i":5}`},
		{"text 5.5", typed, "i=5.5", "! the output of bash step `s`: `i` must be an integer (int), but it is '5.5'"},
		{"true is no number", typed, `{"i": true}`, "! the output of bash step `s`: `i` must be an integer (int), but it is true"},
		{"null", typed, `{"i": null}`, "! the output of bash step `s`: `i` must be an integer (int), but it is null"},
		{"float of a whole number", typed, `{"f": 2}`, `{"f":2.0}`},
		{"floats", typed, "f=2.50", `{"f":2.5}`},
		{"exponent", typed, "f=1e3", `{"f":1000.0}`},
		{"nan", typed, "f=nan", "! the output of bash step `s`: `f` must be a number that JSON can hold (float), but it is 'nan'"},
		{"no float", typed, "f=abc", "! the output of bash step `s`: `f` must be a number that JSON can hold (float), but it is 'abc'"},
		{"bools", typed, "b=YES", `{"b":true}`},
		{"off", typed, "b=Off", `{"b":false}`},
		{"1 is no bool", typed, `{"b": 1}`, "! the output of bash step `s`: `b` must be true or false (bool), but it is 1"},
		{"word", typed, "w=two words", "! the output of bash step `s`: `w` must be a string without spaces (word), but it is 'two words'"},
		{"number as a word", typed, `{"w": 5}`, "! the output of bash step `s`: `w` must be a string without spaces (word), but it is 5"},
		{"line", typed, `{"l": "a\nb"}`, "! the output of bash step `s`: `l` must be a single line (line), but it is 'a b'"},
		{"path", typed, "p=a b", "! the output of bash step `s`: `p` must be a string without spaces (path)"},
		{"text", typed, `{"t": "a\nb", "more": {"x": 1}}`, `{"t":"a\nb","more":{"x":1}}`},
		{"text for an object", typed, "hello", `{"_output":"hello"}`},
		{"list for an object", typed, "[]", "! the output of bash step `s`: it must be an object"},

		{"list of objects", items, `[{"name": "a", "n": "3"}, {"name": "b"}]`, `[{"name":"a","n":3},{"name":"b","n":0}]`},
		{"missing", items, `[{"name": "a"}, {"desc": "x"}]`, "! the output of bash step `s`: `[1].name` is missing"},
		{"element", items, `[{"name": "a"}, 3]`, "! the output of bash step `s`: `[1]` must be an object, but it is 3"},
		{"no list", items, "name=a", "! the output of bash step `s`: it must be a list, but it is an object"},

		{"defaults", defaults, "name=x", `{"name":"x","parent":"","n":7,"maybe":null}`},
		{"defaults of text", defaults, "some text", `{"_output":"some text","parent":"","n":7,"maybe":null}`},
		{"null for a null default", defaults, `{"maybe": null, "n": 1}`, `{"maybe":null,"n":1,"parent":""}`},

		{"schema", schema, "n=5", `{"n":5}`},
		{"schema below", schema, `{"n": 5, "l": ["yes", "no"]}`, `{"n":5,"l":[true,false]}`},
		{"not by the schema", schema, "n=x", "! the output of prompt step `s`: `n` must be of type integer"},
		{"text for a schema", schema, "words", "! the output of prompt step `s`: `n` is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.spec.FromStdout(flow.Result{Text: c.stdout}, nil)
			same(t, got, err, c.want)
		})
	}
}

// same compares an output, or an error with what stands behind "! ".
func same(t *testing.T, got string, err error, want string) {
	t.Helper()
	if fault, fails := strings.CutPrefix(want, "! "); fails {
		if err == nil || !strings.HasPrefix(err.Error(), fault) {
			t.Errorf("got %s, %v; want the error %s", got, err, fault)
		}
		return
	}
	if err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestReplied(t *testing.T) {
	object := &output.Spec{Step: "s", Kind: "prompt", Fields: []output.Field{{Name: "a", Type: "int"}, {Name: "d", Type: "text", Default: `"x"`}}}
	for _, c := range []struct {
		name  string
		spec  *output.Spec
		reply string
		want  string
	}{
		{"no spec", nil, "hello\nworld", `{"_raw":"hello\nworld"}`},
		{"no spec, JSON", nil, `{"a":1}`, `{"_raw":"{\"a\":1}"}`},
		{"fenced", object, "Sure!\n```json\n{\"a\": \"5\"}\n```\nbye", `{"a":5,"d":"x"}`},
		{"fence in the line before", object, "```json\r\n{\"a\": 5}\r\n```\r\n", `{"a":5,"d":"x"}`},
		{"YAML", object, "a: 7\nb: [x, yes, 0x10, 2026-01-02]", `{"a":7,"b":["x","yes",16,"2026-01-02"],"d":"x"}`},
		{"anchors and merging", object, "base: &b {a: 1, c: 2}\nof:\n  <<: *b\n  c: 3", `{"base":{"a":1,"c":2},"of":{"a":1,"c":3},"d":"x"}`},
		{"list for an object", object, `[{"a": 1}]`, `{"_data":[{"a":1}],"d":"x"}`},
		{"scalar", object, `42`, `{"_data":42,"d":"x"}`},
		{"not a number of JSON", object, `{"a": NaN}`, `{"_raw":"{\"a\": NaN}","d":"x"}`},
		{"not a number of JSON, as YAML", object, "a: .nan", `{"_raw":"a: .nan","d":"x"}`},
		{"not a number of JSON, but data behind it", object, "```json\n[NaN]\n```\n```json\n{\"a\": 2}\n```", `{"a":2,"d":"x"}`},
		{"no data", object, "I cannot do that", `{"_raw":"I cannot do that","d":"x"}`},
		{"second fence", object, "```\nnot json: [\n```\n```json\n{\"a\": 2}\n```", `{"a":2,"d":"x"}`},
		{"fence of another language", object, "```python\na = {}\n```\n```yaml\na: 3\n```", `{"a":3,"d":"x"}`},
		{"open fence", object, "```json\n{\"a\": 2}\n", "{\"_raw\":\"```json\\n{\\\"a\\\": 2}\\n\",\"d\":\"x\"}"},
		{"wrong type", object, `{"a": "five"}`, "! the output of prompt step `s`: `a` must be an integer (int), but it is 'five'"},
		{"list", items, "Here:\n```\n- {name: a}\n- {name: b, n: '2'}\n```", `[{"name":"a","n":0},{"name":"b","n":2}]`},
		{"object for a list", items, `{"name":"a"}`, "! the output of bash step `s`: it must be a list, but it is an object"},
		{"nothing for a list", items, "no", "! the output of bash step `s`: the reply contains no list: 'no'"},
		{"any", &output.Spec{Step: "s", AnyValue: true}, `[1]`, `{"_raw":"[1]"}`},
		{"schema", schema, "n: 3", `{"n":3}`},
		{"endless alias", object, "a: &a [*a]", "{\"_raw\":\"a: \\u0026a [*a]\",\"d\":\"x\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.spec.FromReply(flow.Result{Text: c.reply}, nil)
			same(t, strings.ReplaceAll(got, "&", `\u0026`), err, c.want)
		})
	}
}

func TestEditedAndAccepted(t *testing.T) {
	for _, c := range []struct {
		spec *output.Spec
		text string
		want string
	}{
		{nil, "a: 1\nb: two words\n", `{"a":1,"b":"two words","approved":true}`},
		{nil, `["x"]`, `["x"]`},
		{nil, "", "! the output: it is empty"},
		{nil, "just words", "! the output: it must be an object or a list, written as YAML or JSON, but it is 'just words'"},
		{nil, "a: [", "! the output: it is neither JSON nor YAML"},
		{typed, "i: '12'\nb: yes", `{"i":12,"b":true,"approved":true}`},
		{typed, "i: x", "! the output of bash step `s`: `i` must be an integer"},
		{defaults, `{"approved": false}`, `{"approved":true,"parent":"","n":7,"maybe":null}`},
	} {
		got, err := c.spec.FromEdit(c.text)
		if err == nil {
			got, err = c.spec.Accept(got)
		}
		same(t, got, err, c.want)
	}
	if got, err := typed.Accept("plain text"); err != nil || got != "plain text" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestGiven(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{"i: '4'\nw: x", `{"i":4,"w":"x"}`},
		{`{"w": "x", "i": 4}`, `{"w":"x","i":4}`},
		{map[string]any{"i": 4.0}, `{"i":4}`},
		{"just words", "! the output of bash step `s`: it must be an object or a list"},
		{[]any{1}, "! the output of bash step `s`: it must be an object"},
		{func() {}, "! the output of bash step `s`: the value cannot be written as JSON"},
	} {
		got, ok, err := typed.FromInput(c.value)
		same(t, got, err, c.want)
		if ok != (err == nil) {
			t.Errorf("%v: %v", c.value, ok)
		}
	}
	if _, ok, err := output.Undeclared.FromInput(nil); ok || err != nil {
		t.Error(ok, err)
	}
	if got, ok, err := typed.FromAcceptedInput(`{"i": 1}`); got != `{"i":1,"approved":true}` || !ok || err != nil {
		t.Error(got, ok, err)
	}
}

func FuzzOutputs(f *testing.F) {
	for _, seed := range []string{"a=1\nb", `{"a":[1e400]}`, "```json\n[1]\n```", "a: &x {b: *x}", "- 1\n- .nan", "\xff={", "<<: [{a: 1}]", "? [a]\n: b"} {
		f.Add(seed)
	}
	specs := []*output.Spec{nil, typed, items, defaults, schema, {AnyValue: true}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range specs {
			of := func(make func(flow.Result, error) (string, error)) func(string) (string, error) {
				return func(text string) (string, error) { return make(flow.Result{Text: text}, nil) }
			}
			for _, make := range []func(string) (string, error){of(s.FromStdout), of(s.FromReply), s.FromEdit, s.Accept} {
				got, err := make(text)
				if err == nil && !json.Valid([]byte(got)) && got != text {
					t.Errorf("%q gives %q, which is no JSON", text, got)
				}
			}
		}
	})
}

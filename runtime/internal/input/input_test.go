package input_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/input"
)

// folder is a folder with a file `here` and a home folder with `home`.
func folder(t *testing.T) string {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, path := range []string{filepath.Join(dir, "here"), filepath.Join(home, "home")} {
		if err := os.WriteFile(path, []byte("a: 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// same compares a value, or an error with what stands behind "! ".
func same(t *testing.T, what, got string, err error, want string) {
	t.Helper()
	if fault, fails := strings.CutPrefix(want, "! "); fails {
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s gives %s, %v; want the error %s", what, got, err, fault)
		}
		return
	}
	if err != nil || got != want {
		t.Errorf("%s gives %s, %v; want %s", what, got, err, want)
	}
}

func TestText(t *testing.T) {
	dir := folder(t)
	optional := json.RawMessage(`""`)
	for _, c := range []struct {
		kind string
		def  json.RawMessage
		text string
		want string
	}{
		{"int", nil, "7", "7"}, {"int", nil, " 7 ", "7"}, {"int", nil, "+5", "5"}, {"int", nil, "-5", "-5"}, {"int", nil, "007", "7"},
		{"int", nil, "1_000", "1000"}, {"int", nil, "1__0", `! "1__0" is not an integer`}, {"int", nil, "_1", "! is not"}, {"int", nil, "1_", "! is not"},
		{"int", nil, "5.0", `! "5.0" is not an integer`}, {"int", nil, "1e3", "! is not an integer"}, {"int", nil, "0x10", "! is not an integer"}, {"int", nil, "", "! is not"},
		{"int", nil, "+-5", "! is not"}, {"int", nil, "9223372036854775808", "! larger than 64 bits can hold"},
		{"float", nil, "1e3", "1000"}, {"float", nil, " .5", "0.5"}, {"float", nil, "1_0.2_5", "10.25"}, {"float", nil, "nan", `! "nan" is not a number`},
		{"float", nil, "inf", "! is not"}, {"float", nil, "1e999", "! is not"}, {"float", nil, "1_.5", "! is not"}, {"float", nil, "0x1p-2", "! is not"}, {"float", nil, "", "! is not"},
		{"bool", nil, "Yes", "true"}, {"bool", nil, "on", "true"}, {"bool", nil, "1", "true"}, {"bool", nil, "TRUE", "true"},
		{"bool", nil, "No", "false"}, {"bool", nil, "off", "false"}, {"bool", nil, "0", "false"}, {"bool", nil, "maybe", `! "maybe" is neither true nor false`},
		{"word", nil, "a-b", `"a-b"`}, {"word", nil, "a b", `! "a b" is not one word`}, {"word", nil, "", "! is not one word"}, {"word", optional, "", `""`},
		{"line", nil, "a <b> c", `"a <b> c"`}, {"line", nil, "a\nb", "! more than one line"}, {"text", nil, "a\nb", `"a\nb"`},
		{"path", nil, "here", `"here"`}, {"path", nil, "there", `! path "there" does not exist`}, {"path", nil, "~/home", `"~/home"`}, {"path", nil, "~/here", "! path "},
		{"path", nil, "he re", "! is not one word"}, {"path", optional, "", `""`},
	} {
		got, err := input.Text(flow.InputInfo{Name: "x", Type: c.kind, Default: string(c.def)}, c.text, dir)
		same(t, c.kind+" "+c.text, string(got), err, c.want)
	}
}

// An input of any value takes JSON, and other strings as they are.
func TestAnyValue(t *testing.T) {
	in := flow.InputInfo{Name: "x", Type: "json", Default: `[1]`}
	for text, want := range map[string]string{`[1, "a"]`: `[1,"a"]`, "5": "5", "null": "null", "a b": `"a b"`, "": `""`, `{"a":`: `"{\"a\":"`} {
		got, err := input.Text(in, text, "")
		same(t, text, string(got), err, want)
		same(t, text, "", input.Check(in, got, ""), "")
	}
	for _, value := range []string{`{"z":1,"a":[2]}`, "5", "true", "null"} {
		got, err := input.Value(in, json.RawMessage(value), "")
		same(t, value, string(got), err, value)
	}
}

func TestTextOfAReplacement(t *testing.T) {
	dir := folder(t)
	for text, want := range map[string]string{
		`{"a": 1}`: `"{\"a\": 1}"`, "a: 1": `"a: 1"`, "@here": `"a: 1\n"`, "@none": "! none", " ": "! it is empty: give JSON or YAML", "@": "! is a directory",
	} {
		got, err := input.Text(flow.InputInfo{Name: "x", Type: "text", Replaces: "x"}, text, dir)
		same(t, text, string(got), err, want)
	}
}

func TestValue(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct {
		in          flow.InputInfo
		value, want string
	}{
		{flow.InputInfo{Type: "int"}, "5", "5"}, {flow.InputInfo{Type: "int"}, "5.0", "5"}, {flow.InputInfo{Type: "int"}, `"1_0"`, "10"},
		{flow.InputInfo{Type: "int"}, "1.5", `! "1.5" is not an integer`}, {flow.InputInfo{Type: "int"}, "9223372036854775807", "9223372036854775807"},
		{flow.InputInfo{Type: "float"}, "5", "5"}, {flow.InputInfo{Type: "bool"}, "true", "true"}, {flow.InputInfo{Type: "bool"}, "1", "true"}, {flow.InputInfo{Type: "bool"}, `"off"`, "false"},
		{flow.InputInfo{Type: "word"}, "5", "! 5 is not a string"}, {flow.InputInfo{Type: "text"}, "{}", "! {} is not a string"},
		{flow.InputInfo{Type: "text"}, "null", "! it cannot be null"}, {flow.InputInfo{Type: "text", Default: "null"}, "null", "null"},
		{flow.InputInfo{Type: "text", Replaces: "s"}, `{"z":1,"a":2}`, `"{\"z\":1,\"a\":2}"`}, {flow.InputInfo{Type: "text", Replaces: "s"}, `null`, `null`},
	} {
		got, err := input.Value(c.in, json.RawMessage(c.value), dir)
		same(t, c.in.Type+" "+c.value, string(got), err, c.want)
	}
}

func TestCheck(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct {
		in          flow.InputInfo
		value, want string
	}{
		{flow.InputInfo{Type: "int"}, "5", ""}, {flow.InputInfo{Type: "int"}, "5.5", "! 5.5 is not of type int"}, {flow.InputInfo{Type: "int"}, `"5"`, `! "5" is not of type int`},
		{flow.InputInfo{Type: "float"}, "true", "! true is not of type float"}, {flow.InputInfo{Type: "float"}, "1", ""}, {flow.InputInfo{Type: "bool"}, "1", "! 1 is not of type bool"}, {flow.InputInfo{Type: "bool"}, "true", ""},
		{flow.InputInfo{Type: "word"}, `"a b"`, "! is not one word"}, {flow.InputInfo{Type: "line"}, `"a\nb"`, "! more than one line"}, {flow.InputInfo{Type: "text"}, "[]", "! [] is not a string"},
		{flow.InputInfo{Type: "path"}, `"here"`, ""}, {flow.InputInfo{Type: "path"}, `"there"`, "! path "}, {flow.InputInfo{Type: "path", Default: `"x"`}, `""`, ""},
		{flow.InputInfo{Type: "word"}, `null`, "! null is not a string"}, {flow.InputInfo{Type: "word", Default: "null"}, `null`, ""}, {flow.InputInfo{Replaces: "s"}, `[1]`, ""}, {flow.InputInfo{}, `[1]`, ""},
	} {
		same(t, c.in.Type+" "+c.value, "", input.Check(c.in, json.RawMessage(c.value), dir), c.want)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"1_0", "-.5e1", "yes", "~", "@", "+", "1e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []string{"int", "float", "bool", "word", "line", "text"} {
			in := flow.InputInfo{Type: kind}
			value, err := input.Text(in, text, "")
			if err != nil {
				continue
			}
			if err := input.Check(in, value, ""); err != nil {
				t.Errorf("%s %q is %s, which is not of its type: %v", kind, text, value, err)
			}
		}
	})
}

// A definition by hand may have a type that does not exist, which would check nothing.
func TestUnknownTypes(t *testing.T) {
	for in, want := range map[[2]string]string{{"string"}: "`n` has an unknown type: set `Type`, and `Items` of a list, to one of `json`, `list`, `word`, ", {"list", "bogus"}: "`n` has an unknown type", {}: "", {"list"}: "", {"list", "path"}: ""} {
		def := &flow.Definition{Name: "t", Inputs: []flow.InputInfo{{Name: "n", Type: in[0], Items: in[1], Default: "[]"}}}
		_, err := input.Complete(def, nil, "")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// Lists of values, and values of which only some are allowed.
func TestListsAndChoices(t *testing.T) {
	numbers := flow.InputInfo{Name: "n", Type: "list", Items: "int"}
	words := flow.InputInfo{Name: "w", Type: "list", Items: "word", Choices: []string{"a", "b"}}
	word := flow.InputInfo{Name: "e", Type: "word", Choices: []string{"a", "b"}}
	for _, c := range []struct {
		in         flow.InputInfo
		text, want string
	}{
		{numbers, "7", "[7]"}, {numbers, "[1, \"2\"]", "[1,2]"}, {numbers, "[]", "[]"}, {numbers, "x", `! "x" is not an integer`}, {numbers, "[1, true]", "! is not an integer"},
		{words, "a", `["a"]`}, {words, "c", "! \"c\" is not one of `a`, `b`"}, {words, `["a","c"]`, "! is not one of"},
		{word, "b", `"b"`}, {word, "c", "! is not one of"},
	} {
		got, err := input.Text(c.in, c.text, "")
		same(t, c.in.Name+" "+c.text, string(got), err, c.want)
	}
	for _, c := range []struct {
		in          flow.InputInfo
		value, want string
	}{
		{numbers, "[1,2]", ""}, {numbers, "[]", ""}, {numbers, "1", "! is not a list"}, {numbers, "null", "! is not a list"}, {numbers, `["1"]`, "! is not of type int"},
		{words, `["a","b"]`, ""}, {words, `["c"]`, "! is not one of"}, {word, `"c"`, "! is not one of"},
	} {
		same(t, "Check "+c.in.Name+" "+c.value, "", input.Check(c.in, json.RawMessage(c.value), ""), c.want)
	}
	got, err := input.List(numbers, []string{"1", " 2 "}, "")
	same(t, "List", string(got), err, "[1,2]")
	got, err = input.Value(numbers, json.RawMessage(`{"a":1}`), "")
	same(t, "Value", string(got), err, "! is not a list")
}

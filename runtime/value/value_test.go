package value

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct{ text, path, want, reason, message string }{
		{`{"a":{"b":2}}`, "a.b", "2", "", ""},
		{`{"a":null}`, "a", "null", "", ""},
		{"```json\n{\"a\":\"x\"}\n```", "a", "x", "", ""},
		{`{"a":1,"c":2}`, "b", "", missingKey, "has no field `b`; it has `a`, `c`"},
		{`{}`, "b", "", missingKey, "has no field `b`: it is an empty object"},
		{`{"a":{}}`, "a.b", "", missingKey, "has no field `a.b`: it is an empty object"},
		{`[1]`, "a", "", unparseable, `is not a JSON object but "[1]"`},
		{``, "a", "", unparseable, "is not a JSON object but empty"},
		{strings.Repeat("é", 50), "a", "", unparseable, `is not a JSON object but "` + strings.Repeat("é", 40) + `…"`},
		{`{"a":"text"}`, "a.b", "", unparseable, "has in `a` not a JSON object but \"text\""},
	} {
		v, err := lookUpPath(c.text, strings.Split(c.path, ".")...)
		if c.reason == "" {
			if err != nil || v.Text() != c.want {
				t.Errorf("%s of %s is %v, %v", c.path, c.text, v, err)
			}
			continue
		}
		var why *fieldError
		if !errors.As(err, &why) || why.Reason != c.reason || why.Error() != c.message {
			t.Errorf("%s of %s: %v", c.path, c.text, err)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for in, want := range map[string]float64{
		"12abc": 12, " \u00a0\ufeff\n7": 7, "1e3": 1000, "-3.5": -3.5, "+.5x": 0.5, "5.": 5, "1e": 1, "1e+": 1, "0x10": 0, "1_000": 1, "1.2.3": 1.2, "-0": 0, "1e-400": 0,
	} {
		if got, err := RequireNumber(in, "$a.output"); err != nil || got != want {
			t.Errorf("%q is %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", " ", "abc", ".", "-", "e5", "NaN", "Infinity", "1e999", "true", "٣"} {
		got, err := RequireNumber(in, "$a.output")
		var f *flow.Failure
		if !errors.As(err, &f) || f.Reason != "reference" || !strings.HasPrefix(f.Message, "`$a.output` is compared as a number, but it is ") {
			t.Errorf("%q is %v, %v", in, got, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		intText(0): "0", intText(-7): "-7", intText(1 << 53): "9007199254740992", intText(1<<53 + 1): "9007199254740992 ",
		intText(math.MaxInt64): "9223372036854776000", jsonvalue.FloatText(0.1): "0.1", jsonvalue.FloatText(math.Copysign(0, -1)): "0", jsonvalue.FloatText(1e21): "1e+21",
		jsonvalue.FloatText(123e-20): "1.23e-18", jsonvalue.FloatText(math.NaN()): "NaN", jsonvalue.FloatText(math.Inf(-1)): "-Infinity", jsonvalue.FloatText(1e6): "1000000",
	} {
		if got != strings.TrimSpace(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	text, n, f, b := "x", int64(3), 1.5, false
	if got := Plain(&text) + Plain(&n) + Plain(&f) + Plain(&b); got != "x31.5false" {
		t.Errorf("the values are %s", got)
	}
	if got := Plain((*string)(nil)) + Plain((*int64)(nil)) + Plain((*float64)(nil)) + Plain((*bool)(nil)); got != "" {
		t.Errorf("no values are %q", got)
	}
	if got := Encode(map[string]any{"a": "<b>"}); got != `{"a":"<b>"}` {
		t.Errorf("the value is %s", got)
	}
}

type inner struct {
	Age int64 `json:"age"`
}

type outer struct {
	Name  string  `json:"name"`
	Note  *string `json:"note,omitempty"`
	Null  *int64  `json:"null"`
	List  []inner `json:"list"`
	Free  any     `json:"free"`
	Score float64 `json:"score"`
}

func TestDecode(t *testing.T) {
	got, err := Decode[*outer]("```json\n" + `{"NAME":"no","name":"yes","null":null,"list":[{"age":1e1,"AGE":3}],"free":{"n":9007199254740993},"score":0.1,"more":1}` + "\n```")
	if err != nil {
		t.Fatal(err)
	}
	want := &outer{Name: "yes", List: []inner{{10}}, Free: map[string]any{"n": float64(9007199254740993)}, Score: 0.1}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the value is %+v", got)
	}
	if n, err := Decode[int64]("9007199254740993"); err != nil || n != 9007199254740993 {
		t.Errorf("the number is %d, %v", n, err)
	}
	valid := `{"name":"n","null":1,"list":[],"free":1,"score":1}`
	for _, c := range []struct{ old, new, want string }{
		{`"name":"n",`, ``, "`name` is missing"},
		{`"n"`, `null`, "`name` is null"},
		{`"list":[]`, `"list":[{}]`, "`list[0].age` is missing"},
		{`"list":[]`, `"list":[{"age":1.5}]`, "`list[0].age` is not an integer of 64 bits but 1.5"},
		{`"list":[]`, `"list":[{"age":1e30}]`, "`list[0].age` is not an integer"},
		{`"list":[]`, `"list":[1]`, "`list[0]` is not an object"},
		{`"list":[]`, `"list":{}`, "`list` must be an array, not an object"},
		{valid, `[]`, "it is not an object"},
		{valid, `null`, "it is null"},
		{valid, `prose`, "not JSON"},
	} {
		if _, err := Decode[outer](strings.Replace(valid, c.old, c.new, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.0,null,true,"x\u0000"]}`, "```json\n{}\n```", `{"1":{},"0":[]}`, `-1e-7`, "``````"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = jsonvalue.Find(text)
		_, _ = RequireNumber(text, "x")
		v, err := jsonvalue.Parse(text)
		if (err == nil) != json.Valid([]byte(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		again, err := jsonvalue.Parse(Encode(v))
		if err != nil || Encode(again) != Encode(v) {
			t.Fatalf("%q is rendered as %s, and that as %v, %v", text, Encode(v), again, err)
		}
	})
}

func TestRawText(t *testing.T) {
	for raw, want := range map[string]string{
		`"a \"b\""`: `a "b"`, `5`: "5", `1.50`: "1.5", `null`: "null", ``: "null", `true`: "true",
		` {"z": 1, "a": [ "é" ]} `: `{"z":1,"a":["é"]}`, "{": "{",
	} {
		if got := RawText(json.RawMessage(raw)); got != want {
			t.Errorf("%s is %q, want %q", raw, got, want)
		}
	}
}

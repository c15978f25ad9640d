package plain_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func TestJSONError(t *testing.T) {
	type target struct {
		Name  string   `json:"name"`
		Count int      `json:"count"`
		Share float64  `json:"share"`
		On    bool     `json:"on"`
		List  []string `json:"list"`
		Inner struct {
			Key string `json:"key"`
		} `json:"inner"`
	}
	for text, want := range map[string]string{
		``:                         "it is empty",
		" \n":                      "it is empty",
		`{"name":`:                 "it ends too early: a bracket or a quote is not closed",
		`{"name": "x`:              "it ends too early: a bracket or a quote is not closed",
		`{name: 1}`:                "unexpected `n` at line 1, column 2",
		"{\n  \"name\": x\n}":      "unexpected `x` at line 2, column 11",
		`{"a": 1,}`:                "unexpected `}` at line 1, column 9",
		`{"a": 'b'}`:               "unexpected `'` at line 1, column 7",
		`{"a" "b"}`:                "unexpected `\"` at line 1, column 6",
		"{\"a\": \"b\nc\"}":        "a line break at line 1, column 9 in a string: write it as an escape such as \\n",
		"{\"a\": \"\x01\"}":        "a control character at line 1, column 8 in a string: write it as an escape such as \\n",
		`{} {}`:                    "something follows the value: `{` at line 1, column 4",
		`{"name": 5}`:              "`name` must be a string, not a number",
		`{"count": "many"}`:        "`count` must be an integer, not a string",
		`{"count": 1.5}`:           "`count` must be an integer, not 1.5",
		`{"share": [1]}`:           "`share` must be a number, not an array",
		`{"on": {}}`:               "`on` must be true or false, not an object",
		`{"list": "a"}`:            "`list` must be an array, not a string",
		`{"inner": {"key": true}}`: "`inner.key` must be a string, not a bool",
		`[]`:                       "it must be an object, not an array",
		`{"other": 1}`:             "unknown key `other`",
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		var v target
		var err error
		if err = json.Unmarshal([]byte(text), &v); err == nil {
			err = d.Decode(&v)
		}
		if got := plain.JSONError(err, text); got == nil || got.Error() != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
	if own := errors.New("own"); plain.JSONError(own, "") != own || plain.JSONError(nil, "") != nil {
		t.Error("other errors change")
	}
}

package value_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value"
)

func TestArgument(t *testing.T) {
	for text, want := range map[string]int64{"5": 5, " 7\n": 7, "1.0": 1, "1e3": 1000, "-2": -2} {
		if got, err := value.Argument[int64](text, "n"); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]bool{"true": true, "false\n": false} {
		if got, err := value.Argument[bool](text, "b"); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"": `""`, `{"b": 1, "a": [1.50]}`: `{"b":1,"a":[1.5]}`, "null": "null"} {
		if got, err := value.Argument[json.RawMessage](text, "j"); err != nil || string(got) != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestArgumentOfAnotherForm(t *testing.T) {
	for _, text := range []string{"", "five", "1.5", "5 6", `"5"`, "null", "[5]"} {
		_, err := value.Argument[int64](text, "n")
		var f *flow.Failure
		if !errors.As(err, &f) || f.Reason != "input" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := value.Argument[json.RawMessage]("words", "j"); err == nil || err.Error() != "input `j` cannot be \"words\"" {
		t.Errorf("words: %v", err)
	}
}

package flow_test

import (
	"encoding/json"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// An option is journalled as an object with its value as it is, and read back.
func TestOptionInJSON(t *testing.T) {
	for _, c := range []struct {
		option flow.Option
		want   string
	}{
		{flow.Option{Name: "tools", Value: `["Read","a<b"]`}, `{"name":"tools","value":["Read","a\u003cb"]}`},
		{flow.Option{Name: "none"}, `{"name":"none","value":null}`},
	} {
		text, err := json.Marshal(c.option)
		if err != nil || string(text) != c.want {
			t.Fatalf("%s, %v, not %s", text, err, c.want)
		}
		var back flow.Option
		if err := json.Unmarshal([]byte(`{"name":"n","value":{"b":1.0,"a":2}}`), &back); err != nil || back != (flow.Option{Name: "n", Value: `{"b":1.0,"a":2}`}) {
			t.Errorf("%+v, %v", back, err)
		}
	}
}

// A string of the run replaces one value, whatever it contains; all others keep their bytes.
func TestOptionWith(t *testing.T) {
	o := flow.Option{Name: "agents", Value: `{"b":{"prompt":"x","n":1.50},"a":{"n":{"prompt":0},"prompt":"y"}}`}
	got := o.With(`"},"b":{`, "a", "prompt").With("<z>", "b", "prompt")
	if want := `{"b":{"prompt":"<z>","n":1.50},"a":{"n":{"prompt":0},"prompt":"\"},\"b\":{"}}`; got.Value != want {
		t.Errorf("%s, not %s", got.Value, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a value that is not there was replaced")
		}
	}()
	o.With("x", "a", "missing")
}

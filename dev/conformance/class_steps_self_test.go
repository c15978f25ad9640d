package conformance

import (
	"encoding/json"
	"testing"
)

// What a class of steps takes for a deviation begins by its rule or follows from
// that; nothing else may pass.
func TestStepClasses(t *testing.T) {
	const (
		two      = "steps:\n  - {name: a, bash: 'echo x={{ 1 }}'}\n  - {name: b, bash: 'echo {{ a.x }}'}\n  - {name: c, bash: echo}\n"
		defaults = "steps:\n  - {name: a, bash: echo, output: {n: word, d: {type: int, default: 5}}}\n  - {name: b, bash: 'echo {{ a.d }}'}\n  - {name: c, bash: echo}\n"
		asks     = "steps:\n  - {name: a, prompt: p, output: {n: int}, hitl: true}\n"
		list     = "steps:\n  - {name: a, prompt: p, output: [{n: int}]}\n"
		loop     = "steps:\n  - {name: a, bash: 'echo x=1', hitl: true, for: {i: [1, 2]}, join: text}\n"
		cond     = "steps:\n  - {name: a, bash: echo, if: '{{ nope }}'}\n  - {name: b, bash: echo}\n"
		never    = "steps:\n  - {name: a, bash: echo, if: false}\n  - {name: b, bash: echo, if: '{{ not a.x }}'}\n"
		random   = "steps:\n  - {name: a, bash: 'echo x=$RANDOM'}\n"
		named    = "steps:\n  - {name: a, bash: 'x=1; {{ \"x\" }}=2'}\n"
	)
	ran := func(steps ...string) string {
		type step struct {
			Name, Status, Error string
			Output              json.RawMessage
		}
		var list []step
		for i := 0; i+2 < len(steps)+1; i += 3 {
			list = append(list, step{Name: steps[i], Status: steps[i+1], Output: json.RawMessage(steps[i+2])})
		}
		return jsonText(map[string]any{"success": true, "steps": list})
	}
	d := func(parts ...string) (list []difference) {
		for i := 0; i < len(parts); i += 3 {
			list = append(list, difference{parts[i], parts[i+1], parts[i+2]})
		}
		return list
	}
	for _, tt := range []struct {
		class, yaml, expect string
		reasons             map[string]string
		diffs               []difference
		want                bool
	}{
		{"defaults of outputs", defaults, ran("a", "completed", `{"n":"x"}`), nil, d("output of a", `{"n":"x"}`, `{"n":"x","d":5}`), true},
		{"defaults of outputs", defaults, ran("a", "completed", `{"n":"x"}`), nil, d("output of a", `{"n":"x"}`, `{"n":"x","d":6}`), false},
		{"defaults of outputs", defaults, ran("a", "completed", `{"n":"x"}`), nil, d("output of a", `{"n":"x"}`, `{"n":"y","d":5}`), false},
		{"defaults of outputs", defaults, ran("a", "completed", `{"n":"x"}`), nil, d("output of a", `{"n":"x"}`, `{"n":"x","d":5,"e":1}`), false},
		// b reads a, c does not.
		{"defaults of outputs", defaults, ran("a", "completed", `{"n":"x"}`, "b", "completed", `{}`, "c", "completed", `{}`), nil, d("output of a", `{"n":"x"}`, `{"n":"x","d":5}`, "output of b", "1", "2"), true},
		{"defaults of outputs", defaults, ran("a", "completed", `{"n":"x"}`, "b", "completed", `{}`, "c", "completed", `{}`), nil, d("output of a", `{"n":"x"}`, `{"n":"x","d":5}`, "output of c", "1", "2"), false},
		{"approved in every output", asks, ran("a", "completed", `{"n":1}`), nil, d("output of a", `{"n":1}`, `{"n":1,"approved":true}`), true},
		{"approved in every output", asks, ran("a", "completed", `{"n":1}`), nil, d("output of a", `{"n":1}`, `{"n":1,"approved":false}`), false},
		{"approved in every output", list, ran("a", "completed", `{"n":1}`), nil, d("output of a", `{"n":1}`, `{"n":1,"approved":true}`), false},
		{"lists of prompts", list, ran("a", "completed", `{"_data":[{"n":1}]}`), nil, d("output of a", "", `[{"n":1}]`), true},
		{"lists of prompts", list, ran("a", "completed", `{"_data":[{"n":1}]}`), nil, d("output of a", "", `[{"n":2}]`), false},
		{"replies that are checked", asks, ran("a", "completed", `{"n":"1"}`), nil, d("output of a", `{"n":"1"}`, `{"n":1,"approved":true}`), true},
		{"replies that are checked", asks, ran("a", "completed", `{"n":"1"}`), nil, d("output of a", `{"n":"1"}`, `{"n":2,"approved":true}`), false},
		{"replies that are checked", asks, ran("a", "completed", `{}`), map[string]string{"a": "output"}, d("run", "completed", "failed", "step a", "completed", "failed"), true},
		{"replies that are checked", asks, ran("a", "completed", `{}`), map[string]string{"a": "agent"}, d("run", "completed", "failed", "step a", "completed", "failed"), false},
		{"lines of joined texts", loop, ran("a", "completed", jsonText("{\"x\": \"1\"}\n{\"x\": \"2\", \"a\": true}")), nil, d("output of a", "", jsonText("x=1\nx=2\na=True")), true},
		{"lines of joined texts", loop, ran("a", "completed", jsonText(`{"x": "1"}`)), nil, d("output of a", "", jsonText("x=2")), false},
		{"asked once", loop, ran("a", "completed", "null"), nil, d("reviews of a", "2", "1"), true},
		{"asked once", loop, ran("a", "completed", "null"), nil, d("reviews of a", "2", "0"), false},
		{"asked once", asks, ran("a", "completed", "null"), nil, d("reviews of a", "2", "1"), false},
		{"bound, not spliced", two, ran("a", "completed", "null"), nil, d("output of a", `{"x":"a b"}`, `{"x":"'a'  b"}`), true},
		{"bound, not spliced", two, ran("a", "completed", "null"), nil, d("output of a", `{"x":"'a'"}`, `{"x":"a"}`), false},
		{"bound, not spliced", two, ran("a", "completed", "null"), nil, d("output of a", `{"x":"/home"}`, `{"x":"$HOME"}`), true},
		{"bound, not spliced", two, ran("a", "completed", "null", "b", "completed", "null", "c", "completed", "null"), nil, d("output of c", `{"x":"a"}`, `{"x":"'a'"}`), false},
		{"condition or list that breaks", cond, ran("a", "skipped", "null", "b", "completed", "null"), nil, d("run", "completed", "refused: undefined-variable"), true},
		{"condition or list that breaks", cond, ran("a", "completed", "null", "b", "completed", "null"), nil, d("run", "completed", "refused: undefined-variable"), false},
		{"condition or list that breaks", two, ran("a", "completed", "null"), nil, d("run", "completed", "refused: undefined-variable"), false},
		{"condition or list that breaks", never, ran("a", "skipped", "null", "b", "skipped", "null"), map[string]string{"b": "template"}, d("run", "completed", "failed", "step b", "skipped", "failed"), true},
		{"condition or list that breaks", never, ran("a", "skipped", "null", "b", "skipped", "null"), map[string]string{"b": "exit"}, d("run", "completed", "failed", "step b", "skipped", "failed"), false},
		{"arguments that nobody takes", two, ran(), nil, d("run", "completed", "refused: too many arguments"), true},
		{"arguments that nobody takes", two, ran(), nil, d("run", "completed", "refused: bad argument"), false},
		{"random numbers", random, ran("a", "completed", "null"), nil, d("output of a", `{"x":""}`, `{"x":"7"}`), true},
		{"random numbers", two, ran("a", "completed", "null"), nil, d("output of a", `{"x":""}`, `{"x":"7"}`), false},
		{"skipped for good", never, ran("a", "completed", "null", "b", "skipped", "null"), nil, d("step a", "completed", "skipped"), true},
		{"skipped for good", never, ran("a", "completed", "null", "b", "completed", "null"), nil, d("step b", "completed", "skipped"), false},
		{"fields of skipped steps", never, ran("a", "skipped", "null", "b", "skipped", "null"), nil, d("step b", "skipped", "completed"), true},
		{"fields of skipped steps", never, ran("a", "completed", "null", "b", "skipped", "null"), nil, d("step b", "skipped", "completed"), false},
		{"values as code", named, ran("a", "completed", "null"), nil, d("run", "completed", "refused: value-as-name"), true},
		{"values as code", named, ran("a", "completed", "null"), nil, d("run", "completed", "refused: value-as-name, script-syntax"), false},
		{"mistakes that the engine takes", two, ran("a", "completed", "null"), nil, d("run", "completed", "refused: unknown-value"), true},
		{"mistakes that the engine takes", two, ran("a", "completed", "null"), nil, d("run", "completed", "refused: template-syntax"), false},
	} {
		in := xpromptCase{YAML: tt.yaml}
		c := &recorded{Group: "g", Name: "n", Op: "steps", Input: []byte(jsonText(in)), Expect: []byte(tt.expect), dialect: "xprompt", reasons: tt.reasons}
		if got := classes[tt.class](c, tt.diffs); got != tt.want {
			t.Errorf("class %s takes %v of\n%s%s: %v", tt.class, tt.diffs, tt.yaml, tt.expect, got)
		}
	}
}

// Inputs are typed to wfc and texts to the engine: what a case comes to with texts
// tells which of its differences that makes.
func TestInputsAsTexts(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"input: {a: int}\nsteps: []\n", `input: [{"name":"a","type":"text"}]` + "\nsteps: []\n"},
		{"input:\n  a: {type: bool, default: true}\n  b: word\nsteps: []\n", `input: [{"default":"True","name":"a","type":"text"},{"name":"b","type":"text"}]` + "\nsteps: []\n"},
		{"input:\n  - {name: a, type: text, default: [1, x]}\nsteps: []\n", `input: [{"default":"[1, 'x']","name":"a","type":"text"}]` + "\nsteps: []\n"},
		{"input: {a: {type: word, default: null}}\nsteps: []\n", `input: [{"name":"a","type":"text"}]` + "\nsteps: []\n"},
		{"input: {a: {type: text, default: x}}\nsteps: []\n", ""},
		{"steps: []\n", ""},
	} {
		got, differs := textInputs(tt.yaml)
		if differs != (tt.want != "") || differs && got != tt.want {
			t.Errorf("%s is %q (%v), want %q", tt.yaml, got, differs, tt.want)
		}
	}
}

package flow

import (
	"bytes"
	"encoding/json"
)

// Func makes the Flow of a definition from a function that takes the run's inputs
// as a struct. An input that is absent or null has its default, so a field whose
// input has one is set.
func Func[In, Out any](inputs []InputInfo, run func(*Context, In) (Out, error)) func(*Context) (any, error) {
	return func(c *Context) (any, error) {
		var in In
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		if err := c.defaults(inputs, &in); err != nil {
			return nil, err
		}
		return run(c, in)
	}
}

// defaults sets the fields of inputs that the run does not give.
func (c *Context) defaults(inputs []InputInfo, in any) error {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(c.engine.Run().Inputs, &given) // Inputs reports what is wrong with them
	values := map[string]json.RawMessage{}
	for _, i := range inputs {
		if v := given[i.Name]; len(i.Default) > 0 && (len(v) == 0 || bytes.Equal(v, []byte("null"))) {
			values[i.Name] = i.Default
		}
	}
	if len(values) == 0 {
		return nil
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, in)
}

// Replacement describes the input, the position-th among the arguments, whose value
// replaces the output of the step of its name, which then does not run.
func Replacement(step string, position int) InputInfo {
	return InputInfo{
		Name: step, Type: "text", Position: position, Replaces: step, Default: json.RawMessage("null"),
		Doc: "the output of step `" + step + "`, given so that it does not run",
	}
}

// Text returns the text of an action's result, with its error.
func Text(r Result, err error) (string, error) { return r.Text, err }

// WithContext returns a prompt with the context of the run behind it, if there is one.
func WithContext(prompt, context string) string {
	if context == "" {
		return prompt
	}
	return prompt + "\n\n---\n\n" + context
}

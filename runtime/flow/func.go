package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Func makes the Flow of a definition from a function that takes the run's inputs as a
// struct. The field of an input that is absent or null gets the input's default, if there
// is one.
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

// Replacement returns the InputInfo of the input that replaces the output of a step; see
// InputInfo.Replaces. It has the step's name and the given InputInfo.Position.
func Replacement(step string, position int) InputInfo {
	return InputInfo{
		Name: step, Type: "text", Position: position, Replaces: step, Default: json.RawMessage("null"),
		Doc: "the output of step `" + step + "`, given so that it does not run",
	}
}

// Given returns the value of an input, or a *Failure of reason "reference" if the run has
// none; ref is the reference in the workflow, for its message.
func Given[T any](v *T, ref string) (T, error) {
	if v == nil {
		var zero T
		return zero, &Failure{Reason: "reference", Message: fmt.Sprintf("'%s' cannot be read: the run has no value for this input", ref)}
	}
	return *v, nil
}

// TextOf returns r.Text and err. It adapts Context.Do to Node.Run:
// return flow.TextOf(c.Do(p)).
func TextOf(r Result, err error) (string, error) { return r.Text, err }

// WithBackground returns a prompt followed by background, which the run's caller supplies.
// It returns the prompt alone if background is "".
func WithBackground(prompt, background string) string {
	if background == "" {
		return prompt
	}
	return prompt + "\n\n---\n\n" + background
}

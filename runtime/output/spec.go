// Package output makes the outputs of steps of what programs print and agents
// reply, as xprompt workflows have it, and joins those of loops and forks.
//
// An output is kept as compact JSON, keys in their order and numbers in their
// size. JSON with a number that JSON does not have, NaN or an infinity, is text
// like any other; elsewhere such a number is an error.
package output

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// A Spec is what a step says of its output. The methods of a nil one are those
// of a step that says nothing.
type Spec struct {
	// Step is the step's name and Kind what it is, such as "bash", for messages.
	Step, Kind string
	// List says that the output is a list of objects with the fields.
	List bool
	// Any says that the step says nothing of its output, which may be any value.
	Any bool
	// Fields are the fields that are declared; there may be others.
	Fields []Field
	// Schema is a JSON Schema that the output must satisfy, or "". It goes together
	// with Check.
	Schema string
	// Check returns what is wrong with a value by a schema: structured.Check. It
	// is a field so that only programs with schemas carry a validator.
	Check func(schema, value json.RawMessage) (problems []string, err error)
	// schemas are those of the Go type that the spec was made of.
	schemas schemas
}

// A Field is a declared field of an output.
type Field struct {
	Name string
	// Type is word, line, text, path, int, float or bool, or "" for any value.
	Type string
	// Default is the JSON value of a field that is not there, or "" for none.
	Default string
	// Nullable says that the value may be null.
	Nullable bool
	// Required says that the field must be there, unless it has a default.
	Required bool
}

// The fields that hold what is no data.
const (
	// fieldText is a program's text.
	fieldText = "_output"
	// fieldReply is an agent's text.
	fieldReply = "_raw"
	// fieldData is data of a reply that is no object.
	fieldData = "_data"
	// fieldFault says what is wrong with an output that is shown to a reviewer.
	fieldFault = "_validation_error"
	// fieldApproved says that a person accepted the output.
	fieldApproved = "approved"
)

// fault returns the failure of an output that is not what the step says.
func (s *Spec) fault(format string, args ...any) error {
	return &flow.Failure{Reason: "output", ExitCode: -1, Message: s.name() + ": " + fmt.Sprintf(format, args...)}
}

func (s *Spec) name() string {
	switch {
	case s == nil || s.Step == "":
		return "the output"
	case s.Kind == "":
		return fmt.Sprintf("the output of step '%s'", s.Step)
	}
	return fmt.Sprintf("the output of %s step '%s'", s.Kind, s.Step)
}

// text returns an output as it is kept.
func (s *Spec) text(v py.Value) (string, error) {
	text, err := encode(v)
	if err != nil {
		return "", s.fault("%v", err)
	}
	return text, nil
}

// encode renders a value as compact JSON.
func encode(v py.Value) (string, error) {
	text, err := py.JSON(v, py.JSONOptions{Separated: true, ItemSeparator: ",", KeySeparator: ":", KeepUnicode: true, NoNaN: true})
	if err != nil {
		return "", fmt.Errorf("it cannot be kept as JSON: %w", err)
	}
	return text, nil
}

// object returns an object of one field.
func object(key string, v py.Value) *py.Dict {
	d := py.NewDict()
	put(d, key, v)
	return d
}

// put sets a field of an object that is far from being too large.
func put(d *py.Dict, key string, v py.Value) {
	if err := d.SetStr(key, v); err != nil {
		panic(fmt.Sprintf("field %s: %v", key, err))
	}
}

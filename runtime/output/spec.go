// Package output converts the output of programs, the replies of agents and the edits of
// people to the outputs of nodes, by the rules of the dialect xprompt (see package
// compiler). It also joins the outputs of loops and forks:
//
//	spec := &output.Spec{Step: "count", Kind: "bash", Fields: []output.Field{{Name: "files", Type: "int"}}}
//	text, err := spec.FromStdout(flow.Result{Text: "files=1_000\n"}, nil) // {"files":1000}
//
// An output is kept as compact JSON, keys in their order and numbers in full size. JSON
// has no NaN and no infinities: a text that contains them is plain text, and a field with
// such a value is an error.
package output

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Undeclared is nil: the Spec of a node that declares no output. The methods of a nil
// *Spec act like those of a Spec with AnyValue. (value.Undeclared is something else: a
// function about a field.)
var Undeclared *Spec

// A Spec describes the output that a node declares.
type Spec struct {
	// Step is the key of the node that has the output, for messages, and Kind is its
	// flow.Node.Kind, such as "bash" or "python".
	Step, Kind string
	// List means that the output is a list of objects with the fields.
	List bool
	// AnyValue means that the node declares no output, so that any value is valid; Of[any]
	// sets it. A nil *Spec, such as Undeclared, means the same.
	AnyValue bool
	// Fields are the declared fields; an output may have others.
	Fields []Field
	// Schema is a JSON Schema that the output must satisfy, or nil. If it is set, Check
	// must be set too.
	Schema json.RawMessage
	// Check validates a value by a schema: structured.Check. It is a field so that only
	// programs with schemas link a validator.
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

// The fields for values that are not data.
const (
	// fieldText is a program's text.
	fieldText = "_output"
	// fieldReply is an agent's text.
	fieldReply = "_raw"
	// fieldData is data of a reply that is not an object.
	fieldData = "_data"
	// fieldFault describes the fault of an output that is shown to a reviewer.
	fieldFault = "_validation_error"
	// fieldArtifact is the path of the file with a program's text.
	fieldArtifact = "_artifact"
	// fieldApproved says that a person accepted the output.
	fieldApproved = "approved"
)

// newFault returns the failure of an output that is not what the step says.
func (s *Spec) newFault(format string, args ...any) error {
	return &flow.Failure{Reason: "output", ExitCode: -1, Message: s.displayName() + ": " + fmt.Sprintf(format, args...)}
}

func (s *Spec) displayName() string {
	switch {
	case s == nil || s.Step == "":
		return "the output"
	case s.Kind == "":
		return fmt.Sprintf("the output of step `%s`", s.Step)
	}
	return fmt.Sprintf("the output of %s step `%s`", s.Kind, s.Step)
}

// encodeOutput returns an output as it is kept.
func (s *Spec) encodeOutput(v py.Value) (string, error) {
	text, err := encodeJSON(v)
	if err != nil {
		return "", s.newFault("%v", err)
	}
	return text, nil
}

// encodeJSON renders a value as compact JSON.
func encodeJSON(v py.Value) (string, error) {
	text, err := py.Dumps(v, py.DumpsOptions{Separated: true, ItemSeparator: ",", KeySeparator: ":", KeepUnicode: true, NoNaN: true})
	if err != nil {
		return "", fmt.Errorf("it cannot be kept as JSON: %w", err)
	}
	return text, nil
}

// newObject returns an object of one field.
func newObject(key string, v py.Value) *py.Dict {
	d := py.NewDict()
	setField(d, key, v)
	return d
}

// setField sets a field of an object that is far from being too large.
func setField(d *py.Dict, key string, v py.Value) {
	if err := d.SetStr(key, v); err != nil {
		panic(fmt.Sprintf("field %s: %v", key, err))
	}
}

// FromEdit returns the output for the JSON or YAML that a person wrote to replace it. It
// converts and checks fields by the spec and fills in defaults. The error says what is
// invalid.
func (s *Spec) FromEdit(text string) (string, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimFunc(text, scalar.IsSpace) == "" {
		return "", s.newFault("it is empty: write it as YAML or JSON")
	}
	v, err := py.Loads(text)
	if err != nil {
		if v, err = parseYAML(text); err != nil {
			return "", s.newFault("it is neither JSON nor YAML: %v", err)
		}
	}
	if !isStructured(v) && (s == nil || s.Schema == nil) {
		return "", s.newFault("it must be an object or a list, written as YAML or JSON, but it is %s", describeValue(v))
	}
	if d, ok := v.(*py.Dict); ok {
		d.DeleteStr(fieldFault) // of the shown output
	}
	return s.checkAndEncode(v)
}

// checkAndEncode returns a value, converted and checked, as it is kept.
func (s *Spec) checkAndEncode(v py.Value) (string, error) {
	v, err := s.checkValue(v)
	if err != nil {
		return "", err
	}
	return s.encodeOutput(v)
}

// Accept returns the output that a person accepted. An object gets the field `approved`
// with the value true; any other output stays as it is. It is an error if
// FromReviewedReply found the output invalid.
func (s *Spec) Accept(text string) (string, error) {
	v, err := py.Loads(text)
	if err != nil {
		return text, nil // a plain text
	}
	d, ok := v.(*py.Dict)
	if !ok {
		return text, nil
	}
	if fault, there := d.GetStr(fieldFault); there {
		what, err := py.Text(fault)
		if err != nil {
			return "", s.newFault("%v", err)
		}
		return "", &flow.Failure{Reason: "output", ExitCode: -1, Message: what}
	}
	if err := d.SetStr(fieldApproved, py.Bool(true)); err != nil {
		return "", s.newFault("%v", err)
	}
	return s.encodeOutput(d)
}

// FromInput returns the output for a value that the run's caller passed to replace that
// of the node. It is for flow.Node.Replace. A string is parsed like the edit of a person;
// any other value must encode to JSON. FromEdit then converts and checks both. ok is
// false if v is nil.
func (s *Spec) FromInput(v any) (text string, ok bool, err error) {
	switch v := v.(type) {
	case nil:
		return "", false, nil
	case string:
		text = v
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return "", false, s.newFault("the value cannot be written as JSON: %v", err)
		}
		text = string(raw)
	}
	if text, err = s.FromEdit(text); err != nil {
		return "", false, err
	}
	return text, true, nil
}

// FromAcceptedInput is FromInput for a node whose output is reviewed: the caller of the run
// has accepted the output by passing it.
func (s *Spec) FromAcceptedInput(v any) (text string, ok bool, err error) {
	if text, ok, err = s.FromInput(v); ok {
		text, err = s.Accept(text)
	}
	return text, ok && err == nil, err
}

package output

import (
	"encoding/json"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Edited makes the output of what a person wrote in its place: JSON or YAML. It
// is converted and checked by the spec, and defaults are filled in; so is an
// output that is given as an input.
func (s *Spec) Edited(text string) (string, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimFunc(text, blank) == "" {
		return "", s.fault("it is empty: write it as YAML or JSON")
	}
	v, err := py.FromJSON(text)
	if err != nil {
		if v, err = parseYAML(text); err != nil {
			return "", s.fault("it is neither JSON nor YAML: %v", err)
		}
	}
	if !structured(v) && (s == nil || s.Schema == "") {
		return "", s.fault("it must be an object or a list, written as YAML or JSON, but it is %s", shown(v))
	}
	if d, ok := v.(*py.Dict); ok {
		d.DeleteStr(fieldFault) // of what was shown
	}
	if v, err = s.checked(v); err != nil {
		return "", err
	}
	return s.text(v)
}

// Accepted returns an output that a person has accepted: an object gets the field
// `approved`, which is true; anything else stays as it is. What Proposed found
// something wrong with is not accepted.
func (s *Spec) Accepted(text string) (string, error) {
	v, err := py.FromJSON(text)
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
			return "", s.fault("%v", err)
		}
		return "", &flow.Failure{Reason: "output", ExitCode: -1, Message: what}
	}
	if err := d.SetStr(fieldApproved, py.Bool(true)); err != nil {
		return "", s.fault("%v", err)
	}
	return s.text(d)
}

// Given makes the output of what a caller gave in place of it: a text, which is
// read as what a person wrote is, or any other value that JSON can hold. ok is
// false when nothing was given, which is nil.
func (s *Spec) Given(v any) (text string, ok bool, err error) {
	switch v := v.(type) {
	case nil:
		return "", false, nil
	case string:
		text = v
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return "", false, s.fault("what was given cannot be written as JSON: %v", err)
		}
		text = string(raw)
	}
	if text, err = s.Edited(text); err != nil {
		return "", false, err
	}
	return text, true, nil
}

// GivenAccepted is Given for a step whose output is reviewed: whoever gives it
// has accepted it.
func (s *Spec) GivenAccepted(v any) (text string, ok bool, err error) {
	if text, ok, err = s.Given(v); ok {
		text, err = s.Accepted(text)
	}
	return text, ok && err == nil, err
}

// Edited is Edited of a step that says nothing of its output.
func Edited(text string) (string, error) { return (*Spec)(nil).Edited(text) }

// Accepted is Accepted of a step that says nothing of its output.
func Accepted(text string) (string, error) { return (*Spec)(nil).Accepted(text) }

// Given is Given of a step that says nothing of its output.
func Given(v any) (text string, ok bool, err error) { return (*Spec)(nil).Given(v) }

// GivenAccepted is GivenAccepted of a step that says nothing of its output.
func GivenAccepted(v any) (text string, ok bool, err error) { return (*Spec)(nil).GivenAccepted(v) }

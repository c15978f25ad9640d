package output

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Edited makes the output of what a person wrote in its place: JSON or YAML. It
// is converted and checked by the spec, and defaults are filled in; so is an
// output that is given as an input.
func (s *Spec) Edited(text string) (string, error) {
	text = strings.TrimFunc(strings.ToValidUTF8(text, "\uFFFD"), blank)
	if text == "" {
		return "", s.fault("it is empty: write it as YAML or JSON")
	}
	v, err := py.FromJSON(text)
	if err != nil {
		if v, err = parseYAML(text); err != nil {
			return "", s.fault("it is neither JSON nor YAML: %v", err)
		}
	}
	anything := s != nil && (s.Any || s.Schema != "")
	if !structured(v) && !anything {
		return "", s.fault("it must be an object or a list, written as YAML or JSON, but it is %s", shown(v))
	}
	if v, err = s.checked(v); err != nil {
		return "", err
	}
	return s.text(v)
}

// Accepted returns an output that a person has accepted: an object gets the field
// `approved`, which is true; anything else stays as it is.
func (s *Spec) Accepted(text string) (string, error) {
	v, err := py.FromJSON(text)
	if err != nil {
		return text, nil // a plain text
	}
	d, ok := v.(*py.Dict)
	if !ok {
		return text, nil
	}
	if err := d.SetStr(fieldApproved, py.Bool(true)); err != nil {
		return "", s.fault("%v", err)
	}
	return s.text(d)
}

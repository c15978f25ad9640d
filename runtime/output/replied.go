package output

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Replied makes the output of what an agent replied. Without a spec it is the
// field _raw with the reply. With one it is the JSON, or the YAML object or list,
// in the first fenced block that holds some, or else of the whole reply; what is
// no object is the field _data, unless a list is what the spec wants. A reply
// without any data is the field _raw. Data is converted and checked by the spec,
// and defaults are filled in.
// The error of an agent that failed is returned.
func (s *Spec) Replied(r flow.Result, failed error) (string, error) {
	if failed != nil {
		return "", failed
	}
	v, err := s.replied(r.Text)
	if err != nil {
		return "", err
	}
	return s.text(v)
}

// Proposed is Replied for a reply that a person reviews. One that does not fit is
// no failure: it is shown with the field _validation_error, so that the person can
// mend it or have it made again; Accepted does not accept it.
func (s *Spec) Proposed(r flow.Result, failed error) (string, error) {
	if failed != nil {
		return "", failed
	}
	reply := r.Text
	v, fault := s.replied(reply)
	if fault == nil {
		return s.text(v)
	}
	v, found := data(strings.ToValidUTF8(reply, "\uFFFD"))
	d, isObject := v.(*py.Dict)
	switch {
	case !found:
		d = object(fieldReply, py.Str(reply))
	case !isObject:
		d = object(fieldData, v)
	}
	put(d, fieldFault, py.Str(fault.Error()))
	return s.text(d)
}

func (s *Spec) replied(reply string) (py.Value, error) {
	reply = strings.ToValidUTF8(reply, "\uFFFD")
	if s == nil || s.Any && s.Schema == "" {
		return object(fieldReply, py.Str(reply)), nil
	}
	v, found := data(reply)
	if !found {
		if s.List {
			return nil, s.fault("the reply holds no list: %s", excerpt(reply))
		}
		raw := object(fieldReply, py.Str(reply))
		return raw, s.fill(raw)
	}
	if _, isObject := v.(*py.Dict); !isObject && !s.List && s.Schema == "" {
		v = object(fieldData, v)
	}
	return s.checked(v)
}

// data finds the data in a reply.
func data(reply string) (v py.Value, found bool) {
	for _, candidate := range append(fenced(reply), reply) {
		candidate = strings.TrimFunc(candidate, blank)
		if v, err := py.FromJSON(candidate); err == nil {
			if finite(v) {
				return v, true
			}
			continue
		}
		if v, err := parseYAML(candidate); err == nil && structured(v) && finite(v) {
			return v, true
		}
	}
	return nil, false
}

// finite reports whether all numbers of a value are numbers of JSON, and not NaN or
// an infinity.
func finite(v py.Value) bool {
	switch v := v.(type) {
	case py.Float:
		return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case *py.List:
		return !slices.ContainsFunc(v.Items(), func(item py.Value) bool { return !finite(item) })
	case *py.Dict:
		return v.Each(func(_, value py.Value) error {
			if !finite(value) {
				return errNotFinite
			}
			return nil
		}) == nil
	}
	return true
}

var errNotFinite = errors.New("not a number of JSON")

// structured reports whether a value is an object or a list.
func structured(v py.Value) bool {
	switch v.(type) {
	case *py.Dict, *py.List:
		return true
	}
	return false
}

// fenced returns the bodies of the closed fenced blocks that may hold data: those
// that name no language, JSON or YAML. Blocks of other languages are passed over
// whole.
func fenced(text string) []string {
	var bodies []string
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		info, opens := strings.CutPrefix(strings.TrimSpace(lines[i]), "```")
		if !opens {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
			end++
		}
		if end == len(lines) {
			continue // it is not closed
		}
		if slices.Contains([]string{"", "json", "yaml", "yml"}, strings.ToLower(strings.TrimSpace(info))) {
			bodies = append(bodies, strings.Join(lines[i+1:end], ""))
		}
		i = end
	}
	return bodies
}

// excerpt shows the beginning of a text in a message.
func excerpt(text string) string {
	const length = 60
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > length {
		text = string(runes[:length]) + "…"
	}
	return "'" + text + "'"
}

package schema

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/value"
)

// write returns a value as JSON. Unlike value.Encode it keeps the spelling of
// numbers.
func write(v value.Value) string {
	switch v := v.(type) {
	case value.Number:
		return string(v)
	case value.Array:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = write(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *value.Object:
		var out members
		out.copy(v, nil)
		return out.String()
	}
	return value.Encode(v)
}

// members are the members of a JSON object, in the order in which they are
// added.
type members struct{ text strings.Builder }

func (m *members) add(key, json string) {
	if m.text.Len() > 0 {
		m.text.WriteByte(',')
	}
	m.text.WriteString(value.Encode(value.String(key)) + ":" + json)
}

// copy adds the members of an object whose keys pass the filter; nil passes all.
func (m *members) copy(o *value.Object, filter func(key string) bool) {
	for _, key := range o.Keys() {
		if filter == nil || filter(key) {
			v, _ := o.Get(key)
			m.add(key, write(v))
		}
	}
}

func (m *members) String() string { return "{" + m.text.String() + "}" }

// object parses the members.
func (m *members) object() *value.Object {
	v, err := value.Parse(m.String())
	if err != nil {
		panic(err) // all members were parsed from JSON
	}
	return v.(*value.Object)
}

package suite

import (
	"bytes"
	"encoding/json"
	"slices"
)

// An object is an object of JSON with its keys in order.
type object struct {
	keys   []string
	values []any
}

func newObject() *object { return &object{} }

// add adds a key with a value. It leaves out an object without keys.
func (o *object) add(key string, value any) {
	if inner, ok := value.(*object); ok && len(inner.keys) == 0 {
		return
	}
	o.keys, o.values = append(o.keys, key), append(o.values, value)
}

func (o *object) hasKey(key string) bool { return slices.Contains(o.keys, key) }

// MarshalJSON implements json.Marshaler.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// testFileJSON returns a test file in JSON.
func testFileJSON(workflow string, tests ...*object) string {
	o := newObject()
	if workflow != "" {
		o.add("workflow", workflow)
	}
	o.add("tests", tests)
	return encodeJSON(o)
}

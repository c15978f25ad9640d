package stream

import (
	"bytes"
	"encoding/json"
)

// Services make replies satisfy schemas of objects only. Any other schema is put
// into an object with one key, and the reply is taken out of it.

// wrapper is the key of that object.
const wrapper = "value"

// definitions are the keys whose schemas are referred to from the root.
var definitions = []string{"$defs", "definitions"}

// Root returns a schema whose root is an object, and whether the reply is in its
// key wrapper.
func Root(schema json.RawMessage) (object json.RawMessage, wrapped bool) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(schema, &keys) != nil || keys == nil {
		return schema, false
	}
	if bytes.Equal(bytes.TrimSpace(keys["type"]), []byte(`"object"`)) {
		return schema, false
	}
	if keys["type"] == nil && keys["properties"] != nil {
		keys["type"] = json.RawMessage(`"object"`)
		return encode(keys), false
	}
	root := map[string]json.RawMessage{
		"type": json.RawMessage(`"object"`), "required": json.RawMessage(`["` + wrapper + `"]`),
		"additionalProperties": json.RawMessage("false"),
	}
	for _, key := range definitions {
		if d, ok := keys[key]; ok {
			root[key] = d
			delete(keys, key)
		}
	}
	delete(keys, "$schema")
	root["properties"] = encode(map[string]json.RawMessage{wrapper: encode(keys)})
	return encode(root), true
}

func encode(keys map[string]json.RawMessage) json.RawMessage {
	text, err := json.Marshal(keys)
	if err != nil {
		panic(err) // all values were decoded from JSON
	}
	return text
}

// Unwrap takes a reply out of the object that Root made for it. What is not such
// an object is returned as it is.
func Unwrap(reply json.RawMessage) json.RawMessage {
	var keys map[string]json.RawMessage
	if json.Unmarshal(reply, &keys) == nil && len(keys) == 1 && keys[wrapper] != nil {
		return keys[wrapper]
	}
	return reply
}

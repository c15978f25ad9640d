package plain

import (
	"bytes"
	"encoding/json"
)

// EncodeJSON returns a value as JSON in one line, in which <, > and & stay as they are.
func EncodeJSON(v any) ([]byte, error) {
	text, err := encodeJSON(v, "")
	return bytes.TrimSuffix(text, []byte("\n")), err
}

// MustEncodeJSON is EncodeJSON for a value that surely has a JSON form, such as a string.
func MustEncodeJSON(v any) []byte {
	text, err := EncodeJSON(v)
	if err != nil {
		panic(err)
	}
	return text
}

// FormatJSON returns a value as JSON for people, in lines.
func FormatJSON(v any) ([]byte, error) { return encodeJSON(v, "  ") }

func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

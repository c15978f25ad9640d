package process

import (
	"bytes"
	"encoding/json"
)

// MaskJSON masks the strings in a JSON value, keys included, and leaves the rest of
// it as it is: spelling, order and all. What is not JSON is masked as a text, and
// becomes a JSON string.
func MaskJSON(environ []string, value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return nil
	}
	m := newMasker(environ)
	if !json.Valid(value) {
		return quote(m.text(string(value)))
	}
	if len(m.byFirst) == 0 {
		return value
	}
	var out bytes.Buffer
	for rest := []byte(value); len(rest) > 0; {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			out.Write(rest)
			break
		}
		end := begin + 1
		for rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end++
		out.Write(rest[:begin])
		out.Write(m.literal(rest[begin:end]))
		rest = rest[end:]
	}
	return out.Bytes()
}

// literal masks one string of a JSON value.
func (m *masker) literal(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	masked := m.text(text)
	if masked == text {
		return quoted
	}
	return quote(masked)
}

// quote is a text as a JSON string, in which HTML's characters stay as they are.
func quote(text string) []byte { return []byte(`"` + withinJSON(text, false) + `"`) }

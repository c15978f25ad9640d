package recording

import (
	"bytes"
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/process"
)

// masker hides the secrets of an environment.
type masker struct{ environ []string }

// newMasker returns a masker. It also knows secrets as they are written within
// JSON: a text may hold that.
func newMasker(environ []string) *masker { return &masker{process.Secrets(environ, nil)} }

func (m *masker) text(text string) string { return process.Mask(m.environ, text) }

// json masks the texts in a JSON value, and leaves the rest of it as it is:
// spelling, order and all. What is no JSON is masked as a text.
func (m *masker) json(value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return nil
	}
	if !json.Valid(value) {
		text, err := json.Marshal(m.text(string(value)))
		if err != nil {
			panic(err) // a text encodes
		}
		return text
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

// literal masks one text of a JSON value.
func (m *masker) literal(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	masked := m.text(text)
	if masked == text {
		return quoted
	}
	out, err := line(masked)
	if err != nil {
		return quoted
	}
	return bytes.TrimSuffix(out, []byte("\n"))
}

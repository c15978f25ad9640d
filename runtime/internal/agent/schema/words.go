package schema

import (
	"encoding/json"
	"strings"
)

// Instruct returns a prompt that describes the schema to a model in words. It is
// for models that no service holds to schemas. Without a schema it returns the
// prompt unchanged.
func Instruct(prompt string, schema json.RawMessage) string {
	if len(schema) == 0 {
		return prompt
	}
	return prompt + "\n\nAnswer with a single JSON value and nothing else: no words around it, no code fence. It must satisfy this JSON Schema:\n" + string(schema)
}

// mostStarts bounds the places in a text that are tried as the beginning of an
// object.
const mostStarts = 200

// Extract finds the JSON in an agent's answer: the first fenced block that is
// JSON, else the whole text, else the first object in it. It returns nil when
// there is none.
func Extract(text string) json.RawMessage {
	for _, block := range fenced(text) {
		if json.Valid([]byte(block)) {
			return json.RawMessage(strings.TrimSpace(block))
		}
	}
	if whole := strings.TrimSpace(text); json.Valid([]byte(whole)) {
		return json.RawMessage(whole)
	}
	rest := text
	for range mostStarts {
		start := strings.IndexByte(rest, '{')
		if start < 0 {
			return nil
		}
		rest = rest[start:]
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&object) == nil {
			return object
		}
		rest = rest[1:]
	}
	return nil
}

// fenced returns the contents of the fenced blocks that have no language or are
// said to be JSON.
func fenced(text string) []string {
	const fence = "```"
	var blocks, block []string
	in, wanted := false, false
	for line := range strings.Lines(text) {
		mark, isFence := strings.CutPrefix(strings.TrimSpace(line), fence)
		switch {
		case isFence && !in:
			in, wanted = true, mark == "" || strings.EqualFold(mark, "json")
		case isFence && mark == "":
			if wanted {
				blocks = append(blocks, strings.Join(block, ""))
			}
			in, block = false, nil
		case in:
			block = append(block, line)
		}
	}
	return blocks
}

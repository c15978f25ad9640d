package output

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Replied makes the output of what an agent replied. Without a spec it is the
// field _raw with the reply. With one it is the JSON, or the YAML object or list,
// in the first fenced block that holds some, or else of the whole reply; what is
// no object is the field _data, unless a list is what the spec wants. A reply
// without any data is the field _raw. Data is converted and checked by the spec,
// and defaults are filled in.
func (s *Spec) Replied(reply string) (string, error) {
	reply = strings.ToValidUTF8(reply, "\uFFFD")
	if s == nil || s.Any && s.Schema == "" {
		return s.text(object(fieldReply, py.Str(reply)))
	}
	v, found := data(reply)
	if !found {
		if s.List {
			return "", s.fault("the reply holds no list: %s", excerpt(reply))
		}
		raw := object(fieldReply, py.Str(reply))
		if err := s.fill(raw); err != nil {
			return "", err
		}
		return s.text(raw)
	}
	if _, isObject := v.(*py.Dict); !isObject && !s.List && s.Schema == "" {
		v = object(fieldData, v)
	}
	v, err := s.checked(v)
	if err != nil {
		return "", err
	}
	return s.text(v)
}

// data finds the data in a reply.
func data(reply string) (v py.Value, found bool) {
	for _, candidate := range append(fenced(reply), reply) {
		candidate = strings.TrimFunc(candidate, blank)
		if v, err := py.FromJSON(candidate); err == nil {
			return v, true
		}
		if v, err := parseYAML(candidate); err == nil && structured(v) {
			return v, true
		}
	}
	return nil, false
}

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

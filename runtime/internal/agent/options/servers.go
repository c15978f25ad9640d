package options

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/value"
)

// A Server is an MCP server that a prompt brings to its agent, and how to reach it.
type Server struct {
	Name string
	// Type is "stdio", "http" or "sse".
	Type string
	// Command and Args start a server of type stdio, with Env as variables.
	Command string
	Args    []string
	Env     []ServerValue
	// URL and Headers reach one of another type.
	URL     string
	Headers []ServerValue
	// keys are all settings as they were written.
	keys map[string]json.RawMessage
}

// A ServerValue is a variable or a header of a server.
type ServerValue struct {
	Name string
	// Text is the value, with $NAME and ${NAME} replaced by the values of
	// variables of the environment.
	Text string
	// Variable is the variable whose value alone the text is, or "".
	Variable string
	// Literal says that there is no variable in it.
	Literal bool
}

// ReadServers reads an object of servers by name, in the order of their names. missing
// are the referenced variables that are not set; they expand to "". The error names
// the invalid server.
func ReadServers(object json.RawMessage, environ []string) (list []Server, missing []string, err error) {
	var byName map[string]json.RawMessage
	if len(object) == 0 {
		return nil, nil, nil
	}
	if err := json.Unmarshal(object, &byName); err != nil {
		return nil, nil, fmt.Errorf("the MCP servers must be a JSON object: %w", plain.JSONError(err, string(object)))
	}
	if inner, ok := byName["mcpServers"]; ok && len(byName) == 1 {
		return ReadServers(inner, environ)
	}
	x := &expander{environ: environ}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		s, err := x.parseServer(name, byName[name])
		if err != nil {
			return nil, nil, fmt.Errorf("the MCP server `%s`: %w", name, err)
		}
		list = append(list, *s)
	}
	slices.Sort(x.missing)
	return list, slices.Compact(x.missing), nil
}

// expander replaces variables by their values.
type expander struct {
	environ []string
	missing []string
}

func (x *expander) parseServer(name string, text json.RawMessage) (*Server, error) {
	s := &Server{Name: name}
	var written struct {
		Type    string            `json:"type"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(text, &written); err != nil {
		return nil, plain.JSONError(err, "")
	}
	if err := json.Unmarshal(text, &s.keys); err != nil || s.keys == nil {
		return nil, fmt.Errorf("its settings must be an object")
	}
	s.Type, s.Command, s.Args, s.URL = written.Type, written.Command, written.Args, written.URL
	s.Env, s.Headers = x.expandValues(written.Env), x.expandValues(written.Headers)
	switch {
	case s.Type == "" && s.Command != "":
		s.Type = "stdio"
	case s.Type == "" && s.URL != "", s.Type == "streamable-http", s.Type == "streamable_http":
		s.Type = "http"
	}
	types := []string{"stdio", "http", "sse"}
	switch {
	case s.Type == "stdio" && s.Command == "":
		return nil, fmt.Errorf("it needs a `command`")
	case (s.Type == "http" || s.Type == "sse") && s.URL == "":
		return nil, fmt.Errorf("it needs a `url`")
	case s.Type == "":
		return nil, fmt.Errorf("it needs a `command` or a `url`")
	case !slices.Contains(types, s.Type):
		return nil, errors.New(plain.UnknownName("type", s.Type, types))
	}
	return s, nil
}

func (x *expander) expandValues(written map[string]string) []ServerValue {
	var list []ServerValue
	for name, text := range written {
		v := ServerValue{Name: name}
		var only []string
		v.Text, only = x.expandVariables(text)
		v.Literal = len(only) == 0
		if len(only) == 1 && (text == "$"+only[0] || text == "${"+only[0]+"}") {
			v.Variable = only[0]
		}
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b ServerValue) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// reference is $NAME or ${NAME}.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)
})

// expandVariables replaces references to variables, and returns their names. Any other $
// stays.
func (x *expander) expandVariables(text string) (expanded string, names []string) {
	expanded = reference().ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${}")
		names = append(names, name)
		if !x.isVariableSet(name) {
			x.missing = append(x.missing, name)
		}
		return process.Variable(x.environ, name)
	})
	return expanded, names
}

func (x *expander) isVariableSet(name string) bool {
	return slices.ContainsFunc(x.environ, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
}

// Setting returns a further setting as it was written, or nil.
func (s *Server) Setting(key string) json.RawMessage { return s.keys[key] }

// JSON returns the settings as they were written, with the values of its
// variables and headers.
func (s *Server) JSON() json.RawMessage {
	keys := maps.Clone(s.keys)
	keys["type"] = encodeJSON(s.Type)
	for key, values := range map[string][]ServerValue{"env": s.Env, "headers": s.Headers} {
		if len(values) == 0 {
			continue
		}
		m := make(map[string]json.RawMessage, len(values))
		for _, v := range values {
			m[v.Name] = encodeJSON(v.Text)
		}
		keys[key] = encodeJSON(m)
	}
	return encodeJSON(keys)
}

// encodeJSON returns a text, or an object of JSON values, as JSON.
func encodeJSON[T string | map[string]json.RawMessage](v T) json.RawMessage {
	return json.RawMessage(value.Encode(v)) // strings encode, and the rest was decoded from JSON
}

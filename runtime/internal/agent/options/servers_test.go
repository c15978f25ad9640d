package options_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
)

var environ = []string{"A=old", "A=one", "B_2=", "TOKEN=t\"\n"}

func TestReadServers(t *testing.T) {
	list, missing, err := options.ReadServers(json.RawMessage(`{
		"z": {"command": "c", "args": ["$A"], "env": {"X": "$A", "Y": "${A}-$B_2-${C}$", "Z": "100$ ${", "W": "$TOKEN"}, "own": [1]},
		"h": {"url": "http://x/$A", "headers": {"K": "Bearer ${TOKEN}"}},
		"s": {"type": "sse", "url": "u"}, "t": {"type": "streamable-http", "url": "u"}}`), environ)
	if err != nil {
		t.Fatal(err)
	}
	var names, kinds []string
	for _, s := range list {
		names, kinds = append(names, s.Name), append(kinds, s.Type)
	}
	if !slices.Equal(names, []string{"h", "s", "t", "z"}) || !slices.Equal(kinds, []string{"http", "sse", "http", "stdio"}) {
		t.Errorf("got %q %q", names, kinds)
	}
	if !slices.Equal(missing, []string{"C"}) {
		t.Errorf("missing %q", missing)
	}
	z := list[3]
	if want := []options.ServerValue{
		{Name: "W", Text: "t\"\n", Variable: "TOKEN"}, {Name: "X", Text: "one", Variable: "A"},
		{Name: "Y", Text: "one--$"}, {Name: "Z", Text: "100$ ${", Literal: true},
	}; !slices.Equal(z.Env, want) {
		t.Errorf("variables %+v", z.Env)
	}
	if z.Command != "c" || !slices.Equal(z.Args, []string{"$A"}) || string(z.Setting("own")) != "[1]" || z.Setting("none") != nil {
		t.Errorf("got %+v", z)
	}
	if got, want := string(z.JSON()), `{"args":["$A"],"command":"c","env":{"W":"t\"\n","X":"one","Y":"one--$","Z":"100$ ${"},"own":[1],"type":"stdio"}`; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := string(list[0].JSON()), `{"headers":{"K":"Bearer t\"\n"},"type":"http","url":"http://x/$A"}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestReadWrappedServers(t *testing.T) {
	list, _, err := options.ReadServers(json.RawMessage(`{"mcpServers":{"s":{"command":"c"}}}`), nil)
	if err != nil || len(list) != 1 || list[0].Name != "s" {
		t.Errorf("got %+v, %v", list, err)
	}
	if list, _, err := options.ReadServers(nil, nil); err != nil || list != nil {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestRefusedServers(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                                  "the MCP servers must be a JSON object",
		`{"s":1}`:                             "the MCP server `s`: ",
		`{"s":null}`:                          "the MCP server `s`: its settings must be an object",
		`{"s":{}}`:                            "it needs a `command` or a `url`",
		`{"s":{"type":"stdio","url":"u"}}`:    "it needs a `command`",
		`{"s":{"type":"http","command":"c"}}`: "it needs a `url`",
		`{"s":{"type":"ws","url":"u"}}`:       "unknown type `ws`: use one of `stdio`, `http`, `sse`",
		`{"s":{"command":"c","env":{"A":["x"]}}}`: "the MCP server `s`: ",
	} {
		if _, _, err := options.ReadServers(json.RawMessage(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func FuzzReadServers(f *testing.F) {
	f.Add(`{"s":{"command":"c","env":{"A":"${A}$B$"}}}`)
	f.Add(`{"mcpServers":{"mcpServers":{"url":"u","headers":{"A":"$${A"}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, _, err := options.ReadServers(json.RawMessage(text), environ)
		if err != nil {
			return
		}
		for i := range list {
			if !json.Valid(list[i].JSON()) {
				t.Errorf("%s", list[i].JSON())
			}
		}
	})
}

package trigger_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

const issue = `{"issue": {"title": "It crashes", "number": 7, "big": 12345678901234567890, "body": null, "labels": [{"name": "bug"}, {"name": "ui"}], "a/b": {"~": "odd"}}, "draft": false, "tags": ["x", 2], "word": "seven", "": "empty"}`

func TestLookup(t *testing.T) {
	for pointer, want := range map[string]string{
		"": issue, "/issue/title": `"It crashes"`, "/issue/labels/1/name": `"ui"`, "/issue/a~1b/~0": `"odd"`, "/": `"empty"`,
		"/issue/labels/2": "", "/issue/labels/01": "", "/issue/labels/-1": "", "/issue/labels/name": "", "/issue/title/x": "", "/nobody": "", "issue": "", "/issue/a~1b/~": `"odd"`,
	} {
		got, found := trigger.Lookup(json.RawMessage(issue), pointer)
		if string(got) != want || found != (want != "") {
			t.Errorf("%q is %s, %v; want %s", pointer, got, found, want)
		}
	}
}

func TestPayload(t *testing.T) {
	p := trigger.NewPayload(json.RawMessage(issue))
	for got, want := range map[string]string{
		p.Text("issue", "number"): "7", p.Text("issue", "body"): "", p.Text("nobody"): "", p.Text("issue", "labels", "0", "name"): "bug", p.Text("draft"): "false",
	} {
		if got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
	}
	if p.True("draft") || p.True("nobody") || p.True("issue", "body") || !p.True("issue") || !p.True("word") || !p.True("issue", "number") {
		t.Error("the truth is wrong")
	}
	if !p.Contains("x", "tags") || !p.Contains(json.RawMessage("2"), "tags") || p.Contains("2", "tags") || !p.Contains("title", "issue") || !p.Contains("eve", "word") || p.Contains("x", "nobody") {
		t.Error("what contains what is wrong")
	}
	if n := p.Number("issue", "number"); n != 7 || p.Err() != nil {
		t.Errorf("the number is %v, %v", n, p.Err())
	}
	if p.Number("word"); p.Err() == nil || p.Err().Error() != "`payload.word` is compared as a number, but it is \"seven\"" {
		t.Error(p.Err())
	}
}

func TestMap(t *testing.T) {
	def := &flow.Definition{Name: "triage", Inputs: []flow.InputInfo{
		{Name: "title", Type: "line"}, {Name: "number", Type: "int", Default: "1"}, {Name: "note", Type: "text", Default: `"none"`}, {Name: "data", Type: "json", Default: "null"},
	}}
	of := func(name, pointer string) settings.MappedValue {
		return settings.MappedValue{Name: name, Pointer: pointer}
	}
	for _, c := range []struct {
		what   string
		inputs []settings.MappedValue
		want   string
	}{
		{"values", []settings.MappedValue{of("title", "/issue/title"), of("number", "/issue/number"), of("data", "/issue/labels")}, `{"data":[{"name":"bug"},{"name":"ui"}],"number":7,"title":"It crashes","note":"none"}`},
		{"a number as text", []settings.MappedValue{of("title", "/issue/big")}, `{"title":"12345678901234567890","number":1,"note":"none","data":null}`},
		{"null has the default of the input", []settings.MappedValue{of("title", "/word"), of("note", "/issue/body")}, `{"title":"seven","number":1,"note":"none","data":null}`},
		{"its own default", []settings.MappedValue{{Name: "title", Pointer: "/nobody", Default: `"unnamed"`}}, `{"title":"unnamed","number":1,"note":"none","data":null}`},
		{"a constant", []settings.MappedValue{{Name: "title", Literal: `"fixed"`}}, `{"title":"fixed","number":1,"note":"none","data":null}`},
		{"a missing value", []settings.MappedValue{of("title", "/nobody")}, "! the payload has nothing at `/nobody`, which is input `title`"},
		{"a wrong type", []settings.MappedValue{of("title", "/word"), of("number", "/word")}, "! input `number`: \"seven\" is not an integer"},
		{"a missing input", nil, "! the inputs of workflow triage: missing input `title`"},
	} {
		r, err := (&trigger.Trigger{Trigger: settings.Trigger{Inputs: c.inputs}}).Map(def, json.RawMessage(issue), "")
		got := ""
		var unfit *trigger.MappingError
		switch {
		case errors.As(err, &unfit):
			got = "! " + err.Error()
		case err != nil:
			t.Error(err)
		default:
			got = string(r.Inputs)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	s := &trigger.Trigger{Trigger: settings.Trigger{Signal: &settings.Signal{Event: "merged", Match: []settings.MappedValue{of("number", "/issue/number")}, Payload: "/issue/labels"}}}
	r, err := s.Map(def, json.RawMessage(issue), "")
	if err != nil || string(r.Match["number"]) != "7" || r.Text != `[{"name":"bug"},{"name":"ui"}]` || r.Event != "merged" {
		t.Errorf("%+v, %v", r, err)
	}
	s.When = func(p *trigger.Payload) bool { return p.True("draft") }
	if r, err := s.Map(def, json.RawMessage(issue), ""); r != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

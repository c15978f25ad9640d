// Package trigger takes the inputs of a run, or an event, from what arrives: the payload of a
// webhook, of a changed file or of a new commit. Generated programs list their triggers, in the
// field Triggers of cli.Program:
//
//	triggers := []trigger.Trigger{{
//		Trigger: settings.Trigger{
//			On:     settings.TriggerSource{Webhook: settings.WebhookGitHub, Path: "/hooks/triage", SecretVariable: "GITHUB_SECRET"},
//			Inputs: []settings.MappedValue{{Name: "arguments", Pointer: "/issue/title"}},
//		},
//		When: func(p *trigger.Payload) bool { return p.Text("action") == "opened" },
//	}}
//
// A payload is hostile: it becomes values of inputs, which never run as code.
package trigger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Trigger starts runs of a workflow, or reports events to them.
type Trigger struct {
	settings.Trigger
	// When is the condition, or nil. A value that it reads may be missing; Payload.Err then
	// says what could not be decided.
	When func(p *Payload) bool
}

// Name describes the trigger in few words, such as "webhook /hooks/triage". It is unique among
// the triggers of a workflow that have different sources.
func (t *Trigger) Name() string {
	switch on := &t.On; {
	case on.Webhook != "":
		return "webhook " + on.Path
	case on.Files != "":
		return "files " + on.Files
	case on.Repository != "":
		return "branch " + on.Branch + " of " + on.Repository
	default:
		return "branch " + on.Branch
	}
}

// A Request is what a trigger does with a payload.
type Request struct {
	// Inputs are those of the run to start, a JSON object.
	Inputs json.RawMessage `json:"inputs,omitempty"`
	// Event is the event to report in place of that, to the run of the id Run, or to the runs
	// whose inputs have the values of Match. Text is what the runs get.
	Event string                     `json:"event,omitempty"`
	Run   string                     `json:"run,omitempty"`
	Match map[string]json.RawMessage `json:"match,omitempty"`
	Text  string                     `json:"text,omitempty"`
	// Answer is the answer to a question, in place of both.
	Answer *Answer `json:"answer,omitempty"`
}

// A MappingError says why a payload doesn't fit the trigger.
type MappingError struct{ reason string }

func (e *MappingError) Error() string { return e.reason }

// Map returns what the trigger does with a payload, a JSON document; nil means nothing, because
// the condition does not hold. A payload that doesn't fit is a *MappingError. Relative paths
// in inputs start from dir.
func (t *Trigger) Map(def *flow.Definition, payload json.RawMessage, dir string) (*Request, error) {
	if t.When != nil {
		p := &Payload{raw: payload}
		holds := t.When(p)
		if p.err != nil {
			return nil, &MappingError{"the condition cannot be decided: " + p.err.Error()}
		}
		if !holds {
			return nil, nil
		}
	}
	m := mapper{def: def, payload: payload, dir: dir}
	if len(t.Answer) > 0 {
		return readAnswer(payload), nil
	}
	if t.Signal != nil {
		return m.event(t.Signal)
	}
	values, err := m.values(t.Inputs)
	if err != nil {
		return nil, err
	}
	given, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	inputs, err := input.Complete(def, given, dir)
	if err != nil {
		return nil, &MappingError{err.Error()}
	}
	return &Request{Inputs: inputs}, nil
}

// A mapper takes values from a payload.
type mapper struct {
	def     *flow.Definition
	payload json.RawMessage
	dir     string
}

// values returns the values of inputs. One that the payload lacks is left out.
func (m *mapper) values(list []settings.MappedValue) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for _, v := range list {
		in := m.input(v.Name)
		found, value := true, json.RawMessage(v.Literal)
		if v.Literal == "" {
			value, found = Lookup(m.payload, v.Pointer)
		}
		if !found || string(value) == "null" {
			if v.Default == "" {
				if in.Default == "" {
					return nil, &MappingError{fmt.Sprintf("the payload has nothing at `%s`, which is input `%s`", v.Pointer, v.Name)}
				}
				continue
			}
			value = json.RawMessage(v.Default)
		}
		value, err := input.Value(in, scalarAsText(in, value), m.dir)
		if err != nil {
			return nil, &MappingError{fmt.Sprintf("input `%s`: %s", v.Name, plain.Clip(plain.Line(err.Error()), 200))}
		}
		values[v.Name] = value
	}
	return values, nil
}

// scalarAsText returns a value for an input: for one that is a string, values of other kinds are
// their JSON.
func scalarAsText(in flow.InputInfo, value json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	isText := in.Type == "text" || in.Type == "line" || in.Type == "word"
	if !isText || len(value) == 0 || value[0] == '"' || string(value) == "null" || json.Compact(&b, value) != nil {
		return value
	}
	text, _ := json.Marshal(b.String()) // every string has a JSON form
	return text
}

func (m *mapper) input(name string) flow.InputInfo {
	if i := slices.IndexFunc(m.def.Inputs, func(in flow.InputInfo) bool { return in.Name == name }); i >= 0 {
		return m.def.Inputs[i]
	}
	return flow.InputInfo{Name: name, Type: "json", Default: "null"}
}

// event returns the event that a payload is.
func (m *mapper) event(s *settings.Signal) (*Request, error) {
	r := &Request{Event: s.Event}
	if s.Run != "" {
		value, _ := Lookup(m.payload, s.Run)
		if json.Unmarshal(value, &r.Run) != nil || r.Run == "" {
			return nil, &MappingError{fmt.Sprintf("the payload has no id of a run at `%s`", s.Run)}
		}
	} else {
		match, err := m.values(s.Match)
		if err != nil {
			return nil, err
		}
		if len(match) < len(s.Match) {
			return nil, &MappingError{"the payload lacks a value that selects runs"}
		}
		r.Match = match
	}
	value, found := Lookup(m.payload, s.Payload)
	if !found {
		return nil, &MappingError{fmt.Sprintf("the payload has nothing at `%s`", s.Payload)}
	}
	if json.Unmarshal(value, &r.Text) != nil {
		var b bytes.Buffer
		if err := json.Compact(&b, value); err != nil {
			return nil, &MappingError{"the payload is not JSON"}
		}
		r.Text = b.String()
	}
	return r, nil
}

// Lookup returns the value at a place in a JSON document, by a JSON Pointer (RFC 6901); false if
// there is none.
func Lookup(document json.RawMessage, pointer string) (json.RawMessage, bool) {
	if pointer == "" {
		return document, len(document) > 0
	}
	if pointer[0] != '/' {
		return nil, false
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	keys := strings.Split(pointer[1:], "/")
	for i := range keys {
		keys[i] = unescape.Replace(keys[i])
	}
	return follow(document, keys)
}

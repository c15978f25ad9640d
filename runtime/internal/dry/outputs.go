package dry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// Outputs are scripted outputs of steps by key: a node's id, or the key of a part such as
// `fix#2` or `gate#1`. The output for a node with parts holds for each iteration or
// question without a separate output.
type Outputs struct {
	keys   []string // in the order of the file
	values map[string]*scripted
}

// scripted is the output for one key.
type scripted struct {
	raw  json.RawMessage
	used bool
}

// An UnknownNodeError says that an output was given for a node that is none of
// the workflow's.
type UnknownNodeError struct{ Node string }

func (e *UnknownNodeError) Error() string {
	return fmt.Sprintf("unknown node `%s`", e.Node)
}

// An OutputError says that a step could not have its scripted output.
type OutputError struct {
	Key string
	Err error
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("the output of `%s`: %v", e.Key, e.Err)
}

// Unwrap returns the fault of the output.
func (e *OutputError) Unwrap() error { return e.Err }

// ReadOutputs reads a JSON object of outputs: of each key a text, any other
// value for a structured output, {"choice": "reject", "text": "…"} for a
// question, or {"fail": "message"}. Keys that no step of the workflow can have
// are errors, of unknown nodes an *UnknownNodeError.
func ReadOutputs(text []byte, nodes []flow.NodeInfo) (*Outputs, error) {
	o := &Outputs{values: map[string]*scripted{}}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil {
		return nil, notJSON(err, text)
	} else if t != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, notJSON(err, text)
		}
		key := t.(string) // of an object
		value := &scripted{}
		if err := d.Decode(&value.raw); err != nil {
			return nil, notJSON(err, text)
		}
		if err := checkKey(key, nodes); err != nil {
			return nil, err
		}
		if o.values[key] != nil {
			return nil, fmt.Errorf("duplicate key `%s`", key)
		}
		if string(value.raw) == "null" {
			return nil, fmt.Errorf("`%s` is null: give a string, or leave it out", key)
		}
		o.keys = append(o.keys, key)
		o.values[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err, text)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one JSON object")
	}
	return o, nil
}

func notJSON(err error, text []byte) error {
	return fmt.Errorf("it is not JSON: %w", plain.JSONError(err, string(text)))
}

// checkKey reports whether a step of the workflow can have the key.
func checkKey(key string, nodes []flow.NodeInfo) error {
	n, ok := stepkey.NodeOf(nodes, key)
	if !ok {
		if i := slices.IndexFunc(nodes, func(n flow.NodeInfo) bool { return isGroup(n) && strings.HasPrefix(key, n.Key+".") }); i >= 0 {
			n, ok = nodes[i], true
		}
	}
	if !ok {
		node := key
		if i := strings.IndexAny(key, "#/[@"); i > 0 {
			node = key[:i]
		}
		return &UnknownNodeError{Node: node}
	}
	id, rest := n.Key, key[len(n.Key):]
	children := n.Kind == "parallel" || n.Kind == "for"
	inside, name, isInside := strings.Cut(rest, ".")
	switch part := parts().MatchString; {
	case part(rest), isGroup(n) && isInside && name != "" && part(inside):
		return nil
	case children && !strings.HasSuffix(rest, "/") && part(rest[:max(0, strings.LastIndexByte(rest, '/'))]) && !strings.ContainsAny(path.Base(rest), "#[@"):
		return nil
	case children:
		return fmt.Errorf("step `%s` cannot have a part `%s`: items are written `%s[0]`, children `%s/NAME` or `%s[0]/NAME`", id, rest, id, id, id)
	}
	return fmt.Errorf("node `%s` cannot have a part `%s`: iterations and questions are written `%s#1`, their parts `%s#1/until`, `%s#1/gate` or `%s/rework#1`, further attempts `%s/attempt2#1`, reviews `%s/review#1`, reviewed outputs `%s/make1`", id, rest, id, id, id, id, id, id, id)
}

// parts are what the kernel appends to a node's id.
var parts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[#@][0-9]+|\[[0-9]+\]|/(?:until|gate|rework|review)|/(?:attempt|make)[0-9]+)*$`)
})

// isGroup reports whether nodes are inside a node: their steps are fix#2.test, or fix.test
// in every iteration.
func isGroup(n flow.NodeInfo) bool { return len(n.Inside) > 0 && n.Inside[0].Key != n.Key }

// unusedKeys returns the keys that were never asked for.
func (o *Outputs) unusedKeys() []string {
	if o == nil {
		return nil
	}
	var list []string
	for _, key := range o.keys {
		if !o.values[key].used {
			list = append(list, key)
		}
	}
	return list
}

// scriptedFor returns the scripted output for a step, or nil. A node's id includes its iterations
// and questions in all attempts, and a child's key the child in each iteration; but a
// node's id does not include the reviews of its output.
func (o *Outputs) scriptedFor(key string) json.RawMessage {
	if o == nil {
		return nil
	}
	candidates := []string{key, stepkey.Unnumbered(key)}
	if i := strings.LastIndexAny(key, "#[@"); i > 0 && !strings.Contains(key[i:], "/") {
		candidates = append(candidates, key[:i]) // the node's id may look like a part's
	}
	for _, k := range candidates {
		if v := o.values[k]; v != nil {
			v.used = true
			return v.raw
		}
	}
	return nil
}

// failureMessage returns the message of a {"fail": "message"}.
func failureMessage(raw json.RawMessage) (message string, ok bool) {
	var v struct{ Fail *string }
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&v) != nil || v.Fail == nil {
		return "", false
	}
	return *v.Fail, true
}

// outputText is the text of a scripted output: the value of a JSON string, and the JSON
// of any other value.
func outputText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// readAnswer reads the answer to a question.
func readAnswer(raw json.RawMessage, q flow.Question) (flow.Result, error) {
	var v struct {
		Choice string `json:"choice"`
		Text   string `json:"text"`
	}
	form := "give {\"choice\": \"" + strings.Join(q.Choices, "|") + "\", \"text\": \"…\"}"
	if len(q.Choices) == 0 {
		form = "give a string"
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	switch {
	case json.Unmarshal(raw, &v.Text) == nil:
		if slices.Contains(q.Choices, v.Text) {
			v.Choice, v.Text = v.Text, ""
		}
	default:
		v.Text = ""
		if d.Decode(&v) != nil {
			return flow.Result{}, fmt.Errorf("%s is not an answer: %s", raw, form)
		}
	}
	if len(q.Choices) > 0 && !slices.Contains(q.Choices, v.Choice) {
		return flow.Result{}, fmt.Errorf("unknown answer %s: %s", raw, form)
	}
	if len(q.Choices) == 0 && v.Choice != "" {
		return flow.Result{}, fmt.Errorf("the question has no choices: %s", form)
	}
	return flow.Result{Status: flow.Completed, Text: v.Text, Meta: flow.Meta{Choice: v.Choice}}, nil
}

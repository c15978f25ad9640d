// Package scripted is the agent that answers from a file: for tests, demos and
// trying out a workflow without a model.
//
// The file is one JSON object. Its keys are steps, its values lists of replies:
//
//	{
//	  "classify": ["first answer", {"text": "second", "cost": 0.02}],
//	  "fix#3":    ["only in the third iteration of fix"],
//	  "*":        ["for every step that is not named"]
//	}
//
// A step's turns take the replies one after the other; the last one repeats. A
// step that iterates ("fix#3", "review@5", "items[2]") takes the list of its own
// key, else the one of the key without iterations ("fix"), which its iterations
// then go through together, in the order in which they come, also those of
// further attempts at the whole loop ("fix/attempt2#1") and what is made again for a
// reviewer ("fix/make2"), else the list of "*", which every step goes through by itself. A step for which there is no
// list gets ECHO[its prompt].
//
// A reply is a text or an object:
//
//	text          the answer
//	chunks        a list of texts: the answer in pieces, as they are shown
//	structured    the answer as JSON, for prompts with a schema
//	throw         the turn fails with this message
//	class         "transient" or "fatal": the class of the failure, else it is
//	              told from the message
//	isError       the turn ends as an error of the agent's own, with
//	errorSubtype  its kind, such as "error_max_turns" or "error_max_budget_usd",
//	errors        and a list of messages
//	cost          what the turn cost in US dollars
//	delayMs       how long the agent thinks
//	session       the session's id
//
// Which reply is next outlives the process: a resumed run goes on where it was.
// A turn that was under way when its process died gets the same reply again;
// see package turns.
package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A Reply is one scripted answer.
type Reply struct {
	Text         string          `json:"text"`
	Chunks       []string        `json:"chunks"`
	Structured   json.RawMessage `json:"structured"`
	Throw        string          `json:"throw"`
	Class        flow.Class      `json:"class"`
	IsError      bool            `json:"isError"`
	ErrorSubtype string          `json:"errorSubtype"`
	Errors       []string        `json:"errors"`
	Cost         float64         `json:"cost"`
	// DelayMs is in milliseconds.
	DelayMs float64 `json:"delayMs"`
	Session string  `json:"session"`
}

// UnmarshalJSON reads a text or an object.
func (r *Reply) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &r.Text)
	}
	type fields Reply
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode((*fields)(r)); err != nil {
		return plain.JSONError(err, "")
	}
	switch r.Class {
	case flow.ClassUnknown, flow.ClassTransient, flow.ClassFatal:
	default:
		return fmt.Errorf("a reply has the class %q; there are \"transient\", \"fatal\" and none", r.Class)
	}
	if r.Text != "" && r.Chunks != nil {
		return fmt.Errorf("a reply has both text and chunks; give one")
	}
	if string(r.Structured) == "null" {
		r.Structured = nil
	}
	return nil
}

// all returns the whole text of the reply.
func (r *Reply) all() string { return r.Text + strings.Join(r.Chunks, "") }

// pieces returns the text as it comes.
func (r *Reply) pieces() []string {
	if r.Chunks != nil || r.Text == "" {
		return r.Chunks
	}
	return []string{r.Text}
}

// Replies are the replies by step.
type Replies map[string][]Reply

// Read reads a file of replies.
func Read(path string) (Replies, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the scripted replies: %w", err)
	}
	replies, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the scripted replies in %s: %w", path, err)
	}
	return replies, nil
}

// Parse reads replies from JSON.
func Parse(text []byte) (Replies, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var replies Replies
	if err := d.Decode(&replies); err != nil {
		return nil, plain.JSONError(err, string(text))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON object")
	}
	for step, list := range replies {
		if len(list) == 0 {
			return nil, fmt.Errorf("the list of `%s` is empty; give it a reply or leave it out", step)
		}
	}
	return replies, nil
}

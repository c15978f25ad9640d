package codex

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/plain"
)

// event is an event of any type.
type event struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"`
	Item    *item  `json:"item"`
	Usage   *usage `json:"usage"`
	Message string `json:"message"`
	Error   *fault `json:"error"`
}

type fault struct {
	Message string `json:"message"`
}

// item is an item of any type.
type item struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Status  string          `json:"status"`
	Command json.RawMessage `json:"command"`
	Output  string          `json:"aggregated_output"`
	Changes []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Query   string `json:"query"`
	Message string `json:"message"`
	Error   *fault `json:"error"`
}

// command returns the command of a command_execution.
func (i *item) command() string {
	var text string
	if json.Unmarshal(i.Command, &text) == nil {
		return text
	}
	return string(i.Command)
}

// read decodes an event and returns an error when a known one lacks what it
// cannot be understood without. Of one that is not known, only the type is read.
func read(line []byte) (*event, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, short(err)
	}
	missing := func(what string) error {
		return fmt.Errorf("it is an event `%s` without `%s`", kind.Type, what)
	}
	e := &event{Type: kind.Type}
	switch kind.Type {
	case "":
		return nil, errors.New("it has no `type`")
	case "thread.started", "item.started", "item.updated", "item.completed", "turn.completed", "turn.failed", "error":
		if err := json.Unmarshal(line, e); err != nil {
			return nil, fmt.Errorf("it is no event `%s` as it should be: %w", kind.Type, short(err))
		}
	}
	switch kind.Type {
	case "thread.started":
		if e.Thread == "" {
			return nil, missing("thread_id")
		}
	case "item.started", "item.updated", "item.completed":
		if e.Item == nil || e.Item.Type == "" {
			return nil, missing("item.type")
		}
	case "turn.failed":
		if e.Error == nil {
			return nil, missing("error")
		}
	}
	return e, nil
}

// short drops Go's names of types from an error of decoding.
func short(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("`%s` is a %s", wrong.Field, wrong.Value)
	}
	return plain.JSONError(err, "")
}

package flow

import "encoding/json"

// FinalText returns the whole output of a settled node, or "" when it did not
// complete. Unlike Text it never fails: it is for a workflow's outputs, which
// are collected however the nodes ended.
func (t *Task[T]) FinalText() string {
	if t.status != Completed {
		return ""
	}
	return t.out.Text
}

// Final returns the typed output of a settled node, or its type's zero value
// when it did not complete: nil for the pointers to structs that generated code
// uses.
func (t *Task[T]) Final() T {
	if t.status != Completed {
		var zero T
		return zero
	}
	return t.out.Value
}

// FinalValue returns a pointer to the typed output of a settled node, or nil when it did
// not complete.
func (t *Task[T]) FinalValue() *T {
	if t.status != Completed {
		return nil
	}
	return &t.out.Value
}

// FinalJSON returns the output of a settled node whose text is JSON, or nil when
// it did not complete.
func (t *Task[T]) FinalJSON() json.RawMessage {
	if t.status != Completed || !json.Valid([]byte(t.out.Text)) {
		return nil
	}
	return json.RawMessage(t.out.Text)
}

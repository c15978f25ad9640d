package flow

// FinalText returns the whole output of a settled node, or "" when it did not
// complete. Unlike Text it never fails: it is for a workflow's outputs, which
// are collected however the nodes ended.
func (t *Task[T]) FinalText() string {
	if t.status != Completed {
		return ""
	}
	return t.out.Text
}

// FinalValue returns the typed output of a settled node, or nil when it did
// not complete.
func (t *Task[T]) FinalValue() *T {
	if t.status != Completed {
		return nil
	}
	return &t.out.Value
}

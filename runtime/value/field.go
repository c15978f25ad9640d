package value

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Reasons for which a field cannot be read; a *FieldError has one of them.
const (
	// Unparseable: the output is not a JSON object.
	Unparseable = "unparseable"
	// MissingKey: the object has no such field.
	MissingKey = "missing-key"
)

// A FieldError is why a field of an output cannot be read.
type FieldError struct {
	// Reason is Unparseable or MissingKey.
	Reason string
	detail string
	null   bool // the path goes on below a null
}

func (e *FieldError) Error() string { return e.detail }

// Lookup follows a path into the JSON object that a text holds; see Find. The
// error is a *FieldError.
func Lookup(text string, path ...string) (Value, error) {
	v, err := Find(text)
	if err != nil {
		return nil, &FieldError{Reason: Unparseable, detail: "is not a JSON object but " + excerpt(text)}
	}
	for i, key := range path {
		o, ok := v.(*Object)
		if !ok {
			what := "is"
			if i > 0 {
				what = fmt.Sprintf("has in `%s`", strings.Join(path[:i], "."))
			}
			_, null := v.(Null)
			return nil, &FieldError{Reason: Unparseable, detail: fmt.Sprintf("%s not a JSON object but %s", what, excerpt(v.Text())), null: null && i > 0}
		}
		if v, ok = o.Get(key); !ok {
			return nil, &FieldError{Reason: MissingKey, detail: fmt.Sprintf("has no field `%s`%s", strings.Join(path[:i+1], "."), known(o))}
		}
	}
	return v, nil
}

// known lists an object's keys for a message.
func known(o *Object) string {
	const most = 10
	keys := o.Keys()
	if len(keys) == 0 {
		return ": it is an empty object"
	}
	more := ""
	if len(keys) > most {
		keys, more = keys[:most], ", …"
	}
	return "; it has `" + strings.Join(keys, "`, `") + "`" + more
}

// Field reads a field of the output of a node that does not declare its
// fields. It fails when the node did not complete, when its output is not a
// JSON object, and when the field is not there; null reads as "null". ref is
// how the workflow wrote the reference. The error is a *flow.Failure.
func Field[T any](from *flow.Task[T], ref string, path ...string) (string, error) {
	if _, err := from.Value(ref); err != nil {
		return "", err
	}
	if text, unknown := from.StandIn(path...); unknown {
		return text, nil
	}
	v, err := Lookup(from.Out().Text, path...)
	if err != nil {
		return "", failure(ref, from.Key(), err)
	}
	return v.Text(), nil
}

// Declared reads a field that its node declares. It fails when the node did
// not complete and when its output is not a JSON object; a field that is not
// there or null reads as empty. ref is how the workflow wrote the reference.
// The error is a *flow.Failure.
func Declared[T any](from *flow.Task[T], ref string, path ...string) (string, error) {
	if _, err := from.Value(ref); err != nil {
		return "", err
	}
	if text, unknown := from.StandIn(path...); unknown {
		return text, nil
	}
	return declared(from.Out().Text, from.Key(), ref, path)
}

// Undeclared is what reading a field comes to that its node's schema does not
// declare: the field is missing, also when the reply has it. It fails when the node
// did not complete, and always otherwise. ref is how the workflow wrote the
// reference. The error is a *flow.Failure.
func Undeclared[T any](from *flow.Task[T], ref, field string) (string, error) {
	if _, err := from.Value(ref); err != nil {
		return "", err
	}
	if text, unknown := from.StandIn(field); unknown {
		return text, nil
	}
	return "", &flow.Failure{
		Reason:  "reference",
		Message: fmt.Sprintf("`%s` cannot be read: the `output_format` of node `%s` does not declare the field `%s`", ref, from.Key(), field),
	}
}

func declared(text, node, ref string, path []string) (string, error) {
	v, err := Lookup(text, path...)
	var why *FieldError
	if errors.As(err, &why) && (why.Reason == MissingKey || why.null) {
		return "", nil
	}
	if err != nil {
		return "", failure(ref, node, err)
	}
	if _, null := v.(Null); null {
		return "", nil
	}
	return v.Text(), nil
}

func failure(ref, node string, err error) error {
	return &flow.Failure{
		Reason: "reference",
		Message: fmt.Sprintf("`%s` cannot be read: the output of node `%s` %v: make the node print such an object, or declare its fields with `output_format`",
			ref, node, err),
	}
}

package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Decode returns the typed value of a structured output's text. The JSON is in the first
// code fence that is plain or marked as json, or else it is the whole text. Unlike
// encoding/json, Decode follows JSON Schema: the case of names matters; a field that is
// not optional must be there; and an integer may be written 1.0 or 1e3. The error says,
// in words for people, that the text is not JSON or which field does not fit T; it is not
// a *flow.Failure.
func Decode[T any](text string) (T, error) {
	var out T
	v, err := jsonvalue.Find(text)
	if err != nil {
		return out, err
	}
	v, err = conformToType(v, reflect.TypeFor[T](), "")
	if err != nil {
		return out, err
	}
	err = json.Unmarshal([]byte(jsonvalue.Exact(v)), &out)
	return out, plain.JSONError(err, "")
}

// conformToType brings a value into the form in which encoding/json decodes it into
// a type as Decode promises.
func conformToType(v jsonvalue.Value, t reflect.Type, at string) (jsonvalue.Value, error) {
	if _, null := v.(jsonvalue.Null); null {
		switch t.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Slice:
			return v, nil
		}
		return nil, fmt.Errorf("%sis null", placePrefix(at))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return conformToType(v, t.Elem(), at)
	case reflect.Int64:
		if n, ok := v.(jsonvalue.Number); ok {
			return wholeNumber(n, at)
		}
	case reflect.Slice:
		if list, ok := v.(jsonvalue.Array); ok {
			return conformArray(list, t, at)
		}
	case reflect.Struct:
		o, ok := v.(*jsonvalue.Object)
		if !ok {
			return nil, fmt.Errorf("%sis not an object", placePrefix(at))
		}
		return conformObject(o, t, at)
	}
	return v, nil
}

func conformArray(list jsonvalue.Array, t reflect.Type, at string) (jsonvalue.Value, error) {
	out := make(jsonvalue.Array, len(list))
	for i, e := range list {
		var err error
		if out[i], err = conformToType(e, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func conformObject(o *jsonvalue.Object, t reflect.Type, at string) (jsonvalue.Value, error) {
	out := &jsonvalue.Object{}
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		below := strings.TrimPrefix(at+"."+name, ".")
		v, ok := o.Get(name)
		if !ok {
			if option == "omitempty" {
				continue
			}
			return nil, fmt.Errorf("`%s` is missing", below)
		}
		v, err := conformToType(v, t.Field(i).Type, below)
		if err != nil {
			return nil, err
		}
		out.Set(name, v)
	}
	return out, nil
}

// wholeNumber returns the number as a 64-bit whole number.
func wholeNumber(n jsonvalue.Number, at string) (jsonvalue.Value, error) {
	if _, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return nil, fmt.Errorf("%sis not an integer of 64 bits but %s", placePrefix(at), n)
	}
	return jsonvalue.Number(strconv.FormatInt(int64(f), 10)), nil
}

func placePrefix(at string) string {
	if at == "" {
		return "it "
	}
	return "`" + at + "` "
}

// Reasons for which a field cannot be read; a *fieldError has one of them.
const (
	// unparseable: the output is not a JSON object.
	unparseable = "unparseable"
	// missingKey: the object has no such field.
	missingKey = "missing-key"
)

// A fieldError is why a field of an output cannot be read.
type fieldError struct {
	// Reason is unparseable or missingKey.
	Reason string
	detail string
	null   bool // the path continues below a null
}

func (e *fieldError) Error() string { return e.detail }

// lookUpPath follows a path into the JSON object that a text holds; see findJSON. The
// error is a *fieldError.
func lookUpPath(text string, path ...string) (jsonvalue.Value, error) {
	v, err := jsonvalue.Find(text)
	if err != nil {
		return nil, &fieldError{Reason: unparseable, detail: "is not a JSON object but " + quoteStart(text)}
	}
	for i, key := range path {
		o, ok := v.(*jsonvalue.Object)
		if !ok {
			what := "is"
			if i > 0 {
				what = fmt.Sprintf("has in `%s`", strings.Join(path[:i], "."))
			}
			_, null := v.(jsonvalue.Null)
			return nil, &fieldError{Reason: unparseable, detail: fmt.Sprintf("%s not a JSON object but %s", what, quoteStart(v.Text())), null: null && i > 0}
		}
		if v, ok = o.Get(key); !ok {
			return nil, &fieldError{Reason: missingKey, detail: fmt.Sprintf("has no field `%s`%s", strings.Join(path[:i+1], "."), listKeys(o))}
		}
	}
	return v, nil
}

// listKeys lists an object's keys for a message.
func listKeys(o *jsonvalue.Object) string {
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

// Field reads a field of the output of a node without a schema. null is the string "null".
// The error is a *flow.Failure: the node did not complete, its output is not a JSON
// object, or the field is missing. ref is the reference in the workflow, for the message.
func Field[T any](from *flow.Task[T], ref string, path ...string) (string, error) {
	return readField(from, reading{ref: ref, path: path})
}

// FieldOrEmpty reads a field that the node's schema declares: a string as it is, any other
// value as JSON. A missing field, which the schema may allow, or null is the empty string.
// The error is a *flow.Failure: the node did not complete, or its output is not a JSON
// object. ref is the reference in the workflow, for the message.
func FieldOrEmpty[T any](from *flow.Task[T], ref string, path ...string) (string, error) {
	return readField(from, reading{ref: ref, path: path, mayMiss: true})
}

// FieldText is [FieldOrEmpty] for a node that has completed and whose output has a struct as
// its Go type, so that nothing can fail. It panics otherwise.
func FieldText[T any](from *flow.Task[T], path ...string) string {
	text, err := FieldOrEmpty(from, "$"+from.Key()+".output", path...)
	if err != nil {
		panic(err)
	}
	return text
}

// ScalarField is [Field] for a value to compare: an object or a list is an error, too.
func ScalarField[T any](from *flow.Task[T], ref string, path ...string) (string, error) {
	return readField(from, reading{ref: ref, path: path, scalar: true})
}

// ScalarFieldOrEmpty is [FieldOrEmpty] for a value to compare: an object or a list is an
// error, too.
func ScalarFieldOrEmpty[T any](from *flow.Task[T], ref string, path ...string) (string, error) {
	return readField(from, reading{ref: ref, path: path, scalar: true, mayMiss: true})
}

// A reading says how a field is read.
type reading struct {
	ref  string
	path []string
	// scalar refuses objects and lists, and mayMiss makes a missing field and null empty.
	scalar, mayMiss bool
}

func readField[T any](from *flow.Task[T], r reading) (string, error) {
	if _, err := from.RequireValue(r.ref); err != nil {
		return "", err
	}
	text := from.MustOutput().Text
	if symbol, ok := kernel.SymbolField(text, r.path...); ok {
		return symbol, nil
	}
	v, err := lookUpPath(text, r.path...)
	if why, ok := errors.AsType[*fieldError](err); r.mayMiss && ok && (why.Reason == missingKey || why.null) {
		return "", nil
	}
	if err != nil {
		return "", referenceFailure(r.ref, from.Key(), err)
	}
	kind := ""
	switch v.(type) {
	case *jsonvalue.Object:
		kind = "an object"
	case jsonvalue.Array:
		kind = "a list"
	case jsonvalue.Null:
		if r.mayMiss {
			return "", nil
		}
	}
	if r.scalar && kind != "" {
		return "", &flow.Failure{
			Reason:  "reference",
			Message: fmt.Sprintf("`%s` cannot be compared: it is %s; compare a value inside it that node `%s` gives as a field", r.ref, kind, from.Key()),
		}
	}
	return v.Text(), nil
}

// Undeclared returns the error of a reference to a field that the node's schema does not
// declare, even if the reply has the field: a *flow.Failure, which says so or that the
// node did not complete. The string is "". Generated code
// calls Undeclared in place of Field, so it has the same results. ref is the reference in
// the workflow, for the message.
func Undeclared[T any](from *flow.Task[T], ref, field string) (string, error) {
	if _, err := from.RequireValue(ref); err != nil {
		return "", err
	}
	if symbol, ok := kernel.SymbolField(from.MustOutput().Text, field); ok {
		return symbol, nil
	}
	return "", &flow.Failure{
		Reason:  "reference",
		Message: fmt.Sprintf("`%s` cannot be read: the `output_format` of node `%s` does not declare the field `%s`", ref, from.Key(), field),
	}
}

func referenceFailure(ref, node string, err error) error {
	return &flow.Failure{
		Reason: "reference",
		Message: fmt.Sprintf("`%s` cannot be read: the output of node `%s` %v: make the node print such an object, or declare its fields with `output_format`",
			ref, node, err),
	}
}

// Argument parses text, a part of a workflow that runs another one, as the value of an
// input of that other workflow: an int64, float64 or bool, or any JSON value as a
// json.RawMessage. For a json.RawMessage, an empty text is the JSON string "". The error
// is a *flow.Failure that names the input.
func Argument[T any](text, input string) (T, error) {
	var out T
	if reflect.TypeFor[T]() == reflect.TypeFor[json.RawMessage]() {
		v, err := jsonvalue.Find(text)
		switch {
		case text == "":
			v = jsonvalue.String("")
		case err != nil:
			return out, argumentFailure(input, text)
		}
		reflect.ValueOf(&out).Elem().SetBytes([]byte(Encode(v)))
		return out, nil
	}
	out, err := Decode[T](text)
	if err != nil {
		return out, argumentFailure(input, text)
	}
	return out, nil
}

func argumentFailure(input, text string) error {
	return &flow.Failure{Reason: kernel.InvalidInput, Message: fmt.Sprintf("input `%s` cannot be %s", input, quoteStart(text))}
}

// FieldIsTrue returns a function that reports whether a text is a JSON object whose field of
// this name is the bool true.
func FieldIsTrue(field string) func(text string) bool {
	return func(text string) bool {
		v, err := jsonvalue.Parse(text)
		if err != nil {
			return false
		}
		o, ok := v.(*jsonvalue.Object)
		if !ok {
			return false
		}
		at, _ := o.Get(field)
		is, _ := at.(jsonvalue.Bool)
		return bool(is)
	}
}

package value

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/plain"
)

// Decode makes the typed value of a structured output's text. Beyond what
// encoding/json does it keeps to the letter of JSON Schema: names match
// exactly, not in any case; a field that is not optional must be there; and a
// whole number may be written 1.0 or 1e3.
func Decode[T any](text string) (T, error) {
	var out T
	v, err := Find(text)
	if err != nil {
		return out, err
	}
	v, err = conform(v, reflect.TypeFor[T](), "")
	if err != nil {
		return out, err
	}
	err = json.Unmarshal([]byte(JSON(v)), &out)
	return out, plain.JSONError(err, "")
}

// conform brings a value into the form in which encoding/json decodes it into
// a type as Decode promises.
func conform(v Value, t reflect.Type, at string) (Value, error) {
	if _, null := v.(Null); null {
		switch t.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Slice:
			return v, nil
		}
		return nil, fmt.Errorf("%sis null", place(at))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return conform(v, t.Elem(), at)
	case reflect.Int64:
		if n, ok := v.(Number); ok {
			return whole(n, at)
		}
	case reflect.Float64:
		if n, ok := v.(Number); ok {
			return exact{n}, nil
		}
	case reflect.Slice:
		if list, ok := v.(Array); ok {
			return conformArray(list, t, at)
		}
	case reflect.Struct:
		o, ok := v.(*Object)
		if !ok {
			return nil, fmt.Errorf("%sis not an object", place(at))
		}
		return conformObject(o, t, at)
	case reflect.Interface:
		return verbatim(v), nil
	}
	return v, nil
}

func conformArray(list Array, t reflect.Type, at string) (Value, error) {
	out := make(Array, len(list))
	for i, e := range list {
		var err error
		if out[i], err = conform(e, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func conformObject(o *Object, t reflect.Type, at string) (Value, error) {
	out := &Object{values: map[string]Value{}}
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
		v, err := conform(v, t.Field(i).Type, below)
		if err != nil {
			return nil, err
		}
		out.keys = append(out.keys, name)
		out.values[name] = v
	}
	return out, nil
}

// whole returns the number as a 64-bit whole number.
func whole(n Number, at string) (Value, error) {
	if _, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return exact{n}, nil
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return nil, fmt.Errorf("%sis not a whole number of 64 bits but %s", place(at), n)
	}
	return exact{Number(strconv.FormatInt(int64(f), 10))}, nil
}

// exact is a number that is written as it stands, without JavaScript's
// rounding.
type exact struct{ Number }

func (n exact) Text() string { return string(n.Number) }

// verbatim returns the value with all its numbers exact.
func verbatim(v Value) Value {
	switch v := v.(type) {
	case Number:
		return exact{v}
	case Array:
		out := make(Array, len(v))
		for i, e := range v {
			out[i] = verbatim(e)
		}
		return out
	case *Object:
		out := &Object{keys: v.keys, values: make(map[string]Value, len(v.values))}
		for key, e := range v.values {
			out.values[key] = verbatim(e)
		}
		return out
	}
	return v
}

func place(at string) string {
	if at == "" {
		return "it "
	}
	return "`" + at + "` "
}

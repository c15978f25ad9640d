package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// checkValue returns a value in the form of the spec: strings converted, defaults filled in.
// The error describes the first fault.
func (s *Spec) checkValue(v py.Value) (py.Value, error) {
	if s == nil {
		return v, nil
	}
	if s.Schema != nil {
		return s.bySchema(v)
	}
	d, isObject := v.(*py.Dict)
	l, isList := v.(*py.List)
	switch {
	case s.AnyValue:
		return v, nil
	case s.List && !isList:
		return nil, s.newFault("it must be a list, but it is %s", describeValue(v))
	case s.List:
		for i, item := range l.Items() {
			at := fmt.Sprintf("[%d]", i)
			element, ok := item.(*py.Dict)
			if !ok {
				return nil, s.newFault("`%s` must be an object, but it is %s", at, describeValue(item))
			}
			if err := s.checkFields(element, at+"."); err != nil {
				return nil, err
			}
		}
		return v, nil
	case !isObject:
		return nil, s.newFault("it must be an object (a JSON object, or lines of key=value), but it is %s", describeValue(v))
	}
	return v, s.checkFields(d, "")
}

// checkFields checks the fields of an object and fills in defaults.
func (s *Spec) checkFields(d *py.Dict, at string) error {
	for _, f := range s.Fields {
		v, there := d.GetStr(f.Name)
		if !there {
			if f.Default == "" && f.Required {
				return s.newFault("`%s%s` is missing", at, f.Name)
			}
			continue
		}
		v, err := f.convertValue(v)
		if err != nil {
			return s.newFault("`%s%s` %v", at, f.Name, err)
		}
		setField(d, f.Name, v)
	}
	return s.fillDefaults(d)
}

// fillDefaults gives fields that are not there their defaults.
func (s *Spec) fillDefaults(d *py.Dict) error {
	for _, f := range s.Fields {
		if _, there := d.GetStr(f.Name); there || f.Default == "" {
			continue
		}
		v, err := py.Loads(f.Default)
		if err != nil {
			return s.newFault("the default of `%s` is not JSON: %v", f.Name, err)
		}
		if err := d.SetStr(f.Name, v); err != nil {
			return s.newFault("%v", err)
		}
	}
	return nil
}

// expected describes the values of a type in messages.
var expected = map[string]string{
	"int": "an integer", "float": "a number that JSON can hold", "bool": "true or false",
	"text": "a string", "word": "a string without spaces", "path": "a string without spaces", "line": "a single line",
}

// rules are those of package scalar for fields of outputs. The original engine does
// not check that the file of a path exists.
var rules = scalar.Rules{Big: true}

// convertValue returns the value of a field as one of its type. Only strings are converted; an
// int may also be written 5.0.
func (f *Field) convertValue(v py.Value) (py.Value, error) {
	if _, null := v.(py.None); null && (f.Nullable || f.Default == "null") || f.Type == "" {
		return v, nil
	}
	given, ok := v, false
	switch v = parseAsType(v, f.Type); f.Type {
	case "int":
		v = wholeAsInt(v)
		ok = py.TypeName(v) == "int"
	case "float":
		v, ok = toFloat(v)
	case "bool":
		_, ok = v.(py.Bool)
	default:
		var text py.Str
		if text, ok = v.(py.Str); ok {
			_, err := rules.Parse(f.Type, string(text))
			ok = err == nil
		}
	}
	if !ok {
		return nil, fmt.Errorf("must be %s (%s), but it is %s", expected[f.Type], f.Type, describeValue(given))
	}
	return v, nil
}

// parseAsType reads a string as a value of the type that a field or a JSON Schema
// names; a string that is none stays.
func parseAsType(v py.Value, name string) py.Value {
	text, ok := v.(py.Str)
	if !ok {
		return v
	}
	read, _ := rules.Parse(scalar.Canonical(name), string(text))
	switch n := read.(type) {
	case bool:
		return py.Bool(n)
	case int64:
		return py.Int(n)
	case float64:
		return py.Float(n)
	case *big.Int:
		if n, err := py.Loads(n.String()); err == nil {
			return n
		}
	}
	return v
}

// wholeAsInt returns a number without a fraction as an int.
func wholeAsInt(v py.Value) py.Value {
	f, ok := v.(py.Float)
	if !ok || float64(f) != math.Trunc(float64(f)) || math.Abs(float64(f)) >= 1<<63 {
		return v
	}
	return py.Int(int64(f))
}

// toFloat returns a number, of any size, as a float that JSON can hold.
func toFloat(v py.Value) (py.Value, bool) {
	if name := py.TypeName(v); name != "int" && name != "float" {
		return v, false
	}
	text, err := py.Repr(v)
	f, ok := scalar.ParseFloat(text)
	return py.Float(f), err == nil && ok && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// describeValue shows a value in a message.
func describeValue(v py.Value) string {
	switch v := v.(type) {
	case py.Str:
		return quotedStart(string(v))
	case *py.Dict:
		return "an object"
	case *py.List:
		return "a list"
	case py.None:
		return "null"
	}
	text, err := encodeJSON(v)
	if err != nil {
		text, err = py.Repr(v)
	}
	if err != nil {
		return py.TypeName(v)
	}
	return clipLine(text)
}

// bySchema converts strings by the types in the schema and checks the value by it.
func (s *Spec) bySchema(v py.Value) (py.Value, error) {
	schema, err := py.Loads(string(s.Schema))
	if err != nil {
		return nil, s.newFault("its schema is not JSON: %v", err)
	}
	v = bySchema(schema, v)
	if d, ok := v.(*py.Dict); ok {
		if err := s.fillDefaults(d); err != nil {
			return nil, err
		}
	}
	text, err := s.encodeOutput(v)
	if err != nil {
		return nil, err
	}
	if s.Check == nil {
		return nil, s.newFault("nothing in this program can check its schema")
	}
	problems, err := s.Check(s.Schema, json.RawMessage(text))
	switch {
	case err != nil:
		return nil, s.newFault("its schema cannot be used: %v", err)
	case len(problems) > 0:
		return nil, s.newFault("%s", problems[0])
	}
	return v, nil
}

// bySchema converts the strings in a value for which a schema has another type.
func bySchema(schema, v py.Value) py.Value {
	rules, ok := schema.(*py.Dict)
	if !ok {
		return v
	}
	switch v := v.(type) {
	case *py.Dict:
		properties, ok := rules.GetStr("properties")
		fields, isObject := properties.(*py.Dict)
		if !ok || !isObject {
			return v
		}
		_ = fields.Each(func(key, rule py.Value) error {
			if name, ok := key.(py.Str); ok {
				if field, there := v.GetStr(string(name)); there {
					setField(v, string(name), bySchema(rule, field))
				}
			}
			return nil
		})
		return v
	case *py.List:
		rule, ok := rules.GetStr("items")
		if !ok {
			return v
		}
		items := make([]py.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = bySchema(rule, item)
		}
		return py.NewList(items...)
	}
	if kind, ok := rules.GetStr("type"); ok {
		if name, ok := kind.(py.Str); ok {
			return parseAsType(v, string(name))
		}
	}
	return v
}

// FromJSON returns the output of a program that must print exactly one JSON document which
// satisfies the schema: the document in compact form. It adapts flow.Context.Do to
// flow.Node.Run. An invalid output is not retried.
func (s *Spec) FromJSON(r flow.Result, err error) (string, error) {
	if err != nil || kernel.IsSymbol(r.Text) {
		return r.Text, err
	}
	text := strings.TrimSpace(r.Text)
	var document json.RawMessage
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "", s.newFault("it must be exactly one JSON document: %v", plain.JSONError(err, text))
	}
	problems, err := s.Check(s.Schema, document)
	switch {
	case err != nil:
		return "", s.newFault("its schema cannot be used: %v", err)
	case len(problems) > 0:
		return "", s.newFault("%s", strings.Join(problems, "; "))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return "", s.newFault("%v", err)
	}
	return compact.String(), nil
}

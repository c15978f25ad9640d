package output

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// checked returns a value as the spec has it: texts converted, defaults filled in.
// The error tells of the first fault.
func (s *Spec) checked(v py.Value) (py.Value, error) {
	if s == nil {
		return v, nil
	}
	if s.Schema != "" {
		return s.bySchema(v)
	}
	d, isObject := v.(*py.Dict)
	l, isList := v.(*py.List)
	switch {
	case s.Any:
		return v, nil
	case s.List && !isList:
		return nil, s.fault("it must be a list, but it is %s", shown(v))
	case s.List:
		for i, item := range l.Items() {
			at := fmt.Sprintf("[%d]", i)
			element, ok := item.(*py.Dict)
			if !ok {
				return nil, s.fault("`%s` must be an object, but it is %s", at, shown(item))
			}
			if err := s.fields(element, at+"."); err != nil {
				return nil, err
			}
		}
		return v, nil
	case !isObject:
		return nil, s.fault("it must be an object (a JSON object, or lines of key=value), but it is %s", shown(v))
	}
	return v, s.fields(d, "")
}

// fields checks the fields of an object and fills in defaults.
func (s *Spec) fields(d *py.Dict, at string) error {
	for _, f := range s.Fields {
		v, there := d.GetStr(f.Name)
		if !there {
			if f.Default == "" && f.Required {
				return s.fault("`%s%s` is missing", at, f.Name)
			}
			continue
		}
		v, err := f.convert(v)
		if err != nil {
			return s.fault("`%s%s` %v", at, f.Name, err)
		}
		put(d, f.Name, v)
	}
	return s.fill(d)
}

// fill gives fields that are not there their defaults.
func (s *Spec) fill(d *py.Dict) error {
	for _, f := range s.Fields {
		if _, there := d.GetStr(f.Name); there || f.Default == "" {
			continue
		}
		v, err := py.FromJSON(f.Default)
		if err != nil {
			return s.fault("the default of `%s` is not JSON: %v", f.Name, err)
		}
		if err := d.SetStr(f.Name, v); err != nil {
			return s.fault("%v", err)
		}
	}
	return nil
}

// convert returns the value of a field as one of its type. Only texts are
// converted; a whole number may be written 5.0 all the same.
func (f *Field) convert(v py.Value) (py.Value, error) {
	if _, null := v.(py.None); null && (f.Nullable || f.Default == "null") {
		return v, nil
	}
	v = converted(v, f.Type)
	wrong := func(what string) (py.Value, error) {
		return nil, fmt.Errorf("must be %s (%s), but it is %s", what, f.Type, shown(v))
	}
	switch f.Type {
	case "":
		return v, nil
	case "int":
		if v = whole(v); !isInt(v) {
			return wrong("a whole number")
		}
		return v, nil
	case "float":
		n, ok := toFloat(v)
		if !ok || math.IsNaN(n) || math.IsInf(n, 0) {
			return wrong("a number that JSON can hold")
		}
		return py.Float(n), nil
	case "bool":
		if _, ok := v.(py.Bool); !ok {
			return wrong("true or false")
		}
		return v, nil
	}
	text, ok := v.(py.Str)
	switch {
	case !ok:
		return wrong("a text")
	case (f.Type == "word" || f.Type == "path") && strings.ContainsFunc(string(text), blank):
		return wrong("a text without blanks")
	case f.Type == "line" && strings.Contains(string(text), "\n"):
		return wrong("a single line")
	}
	return v, nil
}

// converted reads a text as a value of a type as Python reads it; what cannot be
// read so stays.
func converted(v py.Value, kind string) py.Value {
	text, ok := v.(py.Str)
	if !ok {
		return v
	}
	switch kind {
	case "int", "integer":
		if n, err := py.ParseInt(string(text), 10); err == nil {
			return n
		}
	case "float", "number":
		if n, err := py.ParseFloat(string(text)); err == nil {
			return py.Float(n)
		}
	case "bool", "boolean":
		switch strings.ToLower(string(text)) {
		case "true", "1", "yes", "on":
			return py.Bool(true)
		case "false", "0", "no", "off":
			return py.Bool(false)
		}
	}
	return v
}

// whole returns a number without a fraction as a whole number.
func whole(v py.Value) py.Value {
	f, ok := v.(py.Float)
	if !ok || float64(f) != math.Trunc(float64(f)) || math.Abs(float64(f)) >= 1<<63 {
		return v
	}
	return py.Int(int64(f))
}

func isInt(v py.Value) bool {
	switch v.(type) {
	case py.Int, *py.Big:
		return true
	}
	return false
}

// toFloat returns a number as one of 64 bits.
func toFloat(v py.Value) (float64, bool) {
	switch v := v.(type) {
	case py.Float:
		return float64(v), true
	case py.Int:
		return float64(v), true
	case *py.Big:
		text, err := py.Repr(v)
		if err != nil {
			return 0, false
		}
		f, err := py.ParseFloat(text)
		return f, err == nil
	}
	return 0, false
}

// shown shows a value in a message.
func shown(v py.Value) string {
	switch v := v.(type) {
	case py.Str:
		return excerpt(string(v))
	case *py.Dict:
		return "an object"
	case *py.List:
		return "a list"
	case py.None:
		return "null"
	}
	text, err := encode(v)
	if err != nil {
		text, err = py.Repr(v)
	}
	if err != nil {
		return py.TypeName(v)
	}
	return strings.Trim(excerpt(text), "'")
}

// bySchema converts texts by the types in the schema and checks the value by it.
func (s *Spec) bySchema(v py.Value) (py.Value, error) {
	schema, err := py.FromJSON(s.Schema)
	if err != nil {
		return nil, s.fault("its schema is not JSON: %v", err)
	}
	v = bySchema(schema, v)
	if d, ok := v.(*py.Dict); ok {
		if err := s.fill(d); err != nil {
			return nil, err
		}
	}
	text, err := s.text(v)
	if err != nil {
		return nil, err
	}
	if s.Check == nil {
		return nil, s.fault("nothing in this program can check its schema")
	}
	problems, err := s.Check(json.RawMessage(s.Schema), json.RawMessage(text))
	switch {
	case err != nil:
		return nil, s.fault("its schema cannot be used: %v", err)
	case len(problems) > 0:
		return nil, s.fault("%s", problems[0])
	}
	return v, nil
}

// bySchema converts the texts in a value for which a schema has another type.
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
					put(v, string(name), bySchema(rule, field))
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
			return converted(v, string(name))
		}
	}
	return v
}

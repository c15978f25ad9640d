package output

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Of returns the spec of an output of type T: a struct for an object, a slice of structs
// for a list of objects, and any for any value. kind and step are Spec.Kind and Spec.Step.
// The types of fields are those of Go; tags say what Go does not:
//
//	json:"title,omitempty"   the name, and that the field may be absent
//	is:"line"                the kind of a string: word, line or path
//	default:"7"              the value of an absent field as JSON; the quotes of a string
//	                         may be missing
//	review:"true"            a field that only the review of the output adds
//	artifact:"true"          a field with the path of a file, which only the engine adds
func Of[T any](kind, step string) *Spec {
	t, s := reflect.TypeFor[T](), &Spec{Step: step, Kind: kind}
	if s.AnyValue = t.Kind() == reflect.Interface; s.AnyValue {
		return s
	}
	s.schemas = schemasOf(t)
	if s.List = t.Kind() == reflect.Slice; s.List {
		t = t.Elem()
	}
	s.Fields = fieldsOf(t)
	return s
}

// WithCheck sets Check to check, and Schema to the JSON Schema of the type from which Of made
// s. An output with nested objects or lists needs this, because Fields do not describe
// them. WithCheck returns s.
func (s *Spec) WithCheck(check func(schema, value json.RawMessage) (problems []string, err error)) *Spec {
	s.Schema, s.Check = json.RawMessage(s.schemas.whole), check
	return s
}

// ReplySchema returns the JSON Schema that an agent gets for the output of a spec that Of made.
// In it, a field with a default may be absent.
func (s *Spec) ReplySchema() []byte { return []byte(s.schemas.asked) }

// fieldsOf returns the fields of a shape.
func fieldsOf(t reflect.Type) []Field {
	var list []Field
	for f := range shapeFields(t) {
		field := Field{Name: f.name, Default: f.byDefault, Required: f.required && f.byDefault == "", Nullable: f.nullable}
		if field.Type = f.Tag.Get("is"); field.Type == "" {
			field.Type = basicName(f.elem)
		}
		list = append(list, field)
	}
	return list
}

// basicName is the name of a basic type as steps declare it, "" for others.
func basicName(t reflect.Type) string {
	if t.PkgPath() != "" {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Int64:
		return "int"
	case reflect.Float64:
		return "float"
	case reflect.Bool:
		return "bool"
	}
	return ""
}

// A shapeField is a field of a shape.
type shapeField struct {
	reflect.StructField
	name, byDefault    string
	required, nullable bool
	elem               reflect.Type // its type, without the pointer
}

// shapeFields goes through the fields of a shape that its step gives.
func shapeFields(t reflect.Type) func(yield func(shapeField) bool) {
	return func(yield func(shapeField) bool) {
		for i := range t.NumField() {
			f := shapeField{StructField: t.Field(i)}
			if f.Tag.Get("review")+f.Tag.Get("artifact") != "" {
				continue // no step gives it
			}
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			f.name, f.byDefault, f.required, f.elem = name, f.Tag.Get("default"), option != "omitempty", f.Type
			if f.elem.Kind() == reflect.Pointer {
				f.elem = f.elem.Elem()
				f.nullable = f.required || f.byDefault == "null"
			}
			if text, ok := f.Tag.Lookup("default"); ok && f.elem.Kind() == reflect.String && text != "null" && !strings.HasPrefix(text, `"`) {
				raw, _ := json.Marshal(text) // of a string, which cannot fail
				f.byDefault = string(raw)
			}
			if !yield(f) {
				return
			}
		}
	}
}

// schemas are the JSON Schemas of a shape: of the whole output, and of an agent's reply.
type schemas struct{ whole, asked string }

func schemasOf(t reflect.Type) schemas { return schemas{schemaOf(t, false), schemaOf(t, true)} }

// schemaOf is the JSON Schema of a type. asked says that a field with a default is
// not required.
func schemaOf(t reflect.Type, asked bool) string {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), asked)
	case reflect.Slice:
		return `{"type":"array","items":` + schemaOf(t.Elem(), asked) + `}`
	case reflect.Struct:
		return objectSchema(t, asked)
	case reflect.Int64:
		return `{"type":"integer"}`
	case reflect.Float64:
		return `{"type":"number"}`
	case reflect.Bool:
		return `{"type":"boolean"}`
	case reflect.String:
		return `{"type":"string"}`
	}
	return `{}`
}

func objectSchema(t reflect.Type, asked bool) string {
	var properties, required []string
	for f := range shapeFields(t) {
		name, schema := quoteName(f.name), schemaOf(f.elem, asked)
		if f.nullable {
			schema = `{"anyOf":[` + schema + `,{"type":"null"}]}`
		}
		properties = append(properties, name+":"+schema)
		if f.required && !(asked && f.byDefault != "") {
			required = append(required, name)
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return s + `}`
}

// quoteName is a name as JSON writes it.
func quoteName(name string) string { return `"` + name + `"` }

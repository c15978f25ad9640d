// Package value parses and prints the JSON values that nodes pass to each other as
// strings. It finds JSON in an agent's reply, keeps keys in order, reads fields, and
// prints values as JavaScript does, because Archon is written in it, the program that the
// dialect archon comes from (see package compiler):
//
//	value.Plain(json.RawMessage(`{"b": 1.0, "a": [true]}`)) // {"b":1,"a":[true]}
//
// Generated code reads typed outputs by [Decode] and writes Go values into prompts by
// [Plain], for which a nil pointer is the empty string. For objects, arrays and values of
// any type, it reads the JSON text of the field: by [FieldOrEmpty] if the node's schema
// declares the field, and otherwise by [Field], for which a missing field is an error.
// [Argument], [FieldIsTrue], [FieldText], [OrNull], [Recast], [ScalarField],
// [ScalarFieldOrEmpty] and [Undeclared] are for generated code alone.
//
// Functions of the same names in packages below have other rules: package py prints and
// compares values as Python does, for xprompt workflows, and package scalar parses their
// declared types.
package value

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// RawText returns the text of a JSON value: a string itself, and any other value as compact
// JSON with its keys in order. An empty raw is null.
func RawText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	v, err := jsonvalue.Parse(string(raw))
	if err != nil {
		return string(raw)
	}
	if s, ok := v.(jsonvalue.String); ok {
		return string(s)
	}
	return Encode(v)
}

// Encode returns a value of a type that generated code declares as compact JSON without
// escaping HTML. The result is a string because the outputs of nodes and the texts of
// prompts are strings; for a json.RawMessage write []byte(value.Encode(v)). Encode panics
// if a value has no JSON.
func Encode(v any) string {
	if v, ok := v.(jsonvalue.Value); ok {
		return jsonvalue.Encode(v)
	}
	raw, err := kernel.Encode(v)
	if err != nil {
		panic(fmt.Sprintf("a value of type %T: %v", v, err))
	}
	return string(raw)
}

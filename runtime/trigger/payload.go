package trigger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/value"
)

// A Payload is a JSON document that conditions of generated code read. A path are the keys to
// follow from its root; the key of a list's item is its index. A value that is missing is null.
type Payload struct {
	raw json.RawMessage
	err error
}

// NewPayload returns the payload of a JSON document.
func NewPayload(document json.RawMessage) *Payload { return &Payload{raw: document} }

// Err returns why a condition could not be decided, or nil.
func (p *Payload) Err() error { return p.err }

// Value returns a value as its JSON, or nil for null and for one that is missing.
func (p *Payload) Value(path ...string) any {
	v, found := follow(p.raw, path)
	if !found || bytes.Equal(v, []byte("null")) {
		return nil
	}
	return v
}

// Text returns a value as text: a string as it is, "" for null and for one that is missing, and
// other values as their JSON, numbers as in JavaScript.
func (p *Payload) Text(path ...string) string { return value.Plain(p.Value(path...)) }

// Number returns a value as a number: one that is a number, or a string that begins with one.
// For others it sets Err.
func (p *Payload) Number(path ...string) float64 {
	text, name := p.Text(path...), strings.Join(append([]string{"payload"}, path...), ".")
	f, err := value.RequireNumber(text, name)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("`%s` is compared as a number, but it is %s", name, plain.Quoted(plain.Clip(text, 40)))
	}
	return f
}

// True reports whether Python takes a value as true: null, false, 0 and what is empty are not.
func (p *Payload) True(path ...string) bool {
	raw, _ := p.Value(path...).(json.RawMessage)
	var decoded any
	if len(raw) > 0 && json.Unmarshal(raw, &decoded) != nil {
		return true // a number that is too large
	}
	switch v := reflect.ValueOf(decoded); v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	default:
		return v.IsValid() && !v.IsZero()
	}
}

// Contains reports whether a list has an item that equals one, an object has a key of its name,
// or a string contains it. item is a Go value; a json.RawMessage is JSON.
func (p *Payload) Contains(item any, path ...string) bool {
	raw, ok := p.Value(path...).(json.RawMessage)
	if !ok {
		return false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return slices.ContainsFunc(list, func(v json.RawMessage) bool { return value.Equal(v, item) })
	}
	text, isText := item.(string)
	if encoded, ok := item.(json.RawMessage); ok {
		isText = json.Unmarshal(encoded, &text) == nil
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) == nil {
		_, found := keys[text]
		return isText && found
	}
	var whole string
	return isText && json.Unmarshal(raw, &whole) == nil && strings.Contains(whole, text)
}

// follow returns the value that keys lead to from the root of a document.
func follow(document json.RawMessage, keys []string) (json.RawMessage, bool) {
	at := bytes.TrimSpace(document)
	for _, key := range keys {
		var object map[string]json.RawMessage
		if json.Unmarshal(at, &object) == nil {
			at = object[key]
			continue
		}
		var list []json.RawMessage
		i, err := strconv.Atoi(key)
		if err != nil || strconv.Itoa(i) != key || json.Unmarshal(at, &list) != nil || i < 0 || i >= len(list) {
			return nil, false
		}
		at = list[i]
	}
	return json.RawMessage(at), len(at) > 0
}

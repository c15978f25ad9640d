package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An Action is a flow.Action with its payload as JSON.
type Action struct {
	Key          string          `json:"key"`
	Kind         string          `json:"kind"`
	Payload      json.RawMessage `json:"payload"`
	Timeout      time.Duration   `json:"timeout,omitempty"`
	ReadOnly     bool            `json:"read_only,omitempty"`
	ArtifactRefs bool            `json:"artifact_refs,omitempty"`
}

// EncodeAction returns the message for an action. It leaves out fields that only the kernel
// needs, such as the retries.
func EncodeAction(a flow.Action) (Action, error) {
	payload, err := kernel.Encode(escapeStrings(a.Payload))
	if err != nil {
		return Action{}, fmt.Errorf("step `%s`: %w", a.Key, err)
	}
	return Action{
		Key: a.Key, Kind: a.Payload.Kind(), Payload: payload,
		Timeout: a.Timeout, ReadOnly: a.ReadOnly, ArtifactRefs: a.CheckArtifactRefs,
	}, nil
}

// Decode returns the action of a message.
func (a Action) Decode() (flow.Action, error) {
	decode, ok := payloads[a.Kind]
	if !ok {
		return flow.Action{}, fmt.Errorf("step `%s`: unknown kind of action `%s`", a.Key, a.Kind)
	}
	payload, err := decode(a.Payload)
	if err != nil {
		return flow.Action{}, fmt.Errorf("step `%s`: %w", a.Key, err)
	}
	return flow.Action{
		Key: a.Key, Payload: payload, Timeout: a.Timeout, ReadOnly: a.ReadOnly, CheckArtifactRefs: a.ArtifactRefs,
	}, nil
}

// payloads decode the payloads of the kinds of actions.
var payloads = map[string]func(json.RawMessage) (flow.Payload, error){
	flow.Bash{}.Kind(): payloadOf[flow.Bash], flow.Script{}.Kind(): payloadOf[flow.Script], flow.Prompt{}.Kind(): payloadOf[flow.Prompt],
	flow.Delivery{}.Kind(): payloadOf[flow.Delivery], kernel.Evidence{}.Kind(): payloadOf[kernel.Evidence], graphstate.State{}.Kind(): payloadOf[graphstate.State],
}

func payloadOf[P flow.Payload](text json.RawMessage) (flow.Payload, error) {
	var p P
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("decode the payload: %w", err)
	}
	return unescapeStrings(p), nil
}

// byteRune is the first of 256 runes, at the end of the last private plane, that encode bytes.
// The output of a program may have bytes that are not UTF-8, which JSON cannot hold: each of them
// is encoded as a rune. The bytes of such runes in a string are encoded in the same way.
const byteRune = 0x10FF00

// A Result is a flow.Result that keeps every byte.
type Result flow.Result

// MarshalJSON implements json.Marshaler.
func (r Result) MarshalJSON() ([]byte, error) { return kernel.Encode(escapeStrings(flow.Result(r))) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Result) UnmarshalJSON(text []byte) error { return decodeUnescaped(text, (*flow.Result)(r)) }

// Records are steps of a journal that keep every byte.
type Records []flow.Record

// MarshalJSON implements json.Marshaler.
func (r Records) MarshalJSON() ([]byte, error) { return kernel.Encode(escapeStrings([]flow.Record(r))) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Records) UnmarshalJSON(text []byte) error { return decodeUnescaped(text, (*[]flow.Record)(r)) }

func decodeUnescaped[T any](text []byte, into *T) error {
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	*into = unescapeStrings(*into)
	return nil
}

// escapeStrings returns v with its strings in the form that JSON keeps, and raw the inverse.
// They copy changed values.
func escapeStrings[T any](v T) T { return mapValueStrings(v, escape) }

func unescapeStrings[T any](v T) T { return mapValueStrings(v, unescape) }

func mapValueStrings[T any](v T, f func(string) string) T {
	in := reflect.ValueOf(&v).Elem()
	if out, changed := mapStrings(in, f); changed {
		in.Set(out)
	}
	return v
}

// mapStrings applies f to all strings in v. It returns a changed copy, or reports that
// nothing changes.
func mapStrings(v reflect.Value, f func(string) string) (out reflect.Value, changed bool) {
	set := func(at func(copied reflect.Value) reflect.Value, part reflect.Value) {
		new, differs := mapStrings(part, f)
		if !differs {
			return
		}
		if !changed {
			out, changed = copyOf(v), true
		}
		at(out).Set(new)
	}
	switch v.Kind() {
	case reflect.String:
		old := v.String()
		if new := f(old); new != old {
			return reflect.ValueOf(new).Convert(v.Type()), true
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				set(func(c reflect.Value) reflect.Value { return c.Field(i) }, v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break // JSON, or bytes
		}
		for i := range v.Len() {
			set(func(c reflect.Value) reflect.Value { return c.Index(i) }, v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			set(func(c reflect.Value) reflect.Value { return c.Elem() }, v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			if new, differs := mapStrings(v.Elem(), f); differs {
				return new, true
			}
		}
	}
	return out, changed
}

// copyOf returns a settable copy of a struct, slice or pointer, one level deep.
func copyOf(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(out, v)
		return out
	case reflect.Pointer:
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(v.Elem())
		return out
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	return out
}

func escape(s string) string {
	if utf8.ValidString(s) && !hasByteRune(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || isByteRune(r) {
			for _, c := range []byte(s[i : i+size]) {
				b.WriteRune(byteRune + rune(c))
			}
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

func unescape(s string) string {
	if !hasByteRune(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isByteRune(r) {
			b.WriteByte(byte(r - byteRune))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isByteRune(r rune) bool { return r >= byteRune }

func hasByteRune(s string) bool { return strings.IndexFunc(s, isByteRune) >= 0 }

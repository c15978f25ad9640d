//go:build linux && (amd64 || arm64)

package sandbox

import (
	"reflect"
	"testing"
)

// Each field of a message arrives.
func TestMessagesAreWhole(t *testing.T) {
	for _, m := range []struct{ sent, got message }{{&listings{}, &listings{}}, {&answer{}, &answer{}}} {
		fill(reflect.ValueOf(m.sent).Elem())
		if err := decodeMessage(encodeMessage(m.sent), m.got); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(m.sent, m.got) {
			t.Errorf("sent %+v\ngot  %+v", m.sent, m.got)
		}
	}
}

// fill gives everything in a value a value that isn't zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.Set(reflect.ValueOf(7).Convert(v.Type()))
	}
}

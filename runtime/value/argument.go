package value

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Argument parses text as the value of an input of another workflow: an int64, float64 or
// bool, or any JSON value as a json.RawMessage. For a json.RawMessage, an empty text is the
// JSON string "". The error is a *flow.Failure that names the input.
func Argument[T any](text, input string) (T, error) {
	var out T
	if reflect.TypeFor[T]() == reflect.TypeFor[json.RawMessage]() {
		v, err := find(text)
		switch {
		case text == "":
			v = String("")
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
	return &flow.Failure{Reason: kernel.InvalidInput, Message: fmt.Sprintf("input `%s` cannot be %s", input, shown(text))}
}

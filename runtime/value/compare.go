package value

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Equal reports whether two Go values are equal as JSON: they have the same type and
// value. Numbers are compared by value, and objects without regard to the order of keys. A
// nil pointer is null.
func Equal(a, b any) bool { return equalValues(toValue(a), toValue(b)) }

// Less reports whether the first of two numbers, or of two strings byte by byte, is less
// than the second. It is false for everything else.
func Less(a, b any) bool {
	order, ok := compareValues(toValue(a), toValue(b))
	return ok && order < 0
}

// AtMost is like Less, but it is also true for equal numbers and equal strings.
func AtMost(a, b any) bool {
	order, ok := compareValues(toValue(a), toValue(b))
	return ok && order <= 0
}

// OrNull returns a text, or nil for an empty one.
func OrNull[T ~string](text T) any {
	if text == "" {
		return nil
	}
	return string(text)
}

// Plain returns a Go value as text for people and prompts. A string stays as it is, nil
// and null become "", and numbers are printed as in JavaScript. The elements of a list of
// such values are joined by ", ". Everything else is compact JSON.
func Plain(v any) string {
	switch v := v.(type) { // what generated code mostly has, without the way by JSON
	case string:
		return v
	case int64:
		return intText(v)
	case float64:
		return jsonvalue.FloatText(v)
	}
	switch v := toValue(v).(type) {
	case jsonvalue.Null:
		return ""
	case jsonvalue.Array:
		items := make([]string, len(v))
		for i, e := range v {
			switch e.(type) {
			case jsonvalue.Array, *jsonvalue.Object:
				return Encode(v)
			}
			items[i] = e.Text()
		}
		return strings.Join(items, ", ")
	default:
		return v.Text()
	}
}

// Recast converts a value to another Go type by encoding and decoding it as JSON. Use it
// only for types with the same JSON, as the compiler does.
func Recast[T any](v any) T {
	var out T
	if err := json.Unmarshal([]byte(Encode(v)), &out); err != nil {
		panic(fmt.Sprintf("a %T of a %T: %v", out, v, err))
	}
	return out
}

// toValue is a Go value as a JSON value.
func toValue(v any) jsonvalue.Value {
	if raw, ok := v.(json.RawMessage); ok && len(raw) == 0 {
		return jsonvalue.Null{}
	}
	parsed, err := jsonvalue.Parse(Encode(v))
	if err != nil {
		panic(fmt.Sprintf("the JSON of a %T: %v", v, err))
	}
	return parsed
}

func equalValues(a, b jsonvalue.Value) bool {
	switch a := a.(type) {
	case jsonvalue.Array:
		b, ok := b.(jsonvalue.Array)
		return ok && slices.EqualFunc(a, b, equalValues)
	case *jsonvalue.Object:
		b, ok := b.(*jsonvalue.Object)
		if !ok || len(a.Keys()) != len(b.Keys()) {
			return false
		}
		for _, key := range a.Keys() {
			x, _ := a.Get(key)
			if y, ok := b.Get(key); !ok || !equalValues(x, y) {
				return false
			}
		}
		return true
	case jsonvalue.Number:
		order, ok := compareValues(a, b)
		return ok && order == 0
	}
	return a == b
}

func compareValues(a, b jsonvalue.Value) (order int, ok bool) {
	switch a := a.(type) {
	case jsonvalue.Number:
		if b, ok := b.(jsonvalue.Number); ok {
			x, errX := strconv.ParseFloat(string(a), 64)
			y, errY := strconv.ParseFloat(string(b), 64)
			switch {
			case errX != nil || errY != nil:
				return 0, a == b
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		}
	case jsonvalue.String:
		if b, ok := b.(jsonvalue.String); ok {
			return strings.Compare(string(a), string(b)), true
		}
	}
	return 0, false
}

// maxExact is the largest whole number up to which JavaScript's numbers have
// no gaps.
const maxExact = 1 << 53

// intText renders an int as JavaScript prints it.
func intText(n int64) string {
	if -maxExact <= n && n <= maxExact {
		return strconv.FormatInt(n, 10)
	}
	return jsonvalue.FloatText(float64(n))
}

// RequireNumber returns the number at the start of a text, after leading spaces, like
// JavaScript's parseFloat: "12abc" is 12. A pointer counts as the number that it points to,
// and nil as the empty text. The error is a *flow.Failure if there is no finite number; ref,
// the reference in the workflow, is for its message.
func RequireNumber[T string | *int64 | *float64](from T, ref string) (float64, error) {
	text := ""
	switch from := any(from).(type) {
	case string:
		text = from
	case *int64:
		if from != nil {
			return float64(*from), nil
		}
	case *float64:
		if from != nil {
			return *from, nil
		}
	}
	f, err := strconv.ParseFloat(scalar.NumberPrefix(strings.TrimLeftFunc(text, isBlank)), 64)
	if err != nil {
		return 0, &flow.Failure{Reason: "reference", Message: fmt.Sprintf("`%s` is compared as a number, but it is %s: compare it with == or !=, or make the node print a number", ref, quoteStart(text))}
	}
	return f, nil
}

// isBlank is JavaScript's white space.
func isBlank(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0xFEFF, 0x2028, 0x2029:
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// quoteStart quotes the beginning of a text for a message.
func quoteStart(text string) string {
	if strings.TrimFunc(text, isBlank) == "" {
		return "empty"
	}
	return strconv.Quote(plain.Clip(text, 41))
}

package runstore

import (
	"reflect"
	"strings"
	"unicode/utf8"
)

// Stores and exported runs keep strings of any bytes where only UTF-8 can be: in JSON, and in
// PostgreSQL, whose strings contain no NUL either.
//
// A byte that cannot be kept is encoded as a character of a private range, at the offset of its
// value, and so are the bytes of characters that are in that range themselves. So every string
// comes back unchanged, and nearly every one is kept unchanged.
const (
	privateFirst = 0x10FE00
	privateLast  = privateFirst + 0xFF
)

// EncodeText returns a text as it is kept.
func EncodeText(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == 0 || r == utf8.RuneError && n == 1 || r >= privateFirst && r <= privateLast {
			for range n {
				b.WriteRune(privateFirst + rune(text[i]))
				i++
			}
			continue
		}
		b.WriteString(text[i : i+n])
		i += n
	}
	return b.String()
}

// isPlain reports whether a text is kept as it is.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0) && !hasPrivate(text)
}

// hasPrivate reports whether a text may have characters of the private range.
func hasPrivate(text string) bool {
	return strings.Contains(text, "\xf4\x8f") // so the UTF-8 of all of them begins
}

// DecodeText returns the text that is kept as the given one.
func DecodeText(text string) string {
	if !hasPrivate(text) {
		return text
	}
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r >= privateFirst && r <= privateLast {
			b = append(b, byte(r-privateFirst))
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// CommonPrefix returns the part of a prefix by which a database with encoded texts can select.
func CommonPrefix(prefix string) string {
	for i, r := range prefix {
		if r == utf8.RuneError || r == 0 || r >= privateFirst && r <= privateLast {
			return prefix[:i]
		}
	}
	return prefix
}

// EncodeTexts returns a value with its strings encoded.
func EncodeTexts(v any) any {
	own := reflect.New(reflect.TypeOf(v)).Elem()
	own.Set(reflect.ValueOf(v))
	convertIn(own, EncodeText)
	return own.Interface()
}

// DecodeTexts decodes the strings in the value that a pointer leads to.
func DecodeTexts(pointer any) { convertIn(reflect.ValueOf(pointer).Elem(), DecodeText) }

// convertIn converts the strings in a value. It copies what others may hold, too.
func convertIn(v reflect.Value, convert func(string) string) {
	if !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(convert(v.String()))
	case reflect.Struct:
		for _, field := range v.Fields() {
			convertIn(field, convert)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
			convertIn(own.Elem(), convert)
		}
	case reflect.Slice:
		if v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for i := range v.Len() {
				own.Index(i).Set(v.Index(i))
				convertIn(own.Index(i), convert)
			}
			v.Set(own)
		}
	}
}

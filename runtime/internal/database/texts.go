package database

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// The strings of JSON and of PostgreSQL contain only UTF-8, and PostgreSQL's no NUL, while
// programs, folders and names may have any bytes. The package encodes such a byte as a
// character of a private range, at the offset of its value; it encodes the bytes of
// characters that are in that range themselves in the same way. So every string comes back
// unchanged, and nearly every one is stored unchanged.
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

// packPart returns a part of a record as JSON, readable in the database, or nil if it is empty. It
// fails on a number that JSON doesn't have.
func packPart[T any](part T, what string) ([]byte, error) {
	v := reflect.ValueOf(&part).Elem()
	if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return nil, nil
	}
	convertTexts(v, EncodeText)
	data, err := json.Marshal(part)
	if err != nil {
		return nil, fmt.Errorf("its %s: %w", what, err)
	}
	return data, nil
}

// unpackPart returns the part of a record that is kept as data.
func unpackPart[T any](data []byte, what string) (part T, err error) {
	if len(data) == 0 {
		return part, nil
	}
	if err := json.Unmarshal(data, &part); err != nil {
		return part, fmt.Errorf("its %s: %w", what, err)
	}
	convertTexts(reflect.ValueOf(&part).Elem(), DecodeText)
	return part, nil
}

// convertTexts converts the strings in a value. It copies what others may hold, too.
func convertTexts(v reflect.Value, convert func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(convert(v.String()))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			convertTexts(field, convert)
		}
	case reflect.Pointer:
		if v.CanSet() && !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
			convertTexts(own.Elem(), convert)
		}
	case reflect.Slice:
		if list, ok := v.Interface().([]string); ok {
			list = slices.Clone(list)
			for i := range list {
				list[i] = convert(list[i])
			}
			v.Set(reflect.ValueOf(list))
		}
	}
}

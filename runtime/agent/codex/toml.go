package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value"
)

// tomlText returns a text as a basic string of TOML. That is what JSON makes of
// it, but for the one control character that JSON leaves alone.
func tomlText(text string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a text encodes
	}
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\x7f", `\u007f`)
}

func tomlTexts(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = tomlText(text)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// toml returns a JSON value as one of TOML, in one line.
func toml(text json.RawMessage) (string, error) {
	v, err := value.Parse(string(text))
	if err != nil {
		return "", err
	}
	return tomlValue(v)
}

func tomlValue(v value.Value) (string, error) {
	switch v := v.(type) {
	case value.String:
		return tomlText(string(v)), nil
	case value.Bool, value.Number:
		return value.JSON(v), nil
	case value.Array:
		list := make([]string, len(v))
		for i, item := range v {
			var err error
			if list[i], err = tomlValue(item); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(list, ", ") + "]", nil
	case *value.Object:
		var t table
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			text, err := tomlValue(item)
			if err != nil {
				return "", err
			}
			t.add(key, text)
		}
		return t.String(), nil
	}
	return "", errors.New("null has no place in settings")
}

// table is an inline table.
type table struct{ keys []string }

// add sets a key; the value is TOML.
func (t *table) add(key, value string) {
	if !bareKey(key) {
		key = tomlText(key)
	}
	t.keys = append(t.keys, key+" = "+value)
}

func (t *table) String() string { return "{" + strings.Join(t.keys, ", ") + "}" }

// bareKey reports whether a key needs no quotes.
func bareKey(key string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	return key != "" && strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) < 0
}

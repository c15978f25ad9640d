package output

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Printed makes the output of what a program printed on standard output: the
// JSON object or list that it is; else the key=value lines in it, as texts; else
// the field _output with all of it. Nothing printed is an empty object. What the
// spec declares is converted out of texts and checked, and defaults are filled in.
// A program that failed made none: its error is returned.
func (s *Spec) Printed(r flow.Result, failed error) (string, error) {
	if failed != nil {
		return "", failed
	}
	text := strings.TrimFunc(strings.ToValidUTF8(r.Text, "\uFFFD"), blank)
	v, err := printed(text)
	if err != nil {
		return "", s.fault("%v", err)
	}
	if v, err = s.checked(v); err != nil {
		return "", err
	}
	return s.text(v)
}

func printed(text string) (py.Value, error) {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if v, err := py.FromJSON(text); err == nil && finite(v) {
			return v, nil
		}
	}
	d := py.NewDict()
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimFunc(line, blank); line == "" {
			continue
		}
		key, value, ok := assignment(line)
		switch {
		case ok:
			if err := d.SetStr(key, py.Str(value)); err != nil {
				return nil, err
			}
		case d.Len() == 0:
			return object(fieldText, py.Str(text)), nil
		}
	}
	return d, nil
}

// assignment splits a line of the form key=value.
func assignment(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, "=")
	if !ok || key == "" {
		return "", "", false
	}
	if first := rune(key[0]); first != '_' && (first >= utf8.RuneSelf || !unicode.IsLetter(first)) {
		return "", "", false
	}
	for _, r := range key {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return "", "", false
		}
	}
	return key, value, true
}

// blank reports whether Python's strip takes a character away.
func blank(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

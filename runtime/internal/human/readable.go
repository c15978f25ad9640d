package human

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Readable shows an output: JSON objects and lists as YAML, keys and numbers as
// they are, anything else as the text that it is.
func Readable(output string) string {
	if !isData(output) {
		return output
	}
	d := json.NewDecoder(strings.NewReader(output))
	d.UseNumber()
	var w yamlWriter
	if err := w.writeValue(d, 0, false); err != nil {
		return output
	}
	return w.b.String()
}

// isData reports whether an output is a JSON object or list.
func isData(output string) bool {
	text := strings.TrimSpace(output)
	return (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}

// yamlWriter writes the tokens of a JSON document as YAML.
type yamlWriter struct{ b strings.Builder }

// writeValue writes the next value of d and the end of its line. Lines that it begins are
// indented by so many levels; inline says that the line already has text before the
// value.
func (w *yamlWriter) writeValue(d *json.Decoder, level int, inline bool) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	switch {
	case !ok:
		w.writeScalar(token, level)
	case !d.More():
		w.b.WriteString(string(delim) + map[json.Delim]string{'{': "}", '[': "]"}[delim] + "\n")
		_, err = d.Token()
	case delim == '{':
		return w.writeObject(d, level, inline)
	default:
		return w.writeList(d, level, inline)
	}
	return err
}

func (w *yamlWriter) writeObject(d *json.Decoder, level int, inline bool) error {
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		if !ok {
			return errors.New("a key is not a string")
		}
		w.writeIndent(level, inline)
		inline = false
		w.b.WriteString(oneLine(key) + ":")
		if err := w.writeKeyValue(d, level); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (w *yamlWriter) writeList(d *json.Decoder, level int, inline bool) error {
	for d.More() {
		w.writeIndent(level, inline)
		inline = false
		w.b.WriteString("- ")
		if err := w.writeValue(d, level+1, true); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// writeKeyValue writes the value of a key: an object or a list begins on the next line.
func (w *yamlWriter) writeKeyValue(d *json.Decoder, level int) error {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	inner := json.NewDecoder(strings.NewReader(string(raw)))
	inner.UseNumber()
	bare := strings.Join(strings.Fields(string(raw)), "")
	if isData(bare) && bare != "{}" && bare != "[]" {
		w.b.WriteString("\n")
	} else {
		w.b.WriteString(" ")
	}
	return w.writeValue(inner, level+1, false)
}

func (w *yamlWriter) writeIndent(level int, inline bool) {
	if !inline {
		w.b.WriteString(strings.Repeat("  ", level))
	}
}

func (w *yamlWriter) writeScalar(token json.Token, level int) {
	text, ok := token.(string)
	switch {
	case token == nil:
		w.b.WriteString("null\n")
	case !ok:
		fmt.Fprintln(&w.b, token)
	case strings.Contains(text, "\n") && plainCharacters(text) && strings.TrimSpace(text) != "":
		w.writeBlock(text, level)
	default:
		w.b.WriteString(oneLine(text) + "\n")
	}
}

// writeBlock writes a text of several lines as they are.
func (w *yamlWriter) writeBlock(text string, level int) {
	body := strings.TrimRight(text, "\n")
	head := "|"
	if first, _, _ := strings.Cut(body, "\n"); first == "" || first[0] == ' ' || first[0] == '\t' {
		head += "2" // else the first line would say how far all are indented
	}
	switch ends := len(text) - len(body); ends {
	case 0:
		head += "-"
	case 1:
	default:
		head += "+"
		body += strings.Repeat("\n", ends-1)
	}
	w.b.WriteString(head + "\n")
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			line = strings.Repeat("  ", max(level, 1)) + line
		}
		w.b.WriteString(line + "\n")
	}
}

// oneLine is a text as a YAML scalar in one line.
func oneLine(text string) string {
	if plainScalar(text) {
		return text
	}
	var out strings.Builder
	for _, r := range string(plain.MustEncodeJSON(text)) {
		if plainCharacters(string(r)) {
			out.WriteRune(r)
			continue
		}
		if r > 0xffff { // JSON leaves some of these as they are
			fmt.Fprintf(&out, "\\U%08x", r)
		} else {
			fmt.Fprintf(&out, "\\u%04x", r)
		}
	}
	return out.String()
}

// plainScalar reports whether a string needs no quotes in YAML for any parser. Strings
// that some parsers read as another type are not plain.
func plainScalar(text string) bool {
	if text == "" || !plainCharacters(text) || strings.Contains(text, "\n") {
		return false
	}
	first := []rune(text)[0]
	if !unicode.IsLetter(first) && first != '/' && first != '_' {
		return false
	}
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") || strings.HasSuffix(text, " ") {
		return false
	}
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off":
		return false
	}
	return true
}

// plainCharacters reports whether a string has no characters with a special meaning for
// YAML or a terminal.
func plainCharacters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && unicode.IsControl(r) || !unicode.IsGraphic(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) ||
			r == '\uFEFF' || r == '\u2028' || r == '\u2029' || r == '\u0085'
	})
}

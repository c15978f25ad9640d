// Package input reads and checks the inputs of runs, as they are written on
// command lines and sent by programs.
package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// Text makes the JSON value of an input of the text that a person gives for it.
// Numbers are written as Python has them, so 1_000 is one; truth values are true,
// yes, on, 1 and their opposites, in any case. The output of a step that an input
// replaces is JSON or YAML, or @FILE for a file that holds some. Relative paths are
// looked up in dir, "" being the current folder.
func Text(in flow.InputInfo, text, dir string) (json.RawMessage, error) {
	if in.Replaces != "" {
		return replacement(text, dir)
	}
	switch in.Type {
	case "int":
		n, err := wholeNumber(text)
		if err != nil {
			return nil, err
		}
		return strconv.AppendInt(nil, n, 10), nil
	case "float":
		f, err := number(text)
		if err != nil {
			return nil, err
		}
		return json.Marshal(f)
	case "bool":
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes", "on", "1":
			return json.RawMessage("true"), nil
		case "false", "no", "off", "0":
			return json.RawMessage("false"), nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", text)
	}
	if err := checkText(in, text, dir); err != nil {
		return nil, err
	}
	return encode(text), nil
}

// Value makes the JSON value of an input of one that a program gives for it, where
// texts may stand for numbers and truth values.
func Value(in flow.InputInfo, value json.RawMessage, dir string) (json.RawMessage, error) {
	var text string
	switch isText := json.Unmarshal(value, &text) == nil; {
	case string(value) == "null":
		if nullable(in) {
			return value, nil
		}
		return nil, errors.New("null is no value of it")
	case isText:
		return Text(in, text, dir)
	case in.Replaces != "":
		return encode(string(value)), nil // as a text its keys keep their order
	}
	switch in.Type {
	case "int":
		var f float64
		if json.Unmarshal(value, &f) == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return strconv.AppendInt(nil, int64(f), 10), nil // 5.0 is a whole number
		}
		return Text(in, string(value), dir)
	case "float", "bool":
		return Text(in, string(value), dir)
	}
	return nil, fmt.Errorf("%s is not a text", value)
}

// Check reports what is wrong with the JSON value of an input, which must be of
// its type as it is.
func Check(in flow.InputInfo, value json.RawMessage, dir string) error {
	if in.Replaces != "" || string(value) == "null" && nullable(in) {
		return nil
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return fmt.Errorf("it is not JSON: %w", plain.JSONError(err, string(value)))
	}
	switch in.Type {
	case "int":
		if f, ok := v.(float64); !ok || f != math.Trunc(f) {
			return fmt.Errorf("%s is not a whole number", value)
		}
	case "float":
		if _, ok := v.(float64); !ok {
			return fmt.Errorf("%s is not a number", value)
		}
	case "bool":
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("%s is neither true nor false", value)
		}
	case "text", "word", "line", "path":
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is not a text", value)
		}
		return checkText(in, text, dir)
	}
	return nil
}

// nullable reports whether an input may have no value.
func nullable(in flow.InputInfo) bool { return in.Replaces != "" || string(in.Default) == "null" }

func checkText(in flow.InputInfo, text, dir string) error {
	switch in.Type {
	case "word", "path":
		if text == "" && in.Default != nil {
			return nil // as good as none
		}
		if strings.ContainsFunc(text, unicode.IsSpace) || text == "" {
			return fmt.Errorf("%q is not one word", text)
		}
		if in.Type == "path" {
			if _, err := os.Stat(place(text, dir)); err != nil {
				return fmt.Errorf("there is no file %q", text)
			}
		}
	case "line":
		if strings.ContainsAny(text, "\n\r") {
			return errors.New("the text has more than one line")
		}
	}
	return nil
}

// place is where a path leads, given the folder that relative ones start from.
func place(path, dir string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, path[1:])
		}
	}
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

// most is how long the output of a step may be that is given in a file.
const most = 16 << 20

// replacement makes the value of what takes the place of a step's output: the text
// of it.
func replacement(text, dir string) (json.RawMessage, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		file, err := os.Open(place(name, dir))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		content, err := io.ReadAll(io.LimitReader(file, most+1))
		if err != nil {
			return nil, err
		}
		if len(content) > most {
			return nil, fmt.Errorf("%s is larger than %d MiB", name, most>>20)
		}
		text = string(content)
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it is empty: give JSON or YAML, or @FILE for a file that holds some")
	}
	return encode(text), nil
}

// encode is a text as JSON, with < and > as they are.
func encode(text string) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // it is a text
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

// wholeNumber reads a whole number as Python's int does.
func wholeNumber(text string) (int64, error) {
	digits, ok := bareNumber(text)
	if !ok || strings.ContainsAny(digits, ".eE") {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is a larger number than inputs can have (64 bits)", text)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return n, nil
}

// number reads a number as Python's float does. JSON, in which inputs are kept, has
// no infinity, nor what is no number.
func number(text string) (float64, error) {
	digits, ok := bareNumber(text)
	f, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return f, nil
}

// bareNumber returns a number without the blanks around it and without underscores,
// which may stand between two digits. ok is false when there is something in it
// that decimal numbers do not have.
func bareNumber(text string) (digits string, ok bool) {
	text = strings.TrimSpace(text)
	digit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '_':
			if !digit(i-1) || !digit(i+1) {
				return "", false
			}
		case digit(i), strings.ContainsRune("+-.eE", r):
			b.WriteRune(r)
		default:
			return "", false
		}
	}
	return b.String(), true
}

package plain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// JSONError translates an error of package encoding/json into plain words. With the
// JSON text that was decoded, the message has the line and the column; text may be "".
// Other errors are returned unchanged, nil too.
func JSONError(err error, text string) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return endsEarly(text)
	case errors.As(err, &syntax):
		return syntaxError(syntax, text)
	case errors.As(err, &wrong):
		return typeError(wrong)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		return fmt.Errorf("unknown key `%s`", name)
	}
	if message, ok := strings.CutPrefix(err.Error(), "json: "); ok {
		return errors.New(message)
	}
	return err
}

func endsEarly(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty")
	}
	return errors.New("it ends too early: a bracket or a quote is not closed")
}

// unexpected matches the message of package encoding/json about a character: the
// character, and the context in which it is not allowed.
var unexpected = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^invalid character ('.*'|'\\'') (.*)$`) })

func syntaxError(err *json.SyntaxError, text string) error {
	found := unexpected().FindStringSubmatch(err.Error())
	if found == nil {
		return endsEarly(text)
	}
	what := "`" + strings.Trim(found[1], "'") + "`"
	if char, _, _, err := strconv.UnquoteChar(strings.TrimSuffix(strings.TrimPrefix(found[1], "'"), "'"), '\''); err == nil {
		what = "`" + string(char) + "`"
		if char < ' ' {
			what = "a control character"
		}
		if char == '\n' {
			what = "a line break"
		}
	}
	where := ""
	if offset := int(err.Offset) - 1; offset >= 0 && offset < len(text) {
		line := strings.Count(text[:offset], "\n") + 1
		column := offset - strings.LastIndexByte(text[:offset], '\n')
		where = fmt.Sprintf(" at line %d, column %d", line, column)
	}
	switch why := found[2]; {
	case why == "after top-level value":
		return fmt.Errorf("something follows the value: %s%s", what, where)
	case why == "in string literal":
		return fmt.Errorf("%s%s in a string: write it as an escape such as \\n", what, where)
	}
	return fmt.Errorf("unexpected %s%s", what, where)
}

func typeError(err *json.UnmarshalTypeError) error {
	field := "it"
	if err.Field != "" {
		field = "`" + err.Field + "`"
	}
	kind := "something else"
	if err.Type != nil {
		switch err.Type.Kind().String() {
		case "string":
			kind = "a string"
		case "bool":
			kind = "true or false"
		case "slice", "array":
			kind = "an array"
		case "map", "struct":
			kind = "an object"
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
			kind = "an integer"
		case "float32", "float64":
			kind = "a number"
		}
	}
	value := err.Value
	switch kind, number, _ := strings.Cut(value, " "); {
	case kind == "number" && number != "":
		value = number
	case kind == "array" || kind == "object":
		value = "an " + kind
	default:
		value = "a " + kind
	}
	return fmt.Errorf("%s must be %s, not %s", field, kind, value)
}

// Package input reads and checks the inputs of runs, as people write them on command
// lines and programs send them. Package scalar has the rules of the types; this package
// adds what only inputs have: the values of programs, files, and paths that exist.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Text makes the JSON value of an input of the string that a person gives for it;
// package scalar has the rules. The output of a step that an input replaces is JSON
// or YAML, or @FILE for a file that holds some. Relative paths start from dir, ""
// being the current folder.
func Text(in flow.InputInfo, text, dir string) (json.RawMessage, error) {
	switch {
	case in.Replaces != "":
		return replacementValue(text, dir)
	case in.Type == "list" && isList(json.RawMessage(text)):
		return Value(in, json.RawMessage(text), dir)
	case in.Type == "list":
		return List(in, []string{text}, dir)
	}
	v, err := parseValue(in, text, dir)
	if err != nil {
		return nil, err
	}
	return encodeScalar(v), nil
}

// List makes the JSON value of an input that is a list of the strings that a person gives for
// its items.
func List(in flow.InputInfo, items []string, dir string) (json.RawMessage, error) {
	list := make([]json.RawMessage, len(items))
	for i, text := range items {
		value, err := Text(item(in), text, dir)
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return joinList(list), nil
}

// item is the input that an item of a list is.
func item(in flow.InputInfo) flow.InputInfo {
	return flow.InputInfo{Name: in.Name, Type: in.Items, Choices: in.Choices, Default: in.Default}
}

func isList(value json.RawMessage) bool {
	var list []json.RawMessage
	return json.Unmarshal(value, &list) == nil && list != nil
}

func joinList(list []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, value := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(value)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// parseValue reads a string as a value of the input's type. A type that is not a scalar
// takes any string.
func parseValue(in flow.InputInfo, text, dir string) (any, error) {
	if in.Type == "json" && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if scalar.Canonical(in.Type) == "" {
		return text, nil
	}
	v, err := scalar.Rules{NoEmpty: in.Default == ""}.Parse(in.Type, text)
	if err != nil {
		return nil, err
	}
	if len(in.Choices) > 0 && !slices.Contains(in.Choices, text) {
		return nil, fmt.Errorf("%s is not one of %s", plain.Quoted(text), plain.NameList(in.Choices))
	}
	// An empty path is as good as none. Inputs are read before the run, so this may
	// look at the file system, which flow code may not.
	if in.Type == "path" && text != "" && !Exists(text, dir) {
		return nil, fmt.Errorf("path %q does not exist", text)
	}
	return v, nil
}

// Value makes the JSON value of an input from the JSON that a program gives for it: a value
// of the input's type, or a string, which Text reads.
func Value(in flow.InputInfo, value json.RawMessage, dir string) (json.RawMessage, error) {
	var text string
	switch isText := json.Unmarshal(value, &text) == nil; {
	case string(value) == "null":
		if in.Type == "json" || isNullable(in) {
			return value, nil
		}
		return nil, errors.New("it cannot be null")
	case isText:
		return Text(in, text, dir)
	case in.Type == "list":
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, fmt.Errorf("%s is not a list", value)
		}
		for i, one := range list {
			var err error
			if list[i], err = Value(item(in), one, dir); err != nil {
				return nil, err
			}
		}
		return joinList(list), nil
	case in.Type == "json":
		return value, nil
	case in.Replaces != "":
		return encodeScalar(string(value)), nil // as a string its keys keep their order
	}
	switch in.Type {
	case "int":
		var f float64
		if json.Unmarshal(value, &f) == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return strconv.AppendInt(nil, int64(f), 10), nil // 5.0 is an int
		}
		return Text(in, string(value), dir)
	case "float", "bool":
		return Text(in, string(value), dir)
	}
	return nil, fmt.Errorf("%s is not a string", value)
}

// Check returns the fault of the JSON value of an input, which must have its type without
// conversion.
func Check(in flow.InputInfo, value json.RawMessage, dir string) error {
	if in.Replaces != "" || in.Type == "json" && json.Valid(value) || string(value) == "null" && isNullable(in) {
		return nil
	}
	if in.Type == "list" {
		var list []json.RawMessage
		if !isList(value) || json.Unmarshal(value, &list) != nil {
			return fmt.Errorf("%s is not a list", value)
		}
		for _, one := range list {
			if err := Check(item(in), one, dir); err != nil {
				return err
			}
		}
		return nil
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return fmt.Errorf("it is not JSON: %w", plain.JSONError(err, string(value)))
	}
	ok := true
	switch in.Type {
	case "int":
		var f float64
		f, ok = v.(float64)
		ok = ok && f == math.Trunc(f)
	case "float":
		_, ok = v.(float64)
	case "bool":
		_, ok = v.(bool)
	case "text", "word", "line", "path":
		text, isText := v.(string)
		if !isText {
			return fmt.Errorf("%s is not a string", value)
		}
		_, err := parseValue(in, text, dir)
		return err
	}
	if !ok {
		return fmt.Errorf("%s is not of type %s", value, in.Type)
	}
	return nil
}

// isNullable reports whether an input may have no value.
func isNullable(in flow.InputInfo) bool { return in.Replaces != "" || in.Default == "null" }

// Exists reports whether a path leads to a file or folder; see resolvePath.
func Exists(path, dir string) bool {
	_, err := os.Stat(resolvePath(path, dir))
	return err == nil && path != ""
}

// resolvePath is where a path leads, given the folder that relative ones start from; ~ is
// the home folder.
func resolvePath(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

// most is how many bytes a file with the output of a step may have.
const most = 16 << 20

// replacementValue makes the value of an input that replaces a step's output: its text.
func replacementValue(text, dir string) (json.RawMessage, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		file, err := os.Open(resolvePath(name, dir))
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
		text = string(wholefile.TrimBOM(content))
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it is empty: give JSON or YAML, or @FILE for a file with it")
	}
	return encodeScalar(text), nil
}

// encodeScalar is a scalar as JSON, with < and > as they are.
func encodeScalar(v any) json.RawMessage { return plain.MustEncodeJSON(v) }

// A completionError describes the faults of the inputs of a new run.
type completionError struct {
	// Workflow is the name of the workflow.
	Workflow string
	// Unknown are given names that the workflow does not have; Missing are required
	// inputs that are not given. All fields are empty if the inputs are not a JSON
	// object.
	Unknown, Missing []string
	// Wrong describes the faults of inputs that do not have their type.
	Wrong []string
}

func (e *completionError) Error() string {
	var parts []string
	if len(e.Unknown) > 0 {
		parts = append(parts, "unknown input "+plain.NameList(e.Unknown))
	}
	if len(e.Missing) > 0 {
		parts = append(parts, "missing input "+plain.NameList(e.Missing))
	}
	parts = append(parts, e.Wrong...)
	if parts == nil {
		return fmt.Sprintf("the inputs of workflow %s are not a JSON object", e.Workflow)
	}
	return fmt.Sprintf("the inputs of workflow %s: %s", e.Workflow, strings.Join(parts, "; "))
}

// Complete returns the inputs of a new run with the defaults of those that
// are not given, and refuses names that the workflow does not have and values that
// are not of their types. Relative paths start from dir.
func Complete(def *flow.Definition, given json.RawMessage, dir string) (json.RawMessage, error) {
	fault := &completionError{Workflow: def.Name}
	if given = bytes.TrimSpace(given); len(given) == 0 {
		given = json.RawMessage("{}")
	}
	var values map[string]json.RawMessage
	if given[0] != '{' || json.Unmarshal(given, &values) != nil {
		return nil, fault
	}
	var more []byte
	kinds := append([]string{"", "json", "list"}, scalar.Names()...)
	for _, in := range def.Inputs {
		if !slices.Contains(kinds, in.Type) || !slices.Contains(kinds, in.Items) {
			fault.Wrong = append(fault.Wrong, fmt.Sprintf("`%s` has an unknown type: set `Type`, and `Items` of a list, to one of %s", in.Name, plain.NameList(kinds[1:])))
			continue
		}
		value, isGiven := values[in.Name]
		delete(values, in.Name)
		if isGiven {
			if err := Check(in, value, dir); err != nil {
				fault.Wrong = append(fault.Wrong, fmt.Sprintf("`%s`: %v", in.Name, err))
			}
		}
		switch {
		case isGiven, in.Replaces != "":
		case in.Default == "":
			fault.Missing = append(fault.Missing, in.Name)
		default:
			name, err := json.Marshal(in.Name)
			if err != nil {
				return nil, err
			}
			more = fmt.Appendf(more, ",%s:%s", name, in.Default)
		}
	}
	if len(def.Inputs) > 0 { // definitions made by hand need not name them
		fault.Unknown = slices.Sorted(maps.Keys(values))
	}
	if len(fault.Unknown)+len(fault.Missing)+len(fault.Wrong) > 0 {
		return nil, fault
	}
	if more == nil {
		return given, nil
	}
	// The given values stay as written.
	begin := bytes.TrimRight(given[:len(given)-1], " \t\r\n")
	if len(begin) == 1 {
		more = more[1:]
	}
	return append(append(slices.Clone(begin), more...), '}'), nil
}

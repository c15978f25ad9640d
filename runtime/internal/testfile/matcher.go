package testfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Matcher is an expectation of a value. All of its conditions must hold.
type Matcher struct {
	Place
	// Equals is the value, or nil.
	Equals *Value
	// Contains and Without are strings that the text must and must not contain.
	Contains, Without []Name
	// Matches and Differs are regular expressions that must and must not match.
	Matches, Differs []Pattern
	// Part is JSON that the value must contain: an object has at least these fields, and
	// an array at least these elements, in order.
	Part *Value
	// Schema is the JSON Schema that the value must satisfy.
	Schema *Value
	// Absent requires that there is no value, and Present that there is one.
	Absent, Present bool
}

// Matchers are the expectations of the values of a list.
type Matchers struct {
	Place
	List []*Matcher
	// Each means that there is one matcher, for every value of the list; otherwise there
	// is one for each value, in order.
	Each bool
}

// A Value is a value of a test file.
type Value struct {
	Place
	JSON json.RawMessage
	// Text is the text of a string or of another scalar as the file writes it.
	Text   string
	Scalar bool
}

// A Pattern is a regular expression.
type Pattern struct {
	Place
	*regexp.Regexp
}

// A Mismatch is a condition that does not hold.
type Mismatch struct {
	Place
	Expected, Happened string
}

// SchemaCheck validates a value by a JSON Schema.
type SchemaCheck func(schema, value json.RawMessage) (problems []string, err error)

// Check compares a text with the conditions. present is false if there is no value.
func (m *Matcher) Check(text string, present bool, schema SchemaCheck) (wrong []Mismatch) {
	add := func(at Place, format string, args ...any) {
		happened := quoteText(text)
		if !present {
			happened = "nothing"
		}
		wrong = append(wrong, Mismatch{at, fmt.Sprintf(format, args...), happened})
	}
	if m.Absent {
		if present {
			add(m.Place, "nothing")
		}
		return wrong
	}
	if !present {
		add(m.Place, "%s", m.describe())
		return wrong
	}
	if m.Equals != nil && !m.Equals.equalsText(text) {
		add(m.Equals.Place, "%s", m.Equals.displayText())
	}
	for _, c := range m.Contains {
		if !strings.Contains(text, c.Name) {
			add(c.Place, "a string that contains %s", quoteText(c.Name))
		}
	}
	for _, c := range m.Without {
		if strings.Contains(text, c.Name) {
			add(c.Place, "a string without %s", quoteText(c.Name))
		}
	}
	for _, p := range m.Matches {
		if !p.MatchString(text) {
			add(p.Place, "a string that matches /%s/", p)
		}
	}
	for _, p := range m.Differs {
		if p.MatchString(text) {
			add(p.Place, "a string that does not match /%s/", p)
		}
	}
	if m.Part != nil {
		var have any
		if err := decodeJSON([]byte(text), &have); err != nil {
			add(m.Part.Place, "JSON that contains %s", m.Part.JSON)
		} else if path, ok := containsPart(have, m.Part.decodedValue(), "value"); !ok {
			add(m.Part.Place, "JSON that contains %s (`%s` differs)", m.Part.JSON, path)
		}
	}
	if m.Schema != nil {
		problems, err := schema(m.Schema.JSON, json.RawMessage(text))
		switch {
		case err != nil:
			add(m.Schema.Place, "a usable schema (%v)", err)
		case len(problems) > 0:
			add(m.Schema.Place, "a value that satisfies the schema (%s)", strings.Join(problems, "; "))
		}
	}
	return wrong
}

// describe returns the expectation in words.
func (m *Matcher) describe() string {
	switch {
	case m.Equals != nil:
		return m.Equals.displayText()
	case len(m.Contains) > 0:
		return "a string that contains " + quoteText(m.Contains[0].Name)
	case len(m.Matches) > 0:
		return "a string that matches /" + m.Matches[0].String() + "/"
	case m.Part != nil:
		return "JSON that contains " + string(m.Part.JSON)
	}
	return "a value"
}

func (v *Value) displayText() string {
	if v.Scalar {
		return quoteText(v.Text)
	}
	return string(v.JSON)
}

// decodedValue returns the decoded value.
func (v *Value) decodedValue() (x any) {
	_ = decodeJSON(v.JSON, &x) // the parser encoded it
	return x
}

// equalsText compares the value with a text. A scalar equals its text, and a text that is the
// same JSON. A newline at the end of either makes no difference.
func (v *Value) equalsText(text string) bool {
	if v.Scalar && strings.TrimSuffix(v.Text, "\n") == strings.TrimSuffix(text, "\n") {
		return true
	}
	var have any
	return decodeJSON([]byte(text), &have) == nil && reflect.DeepEqual(normalizeNumbers(have), normalizeNumbers(v.decodedValue()))
}

// containsPart reports whether a value has a part; if not, the text is the first place that differs.
func containsPart(have, part any, path string) (string, bool) {
	switch part := part.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			return path, false
		}
		for _, key := range slices.Sorted(maps.Keys(part)) {
			value, ok := object[key]
			if !ok {
				return path + "." + key, false
			}
			if at, ok := containsPart(value, part[key], path+"."+key); !ok {
				return at, false
			}
		}
		return "", true
	case []any:
		list, ok := have.([]any)
		if !ok {
			return path, false
		}
		next := 0
		for i, want := range part {
			found := false
			for ; next < len(list) && !found; next++ {
				_, found = containsPart(list[next], want, "")
			}
			if !found {
				return path + "[" + strconv.Itoa(i) + "]", false
			}
		}
		return "", true
	}
	return path, reflect.DeepEqual(normalizeNumbers(have), normalizeNumbers(part))
}

// decodeJSON decodes JSON and keeps the digits of numbers.
func decodeJSON(text []byte, into *any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}

// normalizeNumbers gives equal numbers equal forms. Whole numbers are compared to the last digit, and
// others as YAML, from which the expectations come, keeps them. An exponent that big.Rat refuses, because
// the number would have too many digits, stays as it is written.
func normalizeNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok && r.IsInt() {
			return json.Number(r.Num().String())
		} else if f, err := v.Float64(); err == nil {
			return f
		}
		return v
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, value := range v {
			object[key] = normalizeNumbers(value)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = normalizeNumbers(value)
		}
		return list
	}
	return v
}

// quoteText shows a text: in quotes on one line, or below each other if it has several lines.
func quoteText(text string) string {
	if strings.Contains(strings.TrimSuffix(text, "\n"), "\n") {
		return "|\n" + strings.TrimSuffix(text, "\n")
	}
	return strconv.Quote(text)
}

// Holds reports whether a number is in the range.
func (n *Number) Holds(f float64) bool { return f >= n.Min-1e-9 && f <= n.Max+1e-9 }

// String returns the range in words.
func (n *Number) String() string {
	show := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case n.Min == n.Max:
		return show(n.Min)
	case n.Min <= 0 && n.Max < maxNumber:
		return "at most " + show(n.Max)
	case n.Max >= maxNumber:
		return "at least " + show(n.Min)
	}
	return "from " + show(n.Min) + " to " + show(n.Max)
}

// maxNumber is the end of a range that has none.
const maxNumber = 1e300

// Inputs returns the fields of a JSON object as the inputs of a test.
func Inputs(object json.RawMessage) (Entries[json.RawMessage], error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return nil, err
	}
	var es Entries[json.RawMessage]
	for _, name := range slices.Sorted(maps.Keys(values)) {
		es = append(es, Entry[json.RawMessage]{Key: name, Value: values[name]})
	}
	return es, nil
}

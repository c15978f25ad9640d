package testfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Parse reads a test file. It reports every fault; a test with a fault is not in the
// result.
func Parse(path string, text []byte) (*File, []Fault) {
	f := &File{Path: path, Text: text}
	d := &decoder{}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return f, []Fault{{Place{1, 1}, "the file is empty; a test file has a list `tests`"}}
	case err != nil:
		return f, []Fault{syntaxFault(err)}
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		d.addFault(&more, "a test file has one YAML document")
	case !errors.Is(err, io.EOF):
		return f, []Fault{syntaxFault(err)}
	}
	decodeObject(d, doc.Content[0], "a test file", fileKeys(), f)
	seen := map[string]bool{}
	for _, t := range f.Tests {
		if seen[t.Name] {
			d.faults = append(d.faults, Fault{t.Place, fmt.Sprintf("duplicate test name `%s`", t.Name)})
		}
		seen[t.Name] = true
	}
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return f, d.faults
}

var errorLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:yaml: )?line (\d+): `) })

// syntaxFault is the fault of a file that is not YAML. The library gives the line only.
func syntaxFault(err error) Fault {
	message := err.Error()
	at := Place{1, 1}
	if m := errorLine().FindStringSubmatch(message); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	return Fault{at, "invalid YAML at or near this line: " + strings.TrimPrefix(message, "yaml: ")}
}

// A decoder collects the faults of a file.
type decoder struct {
	faults []Fault
	// large means that a value is too large, which is reported once.
	large bool
}

func placeOf(n *yaml.Node) Place { return Place{n.Line, n.Column} }

func (d *decoder) addFault(n *yaml.Node, format string, args ...any) {
	d.faults = append(d.faults, Fault{placeOf(n), fmt.Sprintf(format, args...)})
}

// A field is a key of a mapping.
type field[T any] struct {
	name, doc string
	required  bool
	// shape is the JSON Schema of the value.
	shape shape
	read  func(d *decoder, n *yaml.Node, into *T)
}

// A shape is a JSON Schema.
type shape = map[string]any

// decodeObject decodes a mapping by its table of keys. what names the mapping in messages.
func decodeObject[T any](d *decoder, n *yaml.Node, what string, fields []field[T], into *T) bool {
	n = resolveAlias(n)
	if n.Kind != yaml.MappingNode {
		d.addFault(n, "%s must be a mapping, not %s", what, kindOf(n))
		return false
	}
	before := len(d.faults)
	seen := map[string]bool{}
	for key, value := range d.mappingPairs(n) {
		i := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == key.Value })
		if i < 0 {
			d.addFault(key, "unknown key `%s` in %s%s", key.Value, what, plain.Instead(key.Value, fieldNames(fields)))
			seen[plain.Nearest(key.Value, fieldNames(fields))] = true // it is not missing too
			continue
		}
		seen[key.Value] = true
		fields[i].read(d, value, into)
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			d.addFault(n, "%s needs the key `%s`", what, f.name)
		}
	}
	return len(d.faults) == before
}

func fieldNames[T any](fields []field[T]) []string {
	var list []string
	for _, f := range fields {
		list = append(list, f.name)
	}
	return list
}

// mappingPairs yields the keys and values of a mapping, without duplicates, which are faults.
func (d *decoder) mappingPairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := resolveAlias(n.Content[i])
			switch {
			case key.Kind != yaml.ScalarNode:
				d.addFault(key, "a key must be a string")
				continue
			case seen[key.Value]:
				d.addFault(key, "duplicate key `%s`", key.Value)
				continue
			}
			seen[key.Value] = true
			if !yield(key, n.Content[i+1]) {
				return
			}
		}
	}
}

// decodeEntries decodes a mapping whose keys are names.
func decodeEntries[T any](d *decoder, n *yaml.Node, what string, read func(n *yaml.Node) T) Entries[T] {
	n = resolveAlias(n)
	if n.Kind != yaml.MappingNode {
		d.addFault(n, "%s must be a mapping, not %s", what, kindOf(n))
		return nil
	}
	var es Entries[T]
	for key, value := range d.mappingPairs(n) {
		es = append(es, Entry[T]{placeOf(key), key.Value, read(resolveAlias(value))})
	}
	return es
}

// decodeList decodes a list, or one value in its place.
func decodeList[T any](n *yaml.Node, read func(n *yaml.Node) T) (all []T) {
	n = resolveAlias(n)
	if n.Kind != yaml.SequenceNode {
		return []T{read(n)}
	}
	for _, item := range n.Content {
		all = append(all, read(resolveAlias(item)))
	}
	return all
}

// maxAliases bounds a chain of aliases; the library refuses cycles only when decoding.
const maxAliases = 100

// resolveAlias follows aliases.
func resolveAlias(n *yaml.Node) *yaml.Node {
	for i := 0; n.Kind == yaml.AliasNode && i < maxAliases; i++ {
		n = n.Alias
	}
	return n
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "a bool"
	case "!!int", "!!float":
		return "a number"
	}
	return "a string"
}

// decodeText decodes a scalar as the file writes it.
func (d *decoder) decodeText(n *yaml.Node, what string) string {
	n = resolveAlias(n)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.addFault(n, "%s must be a string, not %s", what, kindOf(n))
		return ""
	}
	return n.Value
}

func (d *decoder) decodeName(n *yaml.Node, what string) Name {
	return Name{placeOf(resolveAlias(n)), d.decodeText(n, what)}
}

func (d *decoder) decodeBool(n *yaml.Node, what string) bool {
	n = resolveAlias(n)
	var b bool
	if n.Kind != yaml.ScalarNode || n.Decode(&b) != nil {
		d.addFault(n, "%s must be true or false", what)
	}
	return b
}

func (d *decoder) decodeFloat(n *yaml.Node, what string) float64 {
	return decodeAmount[float64](d, n, what, "a number")
}

func (d *decoder) decodeInt(n *yaml.Node, what string) int {
	return decodeAmount[int](d, n, what, "an integer")
}

func decodeAmount[T int | float64](d *decoder, n *yaml.Node, what, kind string) (amount T) {
	n = resolveAlias(n)
	if n.Kind != yaml.ScalarNode || n.Decode(&amount) != nil || amount < 0 {
		d.addFault(n, "%s must be %s, 0 or more", what, kind)
		return 0
	}
	return amount
}

func (d *decoder) decodeDuration(n *yaml.Node, what string) time.Duration {
	text := d.decodeText(n, what)
	t, err := time.ParseDuration(text)
	if text != "" && (err != nil || t < 0) {
		d.addFault(resolveAlias(n), "%s must be a duration such as 30s, 5m or 1h30m", what)
	}
	return t
}

func (d *decoder) decodeTime(n *yaml.Node, what string) time.Time {
	text := d.decodeText(n, what)
	t, err := time.Parse(time.RFC3339, text)
	if text != "" && err != nil {
		d.addFault(resolveAlias(n), "%s must be a time such as 2027-01-31T09:00:00Z", what)
	}
	return t.UTC()
}

func (d *decoder) decodePattern(n *yaml.Node, what string) *regexp.Regexp {
	text := d.decodeText(n, what)
	p, err := regexp.Compile(text)
	if err != nil {
		d.addFault(resolveAlias(n), "invalid regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	}
	return p
}

func (d *decoder) oneOf(n *yaml.Node, what string, known []string) string {
	text := d.decodeText(n, what)
	if text != "" && !slices.Contains(known, text) {
		d.addFault(resolveAlias(n), "%s", plain.UnknownName(what, text, known))
	}
	return text
}

// encodeJSON encodes a value with its keys in order.
func (d *decoder) encodeJSON(n *yaml.Node) json.RawMessage {
	var b bytes.Buffer
	d.large = false
	d.writeNode(&b, n, 0)
	return b.Bytes()
}

// maxDepth and maxValue, in bytes, bound a value: aliases of aliases grow quickly.
const (
	maxDepth = 100
	maxValue = 4 << 20
)

// wholeNumber is a whole number as JSON writes it.
var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func (d *decoder) writeNode(b *bytes.Buffer, n *yaml.Node, depth int) {
	n = resolveAlias(n)
	if depth > maxDepth || b.Len() > maxValue {
		if !d.large {
			d.addFault(n, "the value is nested too deeply or too large")
		}
		d.large = true
		b.WriteString("null")
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		first := true
		for key, value := range d.mappingPairs(n) {
			if !first {
				b.WriteByte(',')
			}
			first = false
			writeJSON(b, key.Value)
			b.WriteByte(':')
			d.writeNode(b, value, depth+1)
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			d.writeNode(b, item, depth+1)
		}
		b.WriteByte(']')
	default:
		var v any
		if n.Tag == "!!str" || n.Tag == "!!timestamp" || n.Decode(&v) != nil {
			v = n.Value
		} else if _, ok := v.(float64); ok && wholeNumber.MatchString(n.Value) {
			v = json.Number(n.Value) // of which a float64 does not keep all digits
		}
		writeJSON(b, v)
	}
}

// writeJSON writes a scalar. A number that JSON lacks, such as .inf, becomes a string.
func writeJSON(b *bytes.Buffer, v any) {
	one, err := plain.EncodeJSON(v)
	if err != nil {
		one = plain.MustEncodeJSON(fmt.Sprint(v))
	}
	b.Write(one)
}

// decodeValue decodes any value.
func (d *decoder) decodeValue(n *yaml.Node) *Value {
	n = resolveAlias(n)
	return &Value{Place: placeOf(n), JSON: d.encodeJSON(n), Text: n.Value, Scalar: n.Kind == yaml.ScalarNode}
}

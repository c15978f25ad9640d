package output

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
	"gopkg.in/yaml.v3"
)

// FromReply returns the output for an agent's reply. If the node declares no output (s is
// nil or has AnyValue), the output is an object with the reply in the field _raw.
// Otherwise FromReply searches the fenced blocks of the reply, and then the whole reply,
// for JSON or for a YAML object or list. The first match is the output, converted and
// checked by the spec and with its defaults. If the spec wants an object and the match is
// another value, the output is {"_data": value}. Without a match the output is an object
// with the reply in the field _raw and the defaults, or an error if the spec wants a
// list. If err is not nil, FromReply returns it.
func (s *Spec) FromReply(r flow.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	v, err := s.readReply(r.Text)
	if err != nil {
		return "", err
	}
	return s.encodeOutput(v)
}

// FromReviewedReply is FromReply for a reply that a person reviews; it returns err, too,
// if that is not nil. An invalid reply is not an error: it gets the field
// _validation_error, so that the person can edit it or ask for another one. Accept
// refuses it.
func (s *Spec) FromReviewedReply(r flow.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	reply := r.Text
	v, fault := s.readReply(reply)
	if fault == nil {
		return s.encodeOutput(v)
	}
	v, found := findData(strings.ToValidUTF8(reply, "\uFFFD"))
	d, isObject := v.(*py.Dict)
	switch {
	case !found:
		d = newObject(fieldReply, py.Str(reply))
	case !isObject:
		d = newObject(fieldData, v)
	}
	setField(d, fieldFault, py.Str(fault.Error()))
	return s.encodeOutput(d)
}

func (s *Spec) readReply(reply string) (py.Value, error) {
	reply = strings.ToValidUTF8(reply, "\uFFFD")
	if s == nil || s.AnyValue && s.Schema == nil {
		return newObject(fieldReply, py.Str(reply)), nil
	}
	v, found := findData(reply)
	if !found {
		if s.List {
			return nil, s.newFault("the reply contains no list: %s", quotedStart(reply))
		}
		raw := newObject(fieldReply, py.Str(reply))
		return raw, s.fillDefaults(raw)
	}
	if _, isObject := v.(*py.Dict); !isObject && !s.List && s.Schema == nil {
		v = newObject(fieldData, v)
	}
	return s.checkValue(v)
}

// findData finds the data in a reply.
func findData(reply string) (v py.Value, found bool) {
	for _, candidate := range append(fencedBlocks(reply), reply) {
		candidate = strings.TrimFunc(candidate, scalar.IsSpace)
		if v, err := py.Loads(candidate); err == nil {
			if isFinite(v) {
				return v, true
			}
			continue
		}
		if v, err := parseYAML(candidate); err == nil && isStructured(v) && isFinite(v) {
			return v, true
		}
	}
	return nil, false
}

// isFinite reports whether all numbers of a value are numbers of JSON, and not NaN or
// an infinity.
func isFinite(v py.Value) bool {
	_, err := encodeJSON(v)
	return err == nil
}

// isStructured reports whether a value is an object or a list.
func isStructured(v py.Value) bool {
	switch v.(type) {
	case *py.Dict, *py.List:
		return true
	}
	return false
}

// fencedBlocks returns the bodies of the closed fenced blocks that may hold data: those
// that name no language, JSON or YAML. Blocks of other languages are passed over
// whole.
func fencedBlocks(text string) []string {
	var bodies []string
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		info, opens := strings.CutPrefix(strings.TrimSpace(lines[i]), "```")
		if !opens {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
			end++
		}
		if end == len(lines) {
			continue // it is not closed
		}
		if slices.Contains([]string{"", "json", "yaml", "yml"}, strings.ToLower(strings.TrimSpace(info))) {
			bodies = append(bodies, strings.Join(lines[i+1:end], ""))
		}
		i = end
	}
	return bodies
}

// quotedStart shows the beginning of a text in a message.
func quotedStart(text string) string { return "'" + clipLine(text) + "'" }

// clipLine returns the beginning of a text on one line.
func clipLine(text string) string { return plain.Clip(strings.Join(strings.Fields(text), " "), 61) }

// FromStdout returns the output for a program's standard output. The output is the first of
// these that applies:
//
//  1. the text itself, if it is a JSON object or list;
//  2. an object of its key=value lines, if it has any; an empty text is an empty object;
//  3. an object with the text in the field _output.
//
// FromStdout converts and checks the fields of the spec and fills in defaults. If err is
// not nil, it returns that error.
func (s *Spec) FromStdout(r flow.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text := strings.TrimFunc(strings.ToValidUTF8(r.Text, "\uFFFD"), scalar.IsSpace)
	v, err := parsePrinted(text)
	if err != nil {
		return "", s.newFault("%v", err)
	}
	if v, err = s.checkValue(v); err != nil {
		return "", err
	}
	if d, ok := v.(*py.Dict); ok && r.StdoutPath != "" {
		setField(d, fieldArtifact, py.Str(r.StdoutPath))
	}
	return s.encodeOutput(v)
}

func parsePrinted(text string) (py.Value, error) {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if v, err := py.Loads(text); err == nil && isFinite(v) {
			return v, nil
		}
	}
	d := py.NewDict()
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimFunc(line, scalar.IsSpace); line == "" {
			continue
		}
		key, value, ok := splitAssignment(line)
		switch {
		case ok:
			if err := d.SetStr(key, py.Str(value)); err != nil {
				return nil, err
			}
		case d.Len() == 0:
			return newObject(fieldText, py.Str(text)), nil
		}
	}
	return d, nil
}

// splitAssignment splits a line of the form key=value.
func splitAssignment(line string) (key, value string, ok bool) {
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

// The limits of YAML that is read: bytes of text, and nodes once aliases are
// followed.
const (
	maxYAML  = 1 << 20
	maxNodes = 100_000
	maxDepth = 200
)

// parseYAML reads a text that is one YAML document.
func parseYAML(text string) (v py.Value, err error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("it is longer than %d bytes", maxYAML)
	}
	defer func() {
		if p := recover(); p != nil { // the library has been seen to panic on bad input
			v, err = nil, fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("there is nothing in it")
	}
	r := yamlReader{}
	return r.readValue(doc.Content[0], 0)
}

// yamlReader turns nodes into values.
type yamlReader struct{ nodes int }

func (r *yamlReader) readValue(n *yaml.Node, depth int) (py.Value, error) {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return nil, errors.New("it is too large or too deep")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.readValue(n.Alias, depth+1)
	case yaml.SequenceNode:
		items := make([]py.Value, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := r.readValue(c, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		return py.NewList(items...), nil
	case yaml.MappingNode:
		d := py.NewDict()
		return d, r.readObject(d, n, depth)
	}
	return yamlScalar(n)
}

// readObject puts the fields of a mapping into d.
func (r *yamlReader) readObject(d *py.Dict, n *yaml.Node, depth int) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], n.Content[i+1]
		v, err := r.readValue(at, depth+1)
		if err != nil {
			return err
		}
		if key.ShortTag() == "!!merge" {
			if err := mergeFields(d, v); err != nil {
				return err
			}
			continue
		}
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key must be a string", key.Line)
		}
		if err := d.SetStr(key.Value, v); err != nil {
			return err
		}
	}
	return nil
}

// mergeFields adds the fields of a merge key's value that are not there yet.
func mergeFields(d *py.Dict, v py.Value) error {
	list := []py.Value{v}
	if l, ok := v.(*py.List); ok {
		list = l.Items()
	}
	for _, from := range list {
		fields, ok := from.(*py.Dict)
		if !ok {
			return errors.New("a merged value is not an object")
		}
		err := fields.Each(func(key, v py.Value) error {
			if _, there, err := d.Get(key); there || err != nil {
				return err
			}
			return d.Set(key, v)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// yamlScalar reads a scalar; one of a type that JSON does not have is its text.
func yamlScalar(n *yaml.Node) (py.Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return py.None{}, nil
	case "!!bool":
		return decodeNode(n, func(b bool) py.Value { return py.Bool(b) })
	case "!!int":
		if digits, base, ok := scalar.Digits(n.Value, 0); ok {
			if i, ok := new(big.Int).SetString(digits, base); ok {
				return py.Loads(i.String())
			}
		}
		return decodeNode(n, func(i int64) py.Value { return py.Int(i) })
	case "!!float":
		return decodeNode(n, func(f float64) py.Value { return py.Float(f) })
	}
	return py.Str(n.Value), nil
}

func decodeNode[T any](n *yaml.Node, of func(T) py.Value) (py.Value, error) {
	var v T
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	return of(v), nil
}

package decode

import (
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Level is a kind of mapping.
type Level struct {
	// Where describes the place of its keys, such as "under `retry:`".
	Where string
	// Name is how messages call the mapping itself, as "`retry`".
	Name string
	// Prefix goes before its keys in messages, as "retry.".
	Prefix string
	// Open levels pass on keys that they do not know.
	Open bool
	// Closed levels have no other keys at all: unknown ones are errors.
	Closed bool
	// AnyOf are groups of keys: a mapping has at least one key of each. OneOf are groups
	// of keys of which it has exactly one.
	AnyOf, OneOf [][]string
	// Clash says for the reference which keys of AnyOf exclude each other.
	Clash string
	// Needs are keys that other keys require.
	Needs []Need
	// Foreign are the keys of other formats that its mappings do not have; see ForeignTo.
	Foreign []Foreign
}

// A Need says that a mapping with a key must have another one, too.
type Need struct {
	// Key is the first key, and Requires the second.
	Key, Requires string
	// Is is the value of the key that matters, and IsNot one that does not, as JSON; "" is
	// any value, or none.
	Is, IsNot string
}

// Value returns the value of one of the keys of v, a mapping of the level.
func (l Level) Value(v Value, p *yamlsrc.Pair) Value {
	return Value{Node: p.Value, Key: p.Key, Path: l.Prefix + p.Key.Value, Lenient: v.Lenient}
}

// A Field is one key of a level: D is the front end's decoder, T the type for the
// values of such a mapping.
type Field[D Front, T any] struct {
	Name string
	// Shape, Doc, Required, Default and Examples describe the key; see Key.
	Shape    Shape
	Doc      string
	Required bool
	Default  string
	Examples []string
	// Read decodes the key's value into a T, and reports faults.
	Read func(d D, v Value, into *T)
}

// Key describes the key of a field.
func (f *Field[D, T]) Key() Key {
	return Key{Name: f.Name, Shape: f.Shape, Doc: f.Doc, Required: f.Required, Default: f.Default, Examples: f.Examples}
}

// Decode decodes the value of the key in v, a mapping of the level, unless it is null
// and that counts as absent.
func (f *Field[D, T]) Decode(d D, l Level, v Value, p *yamlsrc.Pair, into *T) {
	if f.Shape.Null && p.Value.IsNull() {
		return
	}
	of := l.Value(v, p)
	of.Shape = &f.Shape
	if len(f.Examples) > 0 {
		of.Example = f.Examples[0]
	}
	f.Read(d, of, into)
}

// Fields reads the keys of a mapping, in the order of the file, into a value and
// reports those that its level does not know. It reports whether v is a mapping
// at all, and a fault if not.
func Fields[D Front, T any](d D, l Level, v Value, fields []Field[D, T], into *T) bool {
	base := d.self()
	if v.Node.Kind != yamlsrc.Mapping {
		base.noMapping(v, Required(fields), func(key string) bool { return Find(fields, key).Shape.Kind == StringKind })
		return false
	}
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		if f := Find(fields, p.Key.Value); f != nil {
			f.Decode(d, l, v, p, into)
		} else if !l.Open {
			before := len(base.meant[v.Node])
			base.UnknownKey(v, p.Key, l, candidateKeys(fields, p.Value))
			// A node without its id would make all that refer to it unknown.
			for _, id := range base.meant[v.Node][before:] {
				if f := Find(fields, id); f != nil && (id == "id" || id == "name") && v.Node.Pair(id) == nil && base.Bag.HasErrors() {
					f.Decode(d, l, v, p, into)
				}
			}
		}
	}
	return true
}

// Find returns the field of a name, or nil.
func Find[D Front, T any](fields []Field[D, T], name string) *Field[D, T] {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// Evidence returns the first of some keys of a table that a mapping has with a value of the
// kind that the key takes, or "". Such a key is evidence for the format of the table.
func Evidence[D Front, T any](fields []Field[D, T], n *yamlsrc.Node, keys ...string) string {
	for _, key := range keys {
		if p := n.Pair(key); p != nil && Find(fields, key).Shape.fitsValue(p.Value) {
			return key
		}
	}
	return ""
}

// Names lists the keys of a table of fields in its order.
func Names[D Front, T any](fields []Field[D, T]) []string {
	return plain.Texts(fields, func(f Field[D, T]) string { return f.Name })
}

// Required lists the keys that a mapping of a table of fields must have.
func Required[D Front, T any](fields []Field[D, T]) []string {
	var names []string
	for _, f := range fields {
		if f.Required {
			names = append(names, f.Name)
		}
	}
	return names
}

// A Key is a key of a level.
type Key struct {
	Name  string
	Shape Shape
	// Doc is the description of the key: one or two sentences.
	Doc string
	// Required says that a mapping without the key is wrong.
	Required bool
	// Default is the value that counts if the key is absent, as JSON, or "".
	Default string
	// Examples are values of the key, as JSON.
	Examples []string
}

// Text describes the key in words: whether it is required, its description, its default
// and examples.
func (k *Key) Text() string {
	text := k.Doc
	if k.Required {
		text = "Required. " + text
	}
	if k.Default != "" {
		text += " Default: `" + Plain(k.Default) + "`."
	}
	if len(k.Examples) > 0 {
		text += " Example: `" + Plain(k.Examples[0]) + "`."
	}
	return text
}

// Plain is a JSON value as YAML has it: strings without quotes.
func Plain(json string) string {
	if text, err := strconv.Unquote(json); err == nil {
		return text
	}
	return json
}

// A Table is a level with the keys that it knows.
type Table struct {
	Level Level
	Keys  []Key
}

// TableOf returns the table of a level whose keys are those of fields.
func TableOf[D Front, T any](l Level, fields []Field[D, T]) Table {
	t := Table{Level: l}
	for _, f := range fields {
		t.Keys = append(t.Keys, f.Key())
	}
	return t
}

// Names lists the keys that the level knows, in order.
func (t *Table) Names() []string {
	return plain.Texts(t.Keys, func(k Key) string { return k.Name })
}

// Key returns the key of the level with a name, or nil.
func (t *Table) Key(name string) *Key {
	if i := slices.IndexFunc(t.Keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return &t.Keys[i]
	}
	return nil
}

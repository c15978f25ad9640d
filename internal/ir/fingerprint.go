package ir

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// The canonical encoding of a program writes every field of every value with its name, in
// the order of the declarations, and strings with their length. It uses reflection, so a
// new field counts automatically, unless its tag says `fingerprint:"omit"`: so do fields with
// the source of a text, whose meaning is in other fields, and those that are only set in
// programs that cannot run. `fingerprint:"optional"` counts only if it is set: it is newer than
// recorded fingerprints, which must not change, so `recorded` is the name that a renamed field
// has there. Fields of embedded structs count as fields of the whole. Nodes point at each other,
// so a node is written once, in its body, and by its id elsewhere.

// omitted are the types for places in files and for knowledge about the program;
// they do not change its behaviour.
var omitted = map[reflect.Type]bool{
	reflect.TypeFor[source.Span]():   true,
	reflect.TypeFor[[]source.Span](): true,
	reflect.TypeFor[source.Text]():   true,
	reflect.TypeFor[*source.File]():  true,
	reflect.TypeFor[expr.Presence](): true,
}

// holders are the types, besides bodies, that contain nodes; all others point at
// nodes elsewhere.
var holders = map[reflect.Type]bool{
	reflect.TypeFor[ForEach](): true,
	reflect.TypeFor[Repeat]():  true,
	reflect.TypeFor[Fork]():    true,
}

// isOffset reports whether a field is the offset of a part of a template in its source.
func isOffset(field string, of reflect.Type) bool {
	return (field == "Start" || field == "End") && reflect.PointerTo(of).Implements(reflect.TypeFor[template.Part]())
}

// recordedNames are the names by which recorded fingerprints know types that have another
// name now.
var recordedNames = map[reflect.Type]string{
	reflect.TypeFor[Repeat](): "ir.Again",
}

// Fingerprint identifies the behaviour of the program: the SHA-256 of its canonical form,
// in hexadecimal. It includes embedded files and constants, but not positions, comments
// and the layout of the YAML. Two programs with equal fingerprints behave alike, so a run
// can be resumed on either.
func (p *Program) Fingerprint() string {
	return hex.EncodeToString(p.encode().hash.Sum(nil))
}

// FirstBad returns an expression of the program that represents a fault, or nil.
// Such a program cannot be generated, so an error must explain the fault. FirstBad
// checks everything that the fingerprint counts.
func (p *Program) FirstBad() *expr.Bad { return p.encode().bad }

func (p *Program) encode() *encoder {
	e := &encoder{hash: sha256.New(), fields: map[reflect.Type][]countedField{}}
	e.writeValue(reflect.ValueOf(p).Elem())
	e.flushPending()
	return e
}

// Canonical returns the canonical form of a part of a program, as the fingerprint has it:
// two parts with equal forms behave alike.
func Canonical(part any) string { return canonicalText(part, encoder{}) }

// Unordered is Canonical without the order of lists, and of keys in JSON.
func Unordered(part any) string { return canonicalText(part, encoder{unordered: true}) }

// Written is Unordered without the types of the values that expressions read: a schema
// elsewhere does not change it.
func Written(part any) string { return canonicalText(part, encoder{unordered: true, untyped: true}) }

func canonicalText(part any, e encoder) string {
	e.hash, e.fields = sha256.New(), map[reflect.Type][]countedField{}
	if v := reflect.ValueOf(part); v.IsValid() {
		e.writeValue(v)
	}
	e.flushPending()
	return hex.EncodeToString(e.hash.Sum(nil))
}

type encoder struct {
	hash hash.Hash
	// unordered leaves out the order of lists.
	unordered bool
	// untyped leaves out the types of values in expressions.
	untyped bool
	pending []byte // is not in the hash yet
	// bad is the first expression met that represents a fault.
	bad *expr.Bad
	// fields are those that count of each struct met so far: asking a type for
	// them takes longer than reading them.
	fields map[reflect.Type][]countedField
}

// A countedField is a field of a struct that is part of the canonical form.
type countedField struct {
	name  string
	index int
	node  bool // it points at a node
	nodes bool // it points at nodes elsewhere
	// optional says that the field counts only if it is set.
	optional bool
	// typ says that the field is the type of an expression's value.
	typ bool
	// embedded says that the field is a struct whose fields count as those of the whole.
	embedded bool
}

func (e *encoder) writeText(s string) {
	e.pending = strconv.AppendInt(e.pending, int64(len(s)), 10)
	e.pending = append(e.pending, ':')
	e.pending = append(e.pending, s...)
	if len(e.pending) >= 4096 {
		e.flushPending()
	}
}

func (e *encoder) flushPending() {
	e.hash.Write(e.pending)
	e.pending = e.pending[:0]
}

func (e *encoder) writeValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		e.writeText(e.unorderedJSON(v.String()))
	case reflect.Bool:
		e.writeText(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.writeText(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.writeText(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		e.writeText(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Slice, reflect.Array:
		e.writeText("list")
		e.writeText(strconv.Itoa(v.Len()))
		if e.unordered {
			e.writeSet(v)
			return
		}
		for i := range v.Len() {
			e.writeValue(v.Index(i))
		}
	case reflect.Interface, reflect.Pointer:
		e.writePointer(v)
	case reflect.Struct:
		e.writeStruct(v)
	default:
		panic(fmt.Sprintf("fingerprint: no canonical form for %s", v.Type()))
	}
}

// unorderedJSON returns JSON without the order of keys and lists, if that does not count, and
// other strings unchanged.
func (e *encoder) unorderedJSON(text string) string {
	if !e.unordered || !strings.HasPrefix(text, "{") {
		return text
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return sortedJSON(v)
}

// sortedJSON is a JSON value with the elements of lists in the order of their JSON.
func sortedJSON(v any) string {
	switch v := v.(type) {
	case []any:
		items := plain.Texts(v, sortedJSON)
		slices.Sort(items)
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		var items []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, strconv.Quote(key)+":"+sortedJSON(v[key]))
		}
		return "{" + strings.Join(items, ",") + "}"
	}
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}

// writeSet writes the elements of a list in an order that does not depend on the list's.
func (e *encoder) writeSet(v reflect.Value) {
	elements := make([]string, v.Len())
	for i := range elements {
		inner := encoder{hash: sha256.New(), fields: e.fields, unordered: true, untyped: e.untyped}
		inner.writeValue(v.Index(i))
		inner.flushPending()
		elements[i] = string(inner.hash.Sum(nil))
	}
	slices.Sort(elements)
	for _, element := range elements {
		e.writeText(element)
	}
}

// writePointer writes the target of a pointer or an interface with its type: the kinds
// of a sum type must differ.
func (e *encoder) writePointer(v reflect.Value) {
	if v.IsNil() {
		e.writeText("nil")
		return
	}
	if v.Type() == reflect.TypeFor[*expr.Bad]() {
		e.bad = cmp.Or(e.bad, v.Interface().(*expr.Bad))
	}
	v = v.Elem()
	if v.Kind() != reflect.Pointer {
		e.writeText(cmp.Or(recordedNames[v.Type()], v.Type().String()))
	}
	e.writeValue(v)
}

func (e *encoder) writeStruct(v reflect.Value) {
	e.writeFields(v)
	e.writeText("end")
}

func (e *encoder) writeFields(v reflect.Value) {
	for _, f := range e.countedFields(v.Type()) {
		field := v.Field(f.index)
		if f.optional && field.IsZero() || f.typ && e.untyped {
			continue
		}
		if f.embedded {
			e.writeFields(field)
			continue
		}
		e.writeText(f.name)
		switch {
		case f.node:
			e.writeNodeID(field.Interface().(*Node))
		case f.nodes:
			e.writeNodeIDs(field.Interface().([]*Node))
		default:
			e.writeValue(field)
		}
	}
}

func (e *encoder) writeNodeID(n *Node) {
	if n == nil {
		e.writeText("nil")
		return
	}
	e.writeText(n.ID)
}

func (e *encoder) writeNodeIDs(list []*Node) {
	e.writeText("list")
	e.writeText(strconv.Itoa(len(list)))
	for _, n := range list {
		e.writeNodeID(n)
	}
}

// countedFields returns the fields of a struct that count.
func (e *encoder) countedFields(t reflect.Type) []countedField {
	list, known := e.fields[t]
	if known {
		return list
	}
	holds := holders[t] || reflect.PointerTo(t).Implements(reflect.TypeFor[Body]())
	for i := range t.NumField() {
		if f := t.Field(i); !omitted[f.Type] && f.Tag.Get("fingerprint") != "omit" && !isOffset(f.Name, t) {
			list = append(list, countedField{
				name: cmp.Or(f.Tag.Get("recorded"), f.Name), index: i,
				node:     f.Type == reflect.TypeFor[*Node]() && !holds,
				nodes:    f.Type == reflect.TypeFor[[]*Node]() && !holds,
				optional: f.Tag.Get("fingerprint") == "optional",
				typ:      f.Name == "Typ" && f.Type == reflect.TypeFor[types.Type](),
				embedded: f.Anonymous,
			})
		}
	}
	e.fields[t] = list
	return list
}

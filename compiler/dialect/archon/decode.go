package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// Decoding goes level by level: the workflow, a node, and the mappings inside
// a node each have a table of the keys they know (keys.go lists the tables).
// What a table does not know is reported with the place where it would be
// valid. A value that is wrong is reported and left out, so that one fault has
// no followers: whoever needs a value asks whether its key was written at all
// before calling it missing.

// A decoder holds what the levels of one file share.
type decoder struct {
	env     *dialect.Env
	bag     *diag.Bag
	library *library
	// homes returns where a key is valid, in words; it is a value and not a
	// function because the tables that it reads refer to the decoder's methods.
	homes func(key string) []string
	// defaults are the workflow's settings that its nodes inherit.
	defaults *workflowDecl
	surfaces []*surface
}

// A level is a kind of mapping.
type level struct {
	// where says in words where its keys stand, as "under `retry:`".
	where string
	// name is how messages call the mapping itself, as "`retry`".
	name string
	// prefix goes before its keys in messages, as "retry.".
	prefix string
	// open levels pass on keys that they do not know.
	open bool
}

// A field is one key of a level.
type field[T any] struct {
	name string
	read func(d *decoder, v value, into *T)
}

// A value is what a key holds, or an item of a list.
type value struct {
	node *yamlsrc.Node
	// key is the key's own node; for an item that of its list.
	key *yamlsrc.Node
	// path is how messages call the value, as "retry.max_attempts".
	path string
	// lenient says that the engine drops a wrong value with a warning where it
	// otherwise rejects the file.
	lenient bool
}

// place is where faults of the value are shown: at the key when nothing is
// written behind it.
func (v value) place() source.Span {
	at := v.node.Place()
	if at.Start == at.End && v.key != nil {
		return v.key.Span
	}
	return at
}

// item returns the value of one item of a list.
func (v value) item(n *yamlsrc.Node) value {
	return value{node: n, key: v.key, path: v.path, lenient: v.lenient}
}

// fault reports something wrong with the value.
func (d *decoder) fault(v value, x *diag.Diagnostic) {
	if v.lenient && x.Severity == diag.Error {
		dropped := diag.DroppedValue(x.Span, x.Message)
		dropped.Help = x.Help
		x = dropped
	}
	d.bag.Add(x)
}

// decodeFields reads the keys of a mapping into a value and reports those that
// its level does not know. It reports whether the node is a mapping at all.
func decodeFields[T any](d *decoder, l level, v value, fields []field[T], into *T) bool {
	if !d.isMapping(v) {
		return false
	}
	for i := range v.node.Pairs {
		p := &v.node.Pairs[i]
		at := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == p.Key.Value })
		switch {
		case at >= 0:
			inner := value{node: p.Value, key: p.Key, path: l.prefix + p.Key.Value, lenient: v.lenient}
			fields[at].read(d, inner, into)
		case !l.open:
			d.unknownKey(v, p, l, names(fields))
		}
	}
	return true
}

// names lists the keys of a table.
func names[T any](fields []field[T]) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return list
}

// unknownKey reports a key that its level does not know: as one of a newer
// version, as one that is valid elsewhere, or as a misspelt one.
func (d *decoder) unknownKey(v value, p *yamlsrc.Pair, l level, known []string) {
	key := p.Key.Value
	if strings.HasPrefix(key, "x-") {
		// People keep anchored mappings to merge elsewhere under such keys.
		return
	}
	if instead, newer := newerKeys[key]; newer {
		if slices.ContainsFunc(newerModes, func(mode string) bool { return v.node.Pair(mode) != nil }) {
			return // the whole node is reported
		}
		d.bag.Add(diag.NewerKey(p.Key.Span, key, instead))
		return
	}
	if homes := d.homes(key); len(homes) > 0 {
		d.bag.Add(diag.MisplacedKey(p.Key.Span, key, l.where, homes))
		return
	}
	d.bag.Add(diag.UnknownKey(p.Key.Span, key, l.where, diag.Nearest(key, known)))
}

// missing reports keys of a mapping that are required and not written.
func (d *decoder) missing(v value, l level, required ...string) {
	for _, key := range required {
		if v.node.Pair(key) == nil {
			at := v.place()
			if v.key != nil {
				at = v.key.Span
			}
			d.fault(v, diag.MissingKey(at, key, l.name))
		}
	}
}

// addSurface notes a text that resolve parses once all nodes are known.
func (d *decoder) addSurface(kind surfaceKind, node *ir.Node, text source.Text) *surface {
	s := &surface{kind: kind, node: node, text: text}
	d.surfaces = append(d.surfaces, s)
	return s
}

package graphloop

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// Each kind of mapping has a table of the keys that it knows. A value that is
// wrong is reported and left out; whoever needs a value asks whether its key was
// written before calling it missing, so that one fault has no followers.

// A decoder holds what is known of one file.
type decoder struct {
	file      *source.File
	env       *dialect.Env
	bag       *diag.Bag
	workflow  *ir.Workflow
	graph     *ir.Graph
	resources []*source.File
	roles     *roles

	// nodes are the nodes in file order; byID finds them.
	nodes []*nodeDecl
	byID  map[string]*nodeDecl
	edges []*edgeDecl
	// variables are the variables of the state in order of their first mention
	// under state, in a handler, or as an input.
	variables []*variable
	byName    map[string]*variable

	conditions []*condition
	texts      []*text
	interrupts []*interruptDecl
	shell      *shell.Rewriter
}

func newDecoder(file *source.File, env *dialect.Env, bag *diag.Bag) *decoder {
	graph := &ir.Graph{State: &ir.State{}, Version: defaultVersion}
	return &decoder{
		file: file, env: env, bag: bag,
		graph:    graph,
		workflow: &ir.Workflow{Body: graph, Exclusive: true},
		byID:     map[string]*nodeDecl{},
		byName:   map[string]*variable{},
		// Nothing is set in the environment of scripts, and no original engine
		// inserts values in quotes of its own.
		shell: shell.NewRewriter(shell.Options{}),
	}
}

// A level is a kind of mapping.
type level struct {
	// where says in words where its keys stand, as "under `limits:`".
	where string
	// name is how messages call the mapping itself, as "`limits`".
	name string
	// prefix goes before its keys in messages, as "limits.".
	prefix string
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
	// path is how messages call the value, as "limits.max_iterations".
	path string
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
	return value{node: n, key: v.key, path: v.path + " item"}
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
		if at < 0 {
			d.unknownKey(p.Key, l, fieldNames(fields))
			continue
		}
		fields[at].read(d, value{node: p.Value, key: p.Key, path: l.prefix + p.Key.Value}, into)
	}
	return true
}

// fieldNames lists the keys of a table.
func fieldNames[T any](fields []field[T]) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return list
}

// unknownKey reports a key that its level does not know: as one that is valid
// elsewhere, or as a misspelt one. Under keys that begin with x- people keep
// anchored mappings to merge elsewhere.
func (d *decoder) unknownKey(key *yamlsrc.Node, l level, known []string) {
	name := key.Value
	if strings.HasPrefix(name, "x-") {
		return
	}
	near := diag.Nearest(name, known)
	if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(k, name+"_") }); near == "" && i >= 0 {
		near = known[i] // as timeout for timeout_minutes
	}
	if near != "" {
		d.bag.Add(diag.UnknownKey(key.Span, name, l.where, near))
		return
	}
	if homes := homesOf(name, l); len(homes) > 0 {
		d.bag.Add(diag.MisplacedKey(key.Span, name, l.where, homes))
		return
	}
	d.bag.Add(diag.UnknownKey(key.Span, name, l.where, ""))
}

// homesOf returns where a key is valid, in words, other than at a level.
func homesOf(key string, l level) []string {
	var homes []string
	add := func(at level, keys []string) {
		if at != l && slices.Contains(keys, key) {
			homes = append(homes, at.where)
		}
	}
	add(workflowLevel, workflowKeys)
	for _, k := range kinds {
		add(k.level(), k.keys)
	}
	add(limitsLevel, limitKeys)
	add(interruptLevel, interruptKeys)
	add(edgeLevel, edgeKeys)
	return homes
}

// missing reports required keys of a mapping that are not written, at a place
// that stands for all of it.
func (d *decoder) missing(v value, at source.Span, l level, required ...string) (all bool) {
	all = true
	for _, key := range required {
		if v.node.Pair(key) == nil {
			d.bag.Add(diag.MissingKey(at, key, l.name))
			all = false
		}
	}
	return all
}

package archon

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Decoding goes level by level: the workflow, a node, and the mappings inside
// a node each have a table of the keys they know (keys.go lists the tables).

// A decoder holds the state that the levels of one file share.
type decoder struct {
	decode.Decoder
	env     *dialect.Env
	library *library
	// defaults are the workflow's settings that its nodes inherit.
	defaults *workflowDecl
	surfaces []*surface
	// scope is that of the texts that are decoded.
	scope *scope
	// group is the group whose nodes are decoded, or nil; groups are all of the file.
	group  *group
	groups []*group
	// repeated says that the nodes run for the items of a list.
	repeated bool
	// newer says that the newer rules hold; see newer.go.
	newer bool
	// blocks are the included files, each after those that it includes.
	blocks []*block
	// chain are the paths of the files that include each other, this one last.
	chain []string
	// first is the outermost of the blocks that the file is in, or nil.
	first *block
	// nodes are the nodes of the workflow with those that they include. entries are those of
	// the file that depend on no other, and sinks those on which no other depends.
	nodes, entries, sinks []*nodeDecl
	// formed are the loops with an output_format.
	formed map[*ir.Node]bool
	// resumptions are the prompts that continue the session of a named node.
	resumptions []resumption
}

type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// newDecoder returns a decoder for one file.
func newDecoder(env *dialect.Env, bag *diag.Bag) *decoder {
	d := &decoder{env: env, library: newLibrary(env, bag), formed: map[*ir.Node]bool{}}
	d.Decoder = decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), AnyNumber: true, Tables: tables, Special: d.isNewerKey}
	return d
}

// inBlock reports whether the file is one that another file includes.
func (d *decoder) inBlock() bool { return len(d.chain) > 1 }

// missing reports keys of a mapping that are required and not written.
func (d *decoder) missing(v value, l level, required ...string) (complete bool) {
	return d.Missing(v, v.Head(), l, required...)
}

// readLevel reads the keys of a mapping and reports required ones that are not written. It
// returns false for a value that is no mapping.
func readLevel[T any](d *decoder, v value, l level, fields []field[T], into *T) bool {
	if !decode.Fields(d, l, v, fields, into) {
		return false
	}
	d.missing(v, l, decode.Required(fields)...)
	return true
}

// addSurface notes a text that resolve parses once all nodes are known.
func (d *decoder) addSurface(kind surfaceKind, node *ir.Node, text source.Text) *surface {
	s := &surface{kind: kind, node: node, scope: d.scope, text: text}
	d.surfaces = append(d.surfaces, s)
	return s
}

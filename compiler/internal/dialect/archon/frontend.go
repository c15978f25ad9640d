// Package archon is the front end of the archon format: a list of nodes with
// dependencies, conditions and trigger rules.
//
// It compiles in two steps. Decoding reads the file level by level into the IR and
// collects the surfaces: texts that may contain references. Resolving parses the
// surfaces once all nodes are known. Both steps report all their findings, so that
// one run shows all independent faults of a file.
package archon

import (
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Name is the dialect's name as users write it.
const Name = "archon"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "archon".
func (Frontend) Name() string { return Name }

// Tables implements dialect.Frontend.
func (Frontend) Tables() []decode.Table {
	return append(append(allTables(), decode.TableOf(ripgrepLevel, ripgrepFields), decode.TableOf(piLevel, piFields)), newerTables()...)
}

// Typed implements dialect.Frontend. The original engine checks files by a schema over
// YAML 1.2.
func (Frontend) Typed() bool { return true }

// Compile checks a document and returns its program. The program is nil when the
// file is not a mapping, or says nothing about nodes. When an error was reported
// the program is good for showing and for finding more faults, not for running.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	// The engine silently takes the last of two equal keys.
	root := decode.Root(doc, bag, diag.Warning)
	if root == nil {
		return nil
	}
	d := newDecoder(env, bag)
	d.rules = rulesFor(root, env.Settings.Archon.Version, d.library.packaged != "")
	d.checkPackage(root)
	d.scope = newScope(d.rules)
	d.chain = []string{""}
	workflow := d.compileWorkflow(root)
	if workflow == nil {
		return nil
	}
	d.resolveSurfaces(workflow)
	program := &ir.Program{File: doc.File, Dialect: Name, Workflow: workflow, Resources: *d.library.used}
	for _, b := range d.blocks {
		program.Used = append(program.Used, ir.Use{File: b.used.File, At: b.site})
	}
	return program
}

// A decoder holds the state that the levels of one file share. Decoding goes level by level:
// the workflow, a node, and the mappings inside a node each have a table of the keys they
// know.
type decoder struct {
	agents
	surfaces []*surface
	// scope is the scope of the node or group that is being decoded.
	scope *scope
	// group is the group whose nodes are decoded, or nil; groups are all of the file.
	group  *group
	groups []*group
	// repeated says that the nodes run for the items of a list.
	repeated bool
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

// agents decide which agents and models nodes have, and with which options.
type agents struct {
	reader
	env     *dialect.Env
	library *library
	// defaults are the workflow's settings that its nodes inherit.
	defaults *workflowDecl
}

// A reader reads and checks single keys, by the rules of the version that the file is written
// for.
type reader struct {
	decode.Decoder
	rules *formats.Ruleset
}

type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// newDecoder returns a decoder for one file.
func newDecoder(env *dialect.Env, bag *diag.Bag) *decoder {
	d := &decoder{agents: agents{env: env, library: newLibrary(env)}, formed: map[*ir.Node]bool{}}
	d.Decoder = decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), AnyNumber: true, Tables: allTables, Special: d.isNewerKey}
	return d
}

// inBlock reports whether the file is one that another file includes.
func (d *decoder) inBlock() bool { return len(d.chain) > 1 }

// reportMissing reports keys of a mapping that are required and not written.
func (r *reader) reportMissing(v value, l level, required ...string) (complete bool) {
	return r.Missing(v, v.Head(), l, required...)
}

// readLevel reads the keys of a mapping and reports required ones that are not written. It
// returns false for a value that is not a mapping.
func readLevel[T any](d *decoder, v value, l level, fields []field[T], into *T) bool {
	if !decode.Fields(d, l, v, fields, into) {
		return false
	}
	d.reportMissing(v, l, decode.Required(fields)...)
	return true
}

// addSurface notes a text that resolve parses once all nodes are known.
func (d *decoder) addSurface(kind surfaceKind, node *ir.Node, text source.Text) *surface {
	s := &surface{kind: kind, node: node, scope: d.scope, text: text}
	d.surfaces = append(d.surfaces, s)
	return s
}

// millisecondDuration turns a positive number of milliseconds into a duration: at
// least a nanosecond, because zero would mean the default, and at most the
// longest that there is.
func millisecondDuration(f float64) time.Duration {
	ns := f * float64(time.Millisecond)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(1, time.Duration(ns))
}

// isSpace reports whether the original engine's trim removes a character: the
// white space of JavaScript, which counts the byte order mark but not U+0085.
func isSpace(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}

// trimSpace removes white space from both ends of a text.
func trimSpace(s string) string { return strings.TrimFunc(s, isSpace) }

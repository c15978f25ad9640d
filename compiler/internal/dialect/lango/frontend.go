// Package lango is the front end of the lango format: agent steps with
// dependencies, whose prompts take in the results of earlier steps.
//
// Decoding reads the file; then dependencies are connected; then the prompts,
// which can only be understood once it is known which step comes after which, are
// compiled. All of them report everything they find.
package lango

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/depend"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Name is the dialect's name as users write it.
const Name = "lango"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "lango".
func (Frontend) Name() string { return Name }

// Tables implements dialect.Frontend.
func (Frontend) Tables() []decode.Table { return allTables() }

// Typed implements dialect.Frontend. The original reads scalars into strings.
func (Frontend) Typed() bool { return false }

// Compile checks a document and returns its program, which is nil when the file is
// not a mapping or has no steps.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	root := decode.StrictRoot(doc, bag)
	if root == nil {
		return nil
	}
	d := &decoder{
		env:  env,
		body: &ir.DAG{Halts: true},
		workflow: &ir.Workflow{
			Concurrency: concurrency, Delivers: true, Span: root.Span,
			Schedule: env.Schedule, DeliverTo: env.DeliverTo, NodeTags: env.NodeTags,
		},
	}
	d.Decoder = decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), NearFirst: true, Tables: allTables}
	d.workflow.Body = d.body
	v := value{Node: root}
	decode.Fields(d, workflowLevel, v, workflowFields, d.workflow)
	d.Missing(v, v.FirstKey(), workflowLevel, decode.Required(workflowFields)...)
	if len(d.steps) == 0 {
		return nil
	}
	d.reportSetTwice()
	d.connectSteps()
	d.compilePrompts()
	return &ir.Program{File: doc.File, Dialect: Name, Workflow: d.workflow}
}

// concurrency is how many steps run at once.
const concurrency = 4

// A decoder holds the state of decoding one file.
type decoder struct {
	decode.Decoder
	env      *dialect.Env
	workflow *ir.Workflow
	body     *ir.DAG
	steps    []*step
	// before are, for each step, the positions of the steps that it comes after,
	// directly or not.
	before []map[int]bool
}

type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// A step is a step while the file is read.
type step struct {
	node   *ir.Node
	named  bool
	number int
	agent  *value
	prompt *value
	needs  []decode.Entry
	// needsAt is the place of its dependencies, if it has any.
	needsAt *value
}

// messageLabel is how messages call the step.
func (s *step) messageLabel() string {
	if s.named {
		return "`" + s.node.ID + "`"
	}
	return fmt.Sprintf("number %d", s.number)
}

func allTables() []decode.Table {
	return []decode.Table{decode.TableOf(workflowLevel, workflowFields), decode.TableOf(stepLevel, stepFields)}
}

// connectSteps makes the steps' dependencies of their ids and finds out which steps
// each comes after.
func (d *decoder) connectSteps() {
	list := make([]depend.Node, len(d.steps))
	for i, s := range d.steps {
		list[i] = depend.Node{Node: s.node, Named: s.named, Label: s.messageLabel(), Needs: s.needs}
	}
	edges := depend.Connect(list, d.Bag)
	d.before = make([]map[int]bool, len(d.steps))
	for i := range d.steps {
		d.findAncestors(i, edges)
	}
}

// findAncestors returns the steps that a step comes after. In a cycle, which is
// reported, it is enough that it comes to an end.
func (d *decoder) findAncestors(i int, edges [][]int) map[int]bool {
	if d.before[i] != nil {
		return d.before[i]
	}
	all := map[int]bool{}
	d.before[i] = all
	for _, to := range edges[i] {
		all[to] = true
		for further := range d.findAncestors(to, edges) {
			all[further] = true
		}
	}
	return all
}

// stepPosition returns the position of the step of the given id, or -1.
func (d *decoder) stepPosition(id string) int {
	return slices.IndexFunc(d.steps, func(s *step) bool { return s.named && s.node.ID == id })
}

// stepIDs are the ids of all steps.
func (d *decoder) stepIDs() []string {
	var list []string
	for _, s := range d.steps {
		if s.named {
			list = append(list, s.node.ID)
		}
	}
	return list
}

// stepSpan is where faults of a whole step are shown.
func stepSpan(v value, s *step) source.Span {
	if s.named {
		return s.node.IDSpan
	}
	return v.FirstKey()
}

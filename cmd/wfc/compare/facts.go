package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
)

// A collector gathers the facts of one program. where and at are those of the part that it
// looks at.
type collector struct {
	facts []fact
	where string
	at    source.Span
}

func factsOf(p *ir.Program) []fact {
	c := &collector{}
	c.addWorkflow(p)
	c.addReachability(p)
	return c.facts
}

// gatherPart gathers the facts of a part.
func (c *collector) gatherPart(where string, at source.Span, gather func()) {
	outerWhere, outerAt := c.where, c.at
	c.where, c.at = where, at
	gather()
	c.where, c.at = outerWhere, outerAt
}

// add adds a fact unless its value is "".
func (c *collector) add(f fact) {
	if f.value == "" {
		return
	}
	f.where = c.where
	if !f.at.IsValid() {
		f.at = c.at
	}
	c.facts = append(c.facts, f)
}

// addPart adds the fact that the part exists; doc describes it.
func (c *collector) addPart(class Class, doc string) {
	c.add(fact{class: class, value: doc, kind: partFact})
}

func (c *collector) addValue(class Class, what, value string) {
	c.add(fact{class: class, what: what, value: value})
}

func (c *collector) addFlag(class Class, what string, set bool) {
	if set {
		c.addValue(class, what, "yes")
	}
}

// addGuard adds a safeguard, if it is there.
func (c *collector) addGuard(class Class, what string, there bool) {
	if there {
		c.add(fact{class: class, what: what, value: "yes", guards: true})
	}
}

// addText adds a text; of decides whether it differs.
func (c *collector) addText(class Class, what, value string, of any, at source.Span) {
	c.add(fact{class: class, what: what, value: value, of: of, kind: textFact, at: at})
}

func (c *collector) addTemplate(class Class, what string, t *template.Template) {
	if t != nil {
		c.addText(class, what, t.Source.Value, t, t.Source.Whole())
	}
}

// addCondition adds a condition; e decides whether it differs.
func (c *collector) addCondition(what, written string, e any, at source.Span) {
	if written != "" {
		c.add(fact{class: Flow, what: what, value: written, of: e, at: at})
	}
}

func (c *collector) addLimit(what string, number float64, value string) {
	if number != 0 {
		c.add(fact{class: Limits, what: what, value: value, number: number, kind: limitFact})
	}
}

func (c *collector) addCount(what string, n int) { c.addLimit(what, float64(n), strconv.Itoa(n)) }

func (c *collector) addDuration(what string, d time.Duration) {
	c.addLimit(what, float64(d), d.String())
}

func (c *collector) addList(class Class, what string, kind factKind, entries []string) {
	sorted := slices.Sorted(slices.Values(entries))
	c.add(fact{class: class, what: what, value: strings.Join(sorted, "\n"), kind: kind})
}

// addWorkflow adds the facts of a whole program.
func (c *collector) addWorkflow(p *ir.Program) {
	w := p.Workflow
	c.at = w.NameSpan
	c.addValue(Info, "name", w.Name)
	c.addText(Info, "description", w.Description, w.Description, w.Span)
	c.addValue(Info, "advice not to use it", w.Deprecated)
	c.addList(Info, "tags", listFact, w.Tags)
	for _, in := range w.Inputs {
		c.gatherPart("input `"+in.Name+"`", in.Span, func() {
			c.addInput(in)
			if _, ok := w.Body.(*ir.Graph); !ok { // there it says who uses the input
				c.addText(Info, "description", in.Doc, in.Doc, in.Span)
			}
		})
	}
	c.addVariables("environment", w.Env, w.MoreEnv, w.Environment)
	c.addGuard(Flow, "one run at a time in a checkout", w.Exclusive)
	settings := slices.Clone(w.Options)
	if w.Worktree != nil {
		tree := fact{class: Flow, what: "git worktree for each run", value: strconv.FormatBool(*w.Worktree)}
		settings = slices.DeleteFunc(settings, func(o ir.Option) bool {
			if o.Name == "worktree" {
				tree.at = o.Span
			}
			return o.Name == "worktree"
		})
		c.add(tree)
	}
	if w.Schedule != nil {
		c.addValue(Flow, "schedule", strings.TrimSpace(w.Schedule.Zone+" "+w.Schedule.Cron))
	}
	c.addTriggers(p.Triggers)
	c.addFlag(Flow, "delivery of the result", w.Delivers)
	c.addList(Flow, "targets of the result", listFact, ir.TargetNames(w.DeliverTo))
	c.addCount("nodes at once", w.Concurrency)
	if w.Returns != nil {
		c.addValue(Flow, "node with the result", w.Returns.ID)
	}
	if w.Outcome != nil {
		c.addValue(Flow, "field with the verdict", w.Outcome.Field)
	}
	if w.Evidence {
		c.add(fact{class: Gates, what: "evidence before a run completes", value: "required", guards: true})
	}
	c.addOptions("setting", settings, w.Span)
	c.addBody(w.Body, "")
	if g, ok := w.Body.(*ir.Graph); ok {
		c.addGraph(g)
	}
}

func (c *collector) addInput(in *ir.Input) {
	c.addPart(Schemas, in.Type.String())
	c.addValue(Schemas, "type", typeText(in.Type))
	switch {
	case in.Default == nil:
		c.addValue(Schemas, "value", "required")
	default:
		c.add(fact{class: Schemas, what: "value", value: "default " + exprText(in.Default), of: in.Default})
	}
	c.addFlag(Schemas, "takes the free arguments of the command line", in.Rest)
	c.addNumber(Schemas, "position among the arguments", in.Position)
	c.addValue(Schemas, "replaces the output of", in.Replaces)
}

// addNumber adds a number that is not a limit.
func (c *collector) addNumber(class Class, what string, n int) {
	if n != 0 {
		c.addValue(class, what, strconv.Itoa(n))
	}
}

// addVariables adds environment variables.
func (c *collector) addVariables(what string, lists ...[]ir.EnvVar) {
	for _, list := range lists {
		for _, v := range list {
			c.add(fact{class: Scripts, what: what + " `" + v.Name + "`", value: exprText(v.Value), of: v.Value})
		}
	}
}

// addBody adds the facts of the nodes of a body, whose names begin with prefix.
func (c *collector) addBody(b ir.Body, inside string) {
	if b == nil {
		return
	}
	var ids []string
	for _, n := range b.All() {
		ids = append(ids, n.ID)
		c.addNode(n, inside)
	}
	// In a DAG, the order only decides which last node is the result.
	what := "order of the nodes in the file"
	switch b.(type) {
	case *ir.Sequence:
		what = "order of the steps"
	case *ir.Graph:
		return // edges decide
	}
	if inside != "" {
		what += " in " + inside
	}
	c.add(fact{class: Flow, what: what, value: strings.Join(ids, "\n"), kind: orderFact})
}

// addReachability adds the facts that the exploration of a state graph proves.
func (c *collector) addReachability(p *ir.Program) {
	r := explore.Bounds(p)
	if r == nil {
		return
	}
	if r.LongestBy != explore.Nothing {
		c.addCount("visits of nodes in the longest run", r.Longest)
	}
	if r.TimeBy != explore.Nothing {
		c.addDuration("longest time of all nodes together", r.Time)
	}
	for _, calls := range r.Calls {
		if calls.By != explore.Nothing {
			c.addCount("calls of agent `"+calls.Agent+"`", calls.Most)
		}
	}
	ends := explore.Run(p.Workflow.Body.(*ir.Graph), explore.Options{}).Endings()
	c.addList(Flow, "possible ends of a run", listFact, plain.Texts(ends, func(e explore.Ending) string { return fmt.Sprintf("`%s` with `%s`", e.Node.ID, e.Label) }))
}

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
	c.workflow(p)
	c.reach(p)
	return c.facts
}

// in gathers the facts of a part.
func (c *collector) in(where string, at source.Span, gather func()) {
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

// part adds the fact that the part exists; doc describes it.
func (c *collector) part(class Class, doc string) {
	c.add(fact{class: class, value: doc, kind: partFact})
}

func (c *collector) value(class Class, what, value string) {
	c.add(fact{class: class, what: what, value: value})
}

func (c *collector) flag(class Class, what string, set bool) {
	if set {
		c.value(class, what, "yes")
	}
}

// text adds a text; of decides whether it differs.
func (c *collector) text(class Class, what, value string, of any, at source.Span) {
	c.add(fact{class: class, what: what, value: value, of: of, kind: textFact, at: at})
}

func (c *collector) template(class Class, what string, t *template.Template) {
	if t != nil {
		c.text(class, what, t.Source.Value, t, t.Source.Whole())
	}
}

// condition adds a condition; e decides whether it differs.
func (c *collector) condition(what, written string, e any, at source.Span) {
	if written != "" {
		c.add(fact{class: Flow, what: what, value: written, of: e, at: at})
	}
}

func (c *collector) limit(what string, number float64, value string) {
	if number != 0 {
		c.add(fact{class: Limits, what: what, value: value, number: number, kind: limitFact})
	}
}

func (c *collector) count(what string, n int) { c.limit(what, float64(n), strconv.Itoa(n)) }

func (c *collector) duration(what string, d time.Duration) { c.limit(what, float64(d), d.String()) }

func (c *collector) list(class Class, what string, kind factKind, entries []string) {
	sorted := slices.Sorted(slices.Values(entries))
	c.add(fact{class: class, what: what, value: strings.Join(sorted, "\n"), kind: kind})
}

// workflow adds the facts of a whole program.
func (c *collector) workflow(p *ir.Program) {
	w := p.Workflow
	c.at = w.NameSpan
	c.value(Info, "name", w.Name)
	c.text(Info, "description", w.Description, w.Description, w.Span)
	c.value(Info, "advice not to use it", w.Deprecated)
	c.list(Info, "tags", listFact, w.Tags)
	for _, in := range w.Inputs {
		c.in("input `"+in.Name+"`", in.Span, func() {
			c.input(in)
			if _, ok := w.Body.(*ir.Graph); !ok { // there it says who uses the input
				c.text(Info, "description", in.Doc, in.Doc, in.Span)
			}
		})
	}
	c.variables("environment", w.Env, w.MoreEnv, w.Environment)
	if w.Exclusive {
		c.add(fact{class: Flow, what: "one run at a time in a checkout", value: "yes", guards: true})
	}
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
		c.value(Flow, "schedule", strings.TrimSpace(w.Schedule.Zone+" "+w.Schedule.Cron))
	}
	c.flag(Flow, "delivery of the result", w.Delivers)
	c.list(Flow, "targets of the result", listFact, ir.TargetNames(w.DeliverTo))
	c.count("nodes at once", w.Concurrency)
	if w.Returns != nil {
		c.value(Flow, "node with the result", w.Returns.ID)
	}
	if w.Outcome != nil {
		c.value(Flow, "field with the verdict", w.Outcome.Field)
	}
	if w.Evidence {
		c.add(fact{class: Gates, what: "evidence before a run completes", value: "required", guards: true})
	}
	c.options("setting", settings, w.Span)
	c.body(w.Body, "")
	if g, ok := w.Body.(*ir.Graph); ok {
		c.graph(g)
	}
}

func (c *collector) input(in *ir.Input) {
	c.part(Schemas, in.Type.String())
	c.value(Schemas, "type", typeText(in.Type))
	switch {
	case in.Default == nil:
		c.value(Schemas, "value", "required")
	default:
		c.add(fact{class: Schemas, what: "value", value: "default " + exprText(in.Default), of: in.Default})
	}
	c.flag(Schemas, "takes the free arguments of the command line", in.Rest)
	c.number(Schemas, "position among the arguments", in.Position)
	c.value(Schemas, "replaces the output of", in.Replaces)
}

// number adds a number that is not a limit.
func (c *collector) number(class Class, what string, n int) {
	if n != 0 {
		c.value(class, what, strconv.Itoa(n))
	}
}

// variables adds environment variables.
func (c *collector) variables(what string, lists ...[]ir.EnvVar) {
	for _, list := range lists {
		for _, v := range list {
			c.add(fact{class: Scripts, what: what + " `" + v.Name + "`", value: exprText(v.Value), of: v.Value})
		}
	}
}

// body adds the facts of the nodes of a body, whose names begin with prefix.
func (c *collector) body(b ir.Body, inside string) {
	if b == nil {
		return
	}
	var ids []string
	for _, n := range b.All() {
		ids = append(ids, n.ID)
		c.node(n, inside)
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

// reach adds the facts that the exploration of a state graph proves.
func (c *collector) reach(p *ir.Program) {
	r := explore.Bounds(p)
	if r == nil {
		return
	}
	if r.LongestBy != explore.Nothing {
		c.count("visits of nodes in the longest run", r.Longest)
	}
	if r.TimeBy != explore.Nothing {
		c.duration("longest time of all nodes together", r.Time)
	}
	for _, calls := range r.Calls {
		if calls.By != explore.Nothing {
			c.count("calls of agent `"+calls.Agent+"`", calls.Most)
		}
	}
	var ends []string
	for _, e := range explore.Run(p.Workflow.Body.(*ir.Graph), explore.Options{}).Endings() {
		ends = append(ends, fmt.Sprintf("`%s` with `%s`", e.Node.ID, e.Label))
	}
	c.list(Flow, "possible ends of a run", listFact, ends)
}

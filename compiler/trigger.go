package compiler

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// bindTriggers gives meaning to the triggers of the configuration, and reports what doesn't fit
// the workflow.
func bindTriggers(p *ir.Program, list []ir.Trigger, front dialect.Frontend, bag *diag.Bag) []*ir.Trigger {
	var all []*ir.Trigger
	for i := range list {
		t := list[i]
		if t.Workflow != "" && (p.Dialect != archon.Name || t.Workflow != p.Workflow.Name) {
			continue
		}
		b := triggerBinder{p: p, t: &t}
		b.bindInputs()
		b.bindSignal()
		b.bindFilter(front)
		b.checkRoute(all)
		for _, d := range b.bag.Sorted() {
			for _, fix := range d.Fixes {
				for j := range fix.Edits {
					fix.Edits[j].Decoded = false // names and pointers need no other form
				}
			}
			bag.Add(d)
		}
		all = append(all, &t)
	}
	return all
}

// A triggerBinder binds one trigger to its workflow.
type triggerBinder struct {
	p   *ir.Program
	t   *ir.Trigger
	bag diag.Bag
	// misnamed says that an unknown input was reported.
	misnamed bool
}

// checkPointer reports a place that the payload certainly doesn't have. Package
// runtime/internal/watch makes the payloads of sources that are not webhooks.
func (b *triggerBinder) checkPointer(at source.Span, pointer string) {
	var known []string
	switch {
	case pointer == "":
	case b.t.On.Files != "":
		known = []string{"/path", "/name", "/sha256"}
	case b.t.On.Branch != "":
		known = []string{"/branch", "/commit", "/previous", "/repository"}
	}
	if known != nil && !slices.Contains(known, pointer) {
		b.bag.Add(finding.TriggerField(at, pointer, known))
	}
}

// bindInputs checks the inputs of the runs that the trigger starts.
func (b *triggerBinder) bindInputs() {
	if b.t.Signal != nil || len(b.t.Answer) > 0 {
		return
	}
	if b.bindValues(b.t.Inputs, b.t.InputPlaces, b.t.Setting+".inputs"); b.misnamed {
		return // the required input may be the one that was meant
	}
	for _, in := range b.p.Workflow.Inputs {
		given := slices.ContainsFunc(b.t.Inputs, func(m settings.MappedValue) bool { return m.Name == in.Name })
		if in.Default == nil && in.Replaces == "" && !given {
			b.bag.Add(finding.TriggerWithoutInput(b.t.Span, b.t.Setting, in.Name, in.Span))
		}
	}
}

// bindValues checks values that the trigger takes from the payload for inputs.
func (b *triggerBinder) bindValues(list []settings.MappedValue, places []ir.MappedPlace, setting string) {
	for i, m := range list {
		names := plain.Texts(b.p.Workflow.Inputs, func(in *ir.Input) string { return in.Name })
		at := slices.Index(names, m.Name)
		if at < 0 {
			b.misnamed = true
			b.bag.Add(finding.TriggerInput(places[i].Name, setting, m.Name, names))
			continue
		}
		in := b.p.Workflow.Inputs[at]
		if m.Literal == "" {
			b.checkPointer(places[i].Value, m.Pointer)
		}
		for _, constant := range []string{m.Literal, m.Default} {
			var v any
			if json.Unmarshal([]byte(constant), &v) != nil {
				continue // there is none
			}
			if want := misfit(in.Type, in.Choices, v, in.Default != nil); want != "" {
				b.bag.Add(finding.ConfigValue(places[i].Value, setting+"."+m.Name, want))
			}
		}
	}
}

// bindSignal checks the event that the trigger reports.
func (b *triggerBinder) bindSignal() {
	s := b.t.Signal
	if s == nil {
		return
	}
	var known []string
	for _, p := range append([]*ir.Program{b.p}, b.p.Callees()...) {
		ir.Walk(p.Workflow.Body, func(n *ir.Node) {
			if w, ok := n.Action.(*ir.Wait); ok {
				known = plain.AddNew(known, w.Event)
			}
		})
	}
	if s.Event != "" && !slices.Contains(known, s.Event) {
		b.bag.Add(finding.TriggerEvent(b.t.EventSpan, s.Event, known))
	}
	b.bindValues(s.Match, b.t.MatchPlaces, b.t.Setting+".signal.match")
	for _, pointer := range []string{s.Run, s.Payload} {
		b.checkPointer(b.t.Span, pointer)
	}
}

// bindFilter parses the condition in the language of the workflow's format.
func (b *triggerBinder) bindFilter(front dialect.Frontend) {
	if b.t.When.Value == "" {
		return
	}
	f, ok := front.(dialect.Filterer)
	if !ok {
		b.bag.Add(finding.NoConditions(b.t.When.Whole(), b.t.Setting+".when", front.Name()))
		return
	}
	var found diag.Bag
	b.t.Filter = f.Filter(b.t.When, &found)
	for _, d := range found.Sorted() {
		d.Fixes = nil // they are for a scalar of the workflow file
		b.bag.Add(d)
	}
	expr.Walk(b.t.Filter, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Payload:
			if len(e.Path) > 0 {
				b.checkPointer(e.At, "/"+strings.Join(e.Path, "/"))
			}
		case *expr.Compare:
			for _, side := range []expr.Expr{e.X, e.Y} {
				if lit, ok := side.(*expr.Literal); ok && e.Op.IsNumeric() && strings.Trim(lit.Text, "0123456789.-") != "" {
					b.bag.Add(finding.ConditionSyntax(lit.At, "`"+lit.At.Text()+"` is not a number").WithHelp("compare strings with `==` or `!=`"))
				}
			}
		}
		return true
	})
}

// checkRoute reports a path of a webhook that an earlier trigger has, unless they share the secret
// and no event.
func (b *triggerBinder) checkRoute(earlier []*ir.Trigger) {
	for _, t := range earlier {
		x, y := &t.On, &b.t.On
		shared := x.Webhook == y.Webhook && x.SecretVariable == y.SecretVariable && len(x.Events) > 0 && len(y.Events) > 0 &&
			!slices.ContainsFunc(x.Events, func(event string) bool { return slices.Contains(y.Events, event) })
		if x.Path != "" && x.Path == y.Path && !shared {
			b.bag.Add(finding.ConfigValue(b.t.Span, b.t.Setting+".on.path", fmt.Sprintf("a path that no other trigger has for these events: `%s` has `%s`", t.Setting, t.On.Path)).
				WithRelated(t.Span, "the other trigger"))
			return
		}
	}
}

// misfit describes the values that an input accepts, or returns "" if a constant is one of them.
func misfit(t types.Type, choices []string, v any, optional bool) string {
	switch t := t.(type) {
	case *types.Optional:
		if v == nil {
			return ""
		}
		return misfit(t.Elem, choices, v, optional)
	case *types.List:
		items, ok := v.([]any)
		if !ok {
			items = []any{v}
		}
		for _, item := range items {
			if want := misfit(t.Elem, choices, item, true); want != "" {
				return "a " + t.String()
			}
		}
		return ""
	case *types.Enum:
		choices = t.Values
	case *types.Struct:
		return ""
	}
	if len(choices) > 0 {
		if text, ok := v.(string); !ok || !slices.Contains(choices, text) {
			return "one of " + strings.Join(choices, ", ")
		}
		return ""
	}
	name, fits := scalar.Canonical(t.String()), true
	switch v := v.(type) {
	case string:
		_, err := (scalar.Rules{NoEmpty: !optional}).Parse(name, v)
		fits = name == "" || err == nil
	case float64:
		fits = name != "bool" && (name != "int" || v == float64(int64(v)))
	case bool:
		fits = name != "int" && name != "float"
	case nil:
		fits = name == ""
	default: // a list or an object
		fits = name == "" || name == "text"
	}
	if !fits {
		return "of type " + t.String()
	}
	return ""
}

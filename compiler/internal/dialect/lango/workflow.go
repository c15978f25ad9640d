package lango

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/cron"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

var (
	workflowLevel = level{Where: "at the top of the file", Name: "the workflow", Foreign: decode.ForeignTo(Name, decode.AtTop)}
	stepLevel     = level{Where: "in a step", Name: "the step", Foreign: decode.ForeignTo(Name, decode.OnStep)}
)

// stepTimeout is the time limit of a step that sets none.
const stepTimeout = 10 * time.Minute

// Agents are the names that the format gives to its agents. The configuration
// defines the agents behind them.
func Agents() []string {
	names := []string{"operator", "navigator", "vault", "librarian", "automator", "planner", "chronicler", "ontologist"}
	for _, r := range renamed {
		names = append(names, r.before)
	}
	return names
}

// renamed are the agents that had other names before 2026-02-17. The engine's parser has the
// earlier names still, and its guide the later ones.
var renamed = []struct{ before, after string }{{"executor", "operator"}, {"researcher", "librarian"}, {"memory-manager", "chronicler"}}

// formatMinutes is a number of minutes in the notation of the format.
func formatMinutes(t time.Duration) string { return strconv.Itoa(int(t.Minutes())) + "m" }

// defaultAgent answers a step that names none.
const defaultAgent = "executor"

var workflowFields = []field[ir.Workflow]{
	{Name: "name", Shape: decode.FilledString, Required: true,
		Doc: "Name of the workflow.",
		Read: func(d *decoder, v value, w *ir.Workflow) {
			w.Name, _ = d.Filled(v)
			w.NameSpan = v.Place()
		}},
	{Name: "description", Shape: decode.String.OrNull(),
		Doc:  "What the workflow does.",
		Read: func(d *decoder, v value, w *ir.Workflow) { w.Description, _ = d.Text(v) }},
	{Name: "schedule", Shape: decode.String.With("(cron expression)").OrNull(), Examples: []string{`"0 7 * * *"`, `"@daily"`},
		Doc:  "When `schedule` starts runs: five fields, or a name such as `@daily`, with an optional time zone.",
		Read: func(d *decoder, v value, w *ir.Workflow) { d.readSchedule(v) }},
	{Name: "deliver_to", Shape: decode.ListOf(decode.FilledString).OrNull(), Examples: []string{`["slack:C123"]`},
		Doc: "Targets that receive the final result, such as `slack:C123`: a channel and a receiver.",
		Read: func(d *decoder, v value, w *ir.Workflow) {
			if targets := d.readTargets(v); targets != nil {
				w.DeliverTo = targets
			}
		}},
	{Name: "steps", Shape: decode.ListOf(decode.Object(&stepLevel)).AtLeast(1), Required: true,
		Doc:  "The steps. A step starts as soon as the steps in its `depends_on` have completed.",
		Read: func(d *decoder, v value, w *ir.Workflow) { d.readSteps(v) }},
}

var stepFields = []field[step]{
	{Name: "id", Shape: decode.FilledString, Required: true,
		Doc: "Name of the step, unique in the file.",
		Read: func(d *decoder, v value, s *step) {
			s.node.IDSpan = v.Place()
			s.node.ID, s.named = d.Filled(v)
		}},
	{Name: "agent", Shape: decode.String.OrNull(), Default: `"` + defaultAgent + `"`, Examples: []string{`"researcher"`, `"planner"`},
		Doc: "Agent that answers. `wfc.yaml` defines what the name means.",
		Read: func(d *decoder, v value, s *step) {
			if name, ok := d.Text(v); ok && name != "" {
				s.agent = &v
			}
		}},
	{Name: "prompt", Shape: decode.String.OrNull(),
		Doc:  "Prompt for the agent. `{{id.result}}` inserts the result of a step that this step depends on.",
		Read: func(d *decoder, v value, s *step) { s.prompt = decode.Keep(v, d.Text) }},
	{Name: "depends_on", Shape: decode.ListOf(decode.String).OrNull(),
		Doc: "Ids of the steps that must complete first.",
		Read: func(d *decoder, v value, s *step) {
			s.needs, _ = d.Entries(v, d.Text)
			s.needsAt = &v
		}},
	{Name: "deliver_to", Shape: decode.ListOf(decode.FilledString).OrNull(), Examples: []string{`["slack:C123"]`},
		Doc:  "Targets that receive the result of the step.",
		Read: func(d *decoder, v value, s *step) { s.node.DeliverTo = d.readTargets(v) }},
	{Name: "timeout", Shape: decode.String.With("(duration such as `90s`)").OrNull(), Default: `"` + formatMinutes(stepTimeout) + `"`, Examples: []string{`"90s"`},
		Doc:  "Time limit of the step.",
		Read: func(d *decoder, v value, s *step) { d.readTimeout(v, s) }},
}

// readSteps reads the list of steps.
func (d *decoder) readSteps(v value) {
	if !d.HasItems(v) {
		return
	}
	for i, n := range v.Node.Items {
		s := &step{node: &ir.Node{Span: n.Span, Result: ir.Result{Output: types.Text}, Policy: ir.Policy{Timeout: stepTimeout}}, number: i + 1}
		item := v.Item(n)
		if !decode.Fields(d, stepLevel, item, stepFields, s) {
			continue
		}
		d.Missing(item, item.FirstKey(), stepLevel, decode.Required(stepFields)...)
		if !s.node.IDSpan.IsValid() {
			s.node.IDSpan = stepSpan(item, s)
		}
		s.node.Action = &ir.Prompt{Agent: d.stepAgent(s), Text: &template.Template{}, MayBeEmpty: true}
		d.steps = append(d.steps, s)
		d.body.Nodes = append(d.body.Nodes, s.node)
	}
}

// stepAgent finds the agent of a step. An undefined name is not an error: the command
// line can define the agent when the workflow runs.
func (d *decoder) stepAgent(s *step) ir.Agent {
	if s.agent == nil {
		return ir.Agent{Name: d.definedAgent(defaultAgent), Span: s.node.IDSpan}
	}
	name := s.agent.Node.Value
	if known := d.env.Settings.Agents.Names(Agents()...); !slices.Contains(known, name) {
		d.Bag.Add(finding.UnnamedAgent(s.agent.Place(), name, known))
	}
	return ir.Agent{Name: d.definedAgent(name), Span: s.agent.Place()}
}

// definedAgent returns the name of an agent that the configuration defines: this one, or the other
// one of the same agent if it defines only that.
func (d *decoder) definedAgent(name string) string {
	other := name
	for _, r := range renamed {
		switch name {
		case r.before:
			other = r.after
		case r.after:
			other = r.before
		}
	}
	if names := d.env.Settings.Agents.Names(); !slices.Contains(names, name) && slices.Contains(names, other) {
		return other
	}
	return name
}

// readTimeout reads a duration. One that is not positive means the default, as it
// does in the original.
func (d *decoder) readTimeout(v value, s *step) {
	text, ok := d.Text(v)
	if !ok {
		return
	}
	t, err := time.ParseDuration(text)
	switch {
	case err != nil:
		d.Bag.Add(finding.BadDuration(v.Place(), v.Path, text, wouldBe(text)))
	case t <= 0:
		d.Bag.Add(finding.NoEffect(v.Place(), v.Path, "it is not positive; the default applies: "+stepTimeout.String()))
	default:
		s.node.Timeout, s.node.TimeoutSpan = t, v.Place()
	}
}

// wouldBe returns the duration that a text probably means: a number of seconds, or
// words that Go does not know. It is "" if the meaning is unclear.
func wouldBe(text string) string {
	trimmed := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), " ", "")
	for _, unit := range []struct{ words, short string }{
		{"seconds,second,secs,sec", "s"}, {"minutes,minute,mins,min", "m"}, {"hours,hour,hrs,hr", "h"}, {"", "s"},
	} {
		for word := range strings.SplitSeq(unit.words, ",") {
			if t, err := time.ParseDuration(strings.TrimSuffix(trimmed, word) + unit.short); err == nil && strings.HasSuffix(trimmed, word) && t < math.MaxInt64 {
				return strings.TrimSuffix(trimmed, word) + unit.short
			}
		}
	}
	return ""
}

// readTargets reads the channels that something is delivered to.
func (d *decoder) readTargets(v value) []ir.Target {
	entries, _ := d.Entries(v, d.Filled)
	var list []ir.Target
	for _, e := range entries {
		if slices.ContainsFunc(list, func(t ir.Target) bool { return t.Name == e.Text }) {
			d.Bag.Add(finding.NoEffect(e.At, v.Path, "`"+e.Text+"` is already in the list"))
			continue
		}
		if x := dialect.CheckTarget(e.At, e.Source, d.env.Settings.Channels); x != nil {
			d.Bag.Add(x)
			if x.Severity == diag.Error {
				continue
			}
		}
		list = append(list, ir.Target{Name: e.Text, Span: e.At})
	}
	return list
}

// reportSetTwice reports settings of the configuration that the file overrides.
func (d *decoder) reportSetTwice() {
	if s, w := d.env.Schedule, d.workflow; s != nil && w.Schedule != s {
		d.Bag.Add(finding.SetTwice(w.Schedule.Span, "schedule", s.Span))
	}
	if targets := d.env.DeliverTo; targets != nil && d.workflow.DeliverTo[0] != targets[0] {
		d.Bag.Add(finding.SetTwice(d.workflow.DeliverTo[0].Span, "deliver_to", targets[0].Span))
	}
}

// readSchedule reads and checks the schedule of the workflow. An empty one counts
// as missing.
func (d *decoder) readSchedule(v value) {
	text, ok := d.Text(v)
	if !ok || text == "" {
		return
	}
	at := v.Node.Text()
	schedule, findings := cron.Parse(text)
	for _, f := range findings {
		d.Bag.Add(cron.Diagnostic(f, at.Span(f.Start, f.End)))
	}
	if schedule != nil {
		d.workflow.Schedule = &ir.Schedule{Cron: text, Zone: schedule.Zone, Span: v.Place()}
	}
}

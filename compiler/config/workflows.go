package config

import (
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/internal/cron"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/glob"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/deliver/target"
)

// A WorkflowRule gives settings to the workflows of a pattern, whatever their
// dialect.
type WorkflowRule struct {
	// Pattern is a path relative to the configuration's folder; see DialectRule.
	Pattern string
	compiler.Added
}

// Added returns what the configuration gives to the workflow of the given absolute
// path. Of each setting the first pattern that matches and has it counts.
func (c *Config) Added(path string) compiler.Added {
	var all compiler.Added
	if len(c.Workflows) == 0 {
		return all
	}
	rel, err := filepath.Rel(c.Dir, path)
	if err != nil {
		return all
	}
	for _, r := range c.Workflows {
		if !glob.Match(r.Pattern, filepath.ToSlash(rel)) {
			continue
		}
		if all.Schedule == nil {
			all.Schedule = r.Schedule
		}
		if all.DeliverTo == nil {
			all.DeliverTo = r.DeliverTo
		}
	}
	return all
}

func (d *decoder) workflows(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		rule := WorkflowRule{Pattern: pair.Key.Value}
		if !glob.Valid(rule.Pattern) {
			d.bag.Add(finding.ConfigValue(pair.Key.Span, join(setting, rule.Pattern), "named by a pattern such as reports/*.yaml"))
			continue
		}
		d.section(join(setting, rule.Pattern), pair.Value, []key{
			{"deliver_to", func(d *decoder, setting string, n *yamlsrc.Node) { rule.DeliverTo = d.targets(setting, n) }},
			{"schedule", func(d *decoder, setting string, n *yamlsrc.Node) { rule.Schedule = d.schedule(setting, n) }},
		})
		d.config.Workflows = append(d.config.Workflows, rule)
	}
}

// schedule reads a cron expression.
func (d *decoder) schedule(setting string, n *yamlsrc.Node) *ir.Schedule {
	text := d.text(setting, n)
	if text == "" {
		return nil
	}
	at := n.Text()
	schedule, findings := cron.Parse(text)
	for _, f := range findings {
		d.bag.Add(cron.Diagnostic(f, at.Span(f.Start, f.End)))
	}
	if schedule == nil {
		return nil
	}
	return &ir.Schedule{Cron: text, Zone: schedule.Zone, Span: n.Place()}
}

// targets reads one target or a list of them.
func (d *decoder) targets(setting string, n *yamlsrc.Node) []ir.Target {
	items := n.Items
	if n.IsString() {
		items = []*yamlsrc.Node{n}
	} else if n.Kind != yamlsrc.Sequence || len(items) == 0 {
		d.wrong(setting, n, "a target such as `slack`, or a list of targets")
		return nil
	}
	var list []ir.Target
	for _, item := range items {
		text := d.text(setting, item)
		if text == "" {
			continue
		}
		if _, err := target.Parse(text); err != nil {
			d.bag.Add(finding.BadTarget(item.Place(), err.Error()))
			continue
		}
		list = append(list, ir.Target{Name: text, Span: item.Place()})
	}
	return list
}

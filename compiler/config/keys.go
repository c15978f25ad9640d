package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/cron"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/glob"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// version reads a version such as 0.9, which YAML takes for a number.
func (d *decoder) version(setting string, n *yamlsrc.Node) string {
	parts := strings.Split(n.Value, ".")
	digits := func(s string) bool { return s != "" && len(s) < 6 && strings.Trim(s, "0123456789") == "" }
	if n.Kind != yamlsrc.Scalar || len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(s string) bool { return !digits(s) }) {
		d.wrong(setting, n, `a version such as "0.9"`)
		return ""
	}
	return n.Value
}

// channels reads the channels that targets name.
func (d *decoder) channels(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		c, setting := settings.Channel{Name: pair.Key.Value}, join(setting, pair.Key.Value)
		d.section(setting, pair.Value, d.channelKeys(&c))
		t, err := target.Parse(c.Name)
		switch {
		case err != nil:
			d.wrong(setting, pair.Key, "a valid name of a channel: "+err.Error())
		case c.Kind == "" && !slices.Contains(target.Kinds(), t.Channel):
			d.wrong(setting, pair.Key, "a mapping with a `kind`: one of "+strings.Join(target.Kinds(), ", "))
		default:
			d.config.settings.Channels = append(d.config.settings.Channels, c)
		}
	}
}

// checkTarget checks the channel of a target once all channels are known.
func (d *decoder) checkTarget(n *yamlsrc.Node) {
	d.later = append(d.later, func() {
		if x := dialect.CheckTarget(n.Place(), n.Text(), d.config.settings.Channels); x != nil {
			d.bag.Add(x)
		}
	})
}

// defaultTargets reads the targets of results for which nobody names any.
func (d *decoder) defaultTargets(setting string, n *yamlsrc.Node) []string {
	for _, item := range items(n) {
		if _, err := target.Parse(item.Value); err == nil && item.IsString() {
			d.checkTarget(item)
		}
	}
	return slices.DeleteFunc(d.texts(setting, n), func(text string) bool {
		_, err := target.Parse(text)
		if err != nil {
			d.wrong(setting, n, "a list of targets: "+err.Error())
		}
		return err != nil
	})
}

// onInterrupt reads a policy for all nodes, or policies by kind and node.
func (d *decoder) onInterrupt(setting string, n *yamlsrc.Node) {
	o := &d.config.settings.OnInterrupt
	if n.Kind != yamlsrc.Mapping {
		o.Default = oneOf(d, policies...)(setting, n)
		return
	}
	o.Kinds = map[string]settings.Policy{}
	d.section(setting, n, d.interruptKeys(o))
}

// programs reads which arguments the project's programs run.
func (d *decoder) programs(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		name := pair.Key.Value
		full := join(setting, name)
		if name == "" || strings.ContainsAny(name, "/ \t\n") {
			d.wrong(full, pair.Key, "the name of a program, without a folder")
			continue
		}
		var p settings.CodeRunner
		d.section(full, pair.Value, d.programKeys(&p))
		put(&d.config.settings.Programs, name, p)
	}
}

// environ reads variables for processes.
func (d *decoder) environ(setting string, n *yamlsrc.Node) []string {
	var list []string
	for pair := range d.pairs(setting, n) {
		name := pair.Key.Value
		switch v := pair.Value; {
		case !validVariable(name):
			d.bag.Add(finding.ConfigValue(pair.Key.Span, join(setting, name), "a name of letters, digits and `_`, not starting with a digit"))
		case v.Kind != yamlsrc.Scalar || v.IsNull() || strings.ContainsRune(v.Value, 0):
			d.wrong(join(setting, name), v, "a string, a number or a boolean")
		default:
			list = append(list, name+"="+v.Value)
		}
	}
	return list
}

// severities reads the levels of codes.
func (d *decoder) severities(setting string, n *yamlsrc.Node) map[*diag.Code]diag.Severity {
	var set map[*diag.Code]diag.Severity
	for pair := range d.pairs(setting, n) {
		code, ok := codes.Lookup(pair.Key.Value)
		if !ok {
			d.bag.Add(finding.ConfigCode(pair.Key.Span, pair.Key.Value))
			continue
		}
		name := d.choice(join(setting, pair.Key.Value), pair.Value, levels)
		level := diag.Off + diag.Severity(slices.Index(levels, name))
		switch {
		case name == "":
		case code.Severity != diag.Error:
			put(&set, code, level)
		case level != diag.Error:
			d.bag.Add(codes.ConfigLowered.New(pair.Key.Span, fmt.Sprintf("`%s` is an error and cannot be lowered", code.Slug)).
				WithHelp("fix it; only warnings and notes can be switched off or changed"))
		}
	}
	return set
}

// dialects reads the dialects of files.
func (d *decoder) dialects(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		setting := join(setting, pair.Key.Value)
		if !glob.Valid(pair.Key.Value) {
			d.bag.Add(finding.ConfigValue(pair.Key.Span, setting, "a pattern such as `flows/**/*.yaml`"))
			continue
		}
		if name := d.choice(setting, pair.Value, formats()); name != "" {
			d.config.dialects = append(d.config.dialects, rule{pattern: pair.Key.Value, dialect: name})
		}
	}
}

// workflows reads the settings of workflows of any dialect.
func (d *decoder) workflows(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		r, setting := rule{pattern: pair.Key.Value}, join(setting, pair.Key.Value)
		if !glob.Valid(r.pattern) {
			d.bag.Add(finding.ConfigValue(pair.Key.Span, setting, "a pattern such as `reports/*.yaml`"))
			continue
		}
		d.section(setting, pair.Value, d.workflowKeys(&r))
		d.config.workflows = append(d.config.workflows, r)
	}
}

// readTags returns the function that reads the tags of nodes.
func (r *rule) readTags(d *decoder) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) {
		for pair := range d.pairs(setting, n) {
			r.tags = append(r.tags, ir.NodeTags{
				Node: pair.Key.Value, At: pair.Key.Span, Whole: !strings.ContainsAny(r.pattern, "*?["),
				Tags: d.tags(join(setting, pair.Key.Value), pair.Value),
			})
		}
	}
}

// tags reads tags of workers.
func (d *decoder) tags(setting string, n *yamlsrc.Node) []string {
	return list(d, "a tag such as `gpu`: letters, digits, `.`, `-` and `_`", func(n *yamlsrc.Node) (string, bool) {
		return n.Value, n.IsString() && validTag(n.Value)
	})(setting, n)
}

// validTag reports whether a string has the shape of tagPattern.
func validTag(tag string) bool {
	mark := func(r rune) bool { return r == '.' || r == '-' || r == '_' }
	for i, r := range tag {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && mark(r)) {
			return false
		}
	}
	return tag != ""
}

// schedule reads a cron expression.
func (d *decoder) schedule(setting string, n *yamlsrc.Node) source.Text {
	text := d.text(setting, n)
	if text == "" {
		return source.Text{}
	}
	at := n.Text()
	schedule, findings := cron.Parse(text)
	for _, f := range findings {
		d.bag.Add(cron.Diagnostic(f, at.Span(f.Start, f.End)))
	}
	if schedule == nil {
		return source.Text{}
	}
	return source.CoarseText(text, n.Place())
}

// targets reads one target or a list of them.
func (d *decoder) targets(setting string, n *yamlsrc.Node) []source.Text {
	if !n.IsString() && (n.Kind != yamlsrc.Sequence || len(n.Items) == 0) {
		d.wrong(setting, n, "a target such as `slack`, or a list of targets")
		return nil
	}
	var list []source.Text
	for _, item := range items(n) {
		text := d.text(setting, item)
		if text == "" {
			continue
		}
		if _, err := target.Parse(text); err != nil {
			d.bag.Add(finding.BadTarget(item.Place(), err.Error()))
			continue
		}
		d.checkTarget(item)
		list = append(list, source.CoarseText(text, item.Place()))
	}
	return list
}

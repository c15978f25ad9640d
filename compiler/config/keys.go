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
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// readVersion reads a version such as 0.9, which YAML takes for a number.
func (d *decoder) readVersion(setting string, n *yamlsrc.Node) string {
	parts := strings.Split(n.Value, ".")
	digits := func(s string) bool { return s != "" && len(s) < 6 && strings.Trim(s, "0123456789") == "" }
	if n.Kind != yamlsrc.Scalar || len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(s string) bool { return !digits(s) }) {
		d.reportWrong(setting, n, `a version such as "0.9"`)
		return ""
	}
	return n.Value
}

// channelKinds are the kinds of channels. A program has no usual settings, so its kind is none
// of target.Kinds.
func channelKinds() []string { return append(target.Kinds(), target.KindCommand) }

// readChannels reads the channels that targets name.
func (d *decoder) readChannels(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		c, setting := settings.Channel{Name: pair.Key.Value}, joinSetting(setting, pair.Key.Value)
		d.readSection(setting, pair.Value, d.channelKeys(&c))
		t, err := target.Parse(c.Name)
		if c.Kind == "" && len(c.Command) > 0 {
			c.Kind = target.KindCommand
		}
		switch {
		case err != nil:
			d.reportWrong(setting, pair.Key, "a valid name of a channel: "+err.Error())
		case c.Kind == "" && !slices.Contains(target.Kinds(), t.Channel):
			d.reportWrong(setting, pair.Key, "a mapping with a `kind`: one of "+strings.Join(channelKinds(), ", "))
		case c.Kind == target.KindCommand && len(c.Command) == 0:
			d.reportWrong(setting, pair.Key, "a mapping with `command`, such as `[./page, --team, ops]`, because its kind is `command`")
		case c.Kind != target.KindCommand && len(c.Command) > 0:
			d.reportWrong(joinSetting(setting, "command"), pair.Value.Get("command"), "absent, because only channels of the kind `command` start a program")
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
	for _, item := range listItems(n) {
		if _, err := target.Parse(item.Value); err == nil && item.IsString() {
			d.checkTarget(item)
		}
	}
	return slices.DeleteFunc(d.readTexts(setting, n), func(text string) bool {
		_, err := target.Parse(text)
		if err != nil {
			d.reportWrong(setting, n, "a list of targets: "+err.Error())
		}
		return err != nil
	})
}

// onInterrupt reads a policy for all nodes, or policies by kind and node.
func (d *decoder) onInterrupt(setting string, n *yamlsrc.Node) {
	o := &d.config.settings.OnInterrupt
	if n.Kind != yamlsrc.Mapping {
		o.Default = oneOf(d.reader, policies...)(setting, n)
		return
	}
	o.Kinds = map[string]settings.Policy{}
	d.readSection(setting, n, d.interruptKeys(o))
}

// readPrograms reads which arguments the project's programs run.
func (d *decoder) readPrograms(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		name := pair.Key.Value
		full := joinSetting(setting, name)
		if name == "" || strings.ContainsAny(name, "/ \t\n") {
			d.reportWrong(full, pair.Key, "the name of a program, without a folder")
			continue
		}
		var p settings.CodeRunner
		d.readSection(full, pair.Value, d.programKeys(&p))
		plain.PutEntry(&d.config.settings.Programs, name, p)
	}
}

// readEnvironment reads variables for processes.
func (d *decoder) readEnvironment(setting string, n *yamlsrc.Node) []string {
	var list []string
	for pair := range d.mappingPairs(setting, n) {
		name := pair.Key.Value
		switch v := pair.Value; {
		case !validVariable(name):
			d.bag.Add(finding.ConfigValue(pair.Key.Span, joinSetting(setting, name), "a name of letters, digits and `_`, not starting with a digit"))
		case v.Kind != yamlsrc.Scalar || v.IsNull() || strings.ContainsRune(v.Value, 0):
			d.reportWrong(joinSetting(setting, name), v, "a string, a number or a boolean")
		default:
			list = append(list, name+"="+v.Value)
		}
	}
	return list
}

// readSeverities reads the levels of codes.
func (d *decoder) readSeverities(setting string, n *yamlsrc.Node) map[*diag.Code]diag.Severity {
	var set map[*diag.Code]diag.Severity
	for pair := range d.mappingPairs(setting, n) {
		code, ok := codes.Lookup(pair.Key.Value)
		if !ok {
			d.bag.Add(finding.ConfigCode(pair.Key.Span, pair.Key.Value))
			continue
		}
		name := d.readChoice(joinSetting(setting, pair.Key.Value), pair.Value, levels)
		level := diag.Off + diag.Severity(slices.Index(levels, name))
		switch {
		case name == "":
		case code.Severity != diag.Error:
			plain.PutEntry(&set, code, level)
		case level != diag.Error:
			d.bag.Add(codes.ConfigLowered.New(pair.Key.Span, fmt.Sprintf("`%s` is an error and cannot be lowered", code.Slug)).
				WithHelp("fix it; only warnings and notes can be switched off or changed"))
		}
	}
	return set
}

// readDialects reads the dialects of files.
func (d *decoder) readDialects(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		setting := joinSetting(setting, pair.Key.Value)
		if !glob.Valid(pair.Key.Value) {
			d.bag.Add(finding.ConfigValue(pair.Key.Span, setting, "a pattern such as `flows/**/*.yaml`"))
			continue
		}
		if name := d.readChoice(setting, pair.Value, formatNames()); name != "" {
			d.config.dialects = append(d.config.dialects, rule{pattern: pair.Key.Value, dialect: name})
		}
	}
}

// readWorkflows reads the settings of workflows of any dialect.
func (d *decoder) readWorkflows(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		r, setting := rule{pattern: pair.Key.Value}, joinSetting(setting, pair.Key.Value)
		if !glob.Valid(r.pattern) {
			d.bag.Add(finding.ConfigValue(pair.Key.Span, setting, "a pattern such as `reports/*.yaml`"))
			continue
		}
		d.readSection(setting, pair.Value, d.workflowKeys(&r))
		d.config.workflows = append(d.config.workflows, r)
	}
}

// readTags returns the function that reads the tags of nodes.
func (r *rule) readTags(d *decoder) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) {
		for pair := range d.mappingPairs(setting, n) {
			r.tags = append(r.tags, ir.NodeTags{
				Node: pair.Key.Value, At: pair.Key.Span, Whole: !strings.ContainsAny(r.pattern, "*?["),
				Tags: d.readTagList(joinSetting(setting, pair.Key.Value), pair.Value),
			})
		}
	}
}

// readTagList reads tags of workers.
func (d *decoder) readTagList(setting string, n *yamlsrc.Node) []string {
	return listReader(d.reader, "a tag such as `gpu`: letters, digits, `.`, `-` and `_`", func(n *yamlsrc.Node) (string, bool) {
		return n.Value, n.IsString() && validTag(n.Value)
	})(setting, n)
}

// readSchedule reads a cron expression.
func (d *decoder) readSchedule(setting string, n *yamlsrc.Node) source.Text {
	text := d.readText(setting, n)
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

// readTargets reads one target or a list of them.
func (d *decoder) readTargets(setting string, n *yamlsrc.Node) []source.Text {
	if !n.IsString() && (n.Kind != yamlsrc.Sequence || len(n.Items) == 0) {
		d.reportWrong(setting, n, "a target such as `slack`, or a list of targets")
		return nil
	}
	var list []source.Text
	for _, item := range listItems(n) {
		text := d.readText(setting, item)
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

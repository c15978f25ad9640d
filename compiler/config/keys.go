package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/cron"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/glob"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/deliver/target"
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

// options reads the names of the options that an agent accepts; an empty list is
// none.
func (d *decoder) options(setting string, n *yamlsrc.Node) []string {
	if n.Kind != yamlsrc.Sequence {
		d.wrong(setting, n, "a list of option names")
		return nil
	}
	list := []string{}
	for _, item := range n.Items {
		if name := d.choice(setting, item, archon.OptionNames()); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// price reads the price of a model.
func (d *decoder) price(setting string, n *yamlsrc.Node) *settings.Price {
	var p settings.Price
	d.section(setting, n, d.priceKeys(&p))
	if n.Kind == yamlsrc.Mapping && (n.Pair("input") == nil || n.Pair("output") == nil) || n.IsNull() {
		d.wrong(setting, n, "a mapping with `input` and `output`")
		return nil
	}
	return &p
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

// defaultTargets reads the targets of results for which nobody names any.
func (d *decoder) defaultTargets(setting string, n *yamlsrc.Node) []string {
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
		var p settings.Program
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
		code, ok := diag.Lookup(pair.Key.Value)
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
			d.bag.Add(finding.ConfigLowered(pair.Key.Span, code))
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
		list = append(list, source.CoarseText(text, item.Place()))
	}
	return list
}

// models reads model tiers and aliases.
func (d *decoder) models(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		m := settings.Model{Name: pair.Key.Value}
		setting, at := join(setting, m.Name), pair.Value
		if pair.Value.IsString() {
			m.Model = d.text(setting, pair.Value)
		} else {
			d.section(setting, pair.Value, d.modelKeys(&m, &at))
			if pair.Value.Kind == yamlsrc.Mapping && pair.Value.Get("model") == nil || pair.Value.IsNull() {
				d.wrong(setting, pair.Value, "a model name, or a mapping with `model`")
			}
		}
		switch {
		case strings.HasPrefix(m.Model, "@"):
			d.wrong(setting, at, "a model name, not an alias")
		case m.Model != "":
			d.config.settings.Models = append(d.config.settings.Models, m)
		}
	}
}

// agents reads named agents. Agents and models name each other in any order, so
// names are checked when both have been read.
func (d *decoder) agents(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		a := settings.Agent{Name: pair.Key.Value}
		setting := join(setting, a.Name)
		if pair.Value.IsNull() {
			d.wrong(setting, pair.Value, "a mapping with `use` or `command`")
			continue
		}
		var command []string
		d.section(setting, pair.Value, d.agentKeys(&a, &command))
		if pair.Value.Kind != yamlsrc.Mapping {
			continue
		}
		use, own := pair.Value.Get("use"), pair.Value.Get("command") != nil
		switch {
		case own && (a.Use == "" || a.Use == settings.KindCommand):
			a.Use, a.Kind, a.Program, a.Args = "", settings.KindCommand, "", nil
			if len(command) > 0 {
				a.Program, a.Args = command[0], command[1:]
			}
		case own || a.Use == settings.KindCommand:
			d.wrong(setting, pair.Value, "a mapping with either `command` or a `use` other than `command`")
			continue
		case use == nil:
			d.wrong(setting, pair.Value, "a mapping with `use` or `command`")
			continue
		}
		d.config.settings.Agents = append(d.config.settings.Agents, a)
		d.later = append(d.later, func() { d.checkAgent(setting, a.Name, pair.Value) })
	}
}

// command reads a program with its arguments: a list, or a string that is split at
// spaces, without quoting.
func (d *decoder) command(setting string, n *yamlsrc.Node) []string {
	if n.IsString() {
		return strings.Fields(d.text(setting, n))
	}
	return d.texts(setting, n)
}

// checkAgent checks the names in an agent's settings, and the keys that only some
// kinds of agents take.
func (d *decoder) checkAgent(setting, name string, n *yamlsrc.Node) {
	a, _ := d.config.settings.Agents.Find(name)
	if use := n.Get("use"); use != nil && a.Use != "" {
		if d.choice(join(setting, "use"), use, d.usable()) == "" {
			return
		}
		if _, ok := d.config.resolve(name); !ok {
			d.wrong(join(setting, "use"), use, "an agent that does not itself use this one")
			return
		}
	}
	d.checkKind(setting, name, n)
	if a.Model == "" {
		return
	}
	setting, at := join(setting, "model"), n.Get("model")
	switch m := d.config.model(a.Model); {
	case m != nil && m.Agent != "" && !d.config.uses(name, m.Agent):
		d.wrong(setting, at, "a model of this agent; `"+a.Model+"` is one of `"+m.Agent+"`")
	case m != nil && m.Effort != "":
		d.wrong(setting, at, "a model without an effort; `"+a.Model+"` has the effort `"+m.Effort+"`, which only a prompt can take")
	case m == nil && strings.HasPrefix(a.Model, "@"):
		var aliases []string
		for _, m := range d.config.settings.Models {
			aliases = append(aliases, m.Name)
		}
		d.choice(setting, at, aliases)
	}
}

// checkKind checks the keys that depend on the kind that the agent has in the end.
func (d *decoder) checkKind(setting, name string, n *yamlsrc.Node) {
	a, _ := d.config.resolve(name)
	if a.Kind == "" {
		return // the agent that it uses does not exist
	}
	kind, named := catalog.KindNamed(a.Kind)
	if !named {
		kind.Name = a.Kind
	}
	for _, k := range d.agentKeys(new(settings.Agent), new([]string)) {
		pair, takers := n.Pair(k.Name), kindsWith(k.Name)
		if pair == nil || len(takers) == 0 || slices.Contains(takers, kind.Name) {
			continue
		}
		x := finding.ConfigAgentSetting(pair.Key.Span, join(setting, k.Name), kind.Name, takers)
		if !named && (k.Name == "program" || k.Name == "args") {
			x.WithHelp("write the program and its arguments as `command` of the agent")
		}
		d.bag.Add(x)
	}
	if at := n.Get("permission"); at.IsString() && kind.Takes("permission") {
		d.choice(join(setting, "permission"), at, kind.Permissions)
	}
	if use := n.Get("use"); use != nil && use.Value == kind.Name && kind.Program == "" && n.Pair("program") == nil &&
		kind.StartsProgram() {
		d.wrong(setting, use, fmt.Sprintf("a mapping with `program`, because kind `%s` runs any program", kind.Name))
	}
}

// kindsWith are the kinds of agents that take a setting.
func kindsWith(setting string) []string {
	var names []string
	for _, k := range catalog.Kinds() {
		if slices.Contains(k.Settings, setting) {
			names = append(names, k.Name)
		}
	}
	return names
}

// agentNames are the agents that need no definition, and those that the
// configuration defines.
func (d *decoder) agentNames() []string {
	var known []string
	for _, a := range catalog.Agents() {
		known = append(known, a.Name)
	}
	return d.config.settings.Agents.Names(known...)
}

// usable are the names for `use`: agents, and kinds of agents.
func (d *decoder) usable() []string {
	var kinds settings.Agents
	for _, k := range catalog.Kinds() {
		kinds = append(kinds, settings.Agent{Name: k.Name})
	}
	return append(kinds.Names(d.agentNames()...), settings.KindCommand)
}

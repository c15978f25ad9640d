package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
)

// settingEnvironment is the key that agents of all kinds take.
const settingEnvironment = "environment"

// kindKeys are the settings that only some kinds of agents take.
func kindKeys(a *Agent) []key {
	return []key{
		{catalog.SettingProgram, func(d *decoder, setting string, n *yamlsrc.Node) { a.Program = d.text(setting, n) }},
		{catalog.SettingArgs, func(d *decoder, setting string, n *yamlsrc.Node) { a.Args = d.arguments(setting, n) }},
		{catalog.SettingPermission, func(d *decoder, setting string, n *yamlsrc.Node) { a.Permission = d.text(setting, n) }},
		{catalog.SettingBaseURL, func(d *decoder, setting string, n *yamlsrc.Node) { a.BaseURL = d.address(setting, n) }},
		{catalog.SettingKey, func(d *decoder, setting string, n *yamlsrc.Node) { a.KeyVariable = d.variable(setting, n) }},
		{catalog.SettingMaxTokens, func(d *decoder, setting string, n *yamlsrc.Node) { a.MaxTokens = int64(d.count(setting, n)) }},
		{catalog.SettingPrice, func(d *decoder, setting string, n *yamlsrc.Node) { a.Price = d.price(setting, n) }},
		{settingEnvironment, func(d *decoder, setting string, n *yamlsrc.Node) { a.Environment = d.variables(setting, n) }},
	}
}

// checkKind checks the settings that depend on the kind of the agent in the end.
func (d *decoder) checkKind(setting, name string, n *yamlsrc.Node) {
	a, _ := d.config.standsFor(name)
	kind, named := a.Kind()
	if !named {
		if a.Use != useCommand {
			return // what it uses is not there
		}
		kind.Name = useCommand
	}
	for _, k := range kindKeys(&Agent{}) {
		pair := n.Pair(k.name)
		if pair == nil || k.name == settingEnvironment || slices.Contains(kind.Settings, k.name) {
			continue
		}
		x := finding.ConfigAgentSetting(pair.Key.Span, join(setting, k.name), kind.Name, kindsWith(k.name))
		if !named && (k.name == catalog.SettingProgram || k.name == catalog.SettingArgs) {
			x.WithHelp("a program with its arguments is the agent's `command`")
		}
		d.bag.Add(x)
	}
	if at := n.Get(catalog.SettingPermission); at.IsString() && slices.Contains(kind.Settings, catalog.SettingPermission) {
		d.choice(join(setting, catalog.SettingPermission), at, kind.Permissions)
	}
	if use := n.Get("use"); use != nil && use.Value == kind.Name && kind.Program == "" && n.Pair(catalog.SettingProgram) == nil &&
		slices.Contains(kind.Settings, catalog.SettingProgram) {
		d.wrong(setting, use, fmt.Sprintf("a mapping with `program`: an agent of kind `%s` is whatever program is named", kind.Name))
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

// arguments reads the arguments of a program; an empty list says that it gets
// none.
func (d *decoder) arguments(setting string, n *yamlsrc.Node) []string {
	if n.Kind != yamlsrc.Sequence {
		d.wrong(setting, n, "a list of texts")
		return nil
	}
	list := []string{}
	for i, item := range n.Items {
		if !item.IsString() || strings.ContainsRune(item.Value, 0) {
			d.wrong(fmt.Sprintf("%s[%d]", setting, i), item, "a text")
			continue
		}
		list = append(list, item.Value)
	}
	return list
}

// address reads the address of a service. One with a name and a password in it
// would be written into programs and shown.
func (d *decoder) address(setting string, n *yamlsrc.Node) string {
	u, err := url.Parse(n.Value)
	if !n.IsString() || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		d.wrong(setting, n, "an address such as https://example.com/v1, without user and password")
		return ""
	}
	return n.Value
}

// variable reads the name of an environment variable.
func (d *decoder) variable(setting string, n *yamlsrc.Node) string {
	if !n.IsString() || !validVariable(n.Value) {
		d.wrong(setting, n, "the name of an environment variable, such as MY_API_KEY, and not its value")
		return ""
	}
	return n.Value
}

// variables reads patterns of names of environment variables; an empty list
// says that there are none.
func (d *decoder) variables(setting string, n *yamlsrc.Node) []string {
	items := []*yamlsrc.Node{n}
	if n.Kind == yamlsrc.Sequence {
		items = n.Items
	}
	list := []string{}
	for _, item := range items {
		if !item.IsString() || !validVariable(strings.ReplaceAll(item.Value, "*", "x")) {
			d.wrong(setting, item, "names of environment variables, in which * stands for any characters, such as AWS_*")
			continue
		}
		list = append(list, item.Value)
	}
	return list
}

// price reads what a model costs.
func (d *decoder) price(setting string, n *yamlsrc.Node) *Price {
	var p Price
	amount := func(into *float64) func(d *decoder, setting string, n *yamlsrc.Node) {
		return func(d *decoder, setting string, n *yamlsrc.Node) {
			*into, _ = d.number(setting, n, "an amount of US dollars for a million tokens", func(v float64) bool { return v >= 0 })
		}
	}
	d.section(setting, n, []key{
		{"input", amount(&p.Input)}, {"output", amount(&p.Output)},
		{"cached_input", amount(&p.CachedInput)}, {"cache_write", amount(&p.CacheWrite)},
	})
	if n.Kind == yamlsrc.Mapping && (n.Pair("input") == nil || n.Pair("output") == nil) || n.IsNull() {
		d.wrong(setting, n, "a mapping with `input` and `output`")
		return nil
	}
	return &p
}

// limits reads what a run may use.
func (d *decoder) limits(setting string, n *yamlsrc.Node) {
	l := &d.config.Limits
	d.section(setting, n, []key{
		{"cost_usd", func(d *decoder, setting string, n *yamlsrc.Node) {
			l.CostUSD, _ = d.number(setting, n, "an amount of US dollars above 0", func(v float64) bool { return v > 0 })
		}},
		{"tokens", func(d *decoder, setting string, n *yamlsrc.Node) { l.Tokens = int64(d.count(setting, n)) }},
	})
}

// environment reads what processes see of the caller's environment.
func (d *decoder) environment(setting string, n *yamlsrc.Node) {
	e := &d.config.Environment
	d.section(setting, n, []key{
		{"agents", func(d *decoder, setting string, n *yamlsrc.Node) { e.Agents = d.variables(setting, n) }},
		{"scripts", func(d *decoder, setting string, n *yamlsrc.Node) { e.Scripts = d.variables(setting, n) }},
	})
}

package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 150 to 159: the configuration file wfc.yaml.
var configCodes = []*Code{configKey, configValue, configCode, configLowered, configAgentSetting}

var configKey = &Code{
	ID: "WFC150", Slug: "config-key", Severity: Error, File: "wfc.yaml",
	Doc: `The configuration holds a key that wfc does not know.

A setting under a misspelt key would have no effect and nobody would notice, so
this is an error. The message names the keys that are known at that place.`,
	Bad:  "base_brunch: main\n",
	Good: "base_branch: main\n",
}

// ConfigKey reports an unknown key of the configuration; where says in which
// part of it ("in `agents.reviewer`"), or is empty at the top.
func ConfigKey(at source.Span, key, where string, known []string) *Diagnostic {
	if where != "" {
		where = " " + where
	}
	d := configKey.new(at, fmt.Sprintf("unknown key `%s`%s in the configuration", key, where))
	return suggest(d, at, key, known).WithHelp("known here: " + strings.Join(known, ", "))
}

var configValue = &Code{
	ID: "WFC151", Slug: "config-value", Severity: Error, File: "wfc.yaml",
	Doc: `A setting of the configuration has the wrong kind of value, or a value that
is not one of the possible ones. The message says what would be right.`,
	Bad:  "max_parallel: many\n",
	Good: "max_parallel: 8\n",
}

// ConfigValue reports a setting with a wrong value; want says what would be
// right: "a whole number of at least 1".
func ConfigValue(at source.Span, setting, want string) *Diagnostic {
	return configValue.new(at, fmt.Sprintf("`%s` must be %s", setting, want))
}

var configCode = &Code{
	ID: "WFC152", Slug: "config-code", Severity: Error, File: "wfc.yaml",
	Doc: `The section severities names a diagnostic that does not exist. Diagnostics
are named by their number (WFC801) or by their slug (unused-ignore); wfc explain
lists them.`,
	Bad:  "severities:\n  unused-ignored: off\n",
	Good: "severities:\n  unused-ignore: off\n",
}

// ConfigCode reports a severity set for a code that does not exist.
func ConfigCode(at source.Span, name string) *Diagnostic {
	d := configCode.new(at, fmt.Sprintf("there is no diagnostic `%s`", name))
	return suggest(d, at, name, codeNames(name)).WithHelp("`wfc explain` lists all diagnostics")
}

var configLowered = &Code{
	ID: "WFC153", Slug: "config-lowered", Severity: Error, File: "wfc.yaml",
	Doc: `The section severities lowers an error. Errors mark workflows that have no
meaning or that no engine accepts, and values that would become program text;
there is nothing that could be built in spite of them. Warnings and notes can be
switched off or raised.`,
	Bad:  "severities:\n  yaml-syntax: warning\n",
	Good: "severities:\n  unused-ignore: error\n",
}

// ConfigLowered reports a severity that would lower an error.
func ConfigLowered(at source.Span, code *Code) *Diagnostic {
	return configLowered.new(at, fmt.Sprintf("`%s` is an error and cannot be lowered", code.Slug)).
		WithHelp("only warnings and notes can be switched off or changed")
}

var configAgentSetting = &Code{
	ID: "WFC154", Slug: "config-agent-setting", Severity: Error, File: "wfc.yaml",
	Doc: `An agent has a setting that agents of its kind do not take. A program has no
address, a service no arguments, and only some kinds ask for permissions. The
setting would have no effect.

The message names the kinds that take it. What kind an agent is says its use, or
that of the agent which it uses.`,
	Bad:  "agents:\n  reviewer: {use: claude, base_url: https://example.com}\n",
	Good: "agents:\n  reviewer: {use: anthropic, base_url: https://example.com}\n",
}

// ConfigAgentSetting reports a setting of an agent that its kind does not take;
// with names the kinds that do.
func ConfigAgentSetting(at source.Span, setting, kind string, with []string) *Diagnostic {
	return configAgentSetting.new(at, fmt.Sprintf("`%s` has no effect: agents of kind `%s` do not take it", setting, kind)).
		WithHelp(fmt.Sprintf("taken by agents of kind %s", joinAnd(with)))
}

// suggest adds to d the candidate that is most like name, if one is near, as
// a replacement of the place at.
func suggest(d *Diagnostic, at source.Span, name string, candidates []string) *Diagnostic {
	best := Nearest(name, candidates)
	if best == "" {
		return d
	}
	return d.WithFix(fmt.Sprintf("did you mean `%s`?", best), at, best, false)
}

// codeNames returns what the name of a code may be meant for: IDs when it
// looks like one, else slugs.
func codeNames(name string) []string {
	var names []string
	byID := strings.HasPrefix(strings.ToUpper(name), "WFC")
	for _, c := range Codes() {
		if byID {
			names = append(names, c.ID)
		} else {
			names = append(names, c.Slug)
		}
	}
	return names
}

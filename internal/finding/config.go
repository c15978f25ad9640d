package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ConfigKey reports an unknown key of the configuration; where is its place, as in
// "in `agents.reviewer`", or empty at the top level.
func ConfigKey(at source.Span, key, where string, known []string) *diag.Diagnostic {
	if where == "" {
		where = "in the configuration"
	}
	d := report("WFC150", at, fmt.Sprintf("unknown key `%s` %s", key, where))
	return suggest(d, at, key, known).WithHelp("use one of " + quoteAll(known))
}

// ConfigValue reports a setting with an invalid value; want describes the valid
// ones, as in "an integer of at least 1".
func ConfigValue(at source.Span, setting, want string) *diag.Diagnostic {
	return report("WFC151", at, fmt.Sprintf("`%s` must be %s", setting, want))
}

// ConfigCode reports a severity set for a code that does not exist.
func ConfigCode(at source.Span, name string) *diag.Diagnostic {
	d := report("WFC152", at, fmt.Sprintf("unknown diagnostic `%s`", name))
	return suggest(d, at, name, codeNames(name)).WithHelp("run `wfc explain` to list all diagnostics")
}

// ConfigLowered reports a severity that would lower an error.
func ConfigLowered(at source.Span, code *diag.Code) *diag.Diagnostic {
	return report("WFC153", at, fmt.Sprintf("`%s` is an error and cannot be lowered", code.Slug)).
		WithHelp("fix it; only warnings and notes can be switched off or changed")
}

// ConfigAgentSetting reports a setting that agents of this kind do not support;
// with names the kinds that do.
func ConfigAgentSetting(at source.Span, setting, kind string, with []string) *diag.Diagnostic {
	return report("WFC154", at, fmt.Sprintf("`%s` has no effect: agents of kind `%s` do not support it", setting, kind)).
		WithHelp(fmt.Sprintf("remove it, or use an agent of kind %s", joinOr(with)))
}

// suggest adds the candidate nearest to name, if one is near enough, as a fix of
// the place at.
func suggest(d *diag.Diagnostic, at source.Span, name string, candidates []string) *diag.Diagnostic {
	best := Nearest(name, candidates)
	if best == "" {
		return d
	}
	return d.WithFix(fmt.Sprintf("did you mean `%s`?", best), at, best, false)
}

// codeNames returns the names that a misspelt name of a code may mean: IDs if it
// looks like one, else slugs.
func codeNames(name string) []string {
	var names []string
	byID := strings.HasPrefix(strings.ToUpper(name), "WFC")
	for _, c := range diag.Codes() {
		if byID {
			names = append(names, c.ID)
		} else {
			names = append(names, c.Slug)
		}
	}
	return names
}

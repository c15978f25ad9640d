package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ConfigKey reports an unknown key of the configuration; where says in which
// part of it ("in `agents.reviewer`"), or is empty at the top.
func ConfigKey(at source.Span, key, where string, known []string) *diag.Diagnostic {
	if where != "" {
		where = " " + where
	}
	d := report("WFC150", at, fmt.Sprintf("unknown key `%s`%s in the configuration", key, where))
	return suggest(d, at, key, known).WithHelp("known here: " + strings.Join(known, ", "))
}

// ConfigValue reports a setting with a wrong value; want says what would be
// right: "a whole number of at least 1".
func ConfigValue(at source.Span, setting, want string) *diag.Diagnostic {
	return report("WFC151", at, fmt.Sprintf("`%s` must be %s", setting, want))
}

// ConfigCode reports a severity set for a code that does not exist.
func ConfigCode(at source.Span, name string) *diag.Diagnostic {
	d := report("WFC152", at, fmt.Sprintf("there is no diagnostic `%s`", name))
	return suggest(d, at, name, codeNames(name)).WithHelp("`wfc explain` lists all diagnostics")
}

// ConfigLowered reports a severity that would lower an error.
func ConfigLowered(at source.Span, code *diag.Code) *diag.Diagnostic {
	return report("WFC153", at, fmt.Sprintf("`%s` is an error and cannot be lowered", code.Slug)).
		WithHelp("only warnings and notes can be switched off or changed")
}

// ConfigAgentSetting reports a setting of an agent that its kind does not take;
// with names the kinds that do.
func ConfigAgentSetting(at source.Span, setting, kind string, with []string) *diag.Diagnostic {
	return report("WFC154", at, fmt.Sprintf("`%s` has no effect: agents of kind `%s` do not take it", setting, kind)).
		WithHelp(fmt.Sprintf("taken by agents of kind %s", joinAnd(with)))
}

// suggest adds to d the candidate that is most like name, if one is near, as
// a replacement of the place at.
func suggest(d *diag.Diagnostic, at source.Span, name string, candidates []string) *diag.Diagnostic {
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
	for _, c := range diag.Codes() {
		if byID {
			names = append(names, c.ID)
		} else {
			names = append(names, c.Slug)
		}
	}
	return names
}

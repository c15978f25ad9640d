package finding

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// NotWorkflow reports a file that is not a workflow; why is the reason in words, or "". help
// says how to make the file a workflow if it nearly is one, or is "". dialects are the known
// formats.
func NotWorkflow(at source.Span, why, help string, dialects []string) *diag.Diagnostic {
	exclude := "add the file to `exclude` in `wfc.yaml` if it is not a workflow"
	d := codes.NotAWorkflow.New(at, "not a workflow of any known format")
	if why != "" {
		d.Message = "not a workflow: " + why
	}
	switch {
	case help != "":
		d.WithHelp(help)
	case why != "":
		return d.WithHelp(exclude)
	}
	return d.WithHelp("name its format in a comment at the top if it is a workflow: `# wfc: dialect=` with " + joinOr(dialects)).
		WithHelp(exclude)
}

// UnknownDialect reports the name of a dialect that does not exist.
func UnknownDialect(at source.Span, name string, known []string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownValue.New(at, fmt.Sprintf("unknown dialect `%s`", name)), nameWithin(at, name), name, known).WithHelp("use one of " + quoteAll(known))
}

// UnknownConstant reports a constant for an input that does not exist.
func UnknownConstant(at source.Span, name string, inputs []string) *diag.Diagnostic {
	d := codes.UnknownInput.New(at, fmt.Sprintf("unknown input `%s` in `--const`", name))
	offerNearestName(d, source.Span{}, name, inputs) // no file has the name
	if len(inputs) == 0 {
		return d.WithHelp("remove `--const`: the workflow has no inputs")
	}
	return d.WithHelp("use one of " + quoteAll(inputs))
}

// ConstantValue reports a constant of the wrong type; want is the input's type
// in words.
func ConstantValue(at source.Span, name, value, want string) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("the constant `%s` must be %s, got %q", name, want, value))
}

// InternalError reports that the compiler itself failed on a file.
func InternalError(at source.Span, fault string) *diag.Diagnostic {
	return codes.InternalError.New(at, "internal error: "+fault).
		WithHelp("report this bug of wfc with the file; `wfc check -v` shows where it happened")
}

// UnusedIgnore reports a suppression that suppresses nothing. remove is the span to
// delete if the whole comment is unused, else an invalid one.
func UnusedIgnore(at source.Span, name string, remove source.Span) *diag.Diagnostic {
	return codes.UnusedIgnore.New(at, fmt.Sprintf("unused `wfc:ignore`: `%s` is not reported here", name)).
		WithSureSourceFix("remove the comment", remove, "")
}

// UnknownIgnore reports a suppression that names no code.
func UnknownIgnore(at source.Span, name string) *diag.Diagnostic {
	return suggestNearestName(codes.BadDirective.New(at, fmt.Sprintf("unknown diagnostic `%s` in `wfc:ignore`", name)), at, name, codeNames(name)).WithHelp("run `wfc explain` to list all diagnostics")
}

// BadDirective reports an unknown or invalid wfc comment. near is the word that is probably
// meant in place of that at word, or "".
func BadDirective(at source.Span, problem string, word source.Span, near string) *diag.Diagnostic {
	return suggestNear(codes.BadDirective.New(at, problem), word, near).WithHelp("write `# wfc:ignore[CODE] reason` or, at the top of the file, `# wfc: dialect=NAME`")
}

// ConfigKey reports an unknown key of the configuration; where is its place, as in
// "in `agents.reviewer`", or empty at the top level.
func ConfigKey(at source.Span, key, where string, known []string) *diag.Diagnostic {
	where = cmp.Or(where, "in the configuration")
	if name, value, colon := strings.Cut(key, ":"); colon && value != "" && slices.Contains(known, name) {
		return keyWithoutSpace(codes.WrongKey.New(at, fmt.Sprintf("unknown key `%s` %s: no space follows the colon", key, where)), at, name, value)
	}
	return offerOr(codes.WrongKey.New(at, fmt.Sprintf("unknown key `%s` %s", key, where)), at, key, known, "use one of "+quoteAll(known))
}

// MisplacedSetting reports a setting at the top of the configuration that belongs elsewhere;
// form is the setting there.
func MisplacedSetting(at source.Span, key, form string) *diag.Diagnostic {
	return codes.WrongKey.New(at, fmt.Sprintf("unknown key `%s` in the configuration", key)).
		WithHelp("write it as " + form)
}

// ConfigName warns of a file that has the name of a configuration only nearly; at is the
// file, and beside says that its folder has a configuration.
func ConfigName(at source.Span, beside bool) *diag.Diagnostic {
	help := "rename it to `wfc.yaml`"
	if beside {
		help = "move its settings to `wfc.yaml`, and delete it"
	}
	return codes.NoEffect.New(at, fmt.Sprintf("`%s` is not read: the configuration is `wfc.yaml`", path.Base(at.File.Name))).
		WithHelp(help)
}

// Unfollowed notes settings of another program that wfc checks and no run follows; ways say what
// to do instead.
func Unfollowed(at source.Span, names, ways []string) *diag.Diagnostic {
	d := codes.NoEffect.New(at, "wfc checks "+quoteAll(names)+", but no run follows it yet").WithHelp(strings.Join(ways, "; "))
	d.Severity = diag.Note
	return d
}

// ConfigValue reports a setting with an invalid value; want describes the valid
// ones, as in "an integer of at least 1".
func ConfigValue(at source.Span, setting, want string) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("`%s` must be %s", setting, want))
}

// WideGrant warns of a grant in a setting that gives more than it seems to give; effect says
// what, as in "lets a step …".
func WideGrant(at source.Span, setting, grant, effect string) *diag.Diagnostic {
	d := codes.WrongValue.New(at, fmt.Sprintf("`%s` in `%s` %s", grant, setting, effect))
	d.Severity = diag.Warning
	return d.WithHelp("name only what the step needs, and grant it only to the node that needs it")
}

// ConfigChoice reports a setting that is not one of a few words.
func ConfigChoice(at source.Span, setting, got string, choices []string) *diag.Diagnostic {
	d := ConfigValue(at, setting, "one of "+strings.Join(choices, ", "))
	offerNearestName(d, at, got, choices)
	return d
}

// ConfigCode reports a severity set for a code that does not exist.
func ConfigCode(at source.Span, name string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownValue.New(at, fmt.Sprintf("unknown diagnostic `%s`", name)), at, name, codeNames(name)).WithHelp("run `wfc explain` to list all diagnostics")
}

// ConfigAgentSetting reports a setting that agents of this kind do not support;
// with names the kinds that do.
func ConfigAgentSetting(at source.Span, setting, kind string, with []string) *diag.Diagnostic {
	return codes.UnsuitableKey.New(at, fmt.Sprintf("`%s` has no effect: agents of kind `%s` do not support it", setting, kind)).
		WithHelp(fmt.Sprintf("remove it, or use an agent of kind %s", joinOr(with)))
}

// OuterDecides reports a setting of wfc.yaml about which only another wfc.yaml decides, that of a
// folder above.
func OuterDecides(at source.Span, setting, outer string) *diag.Diagnostic {
	return codes.UnsuitableKey.New(at, fmt.Sprintf("`%s` has no effect: %s decides alone about it", setting, outer)).
		WithHelp("move it to " + outer + ": steps can write files in folders below that")
}

// UnreadableOuter reports that the wfc.yaml of a folder above cannot be read.
func UnreadableOuter(at source.Span, outer string, err error) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("%s, which decides about the sandbox, cannot be read: %v", outer, err)).
		WithHelp("make it readable")
}

// SetTwice warns of a setting of wfc.yaml that the workflow itself overrides at
// the given place.
func SetTwice(at source.Span, setting string, other source.Span) *diag.Diagnostic {
	return codes.NoEffect.New(at, fmt.Sprintf("both the workflow and wfc.yaml set `%s`: the workflow wins", setting)).
		WithRelated(other, "this has no effect").WithHelp("remove one of the two")
}

// codeNames returns the names that a misspelt name of a code may mean: IDs if it
// looks like one, else slugs.
func codeNames(name string) []string {
	var names []string
	byID := strings.HasPrefix(strings.ToUpper(name), "WFC")
	for _, c := range codes.All() {
		if byID {
			names = append(names, c.ID)
		} else {
			names = append(names, c.Slug)
		}
	}
	return names
}

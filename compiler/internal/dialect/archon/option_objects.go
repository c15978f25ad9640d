package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// An objectDecl says whether everything in an object is of the right kind. The agent gets
// most options that are objects as they are written.
type objectDecl struct{ ok bool }

// objectReader reads an option that is an object, or an object inside one.
func objectReader(l level, fields []field[objectDecl]) func(*decoder, value) (string, bool) {
	return func(d *decoder, v value) (string, bool) { return v.Node.JSON(), d.isObject(v, v.Head(), l, fields) }
}

// isObject reports whether everything in an object is of the right kind, and faults if not:
// for keys that it lacks at the place.
func (d *decoder) isObject(v value, at source.Span, l level, fields []field[objectDecl]) bool {
	o := objectDecl{ok: true}
	return decode.Fields(d, l, v, fields, &o) && d.Missing(v, at, l, decode.Required(fields)...) && o.ok
}

// checkReader reads a key of an object.
func checkReader[T any](read func(*decoder, value) (T, bool)) func(*decoder, value, *objectDecl) {
	return func(d *decoder, v value, o *objectDecl) {
		_, ok := read(d, v)
		o.ok = o.ok && ok
	}
}

// eachOf reads a key that is a mapping with names of the user's own.
func eachOf(read func(*decoder, value, *objectDecl)) func(*decoder, value, *objectDecl) {
	return func(d *decoder, v value, o *objectDecl) {
		o.ok = d.IsMapping(v) && o.ok
		for _, p := range v.Node.Pairs {
			read(d, v.Member(&p), o)
		}
	}
}

// flagIn, stringsIn and fullStringsIn are optional keys of objects, by their kinds of values.
func flagIn(name, doc string) field[objectDecl] {
	return field[objectDecl]{Name: name, Shape: decode.Bool, Doc: doc, Read: checkReader((*decoder).Flag)}
}

func stringsIn(name, doc string) field[objectDecl] {
	return field[objectDecl]{Name: name, Shape: decode.ListOf(decode.String), Doc: doc, Read: checkReader(readStrings)}
}

func fullStringsIn(name, doc string) field[objectDecl] {
	return field[objectDecl]{Name: name, Shape: decode.ListOf(decode.FullString), Doc: doc, Read: checkReader(readFullStrings)}
}

// thinkingDecl is the long form of the thinking option.
type thinkingDecl struct {
	kind   string
	budget *value
}

// thinkingModeNames are the modes of the thinking option.
var thinkingModeNames = []string{"adaptive", "enabled", "disabled"}

var thinkingLevel = level{Where: "under `thinking:`", Name: "`thinking`", Prefix: "thinking."}

var thinkingFields = []field[thinkingDecl]{
	{Name: "type", Shape: decode.OneOf(thinkingModeNames...), Required: true,
		Doc:  "The mode.",
		Read: func(d *decoder, v value, t *thinkingDecl) { t.kind, _ = d.Choice(v) }},
	{Name: "budgetTokens", Shape: decode.Integer.AtLeast(1),
		Doc:  "Maximum tokens for thinking.",
		Read: func(d *decoder, v value, t *thinkingDecl) { t.budget = &v }},
}

// readThinking reads the option's short form, a word, or its long one, and
// returns the long one.
func readThinking(d *decoder, v value) (string, bool) {
	if d.IsText(v.Node) {
		_, ok := d.Choice(v)
		return `{"type":` + v.Node.JSON() + `}`, ok
	}
	var t thinkingDecl
	if !readLevel(d, v, thinkingLevel, thinkingFields, &t) {
		return "", false
	}
	switch {
	case t.kind == "":
		return "", false
	case t.budget == nil:
	case t.kind != "enabled":
		d.Bag.Add(finding.NoEffect(t.budget.Key.Span, t.budget.Path, "only `type: enabled` has a budget"))
		return `{"type":"` + t.kind + `"}`, true
	default:
		if _, ok := d.Whole(*t.budget); !ok {
			return "", false
		}
	}
	return v.Node.JSON(), true
}

// hookNames are the events that a hook can answer.
var hookNames = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification", "UserPromptSubmit",
	"SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact",
	"PermissionRequest", "Setup", "TeammateIdle", "TaskCompleted", "Elicitation", "ElicitationResult",
	"ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded",
}

var hookLevel = level{Where: "in a hook", Name: "the hook", Prefix: "hooks."}

var hookFields = []field[objectDecl]{
	{Name: "matcher", Shape: decode.String,
		Doc:  "Pattern of the tools that the hook applies to; all if absent.",
		Read: checkReader((*decoder).Text)},
	{Name: "response", Shape: decode.MapOf(decode.Any), Required: true,
		Doc:  "Answer of the hook, as a JSON object that the agent gets.",
		Read: func(d *decoder, v value, h *objectDecl) { h.ok = d.IsMapping(v) && h.ok }},
	{Name: "timeout", Shape: decode.Number.Above(0).In("seconds"),
		Doc:  "Time limit of the hook.",
		Read: checkReader(func(d *decoder, v value) (float64, bool) { return d.NumberIn(v, "") })},
}

// readHooks reads the hooks option: a mapping of events to lists of answers.
func readHooks(d *decoder, v value) (string, bool) {
	if !d.IsMapping(v) {
		return "", false
	}
	good := true
	for _, p := range v.Node.Pairs {
		event := p.Key.Value
		if !slices.Contains(hookNames, event) {
			d.Fault(v, finding.UnknownHook(p.Key.Span, event, hookNames))
			good = false
			continue
		}
		list := v.Member(&p)
		if !d.IsList(list) {
			good = false
			continue
		}
		for _, n := range p.Value.Items {
			hook := list.Item(n)
			hook.Path = list.Path
			good = d.isObject(hook, hook.Place(), hookLevel, hookFields) && good
		}
	}
	return v.Node.JSON(), good
}

var helperLevel = level{Where: "in a helper agent", Name: "the helper agent", Prefix: "agents."}

var helperFields = []field[objectDecl]{
	{Name: "description", Shape: decode.FullString, Required: true,
		Doc:  "When to use it.",
		Read: checkReader((*decoder).NonEmpty)},
	{Name: "prompt", Shape: decode.FullString, Required: true,
		Doc:  "System prompt.",
		Read: checkReader((*decoder).NonEmpty)},
	{Name: "model", Shape: decode.FullString,
		Doc:  "Model.",
		Read: checkReader((*decoder).NonEmpty)},
	fullStringsIn("tools", "Tools that it may use."),
	fullStringsIn("disallowedTools", "Tools that it may not use."),
	fullStringsIn("skills", "Skills."),
	{Name: "maxTurns", Shape: decode.Integer.AtLeast(1),
		Doc:  "Maximum number of turns.",
		Read: checkReader((*decoder).Whole)},
}

// readAgents reads the agents option: a mapping of names to helper agents.
func readAgents(d *decoder, v value) (string, bool) {
	if !d.HasPairs(v) {
		return "", false
	}
	good := true
	for _, p := range v.Node.Pairs {
		if !isKebab(p.Key.Value) {
			d.Fault(v, finding.AgentID(p.Key.Span, p.Key.Value))
			good = false
		}
		helper := v.Member(&p)
		good = d.isObject(helper, helper.Head(), helperLevel, helperFields) && good
	}
	return v.Node.JSON(), good
}

// isKebab reports whether a name consists of words of small letters and
// digits with single hyphens between them.
func isKebab(name string) bool {
	for word := range strings.SplitSeq(name, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// The sandbox option is passed on to the agent with keys that it does not
// list; the mappings inside it are not.
var (
	sandboxLevel    = level{Where: "under `sandbox:`", Name: "`sandbox`", Prefix: "sandbox.", Open: true}
	networkLevel    = level{Where: "under `sandbox.network:`", Name: "`sandbox.network`", Prefix: "sandbox.network."}
	filesystemLevel = level{Where: "under `sandbox.filesystem:`", Name: "`sandbox.filesystem`", Prefix: "sandbox.filesystem."}
	ripgrepLevel    = level{Where: "under `sandbox.ripgrep:`", Name: "`sandbox.ripgrep`", Prefix: "sandbox.ripgrep."}
	piLevel         = level{Where: "under `pi:`", Name: "`pi`", Prefix: "pi."}
)

var sandboxFields = []field[objectDecl]{
	flagIn("enabled", "Runs the commands of the agent in its sandbox."),
	flagIn("autoAllowBashIfSandboxed", "Allows bash commands in the sandbox without a question."),
	flagIn("allowUnsandboxedCommands", "Allows commands outside the sandbox."),
	flagIn("enableWeakerNestedSandbox", "Allows a weaker sandbox inside containers."),
	flagIn("enableWeakerNetworkIsolation", "Allows weaker isolation of the network."),
	stringsIn("excludedCommands", "Commands that run outside the sandbox."),
	{Name: "ignoreViolations", Shape: decode.MapOf(decode.ListOf(decode.String)),
		Doc:  "Violations to ignore, by command.",
		Read: eachOf(checkReader(readStrings))},
	{Name: "network", Shape: decode.Object(&networkLevel),
		Doc:  "Network of the sandbox.",
		Read: checkReader(objectReader(networkLevel, networkFields))},
	{Name: "filesystem", Shape: decode.Object(&filesystemLevel),
		Doc:  "Files of the sandbox.",
		Read: checkReader(objectReader(filesystemLevel, filesystemFields))},
	{Name: "ripgrep", Shape: decode.Object(&ripgrepLevel),
		Doc:  "Program for searches in the sandbox.",
		Read: checkReader(objectReader(ripgrepLevel, ripgrepFields))},
}

var networkFields = []field[objectDecl]{
	stringsIn("allowedDomains", "Domains that may be reached."),
	flagIn("allowManagedDomainsOnly", "Allows only the domains in the agent's managed settings."),
	stringsIn("allowUnixSockets", "Unix sockets that may be opened."),
	flagIn("allowAllUnixSockets", "Allows all Unix sockets."),
	flagIn("allowLocalBinding", "Allows servers on local ports."),
	{Name: "httpProxyPort", Shape: decode.Number,
		Doc:  "Port of an HTTP proxy.",
		Read: checkReader((*decoder).Number)},
	{Name: "socksProxyPort", Shape: decode.Number,
		Doc:  "Port of a SOCKS proxy.",
		Read: checkReader((*decoder).Number)},
}

var filesystemFields = []field[objectDecl]{
	stringsIn("allowWrite", "Paths that may be written."),
	stringsIn("denyWrite", "Paths that may not be written."),
	stringsIn("denyRead", "Paths that may not be read."),
}

var ripgrepFields = []field[objectDecl]{
	{Name: "command", Shape: decode.String, Required: true,
		Doc:  "The program.",
		Read: checkReader((*decoder).Text)},
	stringsIn("args", "Arguments of the program."),
}

var piFields = []field[objectDecl]{
	flagIn("enableExtensions", "Loads pi's extensions."),
	flagIn("interactive", "Lets them ask questions."),
	{Name: "extensionFlags", Shape: decode.MapOf(decode.Bool.Else(decode.String)),
		Doc: "Flags of extensions.",
		Read: eachOf(func(d *decoder, v value, o *objectDecl) {
			if kind := decode.KindOf(v.Node); kind != "a boolean" && kind != "a string" {
				d.WrongKind(v, "true, false or a string")
				o.ok = false
			}
		})},
}

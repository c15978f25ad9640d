package acp

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Programs differ from the protocol and from each other. One table lists the known
// differences, as observed in the versions that docs/guide/agents-verified.md names.

// quirks are the peculiarities of a program. The zero value is that of an unknown
// program.
type quirks struct {
	// environ are variables that it needs unless they are set; see also the function environ.
	environ []string
	// readsItself says that wfc must not offer to read files: the program treats the
	// answer that a file is missing as a failure, and could not make new files.
	readsItself bool
	// byTheMinute says that it writes sessions to files named by the minute in
	// which a process opens them, and cannot load one in the minute in which it
	// began: the file is written over.
	byTheMinute bool
	// notices says that it sends notices of its tools as if they were part of the reply.
	notices bool
	// retryNotice reports whether a piece is a notice of the program's work on the reply, not part
	// of it, and whether text that came before doesn't count, since the program asks its model again.
	retryNotice func(piece string) (is, begun bool)
	// reconnects is its line on standard error when an answer broke off and it asks its
	// model again, if it has no notice of that.
	reconnects string
	// repetition says that it ends a turn for the maximum of requests also when the model
	// repeats itself.
	repetition bool
	// lastTokens says that it reports only the tokens of the last request of a turn.
	lastTokens bool
	// costsAfresh says that it reports the cost of this process as the cost of the
	// session.
	costsAfresh bool
	// onlyRemote says that it leaves out MCP servers that are processes, silently.
	onlyRemote bool
	// expands says that it replaces $NAME in the variables and headers of MCP servers,
	// after wfc has done so, and reads \$ as a dollar sign.
	expands bool
}

var quirksOf = map[string]quirks{
	"gemini": {
		// Without it no MCP server is started in a folder that nobody has trusted,
		// and nothing says so.
		environ:     []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		readsItself: true, byTheMinute: true, expands: true, repetition: true,
	},
	"opencode": {lastTokens: true},
	"copilot":  {notices: true, onlyRemote: true, retryNotice: copilotRetries},
	"pi-acp":   {retryNotice: piRetries},
	// It passes on the cost from claude, which until 2.1.197 is the process's.
	"claude-agent-acp": {costsAfresh: true},
	"codex-acp":        {reconnects: "Handled error during turn: Reconnecting..."},
}

// aliases are other names of the programs: those of packages, and what programs
// call themselves.
var aliases = map[string]string{"gemini-cli": "gemini", "opencode-ai": "opencode"}

// nameOf returns the name by which a program is known, or "": that of its file,
// or of a package among the arguments, by which others start it.
func nameOf(program string, args []string) string {
	base := strings.ToLower(filepath.Base(program))
	list := []string{strings.TrimSuffix(base, filepath.Ext(base)), base}
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		arg = strings.ToLower(path.Base(filepath.ToSlash(arg)))
		name, _, _ := strings.Cut(arg, "@") // a version
		list = append(list, name, strings.TrimSuffix(name, path.Ext(name)))
	}
	for _, name := range list {
		if name = canonicalName(name); name != "" {
			return name
		}
	}
	return ""
}

// canonicalName returns a name as the tables have it, or "".
func canonicalName(name string) string {
	name = strings.ToLower(name)
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	if _, ok := quirksOf[name]; ok {
		return name
	}
	return ""
}

// selectQuirks takes the name that the program gives itself, which selects the quirks from
// then on.
func (t *turn) selectQuirks() {
	if name := canonicalName(t.start.Info.Name); name != "" {
		t.quirks = quirksOf[name]
	}
}

// remoteOnly warns of servers that the program leaves out.
func (t *turn) remoteOnly() {
	if !t.quirks.onlyRemote {
		return
	}
	var names []string
	for _, s := range t.servers {
		if s.Type == "stdio" {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		t.report.passWarning("the agent program `%s` ignores the MCP servers %s: it supports only the types `http` and `sse`", t.name, strings.Join(names, ", "))
	}
}

// levels are how notices begin.
var levels = []string{"Info: ", "Warning: ", "Error: "}

// cancelledNotice is the notice of a permission that was refused.
const cancelledNotice = "Info: Operation cancelled by user"

// copilotRetries recognizes notices of a request that copilot sends again.
func copilotRetries(piece string) (is, begun bool) {
	is = strings.HasPrefix(piece, "Info: ") && strings.HasSuffix(piece, "etrying...") && !strings.Contains(piece, "\n")
	return is, is && strings.Contains(piece, " was interrupted ")
}

// piRetries recognizes what pi-acp says when pi asks its model again or shortens its context.
func piRetries(piece string) (is, begun bool) {
	begun = strings.HasPrefix(piece, "Retrying") && strings.HasSuffix(piece, "...") && !strings.Contains(piece, "\n")
	return begun || piece == "Retry finished, resuming." || piece == "Context nearing limit, running automatic compaction..." ||
		piece == "Automatic compaction finished; context was summarized to continue the session.", begun
}

// errorNotice begins the notice that ends a turn in which the model could not be asked.
// brokenOff follows it if the model had answered before.
const errorNotice = "Error: "

var brokenOff = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Error: ([45]\d\d |Failed to get response from the AI model|Authentication failed with provider)`)
})

// failedQuietly returns the failure of a turn that the program ended as a success
// although its last message is an error of the program. If the model used no tokens, the
// message cannot be the model's.
func (t *turn) failedQuietly(used *usage) error {
	t.mu.Lock()
	text := t.heard.last
	t.mu.Unlock()
	if !t.quirks.notices || !strings.HasPrefix(text, errorNotice) || used != nil && !brokenOff().MatchString(text) {
		return nil
	}
	text = strings.Join(strings.Fields(strings.TrimPrefix(text, errorNotice)), " ")
	class, reason, hint := classifyRefusal(text, failures.ClassifyService(text), 0)
	return failures.New(class, reason, "the agent program `%s` failed: %s%s", t.name, process.Mask(t.request.Environ, text), hint)
}

// escapeServerValue returns a value of an MCP server so that the program hands it over as
// it is.
func (h *quirks) escapeServerValue(value string) string {
	if !h.expands {
		return value
	}
	return strings.ReplaceAll(value, "$", `\$`)
}

// takeNotice reports whether a piece is a notice, not part of the reply, and removes the
// text that it takes back. Notices come whole: those of requests at any time, others during
// or after the use of a tool, before the program asks its model again and reports the
// usage; words of the model come after that.
func (h *heard) takeNotice(quirks *quirks, text string) bool {
	if h.refused && strings.TrimSpace(text) == cancelledNotice {
		return true
	}
	if quirks.retryNotice != nil {
		if is, begun := quirks.retryNotice(text); is {
			if begun {
				h.takeBack()
			}
			return true
		}
	}
	return quirks.notices && h.used && slices.ContainsFunc(levels, func(level string) bool { return strings.HasPrefix(text, level) })
}

// takeBack removes the text that came since the program last asked its model.
func (h *heard) takeBack() {
	text := h.text.String()[:h.asked]
	h.text.Reset()
	h.text.WriteString(text)
	h.apart = true
}

// handleStderr takes a piece of standard error.
func (t *turn) handleStderr(piece []byte) {
	if line := []byte(t.quirks.reconnects); len(line) > 0 {
		t.printed = append(t.printed, piece...)
		if at := bytes.LastIndex(t.printed, line); at >= 0 {
			withHeard(t, func(h *heard) bool { h.takeBack(); return true })
			t.printed = t.printed[at+len(line):]
		}
		t.printed = t.printed[max(0, len(t.printed)-len(line)+1):] // a piece may end in the line
	}
	t.report.passStderr(piece)
}

// ownServer returns the MCP server of the workflow that a tool belongs to, or "".
// Those are used without asking, as the workflow's author named them. Programs
// name such tools in several ways, and none of them says more of the kind than
// that it is another one.
func (t *turn) ownServer(used *tool) string {
	if used.kind != "" && used.kind != sdk.ToolKindOther {
		return ""
	}
	for i := range t.servers {
		name := t.servers[i].Name
		for _, called := range used.names {
			if ofServer(called, name) {
				return name
			}
		}
	}
	return ""
}

// ofServer reports whether a tool's name or title is of a server: mcp__NAME__tool
// (claude-agent-acp), mcp_NAME_tool and "tool (NAME MCP Server)" (gemini),
// "Tool: NAME/tool" (codex-acp), NAME_tool (opencode), NAME-tool (copilot).
func ofServer(called, server string) bool {
	if strings.HasSuffix(called, " ("+server+" MCP Server)") {
		return true
	}
	rest := strings.TrimPrefix(called, "Tool: ")
	if strings.ContainsAny(rest, " \t\r\n") {
		return false // words, which may be anybody's
	}
	for _, prefix := range []string{"mcp__" + server + "__", "mcp_" + server + "_", server + "/", server + "_", server + "-"} {
		if len(rest) > len(prefix) && strings.HasPrefix(rest, prefix) {
			return true
		}
	}
	return false
}

// modelMark is the placeholder for the model in the arguments of a program.
const modelMark = "{model}"

// insertModel returns the arguments with the model in them. Without a model, those
// that hold it are left out, and so is the flag before one that is nothing else.
func insertModel(args []string, model string) (list []string, named bool, err error) {
	for _, arg := range args {
		if !strings.Contains(arg, modelMark) {
			list = append(list, arg)
			continue
		}
		switch {
		case model != "" && arg == modelMark && strings.HasPrefix(model, "-"):
			return nil, false, failures.Fatal("the model `%s` cannot be a separate argument: the program would treat it as a flag", model)
		case model != "":
			list, named = append(list, strings.ReplaceAll(arg, modelMark, model)), true
		case arg == modelMark && len(list) > 0 && strings.HasPrefix(list[len(list)-1], "-"):
			list = list[:len(list)-1]
		}
	}
	return list, named, nil
}

// Settings for opencode, unless its own settings decide: it asks before actions
// that it would do without asking, and continues after a refusal, where it would
// end its turn.
const (
	opencodePermission = `{"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask"}`
	opencodeConfig     = "OPENCODE_CONFIG_CONTENT"
)

// programEnviron returns the environment of a program of a known name. A variable that
// is set says what its owner wants.
func programEnviron(name string, p policy, list []string) []string {
	list = slices.Clip(list)
	add := func(entry string) {
		variable, _, _ := strings.Cut(entry, "=")
		if !slices.ContainsFunc(list, func(entry string) bool { return strings.HasPrefix(entry, variable+"=") }) {
			list = append(list, entry)
		}
	}
	for _, entry := range quirksOf[name].environ {
		add(entry)
	}
	if name == "opencode" && p != mayAll {
		add("OPENCODE_PERMISSION=" + opencodePermission)
		list = goOn(list)
	}
	return list
}

// goOn makes opencode continue after a refusal, unless the settings in the variable
// decide that themselves. It keeps the other settings.
func goOn(list []string) []string {
	const key, inner = "experimental", "continue_loop_on_deny"
	settings := map[string]json.RawMessage{}
	if text := process.Variable(list, opencodeConfig); strings.TrimSpace(text) != "" && json.Unmarshal([]byte(text), &settings) != nil {
		return list // the program reports their faults
	}
	experimental := map[string]json.RawMessage{}
	if value, ok := settings[key]; ok && json.Unmarshal(value, &experimental) != nil {
		return list
	}
	if _, decided := experimental[inner]; decided {
		return list
	}
	if experimental == nil {
		experimental = map[string]json.RawMessage{}
	}
	if settings == nil {
		settings = map[string]json.RawMessage{}
	}
	experimental[inner] = json.RawMessage("true")
	text, err := json.Marshal(experimental)
	if err == nil {
		settings[key] = text
		text, err = json.Marshal(settings)
	}
	if err != nil {
		return list
	}
	list = slices.DeleteFunc(slices.Clone(list), func(entry string) bool { return strings.HasPrefix(entry, opencodeConfig+"=") })
	return append(list, opencodeConfig+"="+string(text))
}

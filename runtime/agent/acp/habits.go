package acp

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Programs do some things in ways of their own. What is known of them stands in
// one table, as the versions that docs/guide/agents.md names were seen to do it.

// habits are what a program does in its own way. The zero value is a program of
// which nothing is known.
type habits struct {
	// environ are variables that it needs unless they are set; environ.go has
	// those that are put together.
	environ []string
	// readsItself says that it must not be told that wfc reads files: it takes the
	// answer that a file is missing for a failure, and could not make any.
	readsItself bool
	// byTheMinute says that it writes sessions to files named by the minute in
	// which a process opens them, and cannot load one in the minute in which it
	// began: the file is written over.
	byTheMinute bool
	// notices says that it tells of its tools as if that was part of the reply.
	notices bool
	// lastTokens says that it tells the tokens of the last request of a turn only.
	lastTokens bool
	// costsAfresh says that the cost that it tells of a session is what this process
	// of the program has spent.
	costsAfresh bool
	// onlyRemote says that it leaves out MCP servers that are processes, silently.
	onlyRemote bool
	// expands says that it replaces $NAME in the variables and headers of MCP
	// servers, once more than wfc did, and takes \$ for a dollar sign.
	expands bool
}

var habitsOf = map[string]habits{
	"gemini": {
		// Without it no MCP server is started in a folder that nobody has trusted,
		// and nothing says so.
		environ:     []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		readsItself: true, byTheMinute: true, expands: true,
	},
	"opencode": {lastTokens: true},
	"copilot":  {notices: true, onlyRemote: true},
	// It passes on what claude tells, which until 2.1.197 is the process's cost.
	"claude-agent-acp": {costsAfresh: true},
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
		if name = canonical(name); name != "" {
			return name
		}
	}
	return ""
}

// canonical returns a name as the tables have it, or "".
func canonical(name string) string {
	name = strings.ToLower(name)
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	if _, ok := habitsOf[name]; ok {
		return name
	}
	return ""
}

// introduced takes what the program calls itself, which counts for all that comes
// after it.
func (t *turn) introduced() {
	if name := canonical(t.start.Info.Name); name != "" {
		t.habits = habitsOf[name]
	}
}

// remoteOnly warns of servers that the program leaves out.
func (t *turn) remoteOnly() {
	if !t.habits.onlyRemote {
		return
	}
	var names []string
	for _, s := range t.servers {
		if s.Type == "stdio" {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		t.tell.warn("the agent program `%s` leaves out the MCP servers %s: it takes those of type `http` and `sse` only", t.name, strings.Join(names, ", "))
	}
}

// levels are how notices begin.
var levels = []string{"Info: ", "Warning: ", "Error: "}

// cancelledNotice is the notice of a permission that was refused.
const cancelledNotice = "Info: Operation cancelled by user"

// retryNotice is the notice of a request to the model that it sends again.
const retryNotice = "Info: Request failed due to a transient API error. Retrying..."

// errorNotice is how the notice begins that ends a turn in which the model could
// not be asked, and brokenOff how it goes on when the model had answered before.
const errorNotice = "Error: "

var brokenOff = regexp.MustCompile(`^Error: ([45]\d\d |Failed to get response from the AI model|Authentication failed with provider)`)

// failedQuietly returns the failure of a turn that the program ended as if all
// was well: the last it said is an error of its own. When the model has used no
// tokens, it is none of the model's words.
func (t *turn) failedQuietly(used *usage) error {
	t.mu.Lock()
	text := t.heard.last
	t.mu.Unlock()
	if !t.habits.notices || !strings.HasPrefix(text, errorNotice) || used != nil && !brokenOff.MatchString(text) {
		return nil
	}
	text = strings.Join(strings.Fields(strings.TrimPrefix(text, errorNotice)), " ")
	if agent.Exhaustion(text) != "" {
		return fatal(agent.ReasonCredit, "the agent program `%s` failed: %s; go on with the run when there is credit again", t.name, process.Mask(t.request.Environ, text))
	}
	return failure(agent.ClassifyText(text), agent.ReasonAgent, "the agent program `%s` failed: %s", t.name, process.Mask(t.request.Environ, text))
}

// literal returns a value of an MCP server so that the program hands it over as
// it is.
func (h *habits) literal(value string) string {
	if !h.expands {
		return value
	}
	return strings.ReplaceAll(value, "$", `\$`)
}

// isNotice reports whether a piece is a notice and no part of the reply. Notices
// come whole, while a tool is used or after it, before the program asks its model
// again and tells how much it uses; words of the model come after that.
func (h *heard) isNotice(habits *habits, text string) bool {
	if h.refused && strings.TrimSpace(text) == cancelledNotice {
		return true
	}
	if habits.notices && text == retryNotice {
		return true
	}
	return habits.notices && h.used && slices.ContainsFunc(levels, func(level string) bool { return strings.HasPrefix(text, level) })
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

package claude

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// A question is a request in the program's terms.
type question struct {
	args []string
	// skills are to be named in the prompt.
	skills []string
	// form is the schema as the service gets it.
	form schema.Form
	// thinking is the option, and reasons are why the hooks deny tools.
	thinking *thinking
	reasons  []string
}

// snapshots is the oldest version observed to keep a session's first system prompt
// in later turns, unless a flag says otherwise.
const snapshots = 283

// modes are the permission modes by permission.
var modes = map[string][]string{
	program.Safe: {"--permission-mode=default"},
	program.Edit: {"--permission-mode=acceptEdits"},
	program.All:  {"--dangerously-skip-permissions"},
}

// buildArguments puts a request into arguments and files.
//
// A value is joined to its flag by =, so that one that begins with a hyphen is not a
// flag.
func buildArguments(a *stream.Attempt) (*question, error) {
	r := a.Request
	o, err := options.Decode(r.Options)
	if err != nil {
		return nil, err
	}
	q := &question{skills: o.Skills}
	q.args = append(q.args, "-p", "--output-format=stream-json", "--verbose", "--include-partial-messages")
	q.args = append(q.args, modes[a.Permission]...)
	q.addFlag("--model", r.Model)
	q.addFlag("--fallback-model", o.FallbackModel)
	q.addFlag("--system-prompt", o.SystemPrompt)
	q.addFlag("--effort", o.Effort)
	q.addFlag("--betas", strings.Join(o.Betas, ","))
	if o.SettingSources != nil {
		q.args = append(q.args, "--setting-sources="+strings.Join(o.SettingSources, ","))
	}
	for _, folder := range o.Plugins {
		q.addFlag("--plugin-dir", string(folder))
	}
	q.addThinking((*thinking)(o.Thinking))
	if o.BudgetUSD > 0 {
		q.addFlag("--max-budget-usd", strconv.FormatFloat(o.BudgetUSD, 'f', -1, 64))
	}
	if r.Session != "" && !r.FreshSession {
		// The turn works on a copy of the session, so that an interrupted turn leaves
		// nothing in it for the retry, and each of several branches has a separate
		// session.
		q.addFlag("--resume", r.Session)
		q.args = append(q.args, "--fork-session")
		if o.SystemPrompt != "" && a.Version.Compare(ofVersion2_1(snapshots)) >= 0 {
			q.addFlag("--system-prompt-snapshot", "off")
		}
	}
	if len(r.Schema) > 0 {
		form, ok := schema.Claude.Narrow(r.Schema)
		if !ok {
			return nil, errors.New("the schema is not valid JSON")
		}
		q.form = *form
		q.addFlag("--json-schema", string(form.Schema))
	}
	q.addFlag("--agents", string(o.Helpers))
	list, err := q.addServers(o.MCP, a)
	if err != nil {
		return nil, err
	}
	q.limitTools(&o, list)
	return q, q.addSettings(&o, a)
}

func (q *question) addFlag(name, value string) {
	if value != "" {
		q.args = append(q.args, name+"="+value)
	}
}

func (q *question) addThinking(t *thinking) {
	q.thinking = t
	switch {
	case t == nil:
	case t.Type == "enabled" && t.BudgetTokens > 0:
		q.addFlag("--max-thinking-tokens", strconv.FormatInt(t.BudgetTokens, 10))
	case t.Type == "disabled":
		q.addFlag("--thinking", "disabled")
	default:
		q.addFlag("--thinking", "adaptive")
	}
}

// addServers hands the MCP servers over in a file, since they may hold keys.
func (q *question) addServers(object json.RawMessage, a *stream.Attempt) ([]options.Server, error) {
	list, err := a.Output.Servers(object, a.Environ)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	byName := make(map[string]json.RawMessage, len(list))
	for i := range list {
		byName[list[i].Name] = list[i].JSON()
	}
	content, err := json.Marshal(map[string]any{"mcpServers": byName})
	if err != nil {
		return nil, err
	}
	path, err := a.Files.Write("claude-mcp-*.json", content)
	q.addFlag("--mcp-config", path)
	return list, err
}

// limitTools limits the tools. Those that are allowed need no permission, as nobody
// can be asked for it: the prompt's author named them.
func (q *question) limitTools(o *options.Values, list []options.Server) {
	allowed := append([]string(nil), o.AllowedTools...)
	for _, s := range list {
		allowed = append(allowed, "mcp__"+s.Name)
	}
	for _, s := range o.Skills {
		allowed = append(allowed, "Skill("+s+")")
	}
	q.addFlag("--allowedTools", strings.Join(allowed, ","))
	q.addFlag("--disallowedTools", strings.Join(o.DeniedTools, ","))
	if o.AllowedTools == nil {
		return
	}
	var known []string
	for _, tool := range o.AllowedTools {
		// A rule such as Bash(git:*) is about the tool Bash. Tools of servers are
		// there whenever the server is.
		name, _, _ := strings.Cut(tool, "(")
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, "mcp__") {
			known = append(known, name)
		}
	}
	if len(o.Skills) > 0 {
		known = append(known, "Skill")
	}
	if len(o.Helpers) > 0 {
		known = append(known, "Agent", "Task") // the new name and the old one
	}
	// Two words, for an empty value is one too.
	q.args = append(q.args, "--tools", strings.Join(known, ","))
}

// addSettings passes the settings without a flag: the sandbox, hooks that give a fixed
// answer, and the folder for artifacts. The flag --add-dir would also read skills there,
// which a step in the sandbox may have written.
func (q *question) addSettings(o *options.Values, a *stream.Attempt) error {
	settings := map[string]any{}
	if dir := a.Request.ArtifactsDir; dir != "" && a.Permission != program.All {
		settings["permissions"] = map[string]any{"additionalDirectories": []string{dir}}
	}
	if len(o.Sandbox) > 0 {
		settings["sandbox"] = o.Sandbox
	}
	if len(o.Hooks) > 0 {
		hooks, reasons, err := fixedHooks(o.Hooks, a.Files)
		if err != nil {
			return err
		}
		q.reasons = reasons
		settings["hooks"] = hooks
	}
	if len(settings) == 0 {
		return nil
	}
	content, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	path, err := a.Files.Write("claude-settings-*.json", content)
	q.addFlag("--settings", path)
	return err
}

// A matcher is what settings say of one event: which of them, and what to run.
type matcher struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []command `json:"hooks"`
}

type command struct {
	Type    string  `json:"type"`
	Command string  `json:"command"`
	Timeout float64 `json:"timeout,omitempty"`
}

// fixedHooks turns hooks with fixed answers into commands that print them. The answer is in a
// file; the command contains only the file's name, which wfc chooses. reasons are those
// that the answers give for a denial.
func fixedHooks(object json.RawMessage, files *stream.Files) (all map[string][]matcher, reasons []string, err error) {
	var events map[string][]struct {
		Matcher  string          `json:"matcher"`
		Response json.RawMessage `json:"response"`
		Timeout  float64         `json:"timeout"`
	}
	if err := json.Unmarshal(object, &events); err != nil {
		return nil, nil, fmt.Errorf("the option `hooks`: %w", err)
	}
	all = make(map[string][]matcher, len(events))
	for event, list := range events {
		for _, hook := range list {
			path, err := files.Write("claude-hook-*.json", hook.Response)
			if err != nil {
				return nil, nil, err
			}
			if reason := reasonOf(hook.Response); reason != "" {
				reasons = append(reasons, reason)
			}
			all[event] = append(all[event], matcher{Matcher: hook.Matcher, Hooks: []command{{
				Type: "command", Command: "cat " + plain.ShellWord(filepath.ToSlash(path)), Timeout: hook.Timeout}}})
		}
	}
	return all, reasons, nil
}

// reasonOf returns why the answer of a hook denies a tool, or "".
func reasonOf(response json.RawMessage) string {
	var answer struct {
		Reason string `json:"reason"`
		Own    struct {
			Reason string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(response, &answer) != nil {
		return ""
	}
	return cmp.Or(answer.Own.Reason, answer.Reason)
}

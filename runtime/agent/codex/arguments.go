package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/value"
)

// A question is a request in the program's terms.
type question struct {
	args    []string
	environ []string
	// skills are to be named in the prompt.
	skills []string
	// form is the schema as the service gets it.
	form schema.Form
	// system is the system prompt.
	system string
}

// sandboxes are the program's sandboxes by permission.
var sandboxes = map[string]string{program.Safe: "read-only", program.Edit: "workspace-write"}

// buildArguments puts a request into arguments, files and variables. In the sandbox of a step, the
// program's own cannot work, since it makes namespaces; see runOnce.
func buildArguments(a *stream.Attempt, contained bool) (*question, error) {
	r := a.Request
	o, err := options.Decode(r.Options)
	if err != nil {
		return nil, err
	}
	q := &question{environ: a.Environ, system: o.SystemPrompt}
	for _, skill := range o.Skills {
		q.skills = append(q.skills, "$"+skill)
	}
	// Whether the folder is a repository that is trusted is the workflow's
	// business: what the agent may do is decided by its permission.
	q.args = append(q.args, "exec", "--json", "--color=never", "--skip-git-repo-check")
	if a.Permission == program.All {
		q.args = append(q.args, "--dangerously-bypass-approvals-and-sandbox")
	} else {
		// By settings, since `resume` has no flag for it.
		mode := sandboxes[a.Permission]
		if contained {
			mode = "danger-full-access"
		}
		q.addSetting("sandbox_mode", tomlText(mode))
		if mode == sandboxes[program.Edit] && r.ArtifactsDir != "" {
			// A setting would replace the writable_roots of the user.
			q.args = append(q.args, "--add-dir="+r.ArtifactsDir)
		}
		q.addSetting("approval_policy", tomlText("never"))
	}
	if r.Model != "" {
		q.args = append(q.args, "--model="+r.Model)
	}
	q.setText("developer_instructions", o.SystemPrompt)
	q.setText("model_reasoning_effort", o.ReasoningEffort)
	q.setText("web_search", o.WebSearch)
	if err := q.addServers(o.MCP, a.Output); err != nil {
		return nil, err
	}
	if len(r.Schema) > 0 {
		if err := q.addSchema(r.Schema, a.Files); err != nil {
			return nil, err
		}
	}
	if r.Session != "" && !r.FreshSession {
		if strings.HasPrefix(r.Session, "-") {
			return nil, fmt.Errorf("`%s` cannot be a session", r.Session)
		}
		q.args = append(q.args, "resume", r.Session)
	}
	q.args = append(q.args, "-")
	return q, nil
}

// addSetting changes a setting; the value is TOML.
func (q *question) addSetting(key, value string) { q.args = append(q.args, "-c", key+"="+value) }

func (q *question) setText(key, value string) {
	if value != "" {
		q.addSetting(key, tomlText(value))
	}
}

func (q *question) addSchema(wanted json.RawMessage, files *stream.Files) error {
	form, ok := schema.Codex.Narrow(wanted)
	if !ok {
		return errors.New("the schema is not valid JSON")
	}
	q.form = *form
	path, err := files.Write("codex-schema-*.json", form.Schema)
	q.args = append(q.args, "--output-schema="+path)
	return err
}

// approvals is the setting by which tools of a server need no approval: nobody can
// give one, and the prompt's author named the server. Version 0.100 has neither
// approvals of tools nor the setting, and passes it over.
const approvals = "default_tools_approval_mode"

// passed are the settings of MCP servers that the program knows beside those
// that all agents do.
var passed = []string{"cwd", "startup_timeout_sec", "tool_timeout_sec", "enabled_tools", "disabled_tools", "bearer_token_env_var", approvals}

// addServers passes the MCP servers as settings. Values from variables stay out of
// the arguments, which all users of the machine can read: the program gets the
// variables, and their names.
func (q *question) addServers(object json.RawMessage, output *stream.Output) error {
	list, err := output.Servers(object, q.environ)
	if err != nil {
		return err
	}
	for _, s := range list {
		if !bareKey(s.Name) {
			return fmt.Errorf("the MCP server `%s`: codex allows only letters, digits, - and _ in names", s.Name)
		}
		var t table
		switch s.Type {
		case "stdio":
			t.addEntry("command", tomlText(s.Command))
			t.addEntry("args", tomlTexts(s.Args))
			err = q.addVariables(&t, s.Env)
		case "http":
			t.addEntry("url", tomlText(s.URL))
			q.addHeaders(&t, s.Headers)
		default:
			err = fmt.Errorf("codex supports servers of type `stdio` and `http`, not `%s`", s.Type)
		}
		if err == nil {
			err = passOn(&t, &s)
		}
		if s.Setting(approvals) == nil {
			t.addEntry(approvals, tomlText("approve"))
		}
		if err != nil {
			return fmt.Errorf("the MCP server `%s`: %w", s.Name, err)
		}
		q.addSetting("mcp_servers."+s.Name, t.String())
	}
	return nil
}

func passOn(t *table, s *options.Server) error {
	for _, key := range passed {
		if value := s.Setting(key); value != nil {
			text, err := toTOML(value)
			if err != nil {
				return fmt.Errorf("`%s`: %w", key, err)
			}
			t.addEntry(key, text)
		}
	}
	return nil
}

// addVariables hands over the variables of a server's process.
func (q *question) addVariables(t *table, values []options.ServerValue) error {
	var literal table
	var byName []string
	for _, v := range values {
		if v.Literal {
			literal.addEntry(v.Name, tomlText(v.Text))
			continue
		}
		if own := process.Variable(q.environ, v.Name); own != "" && own != v.Text {
			return fmt.Errorf("its variable %s differs from the agent's variable of that name, which codex passes on", v.Name)
		}
		q.environ = append(q.environ[:len(q.environ):len(q.environ)], v.Name+"="+v.Text)
		byName = append(byName, v.Name)
	}
	if len(literal.keys) > 0 {
		t.addEntry("env", literal.String())
	}
	if len(byName) > 0 {
		t.addEntry("env_vars", tomlTexts(byName))
	}
	return nil
}

// addHeaders hands over the headers of requests to a server.
func (q *question) addHeaders(t *table, values []options.ServerValue) {
	var literal, byName table
	for _, v := range values {
		switch {
		case v.Literal:
			literal.addEntry(v.Name, tomlText(v.Text))
		case v.Variable != "":
			byName.addEntry(v.Name, tomlText(v.Variable))
		default:
			// The ending makes it a secret, for logs and for commands of the agent.
			name := "WFC_MCP_HEADER_" + strconv.Itoa(len(q.environ)) + "_TOKEN"
			q.environ = append(q.environ[:len(q.environ):len(q.environ)], name+"="+v.Text)
			byName.addEntry(v.Name, tomlText(name))
		}
	}
	if len(literal.keys) > 0 {
		t.addEntry("http_headers", literal.String())
	}
	if len(byName.keys) > 0 {
		t.addEntry("env_http_headers", byName.String())
	}
}

// tomlText returns a text as a basic string of TOML. That is what JSON makes of
// it, but for the one control character that JSON leaves alone.
func tomlText(text string) string {
	return strings.ReplaceAll(value.Encode(text), "\x7f", `\u007f`)
}

func tomlTexts(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = tomlText(text)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// toTOML returns a JSON value as one of TOML, in one line.
func toTOML(text json.RawMessage) (string, error) {
	v, err := jsonvalue.Parse(string(text))
	if err != nil {
		return "", err
	}
	return tomlValue(v)
}

func tomlValue(v jsonvalue.Value) (string, error) {
	switch v := v.(type) {
	case jsonvalue.String:
		return tomlText(string(v)), nil
	case jsonvalue.Bool, jsonvalue.Number:
		return value.Encode(v), nil
	case jsonvalue.Array:
		list := make([]string, len(v))
		for i, item := range v {
			var err error
			if list[i], err = tomlValue(item); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(list, ", ") + "]", nil
	case *jsonvalue.Object:
		var t table
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			text, err := tomlValue(item)
			if err != nil {
				return "", err
			}
			t.addEntry(key, text)
		}
		return t.String(), nil
	}
	return "", errors.New("settings cannot be null")
}

// table is an inline table.
type table struct{ keys []string }

// addEntry sets a key; the value is TOML.
func (t *table) addEntry(key, value string) {
	if !bareKey(key) {
		key = tomlText(key)
	}
	t.keys = append(t.keys, key+" = "+value)
}

func (t *table) String() string { return "{" + strings.Join(t.keys, ", ") + "}" }

// bareKey reports whether a key needs no quotes.
func bareKey(key string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	return key != "" && strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) < 0
}

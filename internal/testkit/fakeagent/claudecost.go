package fakeagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// claudeSpent is the cost of a session of the fake `claude`.
type claudeSpent struct {
	cost          float64
	input, output int64
}

// claudeVersion is the version that the fake `claude` says it is, and behaves as.
func claudeVersion(b *Behaviour) string { return cmp.Or(b.Version, "2.1.330") }

// before reports whether the program is older than 2.1.N.
func (p *claudeTurn) before(n int) bool {
	var patch int
	_, _ = fmt.Sscanf(claudeVersion(p.b), "2.1.%d", &patch)
	return patch < n
}

// transcript is the file that holds a session.
func transcript(session string) string {
	dir := cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home(), "config"))
	return filepath.Join(dir, "projects", "fake", session+".jsonl")
}

// begin writes the prompt to the transcript, which a fork copies first, and reads
// the cost of the session: versions up to 2.1.197 neither write nor read it.
func (p *claudeTurn) begin() {
	if p.session == "" {
		return
	}
	old := ""
	if p.turn.Session != "" {
		if text, err := os.ReadFile(transcript(p.turn.Session)); err == nil {
			old = string(text)
		}
	}
	for line := range strings.Lines(old) {
		var state struct {
			Type   string                                               `json:"type"`
			Cost   float64                                              `json:"totalCostUSD"`
			Models map[string]struct{ InputTokens, OutputTokens int64 } `json:"modelUsage"`
		}
		if json.Unmarshal([]byte(line), &state) == nil && state.Type == "cost-state" && !p.before(198) {
			p.earlier = claudeSpent{cost: state.Cost}
			for _, m := range state.Models {
				p.earlier.input, p.earlier.output = m.InputTokens, m.OutputTokens
			}
		}
	}
	if p.session == p.turn.Session {
		old = ""
	} else if err := os.MkdirAll(filepath.Dir(transcript(p.session)), 0o700); err != nil {
		panic(err)
	}
	p.write(old)
	p.log(fields{"type": "user", "message": fields{"role": "user", "content": p.turn.Prompt}})
}

// write adds to the transcript, and log adds a line.
func (p *claudeTurn) write(text string) {
	f, err := os.OpenFile(transcript(p.session), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		_ = f.Close()
	}
	if err != nil {
		panic(err)
	}
}

func (p *claudeTurn) log(f fields) {
	if p.session == "" {
		return
	}
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	p.write(string(text) + "\n")
}

// init prints the event that begins a turn.
func (p *claudeTurn) init() {
	p.say("system", fields{"subtype": "init", "model": p.model, "tools": []string{"Bash", "Edit", "Read"}, "permissionMode": "default",
		"claude_code_version": claudeVersion(p.b), "apiKeySource": "ANTHROPIC_API_KEY"})
}

// denied has a tool denied by a hook, and another one for want of permission.
func (p *claudeTurn) denied() {
	result := func(id, text string, meta []fields) {
		f := fields{"parent_tool_use_id": nil, "message": fields{"role": "user", "content": []fields{{"type": "tool_result", "content": text, "is_error": true, "tool_use_id": id}}}}
		if !p.before(330) {
			f["tool_result_meta"] = meta
		}
		p.say("user", f)
	}
	decision := func(id, source string) []fields {
		return []fields{{"id": id, "permission_decision": fields{"decision": "reject", "source": source}}}
	}
	if p.b.HookSays != "" {
		text := "PreToolUse:Write hook error: " + p.b.HookSays
		if p.before(330) {
			text = p.b.HookSays
		}
		result("toolu_hook", text, decision("toolu_hook", "hook"))
	}
	if p.b.Denied != "" {
		result("toolu_denied", "This command requires approval", decision("toolu_denied", "config"))
	}
}

// denials are the calls of tools that were denied.
func (p *claudeTurn) denials() []fields {
	list := []fields{}
	if p.b.HookSays != "" {
		list = append(list, fields{"tool_name": "Write", "tool_use_id": "toolu_hook", "tool_input": fields{"file_path": "hooked.txt"}})
	}
	if p.b.Denied != "" {
		list = append(list, fields{"tool_name": p.b.Denied, "tool_use_id": "toolu_denied", "tool_input": fields{"command": "make"}})
	}
	return list
}

// result prints the event that ends a turn. After a helper there are two events;
// the second describes the rest of the turn.
func (p *claudeTurn) result(subtype string, isError bool, f fields) {
	// A turn that fails before it begins costs only its configured cost.
	own := claudeSpent{p.b.CostUSD, p.b.InputTokens, p.b.OutputTokens}
	now := claudeSpent{p.earlier.cost + own.cost, p.earlier.input + own.input, p.earlier.output + own.output}
	models := func(s claudeSpent) fields {
		return fields{p.model: fields{"inputTokens": s.input, "outputTokens": s.output, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": s.cost}}
	}
	f["subtype"], f["is_error"], f["permission_denials"] = subtype, isError, p.denials()
	f["total_cost_usd"], f["modelUsage"] = now.cost, models(now)
	f["num_turns"], f["usage"] = 1, fields{"input_tokens": own.input, "output_tokens": own.output}
	if !p.before(330) {
		f["model_usage_since_last_result"] = models(own)
	}
	if p.b.Helper {
		f["num_turns"] = 2
		p.say("result", f)
		p.init()
		f["num_turns"], f["usage"] = 1, fields{"input_tokens": 0, "output_tokens": 0}
		if !p.before(330) {
			f["model_usage_since_last_result"] = fields{}
		}
	}
	if !p.before(198) {
		p.log(fields{"type": "cost-state", "totalCostUSD": now.cost, "modelUsage": models(now)})
	}
	p.say("result", f)
}

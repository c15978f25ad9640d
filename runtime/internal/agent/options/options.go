// Package options decodes the options of prompts.
package options

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// The names of the options of prompts, as workflows write them.
const (
	SystemPrompt  = "systemPrompt"
	Budget        = "maxBudgetUsd"
	FallbackModel = "fallbackModel"
)

// Values are the options of a prompt in Go's types. An option that the prompt
// lacks has the zero value.
type Values struct {
	SystemPrompt string
	// AllowedTools and DeniedTools name tools; an empty AllowedTools that is not
	// nil allows none.
	AllowedTools, DeniedTools []string
	// MCP is the JSON object of MCP servers by name, as in `mcpServers`.
	MCP json.RawMessage
	// Hooks, Helpers (the option `agents`) and Sandbox are the options' JSON.
	Hooks, Helpers, Sandbox json.RawMessage
	// Skills name skill folders.
	Skills []string
	// SettingSources name the settings files that the agent reads: project, user. An
	// empty list that is not nil names none.
	SettingSources []string
	// Plugins are the folders of plugins.
	Plugins []Plugin
	// Effort is minimal, low, medium, high, xhigh, max, ultra or persistent, as far as the
	// agent has it.
	Effort   string
	Thinking *Thinking
	// BudgetUSD limits the cost of the turn in US dollars; 0 means no limit.
	BudgetUSD     float64
	FallbackModel string
	Betas         []string
	// ReasoningEffort is minimal, low, medium, high or xhigh.
	ReasoningEffort string
	// WebSearch is disabled, cached or live.
	WebSearch string
}

// Thinking says how a model reasons before it answers.
type Thinking struct {
	// Type is adaptive, enabled or disabled.
	Type string `json:"type"`
	// BudgetTokens limits the reasoning of type enabled; 0 leaves it to the agent.
	BudgetTokens int64 `json:"budgetTokens"`
}

// A Plugin is the folder of a plugin. Workflows write the path alone, or an object with
// the key `path`.
type Plugin string

// UnmarshalJSON implements json.Unmarshaler.
func (p *Plugin) UnmarshalJSON(raw []byte) error {
	var object struct{ Path string }
	if json.Unmarshal(raw, (*string)(p)) == nil {
		return nil
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	if *p = Plugin(object.Path); object.Path == "" {
		return fmt.Errorf("a plugin must be a folder, got %s", raw)
	}
	return nil
}

// Decode reads the options of a prompt. It ignores unknown options.
func Decode(list []flow.Option) (Values, error) {
	var o Values
	into := map[string]any{
		SystemPrompt: &o.SystemPrompt, "allowed_tools": &o.AllowedTools, "denied_tools": &o.DeniedTools,
		"mcp": &o.MCP, "hooks": &o.Hooks, "agents": &o.Helpers, "sandbox": &o.Sandbox, "skills": &o.Skills,
		"effort": &o.Effort, "thinking": &o.Thinking, Budget: &o.BudgetUSD, FallbackModel: &o.FallbackModel,
		"betas": &o.Betas, "modelReasoningEffort": &o.ReasoningEffort, "webSearchMode": &o.WebSearch,
		"settingSources": &o.SettingSources, "plugins": &o.Plugins,
	}
	for _, option := range list {
		field, known := into[option.Name]
		if !known {
			continue
		}
		if err := json.Unmarshal([]byte(option.Value), field); err != nil {
			return o, fmt.Errorf("the option `%s`: %w", option.Name, plain.JSONError(err, ""))
		}
	}
	return o, nil
}

// Preface returns a system prompt as the beginning of a prompt, for agents
// without a place for system prompts.
func Preface(systemPrompt string) string {
	return "--- SYSTEM PROMPT ---\n" + systemPrompt + "\n--- END OF SYSTEM PROMPT ---\n\n"
}

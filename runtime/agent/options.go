package agent

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// The names of the options of prompts, as workflows write them.
const (
	OptionSystemPrompt    = "systemPrompt"
	OptionAllowedTools    = "allowed_tools"
	OptionDeniedTools     = "denied_tools"
	OptionMCP             = "mcp"
	OptionHooks           = "hooks"
	OptionSkills          = "skills"
	OptionHelpers         = "agents"
	OptionEffort          = "effort"
	OptionThinking        = "thinking"
	OptionBudget          = "maxBudgetUsd"
	OptionFallbackModel   = "fallbackModel"
	OptionBetas           = "betas"
	OptionSandbox         = "sandbox"
	OptionPi              = "pi"
	OptionReasoningEffort = "modelReasoningEffort"
	OptionWebSearch       = "webSearchMode"
)

// Options are the options of a prompt in Go's types. What no option says is the
// zero value.
type Options struct {
	SystemPrompt string
	// AllowedTools and DeniedTools name tools; an empty AllowedTools that is not
	// nil allows none.
	AllowedTools, DeniedTools []string
	// MCP is the JSON object of MCP servers by name, as `mcpServers` has it.
	MCP json.RawMessage
	// Hooks, Helpers, Sandbox and Pi are the options as they are.
	Hooks, Helpers, Sandbox, Pi json.RawMessage
	// Skills name skill folders.
	Skills []string
	// Effort is low, medium, high or max.
	Effort   string
	Thinking *Thinking
	// BudgetUSD is what the turn may cost in US dollars; 0 means any amount.
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

// DecodeOptions reads the options of a prompt. Those that it does not know are
// left to the agent that asked for them.
func DecodeOptions(list []flow.Option) (Options, error) {
	var o Options
	into := map[string]any{
		OptionSystemPrompt: &o.SystemPrompt, OptionAllowedTools: &o.AllowedTools, OptionDeniedTools: &o.DeniedTools,
		OptionMCP: &o.MCP, OptionHooks: &o.Hooks, OptionHelpers: &o.Helpers, OptionSandbox: &o.Sandbox, OptionPi: &o.Pi,
		OptionSkills: &o.Skills, OptionEffort: &o.Effort, OptionThinking: &o.Thinking, OptionBudget: &o.BudgetUSD,
		OptionFallbackModel: &o.FallbackModel, OptionBetas: &o.Betas, OptionReasoningEffort: &o.ReasoningEffort,
		OptionWebSearch: &o.WebSearch,
	}
	for _, option := range list {
		field, known := into[option.Name]
		if !known {
			continue
		}
		if err := json.Unmarshal(option.Value, field); err != nil {
			return o, fmt.Errorf("the option `%s`: %w", option.Name, plain.JSONError(err, ""))
		}
	}
	return o, nil
}

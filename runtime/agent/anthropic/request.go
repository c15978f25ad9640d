package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

const (
	// defaultMaxTokens is what a model may write when nothing else is said. The
	// API wants a number; this one all present models take.
	defaultMaxTokens = 32_000
	// defaultThinking is the reasoning that is allowed when no number is given,
	// and leastThinking the least that the API takes.
	defaultThinking = 16_000
	leastThinking   = 1024
)

// A hold says what makes a reply satisfy its schema.
type hold int

const (
	// words: nothing does; the model was asked to. Or there is no schema.
	words hold = iota
	// most: the service, but for limits that it does not know.
	most
	// whole: the service.
	whole
)

// request returns what is sent for a call, and what holds the reply to its
// schema. What the SDK's types would reorder or remark upon goes in by options.
func request(c *api.Call) (params sdk.MessageNewParams, options []option.RequestOption, by hold) {
	params = sdk.MessageNewParams{Model: c.Model, MaxTokens: maxTokens(c)}
	if text := c.Options.SystemPrompt; text != "" {
		params.System = []sdk.TextBlockParam{{Text: text}}
	}
	if effort := c.Options.Effort; effort != "" {
		params.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
	}
	if t := c.Options.Thinking; t != nil {
		options = append(options, option.WithJSONSet("thinking", thinking(t, params.MaxTokens)))
	}
	if len(c.Options.Betas) > 0 {
		options = append(options, option.WithHeader("anthropic-beta", strings.Join(c.Options.Betas, ",")))
	}
	messages := c.Messages
	if len(c.Schema) > 0 {
		var schema string
		schema, by = held(c)
		if by != words {
			// As a text, so that the model fills the fields in the order of the schema.
			options = append(options, option.WithJSONSet("output_config.format", map[string]any{"type": "json_schema", "schema": json.RawMessage(schema)}))
		} else {
			messages = inWords(messages, c.Schema)
		}
	}
	for _, m := range messages {
		block := sdk.NewTextBlock(m.Text)
		if m.Role == "assistant" {
			params.Messages = append(params.Messages, sdk.NewAssistantMessage(block))
		} else {
			params.Messages = append(params.Messages, sdk.NewUserMessage(block))
		}
	}
	return params, options, by
}

// held returns the schema that the service is given, and how far it holds the
// reply to the call's.
func held(c *api.Call) (schema string, by hold) {
	if !structured(c.Model) {
		return "", words
	}
	schema, all, ok := outputSchema(c.Schema)
	switch {
	case !ok:
		return "", words
	case all:
		return schema, whole
	}
	return schema, most
}

// inWords puts the schema to the model at the end of the last message.
func inWords(messages []api.Message, schema json.RawMessage) []api.Message {
	last := len(messages) - 1
	asked := slices.Clone(messages)
	asked[last].Text = agent.Instruct(&flow.Prompt{Text: asked[last].Text, Schema: schema})
	return asked
}

// maxTokens is what the model may write, its reasoning included.
func maxTokens(c *api.Call) int64 {
	if c.MaxTokens > 0 {
		return c.MaxTokens
	}
	if t := c.Options.Thinking; t != nil && t.Type == "enabled" {
		return defaultMaxTokens + t.BudgetTokens
	}
	return defaultMaxTokens
}

// thinking is the request's setting of that name.
func thinking(t *agent.Thinking, most int64) map[string]any {
	setting := map[string]any{"type": t.Type}
	if t.Type == "enabled" {
		budget := t.BudgetTokens
		if budget <= 0 {
			budget = max(leastThinking, min(defaultThinking, most/2))
		}
		setting["budget_tokens"] = budget
	}
	return setting
}

// verification is the cheapest question that needs a key.
func verification() sdk.ModelListParams { return sdk.ModelListParams{Limit: param.NewOpt[int64](1)} }

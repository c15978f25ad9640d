package openai

import (
	"context"
	"encoding/json"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// ask makes one request in the given manners, and reads the reply. What the
// server answered instead of a stream is a *refusal.
func (s *service) ask(ctx context.Context, c *api.Call, m manners) (*api.Completion, error) {
	var response *http.Response
	form := shape(c.Schema, m.format)
	chat := sdk.NewChatCompletionService(append(s.options(&c.Connection), option.WithResponseInto(&response))...)
	stream := chat.NewStreaming(ctx, request(c, m, form))
	defer stream.Close()
	r := reading{call: c}
	for stream.Next() {
		r.chunk(stream.Current())
	}
	err := r.ended(response, stream.Err())
	completion := r.completion(form)
	if err == nil && c.Options.BudgetUSD > 0 && completion.Usage == (api.Usage{}) {
		err = errUncounted
	}
	return completion, err
}

func request(c *api.Call, m manners, form form) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: c.Model, Messages: messages(c, m, form)}
	if !m.quiet {
		p.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	if c.MaxTokens > 0 && m.oldLimit {
		p.MaxTokens = sdk.Int(c.MaxTokens)
	} else if c.MaxTokens > 0 {
		p.MaxCompletionTokens = sdk.Int(c.MaxTokens)
	}
	if list := efforts(&c.Options); len(list) > 0 {
		p.ReasoningEffort = shared.ReasoningEffort(list[min(m.effort, len(list)-1)])
	}
	switch form.format {
	case strict, loose:
		if form.schema != nil {
			p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "answer", Strict: sdk.Bool(form.format == strict), Schema: form.schema,
			}}
		}
	case object:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return p
}

func messages(c *api.Call, m manners, form form) []sdk.ChatCompletionMessageParamUnion {
	var list []sdk.ChatCompletionMessageParamUnion
	switch system := c.Options.SystemPrompt; {
	case system == "":
	case m.system:
		list = append(list, sdk.SystemMessage(system))
	default:
		list = append(list, sdk.DeveloperMessage(system))
	}
	for i, message := range c.Messages {
		text := message.Text
		switch {
		case message.Role == "assistant":
			list = append(list, sdk.AssistantMessage(text))
			continue
		case i == len(c.Messages)-1 && form.format >= object:
			text = agent.Instruct(&flow.Prompt{Text: text, Schema: json.RawMessage(c.Schema)})
		}
		list = append(list, sdk.UserMessage(text))
	}
	return list
}

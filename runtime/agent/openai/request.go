package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

// requestOnce makes one request with a fallback, and reads the reply. If the server
// answers without a stream, the error is a *refusal.
func (s *service) requestOnce(ctx context.Context, c *api.Call, m fallback) (*api.Completion, error) {
	var response *http.Response
	form := formOf(c.Schema, m.format)
	chat := sdk.NewChatCompletionService(append(s.requestOptions(&c.Connection), option.WithResponseInto(&response))...)
	stream := chat.NewStreaming(ctx, buildRequest(c, m, form))
	defer stream.Close()
	r := reading{call: c}
	for stream.Next() {
		r.addChunk(stream.Current())
	}
	err := r.endError(response, stream.Err())
	completion := r.buildCompletion(form)
	if err == nil && c.Options.BudgetUSD > 0 && completion.Usage == (catalog.Tokens{}) {
		err = errUncounted
	}
	return completion, err
}

func buildRequest(c *api.Call, m fallback, form form) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: c.Model, Messages: buildMessages(c, m, form)}
	if !m.quiet {
		p.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	if c.MaxTokens > 0 && m.oldLimit {
		p.MaxTokens = sdk.Int(c.MaxTokens)
	} else if c.MaxTokens > 0 {
		p.MaxCompletionTokens = sdk.Int(c.MaxTokens)
	}
	if list := effortsToTry(&c.Options); len(list) > 0 {
		p.ReasoningEffort = shared.ReasoningEffort(list[min(m.effort, len(list)-1)])
	}
	switch form.format {
	case strict, loose:
		if form.Schema != nil {
			p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "answer", Strict: sdk.Bool(form.format == strict), Schema: form.Schema,
			}}
		}
	case object:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return p
}

func buildMessages(c *api.Call, m fallback, form form) []sdk.ChatCompletionMessageParamUnion {
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
			text = schema.Instruct(text, c.Schema)
		}
		list = append(list, sdk.UserMessage(text))
	}
	return list
}

// A form is the format of a request for a reply, and of the reply.
type form struct {
	schema.Form
	format format
	// structured says that the reply must be JSON.
	structured bool
}

// formOf returns the strictest form for a schema that is not stricter than at.
func formOf(wanted json.RawMessage, at format) form {
	if len(wanted) == 0 {
		return form{}
	}
	if at == strict {
		if narrowed, ok := schema.OpenAI.Narrow(wanted); ok {
			return form{Form: *narrowed, structured: true}
		}
		at = loose
	}
	hint, ok := schema.OpenAIHint.Narrow(wanted)
	switch {
	case at == loose && ok:
		return form{*hint, loose, true}
	case at == loose, at == object && !ok, at == object && hint.Wrapped():
		at = words
	}
	return form{format: at, structured: true}
}

// parseReply returns the reply to a prompt with a schema as JSON, or nil.
func (f *form) parseReply(text string) json.RawMessage {
	if !f.structured {
		return nil
	}
	return f.Read(text)
}

// reading puts a reply together from the chunks of its stream.
type reading struct {
	call          *api.Call
	text, refusal strings.Builder
	usage         catalog.Tokens
	model, finish string
	chunks        int
}

func (r *reading) addChunk(c sdk.ChatCompletionChunk) {
	r.chunks++
	if c.Model != "" {
		r.model = c.Model
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if piece := choice.Delta.Content; piece != "" {
			r.text.WriteString(piece)
			r.call.Text(piece)
		}
		r.refusal.WriteString(choice.Delta.Refusal)
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
	// Most servers send it once, in a last chunk without choices; some send the sum so
	// far in each.
	if c.JSON.Usage.Valid() {
		r.usage = splitUsage(c.Usage)
		r.call.Used(r.usage)
	}
}

// splitUsage takes apart what the API counts together.
func splitUsage(u sdk.CompletionUsage) catalog.Tokens {
	cached, written := u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.CacheWriteTokens
	return catalog.Tokens{
		Input:       max(0, u.PromptTokens-cached-written),
		CachedInput: cached, CacheWrite: written,
		Output: u.CompletionTokens,
	}
}

// endError returns why the stream ended, or nil when the reply came to its end.
func (r *reading) endError(response *http.Response, err error) error {
	var event *ssestream.StreamError
	switch {
	case response != nil && response.StatusCode >= http.StatusBadRequest:
		return serverError(response, err)
	case errors.As(err, &event):
		return streamError(event)
	case err != nil:
		return err
	case r.chunks == 0 && response != nil && !isStream(response):
		return fmt.Errorf("%w (%s)", errNoStream, cmp.Or(response.Header.Get("Content-Type"), "of no type"))
	case r.finish == "":
		return errTruncated
	}
	return nil
}

func isStream(response *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// buildCompletion returns what came, whole or not.
func (r *reading) buildCompletion(form form) *api.Completion {
	c := &api.Completion{Text: r.text.String(), Usage: r.usage, Model: r.model, Stop: r.whyIncomplete(), Unenforced: form.format != strict}
	if c.Stop == "" {
		c.Structured = form.parseReply(c.Text)
	}
	return c
}

// whyIncomplete says why a reply that ended is not whole.
func (r *reading) whyIncomplete() string {
	if said := strings.TrimSpace(r.refusal.String()); said != "" {
		return "the model refused to answer: " + said
	}
	switch r.finish {
	// Beside the vendor's word for it, those of other servers.
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence", "":
		return ""
	case "length", "model_length", "max_tokens":
		if r.call.MaxTokens > 0 {
			return fmt.Sprintf("the limit of %d tokens was reached", r.call.MaxTokens)
		}
		return "the model's limit of tokens was reached"
	case "content_filter":
		return "the service's content filter ended the answer"
	case "tool_calls", "function_call":
		return "the model called a tool, but it has none"
	}
	return fmt.Sprintf("the service ended it with `%s`", r.finish)
}

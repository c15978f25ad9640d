package anthropic

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

const (
	// defaultMaxTokens is the default length of an answer. The API requires a number; all
	// present models accept this one.
	defaultMaxTokens = 32_000
	// defaultThinking is the reasoning that is allowed when no number is given,
	// and leastThinking the least that the API takes.
	defaultThinking = 16_000
	leastThinking   = 1024
)

// A hold says what makes a reply satisfy its schema.
type hold int

const (
	// words: nothing does; only the prompt asks for it. Or there is no schema.
	words hold = iota
	// most: the service does, except for limits that it does not know.
	most
	// whole: the service.
	whole
)

// buildRequest returns the request for a call, and what enforces the schema of the
// reply. Options add the parts that the SDK's types would reorder or warn about.
func buildRequest(c *api.Call) (params sdk.MessageNewParams, options []option.RequestOption, by hold) {
	params = sdk.MessageNewParams{Model: c.Model, MaxTokens: maxTokens(c)}
	if text := c.Options.SystemPrompt; text != "" {
		params.System = []sdk.TextBlockParam{{Text: text}}
	}
	if effort := c.Options.Effort; effort != "" {
		params.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
	}
	if t := c.Options.Thinking; t != nil {
		options = append(options, option.WithJSONSet("thinking", thinkingSetting(t, params.MaxTokens)))
	}
	if len(c.Options.Betas) > 0 {
		options = append(options, option.WithHeader("anthropic-beta", strings.Join(c.Options.Betas, ",")))
	}
	messages := c.Messages
	if len(c.Schema) > 0 {
		var narrowed json.RawMessage
		narrowed, by = enforceableSchema(c)
		if by != words {
			// As raw JSON, so that the model fills the fields in the order of the schema.
			options = append(options, option.WithJSONSet("output_config.format", map[string]any{"type": "json_schema", "schema": narrowed}))
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

// enforceableSchema returns the schema for the service, and how far it enforces the schema of
// the call.
func enforceableSchema(c *api.Call) (narrowed json.RawMessage, by hold) {
	if !supportsSchema(c.Model) {
		return nil, words
	}
	form, ok := schema.Anthropic.Narrow(c.Schema)
	switch {
	case !ok:
		return nil, words
	case form.Lost:
		return form.Schema, most
	}
	return form.Schema, whole
}

// inWords describes the schema to the model at the end of the last message.
func inWords(messages []api.Message, wanted json.RawMessage) []api.Message {
	last := len(messages) - 1
	asked := slices.Clone(messages)
	asked[last].Text = schema.Instruct(asked[last].Text, wanted)
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

// thinkingSetting is the request's setting of that name.
func thinkingSetting(t *options.Thinking, most int64) map[string]any {
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

// Complete implements api.Service.
func (s *service) Complete(ctx context.Context, c *api.Call) (*api.Completion, error) {
	client := s.newClient(&c.Connection)
	params, options, by := buildRequest(c)
	stream := client.Messages.NewStreaming(ctx, params, options...)
	defer stream.Close()
	a := answer{call: c}
	for stream.Next() {
		a.handleEvent(stream.Current())
	}
	var completion *api.Completion
	if a.begun {
		completion = &api.Completion{Text: a.text.String(), Usage: a.usage, Model: a.model}
	}
	switch err := stream.Err(); {
	case err != nil:
		return completion, toFailure(c.Named(name), err)
	case !a.ended:
		return completion, api.Truncated(c.Named(name))
	}
	completion.Stop = a.whyIncomplete(params.MaxTokens)
	if by != words && json.Valid([]byte(completion.Text)) {
		completion.Structured, completion.Unenforced = json.RawMessage(completion.Text), by != whole
	}
	return completion, nil
}

// Verify implements api.Service.
func (s *service) Verify(ctx context.Context, c *api.Connection) error {
	client := s.newClient(c)
	cheapest := sdk.ModelListParams{Limit: param.NewOpt[int64](1)} // of what needs a key
	if _, err := client.Models.List(ctx, cheapest, option.WithMaxRetries(0)); err != nil {
		return toFailure(c.Named(name), err)
	}
	return nil
}

// answer is the received part of an answer.
type answer struct {
	call         *api.Call
	begun, ended bool
	text         strings.Builder
	usage        catalog.Tokens
	model        string
	reason       sdk.StopReason
	details      sdk.RefusalStopDetails
}

// handleEvent takes the next event of the stream. Other output of the model, such as its
// reasoning, is not part of the answer.
func (a *answer) handleEvent(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		a.begun, a.model = true, string(e.Message.Model)
		u := e.Message.Usage
		a.usage = catalog.Tokens{Input: u.InputTokens, CachedInput: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens, Output: u.OutputTokens}
		a.call.Used(a.usage)
	case "content_block_start":
		a.addText(e.ContentBlock.Text)
	case "content_block_delta":
		a.addText(e.Delta.Text)
	case "message_delta":
		a.reason, a.details = e.Delta.StopReason, e.Delta.StopDetails
		a.countUsage(e.Usage)
	case "message_stop":
		// One that ends what never began is part of something else.
		a.ended = a.begun
	}
}

func (a *answer) addText(piece string) {
	if piece != "" {
		a.text.WriteString(piece)
		a.call.Text(piece)
	}
}

// countUsage takes the sums so far; those that are not named stay as they were.
func (a *answer) countUsage(u sdk.MessageDeltaUsage) {
	if u.JSON.InputTokens.Valid() {
		a.usage.Input = u.InputTokens
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		a.usage.CachedInput = u.CacheReadInputTokens
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		a.usage.CacheWrite = u.CacheCreationInputTokens
	}
	if u.JSON.OutputTokens.Valid() {
		a.usage.Output = u.OutputTokens
	}
	a.call.Used(a.usage)
}

// whyIncomplete says why the answer is not whole, or "".
func (a *answer) whyIncomplete(most int64) string {
	switch a.reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return ""
	case sdk.StopReasonMaxTokens:
		return fmt.Sprintf("the limit of %d tokens was reached; `max_tokens` in wfc.yaml raises it", most)
	case sdk.StopReasonModelContextWindowExceeded:
		return "the conversation is longer than the model's context"
	case sdk.StopReasonRefusal:
		if why := a.details.Explanation; why != "" {
			return "the model declined to answer: " + why
		}
		return "the model declined to answer"
	case "":
		return "the service did not report its end"
	}
	return fmt.Sprintf("the service ended it with `%s`", a.reason)
}

// statuses are those that the service answers with for its kinds of errors. An
// error within a stream comes after the status has been sent, and has only its
// kind.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

// toFailure returns the failure for an error of the SDK; name is the service's.
func toFailure(name string, err error) error {
	if refused, ok := errors.AsType[*sdk.Error](err); ok {
		return refusalFailure(name, refused)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, bufio.ErrTooLong) {
		return api.Garbled(name, err)
	}
	return api.Broken(name, err)
}

// refusalFailure returns the failure for an answer that is an error.
func refusalFailure(name string, e *sdk.Error) error {
	var said struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	status := e.StatusCode
	if err := json.Unmarshal([]byte(e.RawJSON()), &said); err != nil && status < 300 {
		return api.Garbled(name, errors.New("an error that is not JSON"))
	}
	if status < 300 {
		status = statuses[said.Error.Type]
	}
	message := said.Error.Message
	switch {
	case message == "":
		message = e.RawJSON() // of a server between
	case said.Error.Type != "":
		message = said.Error.Type + ": " + message
	}
	id := cmp.Or(e.RequestID, said.RequestID)
	if id != "" {
		message += " (request " + id + ")"
	}
	wait := time.Duration(0)
	if e.StatusCode >= 300 && e.Response != nil {
		wait = failures.WaitOf(e.Response, time.Now())
	}
	return api.Failure(name, status, message, wait)
}

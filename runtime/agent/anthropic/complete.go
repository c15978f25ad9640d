package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// Complete implements api.Service.
func (s *service) Complete(ctx context.Context, c *api.Call) (*api.Completion, error) {
	client := s.client(&c.Connection)
	params, options, by := request(c)
	stream := client.Messages.NewStreaming(ctx, params, options...)
	defer stream.Close()
	a := answer{call: c}
	for stream.Next() {
		a.take(stream.Current())
	}
	var completion *api.Completion
	if a.begun {
		completion = &api.Completion{Text: a.text.String(), Usage: a.usage, Model: a.model}
	}
	switch err := stream.Err(); {
	case err != nil:
		return completion, failure(c.Named(name), err)
	case !a.ended:
		return completion, api.Truncated(c.Named(name))
	}
	completion.Stop = a.stopped(params.MaxTokens)
	if by != words && json.Valid([]byte(completion.Text)) {
		completion.Structured, completion.Unheld = json.RawMessage(completion.Text), by != whole
	}
	return completion, nil
}

// Verify implements api.Service.
func (s *service) Verify(ctx context.Context, c *api.Connection) error {
	client := s.client(c)
	if _, err := client.Models.List(ctx, verification(), option.WithMaxRetries(0)); err != nil {
		return failure(c.Named(name), err)
	}
	return nil
}

// answer is what has come of an answer.
type answer struct {
	call         *api.Call
	begun, ended bool
	text         strings.Builder
	usage        api.Usage
	model        string
	reason       sdk.StopReason
	details      sdk.RefusalStopDetails
}

// take takes the next event of the stream. What the model writes besides text,
// such as its reasoning, is none of the answer.
func (a *answer) take(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		a.begun, a.model = true, string(e.Message.Model)
		u := e.Message.Usage
		a.usage = api.Usage{Input: u.InputTokens, CachedInput: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens, Output: u.OutputTokens}
		a.call.Used(a.usage)
	case "content_block_start":
		a.say(e.ContentBlock.Text)
	case "content_block_delta":
		a.say(e.Delta.Text)
	case "message_delta":
		a.reason, a.details = e.Delta.StopReason, e.Delta.StopDetails
		a.count(e.Usage)
	case "message_stop":
		// One that ends what never began is part of something else.
		a.ended = a.begun
	}
}

func (a *answer) say(piece string) {
	if piece != "" {
		a.text.WriteString(piece)
		a.call.Text(piece)
	}
}

// count takes the sums so far; those that are not named stay as they were.
func (a *answer) count(u sdk.MessageDeltaUsage) {
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

// stopped says why the answer is not whole, or "".
func (a *answer) stopped(most int64) string {
	switch a.reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return ""
	case sdk.StopReasonMaxTokens:
		return fmt.Sprintf("the limit of %d tokens was reached; `max_tokens` in wfc.yaml raises it", most)
	case sdk.StopReasonModelContextWindowExceeded:
		return "the conversation has become longer than the model's context"
	case sdk.StopReasonRefusal:
		if why := a.details.Explanation; why != "" {
			return "the model declined to answer: " + why
		}
		return "the model declined to answer"
	case "":
		return "the service does not say that it has ended"
	}
	return fmt.Sprintf("the service ended it with `%s`", a.reason)
}

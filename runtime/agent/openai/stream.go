package openai

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// reading puts a reply together from the chunks of its stream.
type reading struct {
	call          *api.Call
	text, refusal strings.Builder
	usage         api.Usage
	model, finish string
	chunks        int
}

func (r *reading) chunk(c sdk.ChatCompletionChunk) {
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
	// Most servers tell it once, in a last chunk without choices; some tell the
	// sum so far in each.
	if c.JSON.Usage.Valid() {
		r.usage = usage(c.Usage)
		r.call.Used(r.usage)
	}
}

// usage takes apart what the API counts together.
func usage(u sdk.CompletionUsage) api.Usage {
	cached, written := u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.CacheWriteTokens
	return api.Usage{
		Input:       max(0, u.PromptTokens-cached-written),
		CachedInput: cached, CacheWrite: written,
		Output: u.CompletionTokens,
	}
}

// ended returns why the stream ended, or nil when the reply came to its end.
func (r *reading) ended(response *http.Response, err error) error {
	var event *ssestream.StreamError
	switch {
	case response != nil && response.StatusCode >= http.StatusBadRequest:
		return refused(response, err)
	case errors.As(err, &event):
		return streamed(event)
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

// completion returns what came, whole or not.
func (r *reading) completion(form form) *api.Completion {
	c := &api.Completion{Text: r.text.String(), Usage: r.usage, Model: r.model, Stop: r.stop(), Unheld: form.format != strict}
	if c.Stop == "" {
		c.Structured = form.read(c.Text)
	}
	return c
}

// stop says why a reply that ended is not whole.
func (r *reading) stop() string {
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
		return "the model called a tool, and it was given none"
	}
	return fmt.Sprintf("the service ended it with `%s`", r.finish)
}

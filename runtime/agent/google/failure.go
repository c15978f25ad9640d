package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// Why a stream is no answer.
var (
	errTruncated = errors.New("the stream ended before the answer did")
	errGarbled   = errors.New("it is not of the API's format")
)

// explained returns an error of the SDK as what it means.
func explained(err error, w *exchange, begun bool) error {
	var e genai.APIError
	switch {
	case errors.As(err, &e):
		return &refusal{e, begun}
	case w.broken != nil:
		return w.broken
	case err != nil && w.answered:
		// The SDK puts its own names in front.
		_, text, found := strings.Cut(err.Error(), ": ")
		if !found {
			text = err.Error()
		}
		return fmt.Errorf("%w: %s", errGarbled, text)
	}
	return err
}

// failure returns an error as what became of the turn.
func failure(ctx context.Context, c *api.Connection, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	service := c.Named("the Gemini API")
	var r *refusal
	var direct genai.APIError
	if errors.As(err, &direct) && !errors.As(err, &r) {
		r = &refusal{direct, false}
	}
	switch {
	case r != nil, errors.As(err, &r):
		return api.Failure(service, status(r), r.Error())
	case errors.Is(err, errTruncated):
		return api.Truncated(service)
	case errors.Is(err, errGarbled):
		return api.Garbled(service, err)
	}
	return api.Broken(service, err)
}

// status returns the status that a refusal should have. The service calls a key
// that it does not know a bad request.
func status(r *refusal) int {
	if strings.HasPrefix(r.reason(), "API_KEY_") && r.Code == http.StatusBadRequest {
		return http.StatusUnauthorized
	}
	return r.Code
}

// stops say for people what the service's reasons mean.
var stops = map[genai.FinishReason]string{
	genai.FinishReasonSafety:                "the service's safety filter ended the answer",
	genai.FinishReasonRecitation:            "the answer was becoming a copy of a known text, and the service ended it",
	genai.FinishReasonLanguage:              "it would be in a language that the service does not have",
	genai.FinishReasonBlocklist:             "it holds a forbidden word",
	genai.FinishReasonProhibitedContent:     "the service forbids what it says",
	genai.FinishReasonSPII:                  "it holds personal data",
	genai.FinishReasonMalformedFunctionCall: "the model called a tool, and it was given none",
	genai.FinishReasonUnexpectedToolCall:    "the model called a tool, and it was given none",
	genai.FinishReasonTooManyToolCalls:      "the model called a tool, and it was given none",
}

// stop says why a reply that ended is not whole.
func (r *reading) stop() string {
	if r.blocked != "" {
		return fmt.Sprintf("the service blocked the prompt (%s)", strings.ToLower(string(r.blocked)))
	}
	switch r.finish {
	case "", genai.FinishReasonStop:
		return ""
	case genai.FinishReasonMaxTokens:
		if r.call.MaxTokens > 0 {
			return fmt.Sprintf("the limit of %d tokens, thoughts included, was reached", r.call.MaxTokens)
		}
		return "the model's limit of tokens was reached"
	}
	if why, known := stops[r.finish]; known {
		return why
	}
	return fmt.Sprintf("the service ended it (%s)", strings.ToLower(string(r.finish)))
}

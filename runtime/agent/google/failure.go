package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"google.golang.org/genai"
)

// Why a stream is not an answer.
var (
	errTruncated = errors.New("the stream ended before the answer did")
	errGarbled   = errors.New("it does not have the API's format")
)

// explainError returns the failure for an error of the SDK.
func explainError(err error, w *exchange, begun bool) error {
	var e genai.APIError
	switch {
	case errors.As(err, &e):
		return &refusal{e, begun, w.wait}
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

// toFailure returns an error of the API as the failure of the turn.
func toFailure(ctx context.Context, c *api.Connection, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	service := c.Named("the Gemini API")
	var r *refusal
	if direct, ok := errors.AsType[genai.APIError](err); ok && !errors.As(err, &r) {
		r = &refusal{direct, false, 0}
	}
	switch {
	case r != nil, errors.As(err, &r):
		wait, _ := r.retryDelay()
		return api.Failure(service, effectiveStatus(r), r.Error(), wait)
	case errors.Is(err, errTruncated):
		return api.Truncated(service)
	case errors.Is(err, errGarbled):
		return api.Garbled(service, err)
	}
	return api.Broken(service, err)
}

// effectiveStatus returns the status that a refusal should have. The service calls a key
// that it does not know a bad request.
func effectiveStatus(r *refusal) int {
	if strings.HasPrefix(r.detailsReason(), "API_KEY_") && r.Code == http.StatusBadRequest {
		return http.StatusUnauthorized
	}
	return r.Code
}

// stops say for people what the service's reasons mean.
var stops = map[genai.FinishReason]string{
	genai.FinishReasonSafety:                "the service's safety filter ended the answer",
	genai.FinishReasonRecitation:            "the service ended the answer because it copied a known work",
	genai.FinishReasonLanguage:              "the service does not support its language",
	genai.FinishReasonBlocklist:             "it contains a forbidden word",
	genai.FinishReasonProhibitedContent:     "the service forbids its content",
	genai.FinishReasonSPII:                  "it contains personal data",
	genai.FinishReasonMalformedFunctionCall: "the model called a tool, but it has none",
	genai.FinishReasonUnexpectedToolCall:    "the model called a tool, but it has none",
	genai.FinishReasonTooManyToolCalls:      "the model called a tool, but it has none",
}

// whyIncomplete says why a reply that ended is not whole.
func (r *reading) whyIncomplete() string {
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

// A fallback says how to ask a model that refused the preferred form. Each step
// goes in one direction, so the steps end.
type fallback struct {
	// words describes the schema to the model in the prompt.
	words bool
	// thought counts the reasoning settings that the model refused.
	thought int
}

// nextFallback returns the next fallback for an error, if there is one.
func (m fallback) nextFallback(c *api.Call, err error) (next fallback, again bool) {
	var r *refusal
	if !errors.As(err, &r) || r.Code != http.StatusBadRequest || r.begun {
		return m, false
	}
	about := strings.ToLower(r.Message)
	switch {
	case m.thought+1 < len(thinkingConfigs(c)) && (strings.Contains(about, "thinking") || strings.Contains(about, "budget")):
		m.thought++
	case len(c.Schema) > 0 && !m.words && strings.Contains(about, "schema"):
		m.words = true
	default:
		return m, false
	}
	return m, true
}

// thinkingConfig returns the reasoning setting; nil leaves it to the model.
func thinkingConfig(c *api.Call, m fallback) *genai.ThinkingConfig {
	list := thinkingConfigs(c)
	if len(list) == 0 {
		return nil
	}
	return &list[min(m.thought, len(list)-1)]
}

// Tokens of reasoning, for models that count them. Those of the efforts are what
// the vendor takes them for in its own API that is compatible with OpenAI's.
const (
	dynamic       = -1
	leastThought  = 128
	lowThought    = 1024
	mediumThought = 8192
	highThought   = 24576
)

// thinkingConfigs returns the reasoning settings to try in order. Models up to 2.5 limit
// the tokens; later models have levels, but not every model has every level.
func thinkingConfigs(c *api.Call) []genai.ThinkingConfig {
	counts := strings.Contains(c.Model, "gemini-1.") || strings.Contains(c.Model, "gemini-2.")
	if t := c.Options.Thinking; t != nil {
		switch {
		case t.Type == "enabled" && t.BudgetTokens > 0:
			return []genai.ThinkingConfig{budgetConfig(min(t.BudgetTokens, 1<<30))}
		case t.Type == "disabled" && counts:
			return []genai.ThinkingConfig{budgetConfig(0), budgetConfig(leastThought)}
		case t.Type == "disabled":
			return levelConfigs(genai.ThinkingLevelMinimal, genai.ThinkingLevelLow)
		case c.Options.Effort == "" && counts:
			return []genai.ThinkingConfig{budgetConfig(dynamic)}
		}
	}
	switch effort := c.Options.Effort; {
	case effort == "":
		return nil
	case counts:
		return []genai.ThinkingConfig{budgetConfig(map[string]int64{"low": lowThought, "medium": mediumThought, "high": highThought, "max": highThought}[effort])}
	case effort == "low":
		return levelConfigs(genai.ThinkingLevelLow)
	case effort == "medium":
		return levelConfigs(genai.ThinkingLevelMedium, genai.ThinkingLevelHigh)
	}
	return levelConfigs(genai.ThinkingLevelHigh)
}

func budgetConfig(n int64) genai.ThinkingConfig {
	return genai.ThinkingConfig{ThinkingBudget: genai.Ptr(int32(n))}
}

func levelConfigs(list ...genai.ThinkingLevel) []genai.ThinkingConfig {
	var all []genai.ThinkingConfig
	for _, level := range list {
		all = append(all, genai.ThinkingConfig{ThinkingLevel: cmp.Or(level, genai.ThinkingLevelHigh)})
	}
	return all
}

const (
	// attempts limits how often a transiently refused request is made.
	attempts = 5
	// firstWait is the wait after the first attempt unless the service names one;
	// each further wait is twice as long.
	firstWait = time.Second
	// longestWait limits the wait that the service may ask for. Longer limits are for
	// the workflow's own retries, and for people.
	longestWait = time.Minute
)

// transient are the statuses of transient refusals.
var transient = []int{http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// waitForRetry waits for the next attempt at a refused request, and reports whether there
// is one.
func waitForRetry(ctx context.Context, attempt int, err error) bool {
	var e *refusal
	if !errors.As(err, &e) || e.begun || !slices.Contains(transient, e.Code) || attempt >= attempts {
		return false
	}
	wait, given := e.retryDelay()
	if !given {
		wait = firstWait << (attempt - 1)
	}
	if wait > longestWait {
		return false
	}
	return repeat.Sleep(ctx, wait) == nil
}

// retryDelay returns the wait that the refusal asks for in its details or its headers.
func (r *refusal) retryDelay() (wait time.Duration, given bool) {
	for _, d := range r.Details {
		kind, _ := d["@type"].(string)
		text, _ := d["retryDelay"].(string)
		if !strings.HasSuffix(kind, "google.rpc.RetryInfo") {
			continue
		}
		if wait, err := time.ParseDuration(text); err == nil && wait >= 0 {
			return wait, true
		}
	}
	return r.wait, r.wait > 0
}

// A refusal is the service's error in place of an answer.
type refusal struct {
	genai.APIError
	// begun: the answer had already begun.
	begun bool
	// wait is how long the headers of the answer ask to wait, or 0.
	wait time.Duration
}

// Error implements error.
func (r *refusal) Error() string {
	if r.Status != "" {
		return r.Status + ": " + r.Message
	}
	return r.Message
}

// detailsReason returns the reason in the details of the refusal, or "".
func (r *refusal) detailsReason() string {
	for _, d := range r.Details {
		if reason, _ := d["reason"].(string); reason != "" {
			return reason
		}
	}
	return ""
}

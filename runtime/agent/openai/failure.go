package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
)

// Why a stream is not an answer.
var (
	errTruncated = errors.New("the stream ended before the answer did")
	errNoStream  = errors.New("answered with something that is not an event stream; check `base_url`, which usually ends in /v1")
	errUncounted = errors.New("does not report the tokens of an answer, so its budget cannot be enforced")
)

// A refusal is a server's error instead of an answer.
type refusal struct {
	// status is an HTTP status, or the equivalent for an error in a stream; 0 when it is
	// not known.
	status int
	// message, param and code are the server's.
	message, param, code string
	request              string
	// wait is how long the server asks to wait, or 0.
	wait time.Duration
}

// Error implements error. The code comes first: it distinguishes an empty account
// from a temporary limit.
func (r *refusal) Error() string {
	text := r.message
	if r.code != "" {
		text = r.code + ": " + text
	}
	if r.request != "" {
		text += " (request " + r.request + ")"
	}
	return text
}

// mostBody is how many bytes of the body of a refusal are read.
const mostBody = 64 << 10

// serverError returns the server's error. The error of the SDK is not enough: it hides the
// message, and is missing if the body has an unusual form.
func serverError(response *http.Response, err error) error {
	if response == nil || response.StatusCode < http.StatusBadRequest || response.Body == nil {
		return err
	}
	// An unreadable rest only shortens the message.
	body, _ := io.ReadAll(io.LimitReader(response.Body, mostBody))
	r := parseRefusal(body)
	r.status, r.request = response.StatusCode, response.Header.Get("X-Request-Id")
	r.message, r.wait = cmp.Or(r.message, http.StatusText(response.StatusCode)), failures.WaitOf(response, time.Now())
	return r
}

// streamError returns the error that came as an event of a stream.
func streamError(e *ssestream.StreamError) error {
	r := parseRefusal(e.Event.Data)
	r.message = cmp.Or(r.message, e.Message)
	return r
}

// parseRefusal finds the message in the forms that servers give it.
func parseRefusal(body []byte) *refusal {
	type part struct {
		Message string          `json:"message"`
		Param   *string         `json:"param"`
		Code    json.RawMessage `json:"code"`
		Type    string          `json:"type"`
	}
	var whole struct {
		part
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	var list []json.RawMessage // some put it into a list
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	if json.Unmarshal(body, &whole) != nil {
		return &refusal{message: string(body)}
	}
	said := whole.part
	var text string
	switch {
	case json.Unmarshal(whole.Error, &text) == nil && text != "":
		said.Message = text
	case len(whole.Error) > 0:
		_ = json.Unmarshal(whole.Error, &said)
	case json.Unmarshal(whole.Detail, &text) == nil && text != "":
		said.Message = text
	case len(whole.Detail) > 0:
		said.Message = string(whole.Detail)
	}
	r := &refusal{message: said.Message, code: strings.Trim(string(said.Code), `"`)}
	if said.Param != nil {
		r.param = *said.Param
	}
	if r.code == "null" {
		r.code = ""
	}
	if r.status = statusOf(r.code); r.status == 0 {
		r.status = statusOf(said.Type)
	}
	if _, err := strconv.Atoi(r.code); err == nil {
		r.code = "" // it says no more than the status
	}
	r.code = cmp.Or(r.code, said.Type)
	return r
}

// statusOf returns the status that goes with the code or type of an error in a
// stream, which has none itself.
func statusOf(code string) int {
	switch code {
	case "rate_limit_exceeded", "rate_limit_error", "tokens", "requests":
		return http.StatusTooManyRequests
	case "server_error", "internal_error", "api_error", "internal_server_error":
		return http.StatusInternalServerError
	case "overloaded_error", "service_unavailable", "server_overloaded", "service_unavailable_error":
		return http.StatusServiceUnavailable
	case "invalid_api_key", "authentication_error":
		return http.StatusUnauthorized
	case "model_not_found", "not_found_error":
		return http.StatusNotFound
	case "invalid_request_error":
		return http.StatusBadRequest
	}
	var status int
	if _, err := fmt.Sscanf(code, "%3d", &status); err == nil && status >= http.StatusBadRequest {
		return status
	}
	return 0
}

// toFailure returns an error of the API as the failure of the turn.
func toFailure(c *api.Connection, err error) error {
	service := c.Named("the OpenAI API")
	var r *refusal
	switch {
	case errors.As(err, &r):
		return api.Failure(service, r.status, r.Error(), r.wait)
	case errors.Is(err, errTruncated):
		return api.Truncated(service)
	case errors.Is(err, errNoStream), errors.Is(err, errUncounted):
		return failures.New(flow.ClassFatal, failures.ReasonOutput, "%s %v", service, err)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return api.Garbled(service, err)
	}
	return api.Broken(service, err)
}

// A fallback says in which form a server gets requests. The vendor gets the newest
// form, any other server the form that all servers know. If a server refuses a
// request and names a parameter, the request is made again in the next form. Each
// step goes in one direction, so the steps end. The form that succeeded is the
// first one for later requests.
type fallback struct {
	// system: instructions have the role "system" and not "developer".
	system bool
	// oldLimit: the token limit is max_tokens and not max_completion_tokens, which
	// older servers do not know and newer models require. swapped: the other one was
	// tried.
	oldLimit, swapped bool
	// quiet: the server does not report the tokens of streams.
	quiet bool
	// format asks for the form of the reply.
	format format
	// effort counts the efforts that the model refused.
	effort int
}

// A format is a way to ask for JSON; the first is the strictest.
type format int

const (
	// strict: the service enforces the schema.
	strict format = iota
	// loose: the service gets the schema as a hint.
	loose
	// object: the service enforces a JSON object; the prompt describes the schema.
	object
	// words: the prompt describes the schema.
	words
)

// initialFallback returns the fallback for an unknown server.
func initialFallback(c *api.Call) fallback {
	other := c.BaseURL != ""
	return fallback{system: other, oldLimit: other}
}

// lastingPart returns the part of a fallback that holds for later requests: another
// schema may be fit for strict.
func (m fallback) lastingPart() fallback {
	if m.format < object {
		m.format = strict
	}
	return m
}

// nextFallback returns the next fallback for an error, if there is one.
func (m fallback) nextFallback(c *api.Call, err error) (next fallback, again bool) {
	var r *refusal
	if !errors.As(err, &r) || r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return m, false
	}
	switch {
	case c.MaxTokens > 0 && !m.swapped && r.namesParameter("max_tokens", "max_completion_tokens"):
		m.oldLimit, m.swapped = !m.oldLimit, true
	case !m.quiet && r.namesParameter("stream_options", "include_usage"):
		m.quiet = true
	case !m.system && r.namesParameter("developer"):
		m.system = true
	case m.effort+1 < len(effortsToTry(&c.Options)) && r.namesParameter("reasoning_effort", "reasoning.effort"):
		m.effort++
	case len(c.Schema) > 0 && m.format < words && r.namesParameter("response_format", "json_schema", "json_object", "schema"):
		m.format = max(m.format, formOf(c.Schema, m.format).format) + 1
	default:
		return m, false
	}
	return m, true
}

// namesParameter reports whether the refusal names one of the parameters.
func (r *refusal) namesParameter(parameters ...string) bool {
	about := strings.ToLower(r.param + "\n" + r.message)
	return slices.ContainsFunc(parameters, func(p string) bool { return strings.Contains(about, p) })
}

// effortsToTry returns the reasoning efforts to try in order: models have different
// names for the lowest and the highest. It is empty if no option sets one.
func effortsToTry(o *options.Values) []string {
	switch wanted := cmp.Or(o.ReasoningEffort, o.Effort); wanted {
	case "":
		return nil
	case "minimal":
		return []string{wanted, "low"}
	case "xhigh":
		return []string{wanted, "high"}
	case "max":
		return []string{wanted, "xhigh", "high"}
	default:
		return []string{wanted}
	}
}

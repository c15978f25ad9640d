package openai

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
)

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

// initial returns the fallback for an unknown server.
func initial(c *api.Call) fallback {
	other := c.BaseURL != ""
	return fallback{system: other, oldLimit: other}
}

// lasting returns the part of a fallback that holds for later requests: another
// schema may be fit for strict.
func (m fallback) lasting() fallback {
	if m.format < object {
		m.format = strict
	}
	return m
}

// after returns the next fallback for an error, if there is one.
func (m fallback) after(c *api.Call, err error) (next fallback, again bool) {
	var r *refusal
	if !errors.As(err, &r) || r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return m, false
	}
	switch {
	case c.MaxTokens > 0 && !m.swapped && r.names("max_tokens", "max_completion_tokens"):
		m.oldLimit, m.swapped = !m.oldLimit, true
	case !m.quiet && r.names("stream_options", "include_usage"):
		m.quiet = true
	case !m.system && r.names("developer"):
		m.system = true
	case m.effort+1 < len(efforts(&c.Options)) && r.names("reasoning_effort", "reasoning.effort"):
		m.effort++
	case len(c.Schema) > 0 && m.format < words && r.names("response_format", "json_schema", "json_object", "schema"):
		m.format = max(m.format, formOf(c.Schema, m.format).format) + 1
	default:
		return m, false
	}
	return m, true
}

// names reports whether the refusal names one of the parameters.
func (r *refusal) names(parameters ...string) bool {
	about := strings.ToLower(r.param + "\n" + r.message)
	return slices.ContainsFunc(parameters, func(p string) bool { return strings.Contains(about, p) })
}

// efforts returns the reasoning efforts to try in order: models have different
// names for the lowest and the highest. It is empty if no option sets one.
func efforts(o *options.Values) []string {
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

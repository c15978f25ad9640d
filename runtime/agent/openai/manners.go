package openai

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// manners are how a server is spoken to. The vendor gets everything in its
// newest form, and any other server in the form that all of them know. When a
// server refuses a request and names what it does not like, the request is made
// once more in the next best form; each such step goes one way, so there is an
// end. What made a request succeed is how the server is spoken to from then on.
type manners struct {
	// system says that instructions are of the role "system" and not "developer".
	system bool
	// oldLimit says that the limit of tokens is max_tokens and not
	// max_completion_tokens, which older servers do not know and newer models
	// insist on. swapped says that the other one was tried.
	oldLimit, swapped bool
	// quiet says that the server does not tell the tokens of streams.
	quiet bool
	// format is how the reply's form is asked for.
	format format
	// effort counts the efforts that the model was found not to know.
	effort int
}

// A format is a way to ask for JSON, from the surest to the least sure.
type format int

const (
	// strict: the service cannot but answer by the schema.
	strict format = iota
	// loose: the service is given a schema that strict does not take.
	loose
	// object: the service answers with some JSON object, and the schema is put to
	// the model in words.
	object
	// words: the schema is put to the model in words.
	words
)

// first returns the manners for a server of which nothing is known.
func first(c *api.Call) manners {
	other := c.BaseURL != ""
	return manners{system: other, oldLimit: other}
}

// lasting returns what is remembered: that one schema was too much for strict or
// loose says nothing of the next one.
func (m manners) lasting() manners {
	if m.format < object {
		m.format = strict
	}
	return m
}

// after returns the manners to try next, if the error says that there are any.
func (m manners) after(c *api.Call, err error) (next manners, again bool) {
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
		m.format = max(m.format, shape(c.Schema, m.format).format) + 1
	default:
		return m, false
	}
	return m, true
}

// names reports whether the refusal is about one of the parameters.
func (r *refusal) names(parameters ...string) bool {
	about := strings.ToLower(r.param + "\n" + r.message)
	return slices.ContainsFunc(parameters, func(p string) bool { return strings.Contains(about, p) })
}

// efforts returns the efforts of reasoning to ask for, the first that the model
// knows: neither the least nor the highest that there is has the same name
// everywhere. It is empty when nothing was said of it.
func efforts(o *agent.Options) []string {
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

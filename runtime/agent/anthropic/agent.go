// Package anthropic is the agent that asks models of the Anthropic API, or of a
// server that speaks its Messages format, through the vendor's SDK.
//
// Replies satisfy their schema in one of two ways. Where the model can be held to
// a schema, and the schema is of the kind that the service takes, the service
// does it (output_config.format). Otherwise the schema is put to the model in
// words, and the model is asked again when it does not hold to it. Forcing a tool, which was the usual way before, is refused by newer
// models.
package anthropic

import (
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// name is the service's name in messages, unless another server is asked.
const name = "the Anthropic API"

// Kind returns the kind `anthropic`.
func Kind() agent.Kind {
	return api.Kind(api.Vendor{
		Kind:            "anthropic",
		BaseURLVariable: "ANTHROPIC_BASE_URL",
		DefaultModel:    "claude-sonnet-5-5",
		Aliases:         aliases,
		Structured:      true,
		Prices:          prices,
		Open:            func(settings.Agent) (api.Service, error) { return &service{http: api.Client()}, nil },
	})
}

// aliases are the names that archon's format has for the models of this vendor.
var aliases = map[string]string{"sonnet": "claude-sonnet-5-5", "opus": "claude-opus-5-5", "haiku": "claude-haiku-5-5"}

// unstructured are the beginnings of the names of the models that cannot be held
// to schemas.
var unstructured = []string{"claude-2", "claude-3", "claude-instant", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2"}

// structured reports whether a model can be held to a schema: those of other
// makers, which compatible servers have, cannot for all that is known.
func structured(model string) bool {
	if full, short := aliases[model]; short {
		model = full
	}
	return strings.HasPrefix(model, "claude-") && !slices.ContainsFunc(unstructured, func(old string) bool { return strings.HasPrefix(model, old) })
}

// service is the API.
type service struct{ http *http.Client }

var _ api.Service = (*service)(nil)

// retries is how often the SDK tries a request again that was refused for a
// moment, before anything of an answer has come. It waits as long as the service
// says.
const retries = 2

// client returns the SDK's client of a connection. Nothing is taken from the
// environment of the process.
func (s *service) client(c *api.Connection) sdk.Client {
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithHTTPClient(s.http),
		option.WithMaxRetries(retries),
		option.WithOpenTelemetryTraces(false),
	}
	if c.BaseURL != "" {
		options = append(options, option.WithBaseURL(c.BaseURL))
	}
	if bearer(c.KeyVariable) {
		options = append(options, option.WithAuthToken(c.Key))
	} else {
		options = append(options, option.WithAPIKey(c.Key))
	}
	return sdk.NewClient(options...)
}

// bearer reports whether the key of a variable is a bearer token, as gateways
// want them, rather than one of the vendor's keys.
func bearer(variable string) bool {
	return strings.HasSuffix(strings.ToUpper(variable), "TOKEN")
}

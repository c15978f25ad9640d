// Package anthropic asks models of the Anthropic API, or of a server that speaks
// its Messages format, through the vendor's SDK.
//
//	Prompts: prompts.Opener(structured.Check, anthropic.Kind()), // in a cli.Program
//
// The service enforces the schema of a reply (output_config.format) if the model supports
// that and the service accepts the schema. Otherwise the prompt describes the schema, and
// the model is asked again if its reply does not satisfy it. The package never enforces a
// schema by a forced tool, which newer models refuse.
package anthropic

import (
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// name is the service's name in messages, unless another server is asked.
const name = "the Anthropic API"

// Kind returns the kind `anthropic`.
func Kind() agent.Kind {
	kind, _ := catalog.KindNamed("anthropic")
	return api.Kind(api.Vendor{
		Kind:            kind,
		BaseURLVariable: "ANTHROPIC_BASE_URL",
		Structured:      true,
		Open:            func(settings.Agent) (api.Service, error) { return &service{http: api.Client()}, nil },
	})
}

// unstructured are the beginnings of the names of the models that cannot be held
// to schemas.
var unstructured = []string{"claude-2", "claude-3", "claude-instant", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2"}

// supportsSchema reports whether a model can be held to a schema: those of other
// makers, which compatible servers have, cannot for all that is known.
func supportsSchema(model string) bool {
	kind, _ := catalog.KindNamed("anthropic")
	model = kind.FullModel(model)
	return strings.HasPrefix(model, "claude-") && !slices.ContainsFunc(unstructured, func(old string) bool { return strings.HasPrefix(model, old) })
}

// service is the API.
type service struct{ http *http.Client }

var _ api.Service = (*service)(nil)

// retries is how often the SDK tries a request again that was refused for a
// moment, before anything of an answer has come. It waits as long as the service
// says.
const retries = 2

// newClient returns the SDK's client of a connection. Nothing is taken from the
// environment of the process.
func (s *service) newClient(c *api.Connection) sdk.Client {
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithHTTPClient(s.http),
		option.WithMaxRetries(retries),
		option.WithOpenTelemetryTraces(false),
	}
	if c.BaseURL != "" {
		options = append(options, option.WithBaseURL(c.BaseURL))
	}
	if isBearerKey(c.KeyVariable) {
		options = append(options, option.WithAuthToken(c.Key))
	} else {
		options = append(options, option.WithAPIKey(c.Key))
	}
	return sdk.NewClient(options...)
}

// isBearerKey reports whether the key of a variable is a bearer token, as gateways
// want them, rather than one of the vendor's keys.
func isBearerKey(variable string) bool {
	return strings.HasSuffix(strings.ToUpper(variable), "TOKEN")
}

// Package google asks Gemini models through the Gemini API, with a key. Vertex AI
// signs in by other means, which read files and the process's environment, so it
// is left out.
//
// The SDK can try refused requests again, but at times of its own choosing. The
// service says in the refusal how long to wait, so the waiting is done here: see
// retry.go. Everything that the SDK would read from the process's environment is
// given to it, so that it looks at nothing there.
package google

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// address is where the vendor's own service is.
const address = "https://generativelanguage.googleapis.com/"

// Kind returns the kind of agents that ask this API.
func Kind() agent.Kind {
	return api.Kind(api.Vendor{
		Kind: "google", BaseURLVariable: "GOOGLE_GEMINI_BASE_URL", DefaultModel: defaultModel, Structured: true, Prices: prices,
		Open: func(settings.Agent) (api.Service, error) { return newService(), nil },
	})
}

type service struct{ client *http.Client }

func newService() *service {
	client := api.Client()
	client.Transport = quietTransport{client.Transport}
	return &service{client}
}

// Complete implements api.Service.
func (s *service) Complete(ctx context.Context, c *api.Call) (*api.Completion, error) {
	m := manners{}
	for attempt := 1; ; {
		completion, err := s.ask(ctx, c, m)
		if err == nil {
			return completion, nil
		}
		if next, again := m.after(c, err); again {
			m = next
			continue
		}
		if !patient(ctx, attempt, err) {
			if completion != nil && completion.Text == "" && completion.Usage == (api.Usage{}) {
				completion = nil // nothing of it was an answer
			}
			return completion, failure(ctx, &c.Connection, err)
		}
		attempt++
	}
}

// Verify implements api.Service: it asks for the list of models.
func (s *service) Verify(ctx context.Context, c *api.Connection) error {
	client, err := s.connect(ctx, c)
	if err == nil {
		_, err = client.Models.List(ctx, &genai.ListModelsConfig{PageSize: 1})
	}
	if err != nil {
		return failure(ctx, c, err)
	}
	return nil
}

func (s *service) connect(ctx context.Context, c *api.Connection) (*genai.Client, error) {
	base := c.BaseURL
	if base == "" {
		base = address
	}
	defer hushed()()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: c.Key, Backend: genai.BackendGeminiAPI, HTTPClient: s.client,
		HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
	if err != nil {
		// Its text is a dump of the settings, the key included.
		return nil, errors.New("the SDK does not take the settings")
	}
	return client, nil
}

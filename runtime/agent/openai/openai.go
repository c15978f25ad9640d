// Package openai asks models of OpenAI, and of every server with the same API: vLLM,
// llama.cpp, Ollama, LiteLLM, OpenRouter and many more.
//
//	Prompts: prompts.Opener(structured.Check, openai.Kind()), // in a cli.Program
//
// It uses the API Chat Completions, which all these servers have. Models that the vendor
// offers only by the API Responses (those called "pro" and "codex") fail with the
// vendor's message. For them use package codex.
//
// Servers accept different parameters. The package repeats a refused request in another
// form, and remembers that form while the process lives.
package openai

import (
	"context"
	"net/http"
	"sync"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The package uses Chat Completions and not the newer Responses. Chat Completions is what
// all the compatible servers have, and the vendor serves its models through it
// too; Responses would add tools that run at the vendor and conversations that
// are kept there, and a workflow uses neither. One format of requests and streams
// then serves everybody. The price is that the few models that the vendor offers
// by Responses alone (those called "pro" and "codex") cannot be asked: the vendor's
// message that says so is the failure. The codex command line is a separate agent.
//
// The SDK's NewClient reads the process's environment. The services in it do not, so the
// package makes them one by one, and everything they use comes from the Connection.

// retries is how often the SDK tries a request again that was refused for
// reasons that pass, or could not be made.
const retries = 4

// Kind returns the kind `openai`.
func Kind() agent.Kind {
	kind, _ := catalog.KindNamed("openai")
	return api.Kind(api.Vendor{
		Kind: kind, BaseURLVariable: "OPENAI_BASE_URL", Structured: true,
		Open: func(settings.Agent) (api.Service, error) {
			return &service{client: api.Client(), learned: map[server]fallback{}}, nil
		},
	})
}

// service is the API of the server that a Connection names.
type service struct {
	client  *http.Client
	mu      sync.Mutex
	learned map[server]fallback
}

// A server identifies a remembered fallback. One address may serve models that
// differ.
type server struct{ baseURL, model string }

// Complete implements api.Service.
func (s *service) Complete(ctx context.Context, c *api.Call) (*api.Completion, error) {
	m := s.learnedFallback(c)
	for {
		completion, err := s.requestOnce(ctx, c, m)
		if err == nil {
			s.learnFallback(c, m)
			return completion, nil
		}
		next, again := m.nextFallback(c, err)
		if !again {
			return completion.OrNil(), toFailure(&c.Connection, err)
		}
		m = next
	}
}

func (s *service) learnedFallback(c *api.Call) fallback {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, known := s.learned[server{c.BaseURL, c.Model}]; known {
		return m
	}
	return initialFallback(c)
}

func (s *service) learnFallback(c *api.Call, m fallback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learned[server{c.BaseURL, c.Model}] = m.lastingPart()
}

// Verify implements api.Service: it asks for the list of models.
func (s *service) Verify(ctx context.Context, c *api.Connection) error {
	var response *http.Response
	models := sdk.NewModelService(append(s.requestOptions(c), option.WithResponseInto(&response), option.WithMaxRetries(1))...)
	_, err := models.List(ctx)
	if err == nil {
		return nil
	}
	return toFailure(c, serverError(response, err))
}

// requestOptions are the options of every request. The SDK adds no defaults.
func (s *service) requestOptions(c *api.Connection) []option.RequestOption {
	list := []option.RequestOption{option.WithEnvironmentProduction(), option.WithHTTPClient(s.client), option.WithAPIKey(c.Key), option.WithMaxRetries(retries)}
	if c.BaseURL != "" {
		list = append(list, option.WithBaseURL(c.BaseURL))
	}
	// An account's names are nobody's business but the vendor's.
	if c.KeyVariable == "OPENAI_API_KEY" {
		if id := process.Variable(c.Environ, "OPENAI_ORG_ID"); id != "" {
			list = append(list, option.WithOrganization(id))
		}
		if id := process.Variable(c.Environ, "OPENAI_PROJECT_ID"); id != "" {
			list = append(list, option.WithProject(id))
		}
	}
	return list
}

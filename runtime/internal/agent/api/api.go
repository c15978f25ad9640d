// Package api is what agents have in common that ask a model through a
// service's API: conversations, structured replies, prices, limits, credentials
// and what their failures mean. Each service has a package of its own, which
// turns one Call into one request through the vendor's SDK.
package api

import (
	"context"
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/price"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Service is a vendor's API.
type Service interface {
	// Complete has a model answer, streaming. The error is best a *flow.Failure
	// with its class (see Failure); a Completion beside it tells what the call
	// cost. The SDK's own retries are included. When ctx ends, it returns soon.
	Complete(ctx context.Context, c *Call) (*Completion, error)
	// Verify asks the service whether the key is good, by a request that costs
	// nothing.
	Verify(ctx context.Context, c *Connection) error
}

// A Connection says where a service is and how to get in.
type Connection struct {
	// BaseURL is "" for the vendor's own.
	BaseURL string
	// Key is the secret. It must not be logged, nor be part of an error.
	Key string
	// KeyVariable is the environment variable that it came from: some services
	// send keys of different variables in different headers.
	KeyVariable string
	// Environ is the environment that the agent gets, for what a vendor wants to
	// know besides, such as an account's organisation. A Service reads it instead
	// of the process's own.
	Environ []string
}

// A Call is one request to a model.
type Call struct {
	Connection
	Model string
	// Messages are the conversation; the last one is the user's.
	Messages []Message
	Options  options.Values
	// Schema is what the reply must satisfy, or nil.
	Schema json.RawMessage
	// MaxTokens limits what the model writes; 0 means the service's default.
	MaxTokens int64
	// Text takes pieces of the reply as they come, and Alive notes anything else
	// that does. Both are never nil.
	Text  func(piece string)
	Alive func()
	// Used takes the tokens that the call has used so far, whenever the service
	// says more of it. It is never nil.
	Used func(u price.Usage)
}

// A Message is one turn of a conversation.
type Message struct {
	// Role is "user" or "assistant".
	Role string `json:"role"`
	Text string `json:"text"`
}

// A Completion is a model's answer.
type Completion struct {
	Text string
	// Structured is the reply as JSON when the service itself made it satisfy the
	// schema, or nil.
	Structured json.RawMessage
	// Unenforced says that the service was only asked to satisfy the schema, and may
	// not have done so. Where Structured is nil, that is so anyway.
	Unenforced bool
	Usage      price.Usage
	// Model is the model that answered.
	Model string
	// Stop says why an answer is not whole: "" when it is, else a few words for
	// people, such as "the limit of 4096 tokens was reached".
	Stop string
}

// OrNil returns nil if no part of an answer has arrived.
func (c *Completion) OrNil() *Completion {
	if c == nil || c.Text == "" && c.Usage == (price.Usage{}) {
		return nil
	}
	return c
}

// A Vendor is what makes the agents of a service.
type Vendor struct {
	// Kind is the kind's name in runtime/agent/catalog.
	Kind string
	// BaseURLVariable is the environment variable that users of the vendor's own
	// programs set to reach another server, or "".
	BaseURLVariable string
	// DefaultModel answers when neither the prompt nor the settings name a model.
	DefaultModel string
	// Aliases are short names that workflows use for models; it may be nil.
	Aliases map[string]string
	// Structured says that the service makes replies satisfy schemas.
	Structured bool
	// Prices are the vendor's prices.
	Prices price.Table
	// Open connects to the service. It starts nothing and talks to nobody.
	Open func(c settings.Agent) (Service, error)
}

package google

import (
	"bytes"
	"context"
	"encoding/json"
	"math"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

// requestOnce makes one request with a fallback, and reads the reply.
func (s *service) requestOnce(ctx context.Context, c *api.Call, m fallback) (*api.Completion, error) {
	client, err := s.newClient(ctx, &c.Connection)
	if err != nil {
		return nil, err
	}
	r := reading{call: c}
	watched, exchange := watchExchange(ctx)
	for response, err := range client.Models.GenerateContentStream(watched, c.Model, buildContents(c, m), buildConfig(c, m)) {
		if err != nil {
			return r.buildCompletion(), explainError(err, exchange, r.begun)
		}
		r.addResponse(response)
	}
	completion := r.buildCompletion()
	completion.Unenforced = m.words
	return completion, r.endError(exchange)
}

func buildContents(c *api.Call, m fallback) []*genai.Content {
	var list []*genai.Content
	for i, message := range c.Messages {
		role, text := genai.Role(genai.RoleUser), message.Text
		if message.Role == "assistant" {
			role = genai.RoleModel
		} else if i == len(c.Messages)-1 && m.words {
			text = schema.Instruct(text, c.Schema)
		}
		list = append(list, genai.NewContentFromText(text, role))
	}
	return list
}

func buildConfig(c *api.Call, m fallback) *genai.GenerateContentConfig {
	g := &genai.GenerateContentConfig{ThinkingConfig: thinkingConfig(c, m)}
	if system := c.Options.SystemPrompt; system != "" {
		g.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: system}}}
	}
	if c.MaxTokens > 0 {
		g.MaxOutputTokens = int32(min(c.MaxTokens, math.MaxInt32))
	}
	if len(c.Schema) > 0 {
		g.ResponseMIMEType = "application/json"
		if !m.words {
			g.ResponseJsonSchema = narrowSchema(c.Schema)
		}
	}
	return g
}

// reading puts a reply together from the pieces of its stream.
type reading struct {
	call    *api.Call
	text    []byte
	usage   catalog.Tokens
	model   string
	finish  genai.FinishReason
	blocked genai.BlockedReason
	begun   bool
}

func (r *reading) addResponse(g *genai.GenerateContentResponse) {
	if g.ModelVersion != "" {
		r.model = g.ModelVersion
	}
	if g.PromptFeedback != nil && g.PromptFeedback.BlockReason != "" {
		r.blocked = g.PromptFeedback.BlockReason
	}
	for _, candidate := range g.Candidates {
		if candidate == nil || candidate.Index != 0 {
			continue
		}
		r.addCandidate(candidate)
	}
	if g.UsageMetadata != nil {
		r.usage = splitUsage(g.UsageMetadata)
		r.call.Used(r.usage)
	}
}

func (r *reading) addCandidate(c *genai.Candidate) {
	if c.FinishReason != "" && c.FinishReason != genai.FinishReasonUnspecified {
		r.finish = c.FinishReason
	}
	if c.Content == nil {
		return
	}
	for _, part := range c.Content.Parts {
		if part == nil || part.Thought || part.Text == "" {
			continue
		}
		r.begun = true
		r.text = append(r.text, part.Text...)
		r.call.Text(part.Text)
	}
}

// splitUsage splits numbers that the API counts together, and adds those that it counts apart.
// Each piece of a stream has the sum so far.
func splitUsage(u *genai.GenerateContentResponseUsageMetadata) catalog.Tokens {
	cached := int64(u.CachedContentTokenCount)
	return catalog.Tokens{
		Input:       max(0, int64(u.PromptTokenCount)-cached) + int64(u.ToolUsePromptTokenCount),
		CachedInput: cached,
		Output:      int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
	}
}

// endError returns why the stream ended, or nil when the reply came to its end.
func (r *reading) endError(w *exchange) error {
	switch {
	case w.broken != nil:
		return w.broken
	case r.finish == "" && r.blocked == "":
		return errTruncated
	}
	return nil
}

// buildCompletion returns what came, whole or not.
func (r *reading) buildCompletion() *api.Completion {
	c := &api.Completion{Text: string(r.text), Usage: r.usage, Model: r.model, Stop: r.whyIncomplete()}
	if len(r.call.Schema) > 0 && json.Valid(r.text) {
		c.Structured = json.RawMessage(r.text)
	}
	return c
}

// narrowSchema returns a schema for the service, made of Go's maps as the SDK
// requires.
func narrowSchema(wanted json.RawMessage) any {
	form, ok := schema.Google.Narrow(wanted)
	if !ok {
		return map[string]any{}
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(form.Schema))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return map[string]any{}
	}
	return tree
}

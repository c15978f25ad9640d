package google

import (
	"context"
	"encoding/json"
	"math"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// ask makes one request in the given manners, and reads the reply.
func (s *service) ask(ctx context.Context, c *api.Call, m manners) (*api.Completion, error) {
	client, err := s.connect(ctx, &c.Connection)
	if err != nil {
		return nil, err
	}
	r := reading{call: c}
	watchedCtx, way := watched(ctx)
	for response, err := range client.Models.GenerateContentStream(watchedCtx, c.Model, contents(c, m), config(c, m)) {
		if err != nil {
			return r.completion(), explained(err, way, r.begun)
		}
		r.response(response)
	}
	completion := r.completion()
	completion.Unheld = m.words
	return completion, r.ended(way)
}

func contents(c *api.Call, m manners) []*genai.Content {
	var list []*genai.Content
	for i, message := range c.Messages {
		role, text := genai.Role(genai.RoleUser), message.Text
		if message.Role == "assistant" {
			role = genai.RoleModel
		} else if i == len(c.Messages)-1 && m.words {
			text = agent.Instruct(&flow.Prompt{Text: text, Schema: c.Schema})
		}
		list = append(list, genai.NewContentFromText(text, role))
	}
	return list
}

func config(c *api.Call, m manners) *genai.GenerateContentConfig {
	g := &genai.GenerateContentConfig{ThinkingConfig: thinking(c, m)}
	if system := c.Options.SystemPrompt; system != "" {
		g.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: system}}}
	}
	if c.MaxTokens > 0 {
		g.MaxOutputTokens = int32(min(c.MaxTokens, math.MaxInt32))
	}
	if len(c.Schema) > 0 {
		g.ResponseMIMEType = "application/json"
		if !m.words {
			g.ResponseJsonSchema = simplified(c.Schema)
		}
	}
	return g
}

// reading puts a reply together from the pieces of its stream.
type reading struct {
	call    *api.Call
	text    []byte
	usage   api.Usage
	model   string
	finish  genai.FinishReason
	blocked genai.BlockedReason
	begun   bool
}

func (r *reading) response(g *genai.GenerateContentResponse) {
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
		r.candidate(candidate)
	}
	if g.UsageMetadata != nil {
		r.usage = usage(g.UsageMetadata)
		r.call.Used(r.usage)
	}
}

func (r *reading) candidate(c *genai.Candidate) {
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

// usage takes apart what the API counts together, and puts together what it
// counts apart. Each piece of a stream tells the sum so far.
func usage(u *genai.GenerateContentResponseUsageMetadata) api.Usage {
	cached := int64(u.CachedContentTokenCount)
	return api.Usage{
		Input:       max(0, int64(u.PromptTokenCount)-cached) + int64(u.ToolUsePromptTokenCount),
		CachedInput: cached,
		Output:      int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
	}
}

// ended returns why the stream ended, or nil when the reply came to its end.
func (r *reading) ended(w *way) error {
	switch {
	case w.broken != nil:
		return w.broken
	case r.finish == "" && r.blocked == "":
		return errTruncated
	}
	return nil
}

// completion returns what came, whole or not.
func (r *reading) completion() *api.Completion {
	c := &api.Completion{Text: string(r.text), Usage: r.usage, Model: r.model, Stop: r.stop()}
	if len(r.call.Schema) > 0 && json.Valid(r.text) {
		c.Structured = json.RawMessage(r.text)
	}
	return c
}

package google

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// manners are how a model is asked: what it refuses by name is said in the next
// best way. Each step goes one way, so there is an end.
type manners struct {
	// words says that the schema is put to the model in words.
	words bool
	// thought counts the ways to set the reasoning that the model does not take.
	thought int
}

// after returns the manners to try next, if the error says that there are any.
func (m manners) after(c *api.Call, err error) (next manners, again bool) {
	var r *refusal
	if !errors.As(err, &r) || r.Code != http.StatusBadRequest || r.begun {
		return m, false
	}
	about := strings.ToLower(r.Message)
	switch {
	case m.thought+1 < len(thoughts(c)) && (strings.Contains(about, "thinking") || strings.Contains(about, "budget")):
		m.thought++
	case len(c.Schema) > 0 && !m.words && strings.Contains(about, "schema"):
		m.words = true
	default:
		return m, false
	}
	return m, true
}

// thinking returns how the model is to reason; nil leaves it to the model.
func thinking(c *api.Call, m manners) *genai.ThinkingConfig {
	list := thoughts(c)
	if len(list) == 0 {
		return nil
	}
	return &list[min(m.thought, len(list)-1)]
}

// Tokens of reasoning, for models that count them. Those of the efforts are what
// the vendor takes them for in its own API that is compatible with OpenAI's.
const (
	dynamic       = -1
	leastThought  = 128
	lowThought    = 1024
	mediumThought = 8192
	highThought   = 24576
)

// thoughts returns the ways to set the reasoning, the first that the model takes.
// Models up to 2.5 count its tokens, later ones have levels for it, and not all
// of them all levels.
func thoughts(c *api.Call) []genai.ThinkingConfig {
	counts := strings.Contains(c.Model, "gemini-1.") || strings.Contains(c.Model, "gemini-2.")
	if t := c.Options.Thinking; t != nil {
		switch {
		case t.Type == "enabled" && t.BudgetTokens > 0:
			return []genai.ThinkingConfig{tokens(min(t.BudgetTokens, 1<<30))}
		case t.Type == "disabled" && counts:
			return []genai.ThinkingConfig{tokens(0), tokens(leastThought)}
		case t.Type == "disabled":
			return levels(genai.ThinkingLevelMinimal, genai.ThinkingLevelLow)
		case c.Options.Effort == "" && counts:
			return []genai.ThinkingConfig{tokens(dynamic)}
		}
	}
	switch effort := c.Options.Effort; {
	case effort == "":
		return nil
	case counts:
		return []genai.ThinkingConfig{tokens(map[string]int64{"low": lowThought, "medium": mediumThought, "high": highThought, "max": highThought}[effort])}
	case effort == "low":
		return levels(genai.ThinkingLevelLow)
	case effort == "medium":
		return levels(genai.ThinkingLevelMedium, genai.ThinkingLevelHigh)
	}
	return levels(genai.ThinkingLevelHigh)
}

func tokens(n int64) genai.ThinkingConfig {
	return genai.ThinkingConfig{ThinkingBudget: genai.Ptr(int32(n))}
}

func levels(list ...genai.ThinkingLevel) []genai.ThinkingConfig {
	var all []genai.ThinkingConfig
	for _, level := range list {
		all = append(all, genai.ThinkingConfig{ThinkingLevel: cmp.Or(level, genai.ThinkingLevelHigh)})
	}
	return all
}

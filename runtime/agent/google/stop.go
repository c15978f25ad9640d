package google

import (
	"fmt"
	"strings"

	"google.golang.org/genai"
)

// stops say for people what the service's reasons mean.
var stops = map[genai.FinishReason]string{
	genai.FinishReasonSafety:                "the service's safety filter ended the answer",
	genai.FinishReasonRecitation:            "the answer was becoming a copy of a known text, and the service ended it",
	genai.FinishReasonLanguage:              "it would be in a language that the service does not have",
	genai.FinishReasonBlocklist:             "it holds a forbidden word",
	genai.FinishReasonProhibitedContent:     "the service forbids what it says",
	genai.FinishReasonSPII:                  "it holds personal data",
	genai.FinishReasonMalformedFunctionCall: "the model called a tool, and it was given none",
	genai.FinishReasonUnexpectedToolCall:    "the model called a tool, and it was given none",
	genai.FinishReasonTooManyToolCalls:      "the model called a tool, and it was given none",
}

// stop says why a reply that ended is not whole.
func (r *reading) stop() string {
	if r.blocked != "" {
		return fmt.Sprintf("the service blocked the prompt (%s)", strings.ToLower(string(r.blocked)))
	}
	switch r.finish {
	case "", genai.FinishReasonStop:
		return ""
	case genai.FinishReasonMaxTokens:
		if r.call.MaxTokens > 0 {
			return fmt.Sprintf("the limit of %d tokens, thoughts included, was reached", r.call.MaxTokens)
		}
		return "the model's limit of tokens was reached"
	}
	if why, known := stops[r.finish]; known {
		return why
	}
	return fmt.Sprintf("the service ended it (%s)", strings.ToLower(string(r.finish)))
}

package model

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The APIs.
const (
	Anthropic = "anthropic"
	Responses = "responses"
	Chat      = "chat"
	Gemini    = "gemini"
)

// The roles of messages, under the same names for all APIs.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// A Request is one request for an answer.
type Request struct {
	API    string
	Path   string
	Header http.Header
	Body   json.RawMessage
	Time   time.Time

	Model  string
	Stream bool
	// Messages is the conversation, without system prompts.
	Messages []Message
	// System is the system prompt.
	System string
	// Tools are the names of the tools that the model may call. Those of a
	// namespace are NAMESPACE/NAME.
	Tools []string
	// Schema is the JSON Schema of the answer, or nil.
	Schema json.RawMessage

	// Script is the name of the script that the prompt chose, or "", and
	// Position the number of steps before this one.
	Script   string
	Position int
	// Disturbed says that the answer was not one of the script; see Server.Disturb.
	Disturbed bool
}

// A Message is a message of a conversation.
type Message struct {
	Role string
	// Text is the message's text, its parts joined by newlines.
	Text string
	// Results are the results of tools that it holds, as text.
	Results []string
}

// Said returns the contents of all messages of a role.
func (r *Request) Said(role string) []string {
	var list []string
	for _, m := range r.Messages {
		if m.Role == role && m.Text != "" {
			list = append(list, m.Text)
		}
	}
	return list
}

// Count returns how many messages of a role hold a text.
func (r *Request) Count(role, text string) int {
	n := 0
	for _, said := range r.Said(role) {
		n += strings.Count(said, text)
	}
	return n
}

// Results returns the results of tools in the conversation, oldest first.
func (r *Request) Results() []string {
	var list []string
	for _, m := range r.Messages {
		list = append(list, m.Results...)
	}
	return list
}

// HasTool reports whether the model may call a tool.
func (r *Request) HasTool(name string) bool { return slices.Contains(r.Tools, name) }

// texts returns the text of content: a string, or a list of strings and of objects with a
// text.
func texts(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var list []string
	for _, part := range parts {
		var block struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		switch {
		case json.Unmarshal(part, &text) == nil:
			list = append(list, text)
		case json.Unmarshal(part, &block) == nil && block.Text != "":
			list = append(list, block.Text)
		}
	}
	return strings.Join(list, "\n")
}

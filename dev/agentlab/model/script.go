package model

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// A Script is the list of answers to one prompt.
type Script []Step

// A Step is one answer.
type Step struct {
	// Say is the text of the answer.
	Say string
	// Calls are the tools that the model calls, all at once.
	Calls []Call
	// Usage is the number of tokens that the answer reports.
	Usage Usage
	// Refuse answers with an HTTP error instead.
	Refuse *Refusal
	// Hang sends the text and then nothing, until the program leaves or the
	// server closes.
	Hang bool
	// Drop sends the text and then closes the connection, without the end of the
	// answer; without a text, it closes the connection before any answer.
	Drop bool
	// Full says that the answer ends because it has reached the model's maximum of
	// tokens.
	Full bool
	// Times is how many requests the step answers before the script continues
	// without results of tools; 0 means all.
	Times int
}

// A Call is a call of a tool.
type Call struct {
	Tool  string
	Input map[string]any
	// Text is the input of a custom tool, which takes text instead of an object.
	// Only the Responses API has such tools.
	Text string
	// Namespace is the tool's namespace in the Responses API.
	Namespace string
}

// Usage counts tokens.
type Usage struct{ Input, Output int }

// A Refusal is an HTTP error.
type Refusal struct {
	Status int
	// Type is the service's own name of the error.
	Type    string
	Message string
	Header  http.Header
}

// usage returns the tokens of the step, which no answer is without.
func (s *Step) usage() Usage {
	if s.Usage == (Usage{}) {
		return Usage{Input: 100, Output: 20}
	}
	return s.Usage
}

var marker = regexp.MustCompile(`\[lab:([^\]\s]+)\]`)

// Mark returns the marker that chooses a script.
func Mark(name string) string { return fmt.Sprintf("[lab:%s]", name) }

// asides are requests outside the conversation whose bodies contain its prompt,
// recognised by words of the system prompt or of the schema, each with its answer.
var asides = []struct{ words, answer string }{
	{"title generator", "A title"},
	{"complexity_score", `{"complexity_reasoning": "short", "complexity_score": 10}`},
	{"next_speaker", `{"reasoning": "done", "next_speaker": "user"}`},
}

// aside returns the answer to a request outside the conversation, or nil.
func aside(q *Request) *Step {
	for _, a := range asides {
		if strings.Contains(q.System, a.words) || strings.Contains(string(q.Schema), a.words) {
			return &Step{Say: a.answer}
		}
	}
	return nil
}

// locate finds the script that a conversation chose and how many times the
// program has returned results since then. The name is "" without a marker.
func locate(messages []Message) (name string, position int) {
	for i := range messages {
		m := &messages[i]
		if m.Role != User {
			continue
		}
		if marks := marker.FindAllStringSubmatch(m.Text, -1); len(marks) > 0 {
			name, position = marks[len(marks)-1][1], 0
			continue
		}
		// Results of several calls may come in one message or in one each.
		if len(m.Results) > 0 && (i == 0 || len(messages[i-1].Results) == 0) {
			position++
		}
	}
	return name, position
}

// at returns the step at a position. seen counts the earlier requests at each
// position, and at counts this one.
func (s Script) at(position int, seen map[int]int) *Step {
	if len(s) == 0 {
		return &Step{Say: "ok"}
	}
	for {
		position = min(position, len(s)-1)
		step := &s[position]
		if step.Times == 0 || position == len(s)-1 {
			return step
		}
		seen[position]++
		if seen[position] <= step.Times {
			return step
		}
		position++
	}
}

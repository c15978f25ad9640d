package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// corrections is how often an agent without structured replies of its own is
// asked again.
const corrections = 3

// structured makes the result of a reply to a prompt with a schema, asking
// again where the agent cannot hold to schemas by itself.
func (t *turn) structured(ctx context.Context, prompt flow.Prompt, reply *Reply) flow.Result {
	capable := t.agent.Capabilities().Structured
	for again := 0; ; again++ {
		native := capable && !reply.Unheld
		value := reply.Structured
		if value == nil && !native {
			value = Extract(reply.Text)
		}
		problem, result := t.judge(prompt.Schema, value)
		if problem == "" {
			return result
		}
		if native || again == corrections {
			return t.unstructured(problem, again+1)
		}
		t.call.Log.Info("the agent is asked again for an answer that satisfies its schema", "node", t.call.Action.Key, "problem", problem)
		next := prompt
		next.Text += correction(problem)
		next.FreshSession, next.Session = true, ""
		if reply, result = t.ask(ctx, next); reply == nil {
			return result
		}
	}
}

// judge returns what is wrong with a structured reply, or the result.
func (t *turn) judge(schema, value json.RawMessage) (problem string, result flow.Result) {
	if value == nil {
		return "no JSON was found in it", flow.Result{}
	}
	if !json.Valid(value) {
		return "it is not valid JSON", flow.Result{}
	}
	if t.settings.Check == nil {
		return "", failure(fatal("Node '%s' wants a structured answer, but this program was built without a validator", t.call.Action.Key))
	}
	problems, err := t.settings.Check(schema, value)
	if err != nil {
		t.call.Log.Warn("the schema cannot be used, so the answer is taken as it is", "node", t.call.Action.Key, "error", err.Error())
	} else if len(problems) > 0 {
		return strings.Join(problems, "; "), flow.Result{}
	}
	return "", completedJSON(value)
}

func (t *turn) unstructured(problem string, answers int) flow.Result {
	times := ""
	if answers > 1 {
		times = fmt.Sprintf(" in %d answers", answers)
	}
	return failure(&flow.Failure{Reason: ReasonOutput, ExitCode: -1, Message: fmt.Sprintf(
		"Node '%s' got no structured answer that satisfies its output_format%s: %s", t.call.Action.Key, times, problem)})
}

// completedJSON returns the result of a structured reply. Compact leaves the
// order of keys and the spelling of values alone.
func completedJSON(value json.RawMessage) flow.Result {
	var text bytes.Buffer
	if err := json.Compact(&text, value); err != nil {
		return failure(&flow.Failure{Reason: ReasonOutput, ExitCode: -1, Message: fmt.Sprintf("the agent's structured answer is not valid JSON: %v", err)})
	}
	return flow.Result{Status: flow.Completed, Text: strings.ToValidUTF8(text.String(), "\uFFFD")}
}

// correction is what is added to a prompt that is put again.
func correction(problem string) string {
	return "\n\n--- CORRECTION ---\nThe last answer could not be used: " + problem +
		".\nAnswer once more with a single JSON value that satisfies the schema, and nothing else: no words around it, no code fence."
}

// Instruct returns a prompt that puts the schema to a model in words. It is for
// agents whose models know nothing of schemas; without a schema the prompt
// stays as it is.
func Instruct(p *flow.Prompt) string {
	if len(p.Schema) == 0 {
		return p.Text
	}
	return p.Text + "\n\nAnswer with a single JSON value and nothing else: no words around it, no code fence. It must satisfy this JSON Schema:\n" + string(p.Schema)
}

// SystemPrompt returns a system prompt as the beginning of a prompt, for agents
// that have no place for it.
func SystemPrompt(text string) string {
	return "--- SYSTEM PROMPT ---\n" + text + "\n--- END OF SYSTEM PROMPT ---\n\n"
}

// mostStarts bounds the places in a text that are tried as the beginning of an
// object.
const mostStarts = 200

// Extract finds the JSON in an agent's answer: the first fenced block that is
// JSON, else the whole text, else the first object in it. It returns nil when
// there is none.
func Extract(text string) json.RawMessage {
	for _, block := range fenced(text) {
		if json.Valid([]byte(block)) {
			return json.RawMessage(strings.TrimSpace(block))
		}
	}
	if whole := strings.TrimSpace(text); json.Valid([]byte(whole)) {
		return json.RawMessage(whole)
	}
	rest := text
	for range mostStarts {
		start := strings.IndexByte(rest, '{')
		if start < 0 {
			return nil
		}
		rest = rest[start:]
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&object) == nil {
			return object
		}
		rest = rest[1:]
	}
	return nil
}

// fenced returns the contents of the fenced blocks that have no language or are
// said to be JSON.
func fenced(text string) []string {
	const fence = "```"
	var blocks, block []string
	in, wanted := false, false
	for line := range strings.Lines(text) {
		mark, isFence := strings.CutPrefix(strings.TrimSpace(line), fence)
		switch {
		case isFence && !in:
			in, wanted = true, mark == "" || strings.EqualFold(mark, "json")
		case isFence && mark == "":
			if wanted {
				blocks = append(blocks, strings.Join(block, ""))
			}
			in, block = false, nil
		case in:
			block = append(block, line)
		}
	}
	return blocks
}

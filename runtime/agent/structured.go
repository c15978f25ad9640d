package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

// corrections is how often the performer asks an agent again whose reply does not
// satisfy its schema.
const corrections = 3

// structured returns the result of a reply to a prompt with a schema. It asks
// again if the agent cannot enforce schemas itself.
func (t *turn) structured(ctx context.Context, prompt flow.Prompt, reply *Reply) flow.Result {
	capable := t.agent.Capabilities().Structured
	for again := 0; ; again++ {
		native := capable && !reply.Unenforced
		value := reply.Structured
		if value == nil && !native {
			value = schema.Extract(reply.Text)
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
		if !next.Fork {
			next.FreshSession, next.Session = true, ""
		}
		if reply, result = t.ask(ctx, next); reply == nil {
			return result
		}
	}
}

// judge returns the problem of a structured reply, or its result.
func (t *turn) judge(wanted, value json.RawMessage) (problem string, result flow.Result) {
	if value == nil {
		return "no JSON was found in it", flow.Result{}
	}
	if !json.Valid(value) {
		return "it is not valid JSON", flow.Result{}
	}
	if t.settings.Check == nil {
		return "", failed("", failures.Fatal("Node '%s' wants a structured answer, but this program was built without a validator", t.call.Action.Key))
	}
	problems, err := t.settings.Check(wanted, value)
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
	return failed("", failures.New(flow.ClassUnknown, failures.ReasonOutput,
		"Node '%s' got no structured answer that satisfies its output_format%s: %s", t.call.Action.Key, times, problem))
}

// completedJSON returns the result of a structured reply. Compact keeps the order
// of keys and the spelling of values.
func completedJSON(value json.RawMessage) flow.Result {
	var text bytes.Buffer
	if err := json.Compact(&text, value); err != nil {
		return failed("", failures.New(flow.ClassUnknown, failures.ReasonOutput, "the agent's structured answer is not valid JSON: %v", err))
	}
	return flow.Result{Status: flow.Completed, Text: strings.ToValidUTF8(text.String(), "\uFFFD")}
}

// correction returns the text that a repeated prompt ends with.
func correction(problem string) string {
	return "\n\n--- CORRECTION ---\nThe last answer could not be used: " + problem +
		".\nAnswer once more with a single JSON value that satisfies the schema, and nothing else: no words around it, no code fence."
}

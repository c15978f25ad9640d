package model

import (
	"encoding/json"
	"net/http"
)

// chat is OpenAI's Chat Completions API.
type chat struct{}

func (chat) read(r *Request, body []byte) error {
	var q struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		ResponseFormat struct {
			JSONSchema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	r.Model, r.Stream, r.Schema = q.Model, q.Stream, q.ResponseFormat.JSONSchema.Schema
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	for _, m := range q.Messages {
		text := texts(m.Content)
		switch m.Role {
		case System, "developer":
			r.System += text + "\n"
		case "tool":
			r.Messages = append(r.Messages, Message{Role: User, Results: []string{text}})
		default:
			r.Messages = append(r.Messages, Message{Role: m.Role, Text: text})
		}
	}
	return nil
}

func (chat) answer(w *writer, r *Request, step *Step) {
	finish := "stop"
	var calls []object
	for i, c := range step.Calls {
		finish = "tool_calls"
		calls = append(calls, object{"index": i, "id": identifier("call", r, i), "type": "function",
			"function": object{"name": c.Tool, "arguments": string(encode(c.Input))}})
	}
	u := step.usage()
	usage := object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output, "prompt_tokens_details": object{"cached_tokens": 0}}
	base := func(kind string) object {
		return object{"id": identifier("chatcmpl", r, 0), "object": kind, "created": r.Time.Unix(), "model": r.Model}
	}
	if !r.Stream {
		message := object{"role": "assistant", "content": step.Say}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		answer := base("chat.completion")
		answer["choices"] = []object{{"index": 0, "message": message, "finish_reason": finish}}
		answer["usage"] = usage
		w.json(http.StatusOK, answer)
		return
	}
	send := func(delta object, finish any) {
		chunk := base("chat.completion.chunk")
		chunk["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish}}
		w.event("", chunk)
	}
	send(object{"role": "assistant", "content": ""}, nil)
	if step.Say != "" {
		for _, piece := range pieces(step.Say) {
			send(object{"content": piece}, nil)
		}
	}
	if step.Hang {
		w.hang()
		return
	}
	for _, c := range calls {
		send(object{"tool_calls": []object{c}}, nil)
	}
	send(object{}, finish)
	last := base("chat.completion.chunk")
	last["choices"], last["usage"] = []object{}, usage
	w.event("", last)
	w.raw("", "[DONE]")
}

func (chat) refusal(f *Refusal) any { return openAIError(f) }

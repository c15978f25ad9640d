package model

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

func (responses) read(r *Request, body []byte) error {
	var q struct {
		Model        string            `json:"model"`
		Stream       bool              `json:"stream"`
		Instructions string            `json:"instructions"`
		Input        json.RawMessage   `json:"input"`
		Tools        []json.RawMessage `json:"tools"`
		Text         struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	r.Model, r.Stream, r.System, r.Schema = q.Model, q.Stream, q.Instructions, q.Text.Format.Schema
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, toolNames(t)...)
	}
	var text string
	if json.Unmarshal(q.Input, &text) == nil {
		r.Messages = []Message{{Role: User, Text: text}}
		return nil
	}
	var items []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(q.Input, &items); err != nil {
		return err
	}
	for _, item := range items {
		switch {
		case item.Type == "message" || item.Type == "":
			if item.Role == "developer" || item.Role == System {
				r.System += "\n" + texts(item.Content)
				continue
			}
			r.Messages = append(r.Messages, Message{Role: item.Role, Text: texts(item.Content)})
		case strings.HasSuffix(item.Type, "_output"):
			r.Messages = append(r.Messages, Message{Role: User, Results: []string{resultText(item.Output)}})
		case strings.HasSuffix(item.Type, "_call"):
			r.Messages = append(r.Messages, Message{Role: Assistant})
		}
	}
	return nil
}

// toolNames returns the names of a tool of the Responses API, which may be a
// namespace of tools.
func toolNames(tool json.RawMessage) []string {
	var t struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(tool, &t) != nil {
		return nil
	}
	if t.Type != "namespace" {
		if t.Name == "" {
			return []string{t.Type}
		}
		return []string{t.Name}
	}
	var list []string
	for _, inner := range t.Tools {
		list = append(list, t.Name+"/"+inner.Name)
	}
	return list
}

// resultText returns the result of a tool, in any form, as text.
func resultText(result json.RawMessage) string {
	if text := texts(result); text != "" {
		return text
	}
	return string(result)
}

func (responses) answer(w *writer, r *Request, step *Step) {
	var items []object
	if step.Say != "" || len(step.Calls) == 0 {
		items = append(items, object{"type": "message", "id": identifier("msg", r, 0), "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": step.Say, "annotations": []object{}}}})
	}
	for i, c := range step.Calls {
		item := object{"type": "function_call", "id": identifier("fc", r, i), "call_id": identifier("call", r, i), "name": c.Tool, "arguments": string(encode(c.Input)), "status": "completed"}
		if c.Text != "" {
			item = object{"type": "custom_tool_call", "id": identifier("ctc", r, i), "call_id": identifier("call", r, i), "name": c.Tool, "input": c.Text, "status": "completed"}
		}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		items = append(items, item)
	}
	u := step.usage()
	response := object{"id": identifier("resp", r, 0), "object": "response", "created_at": r.Time.Unix(), "status": "in_progress", "model": r.Model, "output": []object{}}
	done := object{"usage": object{"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": u.Input + u.Output}}
	maps.Copy(done, response)
	done["status"], done["output"] = "completed", items
	if step.Full {
		done["status"], done["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	if !r.Stream {
		w.json(http.StatusOK, done)
		return
	}
	number := 0
	send := func(name string, event object) {
		number++
		event["type"], event["sequence_number"] = name, number
		w.event(name, event)
	}
	send("response.created", object{"response": response})
	for i, item := range items {
		if item["type"] != "message" {
			send("response.output_item.added", object{"output_index": i, "item": item})
			send("response.output_item.done", object{"output_index": i, "item": item})
			continue
		}
		id := item["id"]
		part := func(event object) object {
			event["output_index"], event["content_index"], event["item_id"] = i, 0, id
			return event
		}
		send("response.output_item.added", object{"output_index": i, "item": object{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []object{}}})
		send("response.content_part.added", part(object{"part": object{"type": "output_text", "text": "", "annotations": []object{}}}))
		for _, piece := range pieces(step.Say) {
			send("response.output_text.delta", part(object{"delta": piece}))
		}
		if w.stops(step) {
			return
		}
		send("response.output_text.done", part(object{"text": step.Say}))
		send("response.output_item.done", object{"output_index": i, "item": item})
	}
	send("response."+done["status"].(string), object{"response": done})
}

func (responses) refusal(f *Refusal) any { return openAIError(f) }

// openAIError is the body of an error of both of OpenAI's APIs.
func openAIError(f *Refusal) any {
	return object{"error": object{"message": f.Message, "type": f.Type, "param": nil, "code": f.Type}}
}

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
	if step.Full {
		finish = "length"
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
	if w.stops(step) {
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

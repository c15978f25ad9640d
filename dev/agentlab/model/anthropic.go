package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) read(r *Request, body []byte) error {
	var q struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	r.Model, r.Stream, r.System = q.Model, q.Stream, texts(q.System)
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, t.Name)
		if t.Name == "StructuredOutput" {
			r.Schema = t.InputSchema
		}
	}
	for _, m := range q.Messages {
		message := Message{Role: m.Role, Text: texts(m.Content)}
		var blocks []struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(m.Content, &blocks) // a string has none
		for _, b := range blocks {
			if b.Type == "tool_result" {
				message.Results = append(message.Results, texts(b.Content))
			}
		}
		r.Messages = append(r.Messages, message)
	}
	return nil
}

func (anthropic) answer(w *writer, r *Request, step *Step) {
	var blocks []object
	if step.Say != "" || len(step.Calls) == 0 {
		blocks = append(blocks, object{"type": "text", "text": step.Say})
	}
	stop := "end_turn"
	for i, c := range step.Calls {
		stop = "tool_use"
		blocks = append(blocks, object{"type": "tool_use", "id": identifier("toolu", r, i), "name": c.Tool, "input": c.Input})
	}
	if step.Full {
		stop = "max_tokens"
	}
	u := step.usage()
	usage := object{"input_tokens": u.Input, "output_tokens": u.Output, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message := object{"id": identifier("msg", r, 0), "type": "message", "role": "assistant", "model": r.Model, "content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !r.Stream {
		w.json(http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"] = []object{}, nil
	message["usage"] = object{"input_tokens": u.Input, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	w.event("message_start", object{"type": "message_start", "message": message})
	for i, b := range blocks {
		delta := func(d object) {
			w.event("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": d})
		}
		if b["type"] == "text" {
			w.event("content_block_start", object{"type": "content_block_start", "index": i, "content_block": object{"type": "text", "text": ""}})
			for _, piece := range pieces(step.Say) {
				delta(object{"type": "text_delta", "text": piece})
			}
			if w.stops(step) {
				return
			}
		} else {
			w.event("content_block_start", object{"type": "content_block_start", "index": i, "content_block": object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}})
			delta(object{"type": "input_json_delta", "partial_json": string(encode(b["input"]))})
		}
		w.event("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	w.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": u.Output}})
	w.event("message_stop", object{"type": "message_stop"})
}

func (anthropic) refusal(f *Refusal) any {
	return object{"type": "error", "error": object{"type": f.Type, "message": f.Message}, "request_id": "req_lab"}
}

// identifier returns an id that no other part of the conversation has.
func identifier(prefix string, r *Request, i int) string {
	return fmt.Sprintf("%s_%08x%04d%02d", prefix, r.Time.UnixNano()&0xffffffff, len(r.Messages), i)
}

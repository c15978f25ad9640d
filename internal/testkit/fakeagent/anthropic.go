package fakeagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Anthropic starts a service that speaks the Anthropic Messages API.
func Anthropic(t testing.TB, b Behaviour) *Server {
	t.Helper()
	return startServer(t, b, func(s *Server, w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("Request-Id", "req_fake")
		switch r.Method + " " + r.URL.Path {
		case "GET /v1/models":
			if anthropicKey(w, r, b.Fault == SignedOut) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"data":[{"type":"model","id":"claude-fake","display_name":"Fake","created_at":"2026-01-01T00:00:00Z"}],"has_more":false,"first_id":"claude-fake","last_id":"claude-fake"}`)
			}
		case "POST /v1/messages":
			anthropicMessage(s, w, r, body)
		default:
			anthropicError(w, http.StatusNotFound, "not_found_error", "no such address")
		}
	})
}

// anthropicError refuses a request as the service does.
func anthropicError(w http.ResponseWriter, status int, kind, message string) {
	writeRefusal(w, status, object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_fake"}.String())
}

// anthropicKey reports whether a request has the right key, and refuses it
// otherwise; the refusal quotes the key, as gateways have been seen to do.
func anthropicKey(w http.ResponseWriter, r *http.Request, wrong bool) bool {
	given := cmp.Or(r.Header.Get("X-Api-Key"), r.Header.Get("Authorization"))
	if !wrong && (given == Key || given == "Bearer "+Key) {
		return true
	}
	anthropicError(w, http.StatusUnauthorized, "authentication_error", "invalid x-api-key "+given)
	return false
}

// anthropicRequest is the part of a request that the fake reads.
type anthropicRequest struct {
	Model     string `json:"model"`
	MaxTokens int64  `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	System    []struct {
		Text string `json:"text"`
	} `json:"system"`
	Messages []struct {
		Role    string `json:"role"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"messages"`
	OutputConfig struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

func anthropicMessage(s *Server, w http.ResponseWriter, r *http.Request, body []byte) {
	var q anthropicRequest
	if err := json.Unmarshal(body, &q); err != nil || len(q.Messages) == 0 || q.MaxTokens <= 0 || !q.Stream {
		anthropicError(w, http.StatusBadRequest, "invalid_request_error", fmt.Sprintf("the request cannot be used: %v", err))
		return
	}
	turn := Turn{Model: q.Model, Schema: q.OutputConfig.Format.Schema}
	for _, block := range q.System {
		turn.System += block.Text
	}
	for _, block := range q.Messages[len(q.Messages)-1].Content {
		turn.Prompt += block.Text
	}
	fault := s.behaviour.faultOfTurn(s.recordRequest(r, body, turn))
	switch {
	case !anthropicKey(w, r, fault == SignedOut):
	case fault == RateLimited:
		anthropicError(w, http.StatusTooManyRequests, "rate_limit_error", "This request would exceed your rate limit")
	case q.Model == MissingModel:
		anthropicError(w, http.StatusNotFound, "not_found_error", "model: "+q.Model)
	default:
		anthropicAnswer(s, w, r, &q, fault)
	}
}

// anthropicAnswer streams an answer, or the beginning of one.
func anthropicAnswer(s *Server, w http.ResponseWriter, r *http.Request, q *anthropicRequest, fault Fault) {
	b := &s.behaviour
	text, model, input := b.answerRequest(fault, q.Model, q.OutputConfig.Format.Type == "json_schema")
	first, second := splitInHalf(text)
	e := beginStream(w)
	e.sendJSON("message_start", object{"type": "message_start", "message": object{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1},
	}})
	e.sendJSON("ping", object{"type": "ping"})
	e.sendJSON("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "thinking", "thinking": "", "signature": ""}})
	e.sendJSON("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": "what to say?"}})
	e.sendJSON("content_block_stop", object{"type": "content_block_stop", "index": 0})
	e.sendJSON("content_block_start", object{"type": "content_block_start", "index": 1, "content_block": object{"type": "text", "text": ""}})
	e.sendJSON("content_block_delta", anthropicText(first))
	if s.breaksAnswer(e, r, fault, map[Fault]string{
		Garbled:    "event: content_block_delta\ndata: {\"type\":\"content_blo\x00\xff}{\n\n",
		Truncated:  "",
		Overloaded: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
	}) {
		return
	}
	e.sendJSON("content_block_delta", anthropicText(second))
	e.sendJSON("content_block_stop", object{"type": "content_block_stop", "index": 1})
	e.sendJSON("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": object{"output_tokens": b.OutputTokens}})
	e.sendJSON("message_stop", object{"type": "message_stop"})
}

func anthropicText(piece string) object {
	return object{"type": "content_block_delta", "index": 1, "delta": object{"type": "text_delta", "text": piece}}
}

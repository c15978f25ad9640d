package fakeagent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// MissingModel is a model that no fake service has.
const MissingModel = "no-such-model"

// OpenAI starts a service that speaks OpenAI's Chat Completions, below /v1. A merely
// compatible one refuses requests that contain one of the strings.
func OpenAI(t testing.TB, b Behaviour, refuses ...string) *Server {
	t.Helper()
	o := openAI{refuses: refuses}
	return startServer(t, b, o.answerRequest)
}

// openAI answers requests.
type openAI struct{ refuses []string }

// openAIRequest is the part of a request that the service reads.
type openAIRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (o *openAI) answerRequest(s *Server, w http.ResponseWriter, r *http.Request, body []byte) {
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/models":
		if s.behaviour.Fault == SignedOut || r.Header.Get("Authorization") != "Bearer "+Key {
			openAISignedOut(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"list","data":[{"id":"gpt-4.1","object":"model","created":1744316542,"owned_by":"system"}]}`)
	case "POST /v1/chat/completions":
		o.answerChat(s, w, r, body)
	default:
		writeRefusal(w, http.StatusNotFound, `{"error":{"message":"Invalid URL","type":"invalid_request_error","param":null,"code":null}}`)
	}
}

func (o *openAI) answerChat(s *Server, w http.ResponseWriter, r *http.Request, body []byte) {
	var q openAIRequest
	if err := json.Unmarshal(body, &q); err != nil || !q.Stream || len(q.Messages) == 0 {
		writeRefusal(w, http.StatusBadRequest, openAIError("We could not parse the JSON body of your request.", "invalid_request_error", "", ""))
		return
	}
	turn := Turn{Prompt: q.Messages[len(q.Messages)-1].Content, Model: q.Model, Schema: q.ResponseFormat.JSONSchema.Schema}
	if first := q.Messages[0]; first.Role == "system" || first.Role == "developer" {
		turn.System = first.Content
	}
	fault := s.behaviour.faultOfTurn(s.recordRequest(r, body, turn))
	w.Header().Set("X-Request-Id", "req_openai")
	for _, text := range o.refuses {
		if strings.Contains(string(body), text) {
			writeRefusal(w, http.StatusBadRequest, openAIError("Unsupported parameter or value: '"+text+"' is not supported.", "invalid_request_error", text, "unsupported_parameter"))
			return
		}
	}
	switch {
	case fault == SignedOut || r.Header.Get("Authorization") != "Bearer "+Key:
		openAISignedOut(w, r)
	case q.Model == MissingModel:
		writeRefusal(w, http.StatusNotFound, openAIError("The model `"+q.Model+"` does not exist or you do not have access to it.", "invalid_request_error", "", "model_not_found"))
	case fault == RateLimited:
		writeRefusal(w, http.StatusTooManyRequests, openAIError("Rate limit reached for requests", "requests", "", "rate_limit_exceeded"))
	default:
		s.openAIStream(w, r, &q, fault)
	}
}

// openAISignedOut shows the whole key. The real service hides most of it, but no
// code may rely on that.
func openAISignedOut(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	writeRefusal(w, http.StatusUnauthorized, openAIError("Incorrect API key provided: "+key+".", "invalid_request_error", "", "invalid_api_key"))
}

func openAIError(message, kind, param, code string) string {
	e := object{"message": message, "type": kind, "param": nil, "code": nil}
	if param != "" {
		e["param"] = param
	}
	if code != "" {
		e["code"] = code
	}
	return object{"error": e}.String()
}

// openAIStream sends the answer in two pieces, and goes wrong between them.
func (s *Server) openAIStream(w http.ResponseWriter, r *http.Request, q *openAIRequest, fault Fault) {
	b := s.behaviour
	text, model, input := b.answerRequest(fault, q.Model, q.ResponseFormat.Type != "")
	chunk := func(choices ...any) object {
		if choices == nil {
			choices = []any{}
		}
		return object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}
	}
	delta := func(delta object, finish any) object {
		return chunk(object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish})
	}
	e := beginStream(w)
	first, second := splitInHalf(text)
	e.writeBytes(": keep-alive\n\n")
	e.sendJSON("", delta(object{"role": "assistant", "content": "", "refusal": nil}, nil))
	e.sendJSON("", delta(object{"content": first}, nil))
	if s.breaksAnswer(e, r, fault, map[Fault]string{
		Garbled:    `data: {"id":"chatcmpl-1","choices":[{"in` + "\n\n",
		Truncated:  `data: {"id":"chatcmpl-1","object":"chat.comp`,
		Overloaded: "data: " + openAIError("The server had an error while processing your request. Sorry about that!", "server_error", "", "") + "\n\n",
	}) {
		return
	}
	e.sendJSON("", delta(object{"content": second}, nil))
	e.sendJSON("", delta(object{}, "stop"))
	if q.StreamOptions.IncludeUsage {
		last := chunk()
		last["usage"] = object{
			"prompt_tokens": input, "completion_tokens": b.OutputTokens, "total_tokens": input + b.OutputTokens,
			"prompt_tokens_details":     object{"cached_tokens": 0},
			"completion_tokens_details": object{"reasoning_tokens": 0},
		}
		e.sendJSON("", last)
	}
	e.sendRaw("", "[DONE]")
}

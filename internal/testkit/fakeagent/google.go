package fakeagent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Google starts a service that speaks the Gemini API.
func Google(t testing.TB, b Behaviour) *Server {
	t.Helper()
	return startServer(t, b, googleAnswer)
}

// googleContent is a message with its parts.
type googleContent struct {
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

func (c *googleContent) joinedText() string {
	var all strings.Builder
	for _, p := range c.Parts {
		all.WriteString(p.Text)
	}
	return all.String()
}

// googleRequest is the part of a request that the service reads.
type googleRequest struct {
	Contents          []googleContent `json:"contents"`
	SystemInstruction googleContent   `json:"systemInstruction"`
	GenerationConfig  struct {
		ResponseMIMEType   string          `json:"responseMimeType"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

func googleAnswer(s *Server, w http.ResponseWriter, r *http.Request, body []byte) {
	model, streams := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1beta/models/"), ":streamGenerateContent")
	switch {
	case r.Method == "GET" && r.URL.Path == "/v1beta/models":
		if s.behaviour.Fault == SignedOut || r.Header.Get("X-Goog-Api-Key") != Key {
			googleSignedOut(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"models":[{"name":"models/gemini-2.5-flash","displayName":"Gemini 2.5 Flash"}],"nextPageToken":"next"}`)
	case r.Method == "POST" && streams && r.URL.Query().Get("alt") == "sse":
		s.googleGenerate(w, r, model, body)
	default:
		writeRefusal(w, http.StatusNotFound, googleError(404, "NOT_FOUND", "Requested entity was not found."))
	}
}

func (s *Server) googleGenerate(w http.ResponseWriter, r *http.Request, model string, body []byte) {
	var q googleRequest
	if err := json.Unmarshal(body, &q); err != nil || len(q.Contents) == 0 {
		writeRefusal(w, http.StatusBadRequest, googleError(400, "INVALID_ARGUMENT", "Invalid JSON payload received."))
		return
	}
	fault := s.behaviour.faultOfTurn(s.recordRequest(r, body, Turn{
		Prompt: q.Contents[len(q.Contents)-1].joinedText(), System: q.SystemInstruction.joinedText(), Model: model,
		Schema: q.GenerationConfig.ResponseJSONSchema,
	}))
	switch {
	case fault == SignedOut || r.Header.Get("X-Goog-Api-Key") != Key:
		googleSignedOut(w, r)
	case model == MissingModel:
		writeRefusal(w, http.StatusNotFound, googleError(404, "NOT_FOUND", "models/"+model+" is not found for API version v1beta."))
	case fault == RateLimited:
		writeRefusal(w, http.StatusTooManyRequests, googleError(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry shortly.",
			object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0s"}))
	default:
		s.googleStream(w, r, model, &q, fault)
	}
}

// googleSignedOut shows the key, although the real service does not: no code may
// rely on that.
func googleSignedOut(w http.ResponseWriter, r *http.Request) {
	writeRefusal(w, http.StatusBadRequest, googleError(400, "INVALID_ARGUMENT", "API key not valid: "+r.Header.Get("X-Goog-Api-Key")+". Please pass a valid API key.",
		object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}))
}

func googleError(code int, status, message string, details ...object) string {
	return object{"error": object{"code": code, "message": message, "status": status, "details": details}}.String()
}

// googleStream sends the answer in two pieces, with a thought before them, and
// goes wrong between them.
func (s *Server) googleStream(w http.ResponseWriter, r *http.Request, model string, q *googleRequest, fault Fault) {
	b := s.behaviour
	text, model, input := b.answerRequest(fault, model, q.GenerationConfig.ResponseMIMEType == "application/json")
	piece := func(part object, finish string, output int64) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": []any{part}}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return object{
			"candidates": []any{candidate}, "modelVersion": model, "responseId": "resp-1",
			"usageMetadata": object{"promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output},
		}
	}
	e := beginStream(w)
	first, second := splitInHalf(text)
	e.sendJSON("", piece(object{"text": "They ask again.", "thought": true}, "", 0))
	e.sendJSON("", piece(object{"text": first}, "", b.OutputTokens/2))
	if s.breaksAnswer(e, r, fault, map[Fault]string{
		Garbled:    `data: {"candidates": [{"content": {"par` + "\n\n",
		Truncated:  "",
		Overloaded: "data: " + googleError(503, "UNAVAILABLE", "The model is overloaded. Please try again later.") + "\n\n",
	}) {
		return
	}
	e.sendJSON("", piece(object{"text": second}, "STOP", b.OutputTokens))
}

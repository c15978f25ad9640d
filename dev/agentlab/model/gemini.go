package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// gemini is the Gemini API. The model and whether the answer is streamed are in the
// request's path.
type gemini struct{}

// A geminiContent is a message of the Gemini API.
type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text     string `json:"text"`
		Response *struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

func (gemini) read(r *Request, body []byte) error {
	var q struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			Schema     json.RawMessage `json:"responseSchema"`
			JSONSchema json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	r.Schema = q.Config.JSONSchema
	if r.Schema == nil {
		r.Schema = q.Config.Schema
	}
	r.System = q.System.message().Text
	for _, t := range q.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	for _, c := range q.Contents {
		r.Messages = append(r.Messages, c.message())
	}
	return nil
}

// message returns the message in the terms of all APIs.
func (c *geminiContent) message() Message {
	m := Message{Role: User}
	if c.Role == "model" {
		m.Role = Assistant
	}
	var list []string
	for _, p := range c.Parts {
		if p.Text != "" {
			list = append(list, p.Text)
		}
		if p.Response != nil {
			m.Results = append(m.Results, string(p.Response.Response))
		}
	}
	m.Text = strings.Join(list, "\n")
	return m
}

func (gemini) answer(w *writer, r *Request, step *Step) {
	u := step.usage()
	chunk := func(parts []object, finish string) object {
		candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return object{"candidates": []object{candidate}, "modelVersion": r.Model, "responseId": identifier("resp", r, 0),
			"usageMetadata": object{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output, "totalTokenCount": u.Input + u.Output}}
	}
	last := []object{}
	for _, c := range step.Calls {
		last = append(last, object{"functionCall": object{"name": c.Tool, "args": c.Input}})
	}
	finish := "STOP"
	if step.Full {
		finish = "MAX_TOKENS"
	}
	if !r.Stream {
		w.json(http.StatusOK, chunk(append([]object{{"text": step.Say}}, last...), finish))
		return
	}
	if step.Say != "" {
		for _, piece := range pieces(step.Say) {
			w.event("", chunk([]object{{"text": piece}}, ""))
		}
	}
	if w.stops(step) {
		return
	}
	w.event("", chunk(last, finish))
}

func (gemini) refusal(f *Refusal) any {
	return object{"error": object{"code": f.Status, "message": f.Message, "status": strings.ToUpper(f.Type)}}
}

package model

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A client asks a fake model by one API.
type client struct {
	api string
	// first is the body of a first request with this prompt, and second one that
	// brings the result of the tool that the first answer called.
	path          string
	first, second string
	// text and tool find the text and the tool's name in an event of the stream.
	text, tool []string
}

var clients = []client{
	{Anthropic, "/v1/messages",
		`{"model":"m","stream":true,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":"$P"}],"tools":[{"name":"stamp"}]}`,
		`{"model":"m","stream":true,"system":"Be brief.","messages":[{"role":"user","content":[{"type":"text","text":"$P"}]},{"role":"assistant","content":[{"type":"tool_use"}]},
		  {"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"stamped"}]}]}],"tools":[{"name":"stamp"}]}`,
		[]string{"delta", "text"}, []string{"content_block", "name"}},
	{Responses, "/v1/responses",
		`{"model":"m","stream":true,"instructions":"Be brief.","input":"$P","tools":[{"type":"function","name":"stamp"}]}`,
		`{"model":"m","stream":true,"instructions":"Be brief.","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"$P"}]},{"type":"function_call"},
		  {"type":"function_call_output","output":"stamped"}],"tools":[{"type":"function","name":"stamp"}]}`,
		[]string{"delta"}, []string{"item", "name"}},
	{Chat, "/v1/chat/completions",
		`{"model":"m","stream":true,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"$P"}],"tools":[{"type":"function","function":{"name":"stamp"}}]}`,
		`{"model":"m","stream":true,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"$P"}]},{"role":"assistant","content":null},
		  {"role":"tool","content":"stamped"}],"tools":[{"type":"function","function":{"name":"stamp"}}]}`,
		[]string{"choices", "delta", "content"}, []string{"choices", "delta", "tool_calls", "function", "name"}},
	{Gemini, "/v1beta/models/m:streamGenerateContent",
		`{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"$P"}]}],"tools":[{"functionDeclarations":[{"name":"stamp"}]}]}`,
		`{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"$P"}]},{"role":"model","parts":[{"functionCall":{}}]},
		  {"role":"user","parts":[{"functionResponse":{"response":{"output":"stamped"}}}]}],"tools":[{"functionDeclarations":[{"name":"stamp"}]}]}`,
		[]string{"candidates", "content", "parts", "text"}, []string{"candidates", "content", "parts", "functionCall", "name"}},
}

// ask sends a request and returns status and body.
func ask(t *testing.T, s *Server, path, body string) (int, string) {
	t.Helper()
	answer, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// collect joins the values at a path in all events of a stream; lists are searched.
func collect(t *testing.T, stream string, path []string) string {
	t.Helper()
	var b strings.Builder
	var walk func(value any, path []string)
	walk = func(value any, path []string) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				walk(v, path)
			}
		case map[string]any:
			if len(path) > 0 {
				walk(value[path[0]], path[1:])
			}
		case string:
			if len(path) == 0 {
				b.WriteString(value)
			}
		}
	}
	lines := bufio.NewScanner(strings.NewReader(stream))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var event any
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		walk(event, path)
	}
	return b.String()
}

// TestAPIs takes the same conversation through every API.
func TestAPIs(t *testing.T) {
	for _, c := range clients {
		t.Run(c.api, func(t *testing.T) {
			s := New()
			defer s.Close()
			const said = "Hällo\n😀 \"quoted\" <b>"
			s.Script("greet", Step{Calls: []Call{{Tool: "stamp"}}}, Step{Say: said})
			prompt := "Greet me. " + Mark("greet")
			_, first := ask(t, s, c.path, strings.ReplaceAll(c.first, "$P", prompt))
			if got := collect(t, first, c.tool); !strings.HasPrefix(got, "stamp") {
				t.Errorf("the first answer calls %q:\n%s", got, first)
			}
			_, second := ask(t, s, c.path, strings.ReplaceAll(c.second, "$P", prompt))
			if got := collect(t, second, c.text); got != said {
				t.Errorf("the second answer says %q:\n%s", got, second)
			}
			list := s.Requests("greet")
			if len(list) != 2 {
				t.Fatalf("%d requests", len(list))
			}
			q := list[1]
			if q.API != c.api || q.Model != "m" || !q.Stream || strings.TrimSpace(q.System) != "Be brief." || !q.HasTool("stamp") || q.Position != 1 {
				t.Errorf("the second request is %+v", q)
			}
			if got := q.Results(); len(got) != 1 || !strings.Contains(got[0], "stamped") || q.Count(User, prompt) != 1 {
				t.Errorf("its messages are %+v", q.Messages)
			}
		})
	}
}

// TestRefusal has every API refuse once, and answer in one piece then.
func TestRefusal(t *testing.T) {
	for _, c := range clients {
		t.Run(c.api, func(t *testing.T) {
			s := New()
			defer s.Close()
			s.Script("limited", Step{Refuse: &Refusal{Status: 429, Type: "rate_limit_error", Message: "slow down"}, Times: 1}, Step{Say: "after it"})
			path := strings.ReplaceAll(c.path, "streamGenerateContent", "generateContent")
			body := strings.ReplaceAll(strings.ReplaceAll(c.first, `"stream":true,`, ""), "$P", Mark("limited"))
			if status, text := ask(t, s, path, body); status != 429 || !strings.Contains(text, "slow down") {
				t.Errorf("%d: %s", status, text)
			}
			if status, text := ask(t, s, path, body); status != 200 || !strings.Contains(text, "after it") || !json.Valid([]byte(text)) {
				t.Errorf("%d: %s", status, text)
			}
		})
	}
}

// TestHang has every API begin an answer and then say nothing.
func TestHang(t *testing.T) {
	for _, c := range clients {
		t.Run(c.api, func(t *testing.T) {
			s := New()
			defer s.Close()
			s.Script("hang", Step{Say: "partial words", Hang: true})
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+c.path, strings.NewReader(strings.ReplaceAll(c.first, "$P", Mark("hang"))))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			var got strings.Builder
			lines := bufio.NewScanner(answer.Body)
			for collect(t, got.String(), c.text) != "partial words" && lines.Scan() {
				got.WriteString(lines.Text() + "\n")
			}
			if lines.Err() != nil {
				t.Error(lines.Err())
			}
			if _, err := s.Await(ctx, "hang", 0); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLocate(t *testing.T) {
	user := func(text string) Message { return Message{Role: User, Text: text} }
	model := Message{Role: Assistant, Text: Mark("quoted")}
	result := Message{Role: User, Results: []string{Mark("read")}}
	for _, test := range []struct {
		name     string
		messages []Message
		script   string
		position int
	}{
		{"nothing", nil, "", 0},
		{"no marker", []Message{user("Give it a title.")}, "", 0},
		{"one prompt", []Message{user("environment"), user("x " + Mark("a"))}, "a", 0},
		{"results", []Message{user(Mark("a")), model, result, model, result}, "a", 2},
		{"two results at once", []Message{user(Mark("a")), model, result, result}, "a", 1},
		{"another prompt", []Message{user(Mark("a")), model, result, model, user(Mark("b"))}, "b", 0},
		{"a reminder", []Message{user(Mark("a")), model, result, user("a reminder")}, "a", 1},
	} {
		if script, position := locate(test.messages); script != test.script || position != test.position {
			t.Errorf("%s: %q step %d, want %q step %d", test.name, script, position, test.script, test.position)
		}
	}
}

func TestPieces(t *testing.T) {
	for text, want := range map[string][]string{"": {""}, "a": {"a"}, "ab": {"a", "b"}, "aä😀": {"aä", "😀"}, "ää": {"ä", "ä"}} {
		if got := pieces(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q has the pieces %q, want %q", text, got, want)
		}
	}
	long := strings.Repeat("abcäöü€😀", 100_000)
	if got := pieces(long); strings.Join(got, "") != long || len(got) < 100 {
		t.Errorf("%d pieces", len(got))
	}
}

func TestOthers(t *testing.T) {
	s := New()
	defer s.Close()
	if status, _ := ask(t, s, "/v1/messages/count_tokens", "{}"); status != 200 {
		t.Error(status)
	}
	if status, _ := ask(t, s, "/telemetry", "{}"); status != 404 {
		t.Error(status)
	}
	if got := s.Others(); len(got) != 2 || got[1] != "POST /telemetry" {
		t.Errorf("%q", got)
	}
}

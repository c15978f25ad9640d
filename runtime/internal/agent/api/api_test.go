package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// secret is the key of the tests' accounts.
const secret = "sk-test/0123456789+abc"

// service is a vendor's API that answers as the test says.
type service struct {
	calls  []api.Call
	answer func(ctx context.Context, c *api.Call) (*api.Completion, error)
	verify func(ctx context.Context, c *api.Connection) error
}

func (s *service) Complete(ctx context.Context, c *api.Call) (*api.Completion, error) {
	copied := *c
	copied.Messages = append([]api.Message(nil), c.Messages...)
	s.calls = append(s.calls, copied)
	return s.answer(ctx, c)
}

func (s *service) Verify(ctx context.Context, c *api.Connection) error { return s.verify(ctx, c) }

// says answers with a text.
func says(text string) func(context.Context, *api.Call) (*api.Completion, error) {
	return func(_ context.Context, c *api.Call) (*api.Completion, error) {
		return &api.Completion{Text: text, Model: c.Model, Usage: catalog.Tokens{Input: 1_000_000, CachedInput: 1_000_000, CacheWrite: 1_000_000, Output: 1_000_000}}, nil
	}
}

// open returns the agent of a choice whose service is s.
func open(t *testing.T, s *service, native bool, c settings.Agent) agent.Agent {
	t.Helper()
	a, err := api.Kind(vendor(s, native)).Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func vendor(s *service, native bool) api.Vendor {
	kind, _ := catalog.KindNamed("anthropic")
	kind.DefaultModel, kind.Aliases = "m-1", map[string]string{"short": "m-2-long"}
	kind.Prices = catalog.Prices{"m-1": {Input: 1, Output: 10}, "m-2": {Input: 2, Output: 20, CachedInput: 0.5, CacheWrite: 4}}
	return api.Vendor{
		Kind: kind, BaseURLVariable: "ANTHROPIC_BASE_URL", Structured: native,
		Open: func(settings.Agent) (api.Service, error) { return s, nil },
	}
}

func request(t *testing.T) *agent.Request {
	t.Helper()
	return &agent.Request{
		Prompt: flow.Prompt{Agent: "bot", Text: "hello"}, RunID: "w-abc123", Key: "a", Attempt: 1,
		Environ: []string{"ANTHROPIC_API_KEY=" + secret}, WorkDir: t.TempDir(), RunDir: filepath.Join(t.TempDir(), "runs", "w-abc123"),
	}
}

func option(name string, v any) flow.Option {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return flow.Option{Name: name, Value: string(text)}
}

// failed asserts that an error is a failure of a class with words in it.
func failed(t *testing.T, err error, class flow.Class, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("it did not fail")
	}
	if got := failures.Classify(err); got != class {
		t.Errorf("class %q, want %q: %v", got, class, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestNewJudgesTheChoice(t *testing.T) {
	for _, test := range []struct {
		choice settings.Agent
		want   string
	}{
		{settings.Agent{BaseURL: "example.com/v1"}, "must begin with http:// or https://"},
		{settings.Agent{BaseURL: "ftp://example.com"}, "must begin with http:// or https://"},
		{settings.Agent{BaseURL: "https://user:hunter22@ex ample.com"}, "must begin with http:// or https://"},
		{settings.Agent{BaseURL: "https://example.com/?key=1"}, "without ? and #"},
		{settings.Agent{MaxTokens: -1}, "cannot be -1"},
		{settings.Agent{Price: &settings.Price{Input: 1, CachedInput: -1}}, "below zero"},
	} {
		_, err := api.New(vendor(nil, true), test.choice)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%+v: %v, want %q", test.choice, err, test.want)
		}
	}
}

func TestModels(t *testing.T) {
	for _, test := range []struct {
		prompt, choice, want string
		cost                 float64
	}{
		{"", "", "m-1", 1 + 1 + 1 + 10},
		{"short", "", "m-2-long", 0},
		{"m-2", "m-1", "m-2", 2 + 0.5 + 4 + 20},
		{"", "m-2-20260101", "m-2-20260101", 2 + 0.5 + 4 + 20},
		{"m-2-1", "", "m-2-1", 0},
		{"m-2-latest", "", "m-2-latest", 26.5},
	} {
		s := &service{answer: says("hi")}
		r := request(t)
		r.Model = test.prompt
		reply, err := open(t, s, true, settings.Agent{Model: test.choice}).Turn(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.calls[0].Model; got != test.want {
			t.Errorf("prompt %q, choice %q: the model %q was asked", test.prompt, test.choice, got)
		}
		if m := reply.Meta; m.CostUSD != test.cost || m.InputTokens != 3_000_000 || m.OutputTokens != 1_000_000 || m.Model != test.want || m.Turns != 1 {
			t.Errorf("%s: %+v, want the cost %v", test.want, m, test.cost)
		}
	}
}

func TestPriceOfTheChoice(t *testing.T) {
	s := &service{answer: says("hi")}
	r := request(t)
	r.Options = []flow.Option{option(options.Budget, 100)}
	r.Model = "of-my-own"
	a := open(t, s, true, settings.Agent{})
	_, err := a.Turn(t.Context(), r)
	failed(t, err, flow.ClassFatal, "may cost $100.00", "`of-my-own` is unknown", "set `price`")
	if len(s.calls) != 0 {
		t.Error("the model was asked although the limit could not be kept")
	}
	a = open(t, s, true, settings.Agent{Price: &settings.Price{Input: 1, Output: 2}})
	reply, err := a.Turn(t.Context(), r)
	if err != nil || reply.Meta.CostUSD != 5 {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestSpent(t *testing.T) {
	s := &service{answer: func(_ context.Context, c *api.Call) (*api.Completion, error) {
		c.Used(catalog.Tokens{Input: 500_000})
		c.Used(catalog.Tokens{Input: 500_000, Output: 100_000})
		return nil, api.Truncated("the API")
	}}
	r := request(t)
	var spent []flow.Meta
	r.ReportCost = func(m flow.Meta) { spent = append(spent, m) }
	reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
	failed(t, err, flow.ClassTransient, "agent `bot`", "ended its answer in the middle")
	if len(spent) != 2 || spent[0].CostUSD != 0.5 || spent[1].CostUSD != 1.5 || spent[1].OutputTokens != 100_000 || spent[1].Model != "m-1" {
		t.Errorf("spent %+v", spent)
	}
	if reply == nil || reply.Meta.CostUSD != 1.5 || reply.Meta.InputTokens != 500_000 {
		t.Errorf("the failed turn cost %+v", reply)
	}
}

func TestFallback(t *testing.T) {
	for _, test := range []struct {
		status int
		asked  int
		why    string
	}{
		{404, 2, "does not exist"}, {529, 2, "is overloaded"}, {503, 2, "is overloaded"}, {429, 1, ""}, {401, 1, ""}, {400, 1, ""},
	} {
		s := &service{}
		s.answer = func(_ context.Context, c *api.Call) (*api.Completion, error) {
			if c.Model == "m-1" {
				c.Used(catalog.Tokens{Output: 100_000})
				return nil, api.Failure("the API", test.status, "first", 0)
			}
			return says("second")(nil, c)
		}
		r := request(t)
		r.Options = []flow.Option{option(options.FallbackModel, "m-2")}
		var notes strings.Builder
		r.Notes = func(piece []byte) { notes.Write(piece) }
		reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
		if len(s.calls) != test.asked {
			t.Errorf("%d: %d calls", test.status, len(s.calls))
		}
		if test.asked == 1 {
			failed(t, err, failures.Classify(err), "first")
			continue
		}
		if err != nil || reply.Text != "second" || reply.Meta.CostUSD != 27.5 || reply.Meta.Model != "m-2" {
			t.Errorf("%d: %+v, %v", test.status, reply, err)
		}
		if want := "the model `m-1` " + test.why + "; `m-2` is asked\n"; notes.String() != want {
			t.Errorf("noted %q", notes.String())
		}
	}
}

func TestFallbackThatFailsToo(t *testing.T) {
	s := &service{answer: func(context.Context, *api.Call) (*api.Completion, error) {
		return nil, api.Failure("the API", 529, "full", 0)
	}}
	r := request(t)
	r.Options = []flow.Option{option(options.FallbackModel, "m-2")}
	_, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
	failed(t, err, flow.ClassTransient, "[529]: full", "the model `m-1` is overloaded as well")
	if len(s.calls) != 2 {
		t.Errorf("%d calls", len(s.calls))
	}
}

func TestStructured(t *testing.T) {
	schema := json.RawMessage(`{"type":"object"}`)
	r := request(t)
	r.Schema = schema
	s := &service{answer: says("so:\n```json\n{\"b\":1,\"a\":2}\n```")}
	reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r)
	if err != nil || string(reply.Structured) != `{"b":1,"a":2}` {
		t.Errorf("native: %s, %v", reply.Structured, err)
	}
	if c := s.calls[0]; string(c.Schema) != string(schema) || c.Messages[0].Text != "hello" {
		t.Errorf("native: asked %+v", c)
	}
	s.answer = func(context.Context, *api.Call) (*api.Completion, error) {
		return &api.Completion{Structured: json.RawMessage(`{"x":1}`)}, nil
	}
	if reply, err = open(t, s, true, settings.Agent{}).Turn(t.Context(), r); err != nil || string(reply.Structured) != `{"x":1}` || reply.Meta.Session == "" {
		t.Errorf("native without text: %+v, %v", reply, err)
	}

	s = &service{answer: says(`{"a":1}`)}
	a := open(t, s, false, settings.Agent{})
	if reply, err = a.Turn(t.Context(), r); err != nil || reply.Structured != nil || a.Capabilities().Structured {
		t.Errorf("in words: %+v, %v", reply, err)
	}
	if c := s.calls[0]; c.Schema != nil || !strings.HasPrefix(c.Messages[0].Text, "hello\n\n") || !strings.HasSuffix(c.Messages[0].Text, string(schema)) {
		t.Errorf("in words: asked %+v", c)
	}
}

func TestStopped(t *testing.T) {
	s := &service{answer: func(context.Context, *api.Call) (*api.Completion, error) {
		return &api.Completion{Text: "half", Stop: "the limit was reached", Usage: catalog.Tokens{Output: 100_000}}, nil
	}}
	reply, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), request(t))
	failed(t, err, flow.ClassUnknown, "the answer of the model `m-1` is incomplete: the limit was reached")
	var f *flow.Failure
	if !errors.As(err, &f) || f.Reason != failures.ReasonOutput || reply.Meta.CostUSD != 1 || reply.Meta.Session != "" {
		t.Errorf("%+v, %+v", f, reply)
	}
}

func TestNothingIsSaidAfterTheTurn(t *testing.T) {
	s := &service{}
	var late *api.Call
	s.answer = func(_ context.Context, c *api.Call) (*api.Completion, error) {
		late = c
		c.Text("one")
		return &api.Completion{Text: "one"}, nil
	}
	r := request(t)
	var said []string
	r.Output = func(piece []byte) { said = append(said, string(piece)) }
	r.ReportCost = func(flow.Meta) { said = append(said, "spent") }
	if _, err := open(t, s, true, settings.Agent{}).Turn(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	late.Text("two")
	late.Alive()
	late.Used(catalog.Tokens{Input: 1})
	if len(said) != 1 || said[0] != "one" {
		t.Errorf("said %q", said)
	}
}

func TestFiles(t *testing.T) {
	r := request(t)
	write := func(name, text string) string {
		path := filepath.Join(r.WorkDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("docs/a.md", "alpha\n")
	inside := write("b.txt", "----- end of file b.txt -----")
	s := &service{answer: says("hi")}
	a := open(t, s, false, settings.Agent{})
	r.Files = []string{"docs/a.md", inside}
	r.Schema = json.RawMessage(`{"type":"object"}`)
	if _, err := a.Turn(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	want := "hello\n\n----- file docs/a.md -----\nalpha\n----- end of file docs/a.md -----\n\n" +
		"------ file " + inside + " ------\n----- end of file b.txt -----\n------ end of file " + inside + " ------\n\nAnswer"
	if got := s.calls[0].Messages[0].Text; !strings.HasPrefix(got, want) {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}

	write("big", strings.Repeat("x", 256<<10+1))
	write("binary", "a\x00b")
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Schema = nil
	linked := os.Symlink(outside, filepath.Join(r.WorkDir, "link")) == nil
	var many []string
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		write(name, strings.Repeat("y", 250<<10))
		many = append(many, name)
	}
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{"docs/a.md", "none"}, "the file `none` that the prompt names does not exist"},
		{[]string{"big"}, "the file `big` that the prompt names has more than 256 KiB"},
		{[]string{"binary"}, "`binary` that the prompt names is not text"},
		{[]string{"docs"}, "`docs` that the prompt names cannot be read"},
		{[]string{"../x"}, "`../x` is not below the agent's working folder"},
		{[]string{outside}, "is not below the agent's working folder"},
		{[]string{"link"}, "`link` that the prompt names cannot be read"},
		{many, "more than 1024 KiB together (too much with `5`)"},
	} {
		if test.files[0] == "link" && !linked {
			continue
		}
		r.Files = test.files
		_, err := a.Turn(t.Context(), r)
		failed(t, err, flow.ClassFatal, test.want)
	}
	if len(s.calls) != 1 {
		t.Error("the model was asked although a file was missing")
	}
}

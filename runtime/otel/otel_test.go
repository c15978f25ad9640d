package otel_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	proto "go.opentelemetry.io/proto/otlp/trace/v1"
	pb "google.golang.org/protobuf/proto"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/otel"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// A stub is a collector that decodes what it gets.
type stub struct {
	*httptest.Server
	mu     sync.Mutex
	down   bool
	spans  []*proto.Span
	header string
	// resource are the attributes of the resource.
	resource []*common.KeyValue
}

func newStub(t *testing.T) *stub {
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		var got collector.ExportTraceServiceRequest
		switch {
		case s.down:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case err != nil || r.URL.Path != "/v1/traces" || pb.Unmarshal(body, &got) != nil:
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.header = r.Header.Get("Authorization")
		for _, rs := range got.ResourceSpans {
			s.resource = rs.Resource.Attributes
			for _, ss := range rs.ScopeSpans {
				s.spans = append(s.spans, ss.Spans...)
			}
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer s3cr3t-t0ken")
	t.Setenv("OTEL_SERVICE_NAME", "releases")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "0")
	t.Setenv("API_TOKEN", "hunter22222")
	t.Setenv("WFC_STATE", t.TempDir())
	return s
}

// workflow builds, asks an agent, waits for a person and ships.
func workflow() *flow.Definition {
	return &flow.Definition{
		Name: "ship", Fingerprint: "f1", Agents: []string{"claude"},
		Nodes: []flow.NodeInfo{{Key: "build", Kind: "bash"}, {Key: "ask", Kind: "prompt", Agent: "claude", After: []string{"build"}}, {Key: "gate", Kind: "approval", After: []string{"ask"}}, {Key: "ship", Kind: "bash", After: []string{"gate"}}},
		Flow: func(c *flow.Context) (any, error) {
			do := func(key, kind string, after flow.AnyTask, p flow.Payload) *flow.Task[string] {
				n := flow.Node[string]{Key: key, Kind: kind, Run: func(c *flow.Context) (string, error) {
					r, err := c.Do(p)
					return r.Text, err
				}}
				if after != nil {
					n.After = []flow.AnyTask{after}
				}
				return flow.Spawn(c, n)
			}
			build := do("build", "bash", nil, flow.Bash{Script: "echo \"header: $OTEL_EXPORTER_OTLP_HEADERS\"; [ -e fail ] && exit 1; true"})
			ask := do("ask", "prompt", build, flow.Prompt{Agent: "claude", Text: "Is hunter22222 fine?"})
			gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: []flow.AnyTask{ask}, Run: func(c *flow.Context) (string, error) {
				return steps.Approval{Message: "Ship?"}.Run(c)
			}})
			do("ship", "bash", gate, flow.Bash{Script: "echo shipped"})
			return nil, flow.Settle(c)
		},
	}
}

// A toolUser is an agent that calls a tool, whose name has a secret.
type toolUser struct{}

func (toolUser) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (toolUser) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	r.ToolCall(agent.ToolCall{Name: "Read", Begun: time.Now(), Took: time.Millisecond})
	r.ToolCall(agent.ToolCall{Name: "Send hunter22222", Begun: time.Now(), Took: time.Millisecond, Failed: true})
	return &agent.Reply{Text: "done"}, nil
}

// answering is the performer of prompts of a test.
type answering struct{ *agent.Performer }

func (answering) Inspect(_ context.Context, q *engine.Inspection) []engine.AgentState {
	list := make([]engine.AgentState, len(q.Names))
	for i, name := range q.Names {
		list[i] = engine.AgentState{Name: name, Kind: "claude", Installed: engine.Yes, SignedIn: engine.Yes}
	}
	return list
}

func (answering) AgentKinds() []string { return []string{"claude"} }

// The tools that an agent calls are spans below its turn, in the trace that people see, too.
func TestToolCalls(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newStub(t)
	performers := func(engine.Agents) (engine.PromptPerformer, error) {
		return answering{agent.New(agent.Options{Agents: map[string]agent.Agent{"claude": toolUser{}}})}, nil
	}
	if code, _, messages := wfcWith(t, performers, "run", "--no-ask"); code != 3 || strings.Contains(messages, "Read") {
		t.Fatalf("%d: %s", code, messages)
	}
	names, spans := s.take()
	wantNames(t, "with tools", names, append([]string{"execute_tool Read completed", "execute_tool Send *** failed"}, atGate...)...)
	var turn, tool *proto.Span
	for _, span := range spans {
		switch span.Name {
		case "invoke_agent claude":
			turn = span
		case "execute_tool Read":
			tool = span
		}
	}
	if turn == nil || tool == nil || !bytes.Equal(tool.ParentSpanId, turn.SpanId) || attribute(tool.Attributes, "gen_ai.tool.name") != "Read" {
		t.Errorf("turn %v, tool %v", turn, tool)
	}
	if _, out, _ := wfc(t, "trace"); !regexp.MustCompile(`(?m)^✓ +tool +Read `).MatchString(out) || !strings.Contains(out, "✗") {
		t.Errorf("trace:\n%s", out)
	}
}

// wfc runs a command line and returns its exit code and its output.
func wfc(t *testing.T, args ...string) (code int, out, messages string) {
	t.Helper()
	return wfcWith(t, prompts.Opener(nil), args...)
}

func wfcWith(t *testing.T, performers func(engine.Agents) (engine.PromptPerformer, error), args ...string) (code int, out, messages string) {
	t.Helper()
	var o, e bytes.Buffer
	p := cli.Program{
		Definition: workflow(), Performers: []engine.Performer{&shell.Performer{}}, Prompts: performers, OpenStore: entstore.OpenState,
		Telemetry: otel.Exporter(),
	}
	code = cli.Run(p, args, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func attribute(list []*common.KeyValue, key string) string {
	for _, a := range list {
		if a.Key == key {
			switch v := a.Value.Value.(type) {
			case *common.AnyValue_StringValue:
				return v.StringValue
			default:
				return strings.TrimPrefix(fmt.Sprint(a.Value), "int_value:")
			}
		}
	}
	return ""
}

// take returns the spans that arrived since the last call, by their names and statuses.
func (s *stub) take() (names []string, spans []*proto.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spans, s.spans = s.spans, nil
	for _, span := range spans {
		names = append(names, span.Name+" "+attribute(span.Attributes, "wfc.status"))
	}
	slices.Sort(names)
	return names, spans
}

func wantNames(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%s\n got  %q\n want %q", what, got, want)
	}
}

var (
	atGate = []string{"build completed", "attempt build completed", "ask completed", "invoke_agent claude completed"}
	after  = []string{"wait person completed", "gate completed", "ship completed", "attempt ship completed", "invoke_workflow ship completed"}
)

// One trace comes from two processes, each span once. Prompts, replies, secrets and headers
// stay here.
func TestOneTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newStub(t)
	write(t, "replies.json", `{"ask": [{"text": "fine, hunter22222", "cost": 0.5}]}`)
	code, _, messages := wfc(t, "run", "--no-ask", "--agent", "claude=scripted:replies.json")
	if code != 3 || strings.Contains(messages, "traces") {
		t.Fatalf("%d: %s", code, messages)
	}
	names, spans := s.take()
	wantNames(t, "until the gate", names, atGate...)
	if s.header != "Bearer s3cr3t-t0ken" || attribute(s.resource, "service.name") != "releases" || attribute(s.resource, "service.version") != "f1" {
		t.Errorf("header %q, resource %v", s.header, s.resource)
	}
	if code, _, messages := wfc(t, "approve"); code != 0 {
		t.Fatalf("%d: %s", code, messages)
	}
	names, more := s.take()
	wantNames(t, "behind the gate", names, after...)
	run := attribute(more[0].Attributes, "wfc.run.id")
	id, root := trace.TraceID(run), trace.SpanID(run, "", 0, 0)
	known := map[string]bool{}
	for _, span := range append(spans, more...) {
		known[string(span.SpanId)] = true
	}
	for _, span := range append(spans, more...) {
		if string(span.TraceId) != string(id[:]) || (string(span.SpanId) == string(root[:])) != (len(span.ParentSpanId) == 0) || len(span.ParentSpanId) > 0 && !known[string(span.ParentSpanId)] {
			t.Errorf("%s: trace %x, span %x, parent %x", span.Name, span.TraceId, span.SpanId, span.ParentSpanId)
		}
		if text := span.String(); strings.Contains(text, "hunter22222") || strings.Contains(text, "s3cr3t") || strings.Contains(text, "fine") || strings.Contains(text, "Is ") {
			t.Errorf("content: %s", text)
		}
		if span.Name == "invoke_agent claude" {
			for key, want := range map[string]string{"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "anthropic", "gen_ai.agent.name": "claude", "wfc.cost_usd": "double_value:0.5", "wfc.attempt": "1"} {
				if got := attribute(span.Attributes, key); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
		}
	}
	if _, out, _ := wfc(t, "status", "--json"); strings.Contains(out, "s3cr3t") || !strings.Contains(out, `"output": "header: "`) {
		t.Errorf("the step got the headers: %s", out)
	}
	if code, out, messages := wfc(t, "trace", "--export"); code != 0 || out != "" {
		t.Errorf("%d: %s%s", code, out, messages)
	}
	if names, _ := s.take(); len(names) > 0 {
		t.Errorf("exported twice: %q", names)
	}
	// A process that died between an export and its note leaves doubles with the same ids.
	if err := os.Remove(filepath.Join(os.Getenv("WFC_STATE"), "runs", run, "otel.txt")); err != nil {
		t.Fatal(err)
	}
	wfc(t, "trace", "--export")
	names, again := s.take()
	wantNames(t, "again", names, slices.Concat(atGate, after)...)
	for _, span := range again {
		if !known[string(span.SpanId)] {
			t.Errorf("%s has a new id", span.Name)
		}
	}
}

// A collector that is down fails no run, and nothing is lost.
func TestCollectorDown(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newStub(t)
	s.down = true
	write(t, "replies.json", `{"ask": [{"text": "fine"}]}`)
	code, _, messages := wfc(t, "run", "--no-ask", "--agent", "claude=scripted:replies.json")
	if code != 3 || strings.Count(messages, "traces are not exported, and the run continues") != 1 || !strings.Contains(messages, "is not exported completely; export it by `") {
		t.Errorf("%d: %s", code, messages)
	}
	if code, _, messages := wfc(t, "trace", "--export"); code != 1 || !strings.Contains(messages, "the collector does not take it") {
		t.Errorf("%d: %s", code, messages)
	}
	s.down = false
	if code, _, messages := wfc(t, "trace", "--export"); code != 0 {
		t.Errorf("%d: %s", code, messages)
	}
	names, _ := s.take()
	wantNames(t, "later", names, atGate...)
}

// A step that failed is exported as such, and once more when it has completed.
func TestResumed(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newStub(t)
	write(t, "replies.json", `{"ask": [{"text": "fine"}]}`)
	write(t, "fail", "")
	if code, _, messages := wfc(t, "run", "--no-ask", "--agent", "claude=scripted:replies.json"); code != 1 {
		t.Fatalf("%d: %s", code, messages)
	}
	names, spans := s.take()
	wantNames(t, "failed", names, "build failed", "attempt build failed", "invoke_workflow ship failed")
	if spans[0].Status.Code != proto.Status_STATUS_CODE_ERROR || attribute(spans[0].Attributes, "error.type") != "failed" {
		t.Errorf("%v", spans[0])
	}
	if err := os.Remove("fail"); err != nil {
		t.Fatal(err)
	}
	wfc(t, "resume", "--no-ask")
	names, _ = s.take()
	wantNames(t, "resumed", names, append([]string{"resume completed"}, atGate...)...)
}

// Content is exported, without secrets, if the variable of the convention asks for it; and
// nothing at all if the SDK is disabled.
func TestVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newStub(t)
	t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	write(t, "replies.json", `{"ask": [{"text": "fine, hunter22222"}]}`)
	_, _, messages := wfc(t, "run", "--no-ask", "--agent", "claude=scripted:replies.json")
	if !strings.Contains(messages, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc: this program speaks http/protobuf only") {
		t.Error(messages)
	}
	_, spans := s.take()
	i := slices.IndexFunc(spans, func(span *proto.Span) bool { return span.Name == "invoke_agent claude" })
	if i < 0 {
		t.Fatal("no turn")
	}
	in, out := attribute(spans[i].Attributes, "gen_ai.input.messages"), attribute(spans[i].Attributes, "gen_ai.output.messages")
	if strings.Contains(in+out, "hunter") || !strings.HasPrefix(in, `[{"role":"user","parts":[{"type":"text","content":"Is `) || !strings.Contains(out, `"content":"fine, `) || !strings.HasSuffix(out, `"finish_reason":"stop"}]`) {
		t.Errorf("in  %s\nout %s", in, out)
	}
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none", "OTEL_TRACES_SAMPLER": "always_off"} {
		t.Setenv(name, value)
		wfc(t, "run", "--no-ask", "--agent", "claude=scripted:replies.json")
		if names, _ := s.take(); len(names) > 0 {
			t.Errorf("with %s: %q", name, names)
		}
		t.Setenv(name, "")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	if code, _, messages := wfc(t, "trace", "--export"); code != 2 || !strings.Contains(messages, "set OTEL_EXPORTER_OTLP_ENDPOINT") {
		t.Errorf("%d: %s", code, messages)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(".", name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

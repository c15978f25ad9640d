package otel

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0" // the version that docs/guide/traces.md names
	api "go.opentelemetry.io/otel/trace"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A maker makes spans of the SDK. Resource, sampler and limits are those of the environment.
type maker struct {
	provider *sdk.TracerProvider
	ended    collector
	mask     func(string) string
	content  bool
	agents   settings.Agents
}

func newMaker(ctx context.Context, o *serving.ExportOptions) (*maker, error) {
	from, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName(o.Workflow), semconv.ServiceVersion(o.Build)),
		resource.WithSchemaURL(semconv.SchemaURL), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, err
	}
	m := &maker{mask: o.Mask, agents: o.Agents, content: slices.Contains(capturing, strings.ToLower(o.Getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")))}
	m.provider = sdk.NewTracerProvider(sdk.WithResource(from), sdk.WithIDGenerator(givenIDs{}), sdk.WithSpanProcessor(&m.ended))
	return m, nil
}

// capturing are the values of the variable by which people ask for prompts and replies.
var capturing = []string{"true", "span_only", "span_and_event"}

// make returns spans of a trace, without those that the sampler drops.
func (m *maker) make(t *trace.Trace, list []*trace.Span) []sdk.ReadOnlySpan {
	tracer := m.provider.Tracer("github.com/wfc-lang/wfc/runtime/otel", api.WithSchemaURL(semconv.SchemaURL))
	ctx := context.WithValue(context.Background(), idsKey{}, ids{t.ID, api.SpanID(trace.SpanID(t.Root, "", 0, 0))})
	_, root := tracer.Start(ctx, "root")
	if !root.SpanContext().IsSampled() {
		return nil
	}
	m.ended.list = nil
	for _, s := range list {
		ctx := context.WithValue(context.Background(), idsKey{}, ids{t.ID, api.SpanID(s.ID)})
		if s.Parent != (trace.ID{}) {
			ctx = api.ContextWithSpanContext(ctx, api.NewSpanContext(api.SpanContextConfig{TraceID: t.ID, SpanID: api.SpanID(s.Parent), TraceFlags: api.FlagsSampled}))
		}
		name, kind, attributes := m.describe(s)
		_, span := tracer.Start(ctx, name, api.WithTimestamp(s.Start), api.WithSpanKind(kind), api.WithAttributes(attributes...))
		if s.Status == flow.Failed || s.Status == flow.LimitReached {
			span.SetStatus(codes.Error, format.FirstLine(m.mask(s.Failure)))
			span.SetAttributes(semconv.ErrorTypeKey.String(string(s.Status)))
		}
		span.End(api.WithTimestamp(s.End))
	}
	return m.ended.list
}

// describe returns the name, the kind and the attributes of a span.
func (m *maker) describe(s *trace.Span) (name string, kind api.SpanKind, list []attribute.KeyValue) {
	list = []attribute.KeyValue{
		attribute.String("wfc.run.id", s.Run), attribute.String("wfc.status", string(s.Status)),
		attribute.Float64("wfc.working_seconds", s.Working.Seconds()), attribute.Float64("wfc.waiting_seconds", s.Waiting.Seconds()),
	}
	if s.Key != "" {
		list = append(list, attribute.String("wfc.step", s.Key))
	}
	if s.Attempt > 0 {
		list = append(list, attribute.Int("wfc.attempt", s.Attempt))
	}
	if s.Usage.CostUSD > 0 {
		list = append(list, attribute.Float64("wfc.cost_usd", s.Usage.CostUSD))
	}
	kind = api.SpanKindInternal
	switch s.Kind {
	case trace.KindRun:
		list = append(list, semconv.GenAIOperationNameInvokeWorkflow, semconv.GenAIWorkflowName(s.Workflow))
		return "invoke_workflow " + s.Workflow, kind, list
	case trace.KindStep:
		return s.Key, kind, append(list, attribute.String("wfc.step.kind", s.Name))
	case trace.KindWait:
		list = append(list, attribute.String("wfc.wait", s.Name))
		if s.By != "" {
			list = append(list, attribute.String("wfc.wait.by", s.By))
		}
		return "wait " + s.Name, kind, list
	case trace.KindResume:
		return "resume", kind, append(list, attribute.String("wfc.resume.by", m.mask(s.By)))
	case trace.KindTool:
		return "execute_tool " + s.Name, kind, append(list, semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(m.mask(s.Name)))
	case trace.KindTurn:
		return strings.TrimSpace("invoke_agent " + s.Name), api.SpanKindClient, append(list, m.describeTurn(s)...)
	}
	if m.content && s.Prompt != "" {
		list = append(list, attribute.String("wfc.script", m.mask(s.Prompt)))
	}
	return "attempt " + s.Key, kind, list
}

func (m *maker) describeTurn(s *trace.Span) []attribute.KeyValue {
	list := []attribute.KeyValue{semconv.GenAIOperationNameInvokeAgent, semconv.GenAIProviderNameKey.String(cmp.Or(catalog.ProviderOf(m.agents, s.Name), s.Name, "unknown"))}
	for _, a := range []struct {
		key   attribute.Key
		value string
	}{
		{semconv.GenAIAgentNameKey, s.Name}, {semconv.GenAIResponseModelKey, s.Model}, {semconv.GenAIConversationIDKey, s.Session},
	} {
		if a.value != "" {
			list = append(list, a.key.String(a.value))
		}
	}
	if s.Usage.InputTokens > 0 || s.Usage.OutputTokens > 0 {
		list = append(list, semconv.GenAIUsageInputTokens(int(s.Usage.InputTokens)), semconv.GenAIUsageOutputTokens(int(s.Usage.OutputTokens)))
	}
	if m.content {
		list = append(list, m.messages(semconv.GenAIInputMessagesKey, "user", s.Prompt)...)
		list = append(list, m.messages(semconv.GenAIOutputMessagesKey, "assistant", s.Reply)...)
	}
	return list
}

// messages returns the attribute with a message, as the convention writes messages on spans.
func (m *maker) messages(key attribute.Key, role, text string) []attribute.KeyValue {
	if text == "" {
		return nil
	}
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	message := struct {
		Role   string `json:"role"`
		Parts  []part `json:"parts"`
		Finish string `json:"finish_reason,omitempty"`
	}{Role: role, Parts: []part{{"text", m.mask(text)}}}
	if role == "assistant" {
		message.Finish = "stop"
	}
	value, err := json.Marshal([]any{message})
	if err != nil {
		return nil // no text fails
	}
	return []attribute.KeyValue{key.String(string(value))}
}

// givenIDs is an sdk.IDGenerator that takes the ids from the context.
type givenIDs struct{}

type idsKey struct{}

type ids struct {
	trace api.TraceID
	span  api.SpanID
}

func (givenIDs) NewIDs(ctx context.Context) (api.TraceID, api.SpanID) {
	given, _ := ctx.Value(idsKey{}).(ids)
	return given.trace, given.span
}

func (givenIDs) NewSpanID(ctx context.Context, _ api.TraceID) api.SpanID {
	given, _ := ctx.Value(idsKey{}).(ids)
	return given.span
}

// A collector is an sdk.SpanProcessor that keeps the spans that end.
type collector struct{ list []sdk.ReadOnlySpan }

func (*collector) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (c *collector) OnEnd(s sdk.ReadOnlySpan)                 { c.list = append(c.list, s) }
func (*collector) Shutdown(context.Context) error             { return nil }
func (*collector) ForceFlush(context.Context) error           { return nil }

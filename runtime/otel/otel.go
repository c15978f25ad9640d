// Package otel exports the traces of runs by OTLP over HTTP, with the SDK of OpenTelemetry and
// the semantic conventions for generative AI.
//
// Only programs that were built with --otel contain this package. Their main passes [Exporter]
// to the command line:
//
//	cli.Main(cli.Program{Definition: &triage.Workflow, Telemetry: otel.Exporter()})
//
// The exporter reads committed journals only, so a crash loses nothing: the next process of the
// run exports what is missing. The ids of spans come from the run, so a span that was exported
// twice has one id. The standard variables configure it; without an endpoint in them it does
// nothing.
package otel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
)

// Exporter is the value for the field Telemetry of a cli.Program.
func Exporter() engine.Extension { return exporter{} }

// exporter is a serving.Exporter.
type exporter struct{}

// Name implements engine.Extension.
func (exporter) Name() string { return "OpenTelemetry" }

// Open implements serving.Exporter.
func (exporter) Open(ctx context.Context, o serving.ExportOptions) (serving.Sink, error) {
	if !isAsked(o.Getenv) {
		return nil, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := o.Getenv(name); p != "" && p != "http/protobuf" {
			o.Warn(fmt.Sprintf("%s=%s: this program speaks http/protobuf only, and uses it", name, p))
			break
		}
	}
	// The sink itself tries again: at the next change, and in the next process of the run.
	client, err := otlptracehttp.New(ctx, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	if err != nil {
		return nil, err
	}
	s := &sink{
		ExportOptions: o, client: client, roots: map[string]string{}, changed: map[string]bool{}, sent: map[string]map[trace.ID]time.Time{},
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}), delay: scheduleDelay(o.Getenv),
	}
	if s.maker, err = newMaker(ctx, &s.ExportOptions); err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	go s.work()
	return s, nil
}

// isAsked reports whether the environment asks for traces.
func isAsked(getenv func(string) string) bool {
	return !strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") && !strings.EqualFold(getenv("OTEL_TRACES_EXPORTER"), "none") &&
		getenv("OTEL_EXPORTER_OTLP_ENDPOINT")+getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// scheduleDelay is the pause between a change and its export.
func scheduleDelay(getenv func(string) string) time.Duration {
	if ms, err := strconv.Atoi(getenv("OTEL_BSP_SCHEDULE_DELAY")); err == nil && ms >= 0 {
		return time.Duration(ms) * time.Millisecond
	}
	return 5 * time.Second
}

// A sink is a serving.Sink.
type sink struct {
	serving.ExportOptions
	client sdk.SpanExporter
	maker  *maker
	delay  time.Duration
	ctx    context.Context
	stop   context.CancelFunc
	wake   chan struct{}
	// closing asks the worker to end, and done says that it has.
	closing, done chan struct{}

	mu      sync.Mutex
	roots   map[string]string // of children
	changed map[string]bool   // by root
	// sent are the ends with which spans were exported, by root; only one goroutine at a time
	// uses it, and warned.
	sent   map[string]map[trace.ID]time.Time
	warned bool
}

// Begun implements serving.Sink.
func (s *sink) Begun(run, parent string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if parent != "" {
		s.roots[run] = cmp.Or(s.roots[parent], parent)
	}
}

// Changed implements serving.Sink.
func (s *sink) Changed(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed[cmp.Or(s.roots[run], run)] = true
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// work exports changes, each some time after it was made, until the sink is closed.
func (s *sink) work() {
	defer close(s.done)
	for {
		select {
		case <-s.closing:
			return
		case <-s.wake:
		}
		select {
		case <-s.closing:
			return
		case <-time.After(s.delay):
		}
		s.exportChanged(s.ctx)
	}
}

// Close implements serving.Sink.
func (s *sink) Close(ctx context.Context) (left []string) {
	close(s.closing)
	// A request under way may have arrived: to send it again would double its spans.
	context.AfterFunc(ctx, s.stop)
	<-s.done
	s.exportChanged(ctx)
	s.stop()
	_ = s.client.Shutdown(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.changed))
}

// exportChanged exports the new spans of changed runs.
func (s *sink) exportChanged(ctx context.Context) {
	s.mu.Lock()
	roots := slices.Sorted(maps.Keys(s.changed))
	clear(s.changed)
	s.mu.Unlock()
	for _, root := range roots {
		err := s.export(ctx, root)
		if err == nil {
			s.warned = false
			continue
		}
		s.mu.Lock()
		s.changed[root] = true // with its next change, or at the end
		s.mu.Unlock()
		if !s.warned && s.ctx.Err() == nil {
			s.warned = true
			s.Warn("traces are not exported, and the run continues without: " + s.Mask(err.Error()))
		}
	}
}

// mostSpans is the largest number of spans in a request.
const mostSpans = 512

// export exports the spans of a run that have ended and were not exported like this.
func (s *sink) export(ctx context.Context, root string) error {
	journals, err := trace.Load(ctx, s.Store, root)
	if err != nil {
		return err
	}
	t := trace.Build(journals, time.Now())
	sent := s.sentOf(root)
	var list []*trace.Span
	for i := range t.Spans {
		if span := &t.Spans[i]; hasEnded(span) && !sent[span.ID].Equal(span.End) {
			list = append(list, span)
		}
	}
	for part := range slices.Chunk(list, mostSpans) {
		spans := s.maker.make(t, part)
		if err := s.client.ExportSpans(ctx, spans); err != nil {
			return err
		}
		for _, span := range part {
			sent[span.ID] = span.End
		}
		s.note(root, part)
	}
	return nil
}

// hasEnded reports whether nothing changes a span any more, unless its run is resumed.
func hasEnded(s *trace.Span) bool {
	switch s.Status {
	case flow.Pending, flow.Running, flow.Paused, flow.Interrupted:
		return false
	}
	return !s.Start.IsZero() && !s.End.IsZero()
}

// notes is the file with the exported spans of a run, one a line: the id and the end.
func (s *sink) notes(root string) string { return filepath.Join(s.RunDir(root), "otel.txt") }

// sentOf returns the exported spans of a run.
func (s *sink) sentOf(root string) map[trace.ID]time.Time {
	if s.sent[root] != nil {
		return s.sent[root]
	}
	sent := map[trace.ID]time.Time{}
	s.sent[root] = sent
	text, _ := wholefile.Output.Read(s.notes(root)) // without it, spans are exported again with their ids
	for line := range strings.Lines(string(text)) {
		var id []byte
		var end int64
		if _, err := fmt.Sscanf(line, "%x %d\n", &id, &end); err == nil && len(id) == len(trace.ID{}) {
			sent[trace.ID(id)] = time.Unix(0, end)
		}
	}
	return sent
}

// note notes that spans were exported.
func (s *sink) note(root string, list []*trace.Span) {
	f, err := os.OpenFile(s.notes(root), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if os.IsNotExist(err) && os.MkdirAll(s.RunDir(root), 0o700) == nil { // workers of a cluster have the run's files
		f, err = os.OpenFile(s.notes(root), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err != nil {
		return // the next process exports them again
	}
	defer f.Close()
	var b strings.Builder
	for _, span := range list {
		fmt.Fprintf(&b, "%x %d\n", span.ID, span.End.UnixNano())
	}
	_, _ = f.WriteString(b.String())
}

package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/telemetry"
	"github.com/wfc-lang/wfc/runtime/store"
)

// telemetryLimit is how long the end of a process may wait for a collector.
const telemetryLimit = 3 * time.Second

// openTelemetry returns the sink for the traces of a session, or nil. performs says that the
// session performs runs.
func (c *call) openTelemetry(ctx context.Context, st store.Store, folder state.Folder, performs bool) (telemetry.Sink, error) {
	exporter, ok := c.program.Telemetry.(telemetry.Exporter)
	if !ok || !performs {
		return nil, nil
	}
	sink, err := exporter.Open(ctx, telemetry.Options{
		Store: st, Workflow: c.program.Definition.Name, Build: fmt.Sprintf("%.12s", c.program.Definition.Fingerprint),
		RunDir: folder.RunDir, Getenv: os.Getenv, Mask: c.maskSecrets,
		Warn: func(message string) { fmt.Fprintf(c.streams.Err, "%s: %s\n", c.name, plain.Message(message)) },
	})
	if err != nil {
		return nil, usageError("the settings of OpenTelemetry: %w", err)
	}
	return sink, nil
}

// tracingWatcher returns a watcher that tells a sink what was committed.
func tracingWatcher(sink telemetry.Sink, watch func(local.Notice)) func(local.Notice) {
	return func(n local.Notice) {
		switch {
		case n.Begin:
			sink.Begun(n.RunID, n.Parent)
			sink.Changed(n.RunID) // an earlier process may have left something
		case n.Step != nil && (n.Step.Status.Ended() || n.Step.Status == flow.Running) || n.End != nil:
			sink.Changed(n.RunID)
		}
		if watch != nil {
			watch(n)
		}
	}
}

// finishTelemetry exports what is left of the traces.
func (s *session) finishTelemetry() {
	if s.telemetry == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), telemetryLimit)
	defer stop()
	for _, run := range s.telemetry.Close(ctx) {
		fmt.Fprintf(s.streams.Err, "%s: the trace of run %s is not exported completely; export it by `%s --export`\n", s.name, run, s.commandLine("trace", run))
	}
	s.telemetry = nil
}

// exportTrace exports what is left of the trace of a run.
func (s *session) exportTrace(ctx context.Context, root string) error {
	if s.program.Telemetry == nil {
		return &unsupportedError{"this program has no exporter of traces: build it with `wfc build --otel`"}
	}
	sink, err := s.openTelemetry(ctx, s.store, s.folder, true)
	if err != nil {
		return err
	}
	if sink == nil {
		return usageError("the environment names no collector: set OTEL_EXPORTER_OTLP_ENDPOINT, such as http://localhost:4318")
	}
	sink.Changed(root)
	ctx, stop := context.WithTimeout(ctx, 10*telemetryLimit)
	defer stop()
	if left := sink.Close(ctx); len(left) > 0 {
		return failedError(fmt.Errorf("the trace of run %s is not exported: the collector does not take it", root))
	}
	return nil
}

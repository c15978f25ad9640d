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
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// telemetryLimit is how long the end of a process may wait for a collector.
const telemetryLimit = 3 * time.Second

// openTelemetry returns the sink for the traces of a session, or nil. performs says that the
// session performs runs, with these agents.
func openTelemetry(ctx context.Context, c *call, st store.Store, folder state.Folder, performs bool, agents settings.Agents) (serving.Sink, error) {
	exporter, ok := c.program.Telemetry.(serving.Exporter)
	if !ok || !performs {
		return nil, nil
	}
	sink, err := exporter.Open(ctx, serving.ExportOptions{
		Store: st, Workflow: c.program.Definition.Name, Build: fmt.Sprintf("%.12s", c.program.Definition.Fingerprint),
		Agents: agents, RunDir: folder.RunDir, Getenv: os.Getenv, Mask: c.maskSecrets,
		Warn: func(message string) { fmt.Fprintf(c.streams.Err, "%s: %s\n", c.name, plain.Message(message)) },
	})
	if err != nil {
		return nil, usageError("the settings of OpenTelemetry: %w", err)
	}
	return sink, nil
}

// tracingWatcher returns a watcher that tells a sink what was committed.
func tracingWatcher(sink serving.Sink, watch func(local.Notice)) func(local.Notice) {
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

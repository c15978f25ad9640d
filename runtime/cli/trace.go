package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
)

func traceCommand(a *app) *cobra.Command {
	var export bool
	cmd := &cobra.Command{
		Use:   "trace [RUN]",
		Short: "Show where the time and the money of a run went",
		Long: "Show a run as a tree of its steps, attempts, agent turns, tool calls and waits, with their\n" +
			"times, tokens and costs. WORKED counts the time in which something worked, and WAITED that\n" +
			"in which the run only waited. Replayed turns cost nothing.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest` (the default).",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), firstOrEmpty(args), func(ctx context.Context, s *session, id string) error {
				now := time.Now()
				t, err := s.loadTrace(ctx, id, now)
				if err != nil {
					return failedError(err)
				}
				if export {
					return s.exportTrace(ctx, t.Root)
				}
				if a.json {
					return printJSON(a.streams.Out, document.NewTrace(t, now, a.maskSecrets))
				}
				return failedError(printTrace(a.call, t, now))
			})
		},
	}
	cmd.Flags().BoolVar(&export, "export", false, "")
	a.jsonFlag(cmd)
	return cmd
}

// loadTrace returns the trace of the family of a run.
func (s *session) loadTrace(ctx context.Context, id string, now time.Time) (*trace.Trace, error) {
	f, err := s.loadFamily(ctx, id)
	if err != nil {
		return nil, err
	}
	journals, err := trace.Load(ctx, s.store, f.root.ID)
	if err != nil {
		return nil, err
	}
	for i := range journals {
		if r := f.findRun(journals[i].Run.ID); r != nil && r.Status == flow.Interrupted {
			journals[i].Run.Status = flow.Interrupted // only the engine knows
		}
	}
	return trace.Build(journals, now), nil
}

func printTrace(c *call, t *trace.Trace, now time.Time) error {
	out := c.streams.Out
	fmt.Fprintf(out, "trace %s of run %s\n\n", hex.EncodeToString(t.ID[:]), t.Root)
	rows := [][]string{{"", "SPAN", "WHAT", "BEGAN", "TOOK", "WORKED", "WAITED", "TOKENS", "COST", "NOTE"}}
	depth := map[trace.ID]int{}
	attempts := map[trace.ID]int{}
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind == trace.KindAttempt {
			attempts[s.Parent]++
		}
	}
	for i := range t.Spans {
		s := &t.Spans[i]
		if isMachinery(s.Name) && s.Status != flow.Failed {
			continue
		}
		if s.Kind == trace.KindAttempt && attempts[s.Parent] == 1 {
			depth[s.ID] = depth[s.Parent] // the step says it all
			continue
		}
		if s.Parent != (trace.ID{}) {
			depth[s.ID] = depth[s.Parent] + 1
		}
		rows = append(rows, traceRow(c, s, t.Spans[0].Start, depth[s.ID], now))
	}
	return writeTable(out, rows)
}

// traceRow is the row of a span in the tree.
func traceRow(c *call, s *trace.Span, begin time.Time, depth int, now time.Time) []string {
	name, what := s.Key, s.Name
	switch s.Kind {
	case trace.KindRun:
		name, what = s.Run, "workflow "+s.Workflow
	case trace.KindAttempt:
		name, what = fmt.Sprintf("attempt %d", s.Attempt), ""
	case trace.KindTurn:
		name, what = fmt.Sprintf("turn %d", s.Attempt), strings.TrimSpace(s.Name+" "+s.Model)
	case trace.KindTool:
		name, what = "tool", s.Name
	case trace.KindResume:
		name = "resumed"
	case trace.KindWait:
		what = "waits for a " + s.Name
		if s.Name == "event" {
			what = "waits for an event"
		}
	}
	tokens, cost := "", ""
	if n := s.Usage.InputTokens + s.Usage.OutputTokens; n > 0 {
		tokens = plain.Thousands(n)
	}
	if s.Usage.CostUSD > format.TinyCost {
		cost = plain.Dollars(s.Usage.CostUSD)
	}
	note := plain.Clip(format.FirstLine(c.maskSecrets(s.Failure)), 80)
	if note == "" && s.By != "" {
		note = "by " + plain.Line(s.By)
	}
	status := markOf(s.Status)
	return []string{
		statusMark(status), strings.Repeat("  ", depth) + plain.Line(name), plain.Line(what), "+" + plain.Duration(max(0, s.Start.Sub(begin))),
		plain.Duration(s.Took(now)), nonZeroDuration(s.Working), nonZeroDuration(s.Waiting), tokens, cost, note,
	}
}

func nonZeroDuration(d time.Duration) string {
	if d < time.Millisecond {
		return ""
	}
	return plain.Duration(d)
}

// exportTrace exports what is left of the trace of a run.
func (s *session) exportTrace(ctx context.Context, root string) error {
	if s.program.Telemetry == nil {
		return &unsupportedError{"this program has no exporter of traces: build it with `wfc build --otel`"}
	}
	sink, err := openTelemetry(ctx, s.call, s.store, s.folder, true, s.program.Defaults.Agents)
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

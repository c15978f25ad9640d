package temporal_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/otel"
)

// collector counts the requests to it.
func collector(t *testing.T) *atomic.Int64 {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return &requests
}

// The trace of a run on a cluster has its attempts, waits and costs, with the ids that every process
// computes, and is exported once.
func TestTrace(t *testing.T) {
	const id = "demo-000001"
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
	s := at(flow.Completed, flow.Completed)
	s.Run, s.Created, s.Finished = flow.RunInfo{ID: id, Workflow: "demo", Fingerprint: "f1"}, begin, second(100)
	s.Steps = wire.Records{
		{Key: "a", Kind: "prompt", Status: flow.Completed, Attempt: 2, Started: begin, Finished: second(9), Text: "fine", Meta: flow.Meta{CostUSD: 3, InputTokens: 900, Attempts: 2, Model: "m1"}},
		{Key: "gate", Kind: "approval", Status: flow.Completed, Started: second(9), Finished: second(99)},
		{Key: "gate#1", Kind: "question", Status: flow.Completed, Started: second(9), Finished: second(99), Question: &flow.Question{Key: "gate#1"}, Meta: flow.Meta{By: "ann"}},
	}
	s.Events = []flow.Event{{Time: second(4), Type: "step_retrying", Key: "a", Message: "overloaded"}}
	f := serve(t, nil)
	f.workflows[id] = &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, begin), events: nil}
	f.workflows[id].events = append(f.workflows[id].events, completed(payloads(t, s)))

	code, out, errs := call(t, f, program(), "trace", id, "--json")
	var got struct {
		Spans []struct {
			SpanID  string `json:"span_id"`
			Kind    string
			CostUSD float64 `json:"cost_usd"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	var kinds []string
	for _, s := range got.Spans {
		kinds = append(kinds, s.Kind)
	}
	if strings.Join(kinds, " ") != "run step turn turn step wait" || got.Spans[0].CostUSD != 3 {
		t.Errorf("the spans are %+v\n%s", got.Spans, out)
	}
	if want := trace.SpanID(id, "a", 2, 0); !strings.Contains(out, hex.EncodeToString(want[:])) {
		t.Errorf("no span %x:\n%s", want, out)
	}

	sent := collector(t)
	p := program()
	p.Telemetry = otel.Exporter()
	folder := t.TempDir()
	for range 2 {
		if code, _, errs := call(t, f, p, "trace", id, "--export", "--state", folder); code != 0 {
			t.Fatalf("exit code %d, %s", code, errs)
		}
	}
	if n := sent.Load(); n != 1 {
		t.Errorf("%d requests reached the collector, want 1 for both exports", n)
	}
}

package metrics_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/metrics"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A scrape has runs, waits and costs as the store has them, and new ones after a change; labels
// of any content stay labels.
func TestText(t *testing.T) {
	s := memory.New()
	e, err := local.New(local.Config{Store: s, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	add := func(id, workflow string, status flow.Status, took time.Duration, steps ...flow.Record) {
		t.Helper()
		r := store.Run{RunInfo: flow.RunInfo{ID: id, Workflow: workflow}, Status: status, Created: now.Add(-time.Hour)}
		if took > 0 {
			r.Finished = r.Created.Add(took)
		}
		if err := s.CreateRun(t.Context(), r, steps); err != nil {
			t.Fatal(err)
		}
	}
	odd := "a\"b\\\nwfc_runs{} 9"
	add("ship-000001", "ship", flow.Completed, 30*time.Second)
	add("ship-000002", "ship", flow.Completed, 15*time.Second)
	add("ship-000003", "ship", flow.Running, 0) // its process is gone
	add("ship-000004", "ship", flow.Paused, 0,
		flow.Record{Key: "gate", Kind: "approval", Status: flow.Waiting, Started: now.Add(-2 * time.Minute)},
		flow.Record{Key: "gate#1", Kind: "question", Status: flow.Waiting, Question: &flow.Question{Key: "gate#1"}, Started: now.Add(-2 * time.Minute)},
		flow.Record{Key: "ask/quota#1", Kind: "question", Status: flow.Waiting, Question: &flow.Question{Wait: flow.WaitQuota, Message: "claude"}, Deadline: time.Unix(2000000000, 0)},
	)
	add("odd-000001", odd, flow.Failed, time.Second)
	add("other-000001", "other", flow.Failed, time.Second)
	spend := func(micros int64) {
		t.Helper()
		err := s.Commit(t.Context(), "ship-000004", flow.Batch{Spending: []flow.Spending{{
			Key: "ask", Attempt: 1, Workflow: "ship", Agent: "claude", Model: "m1", Time: now, State: "settled", Micros: micros, Priced: true, Input: 10, Output: 2,
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	spend(100_000)
	spend(200_000)
	figures := metrics.New(func(context.Context) ([]serving.Source, []string) {
		return []serving.Source{{Store: s, Runs: e.ListRuns, Counts: func(name string) bool { return name != "other" }}}, nil
	})
	scrape := func() string {
		t.Helper()
		text, err := figures.Text(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := scrape()
	for _, line := range []string{
		`wfc_runs{workflow="ship",status="completed"} 2`, `wfc_runs{workflow="ship",status="interrupted"} 1`, `wfc_runs{workflow="ship",status="paused"} 1`,
		`wfc_runs{workflow="a\"b\\\nwfc_runs{} 9",status="failed"} 1`,
		`wfc_run_duration_seconds_sum{workflow="ship",status="completed"} 45`, `wfc_run_duration_seconds_count{workflow="ship",status="completed"} 2`,
		`wfc_waiting_steps{workflow="ship",kind="person"} 1`, `wfc_waiting_steps{workflow="ship",kind="quota"} 1`,
		`wfc_quota_reset_timestamp_seconds{agent="claude"} 2e+09`,
		`wfc_agent_cost_usd_total{workflow="ship",agent="claude",model="m1"} 0.3`,
		`wfc_agent_tokens_total{workflow="ship",agent="claude",model="m1",direction="input"} 20`,
		`wfc_agent_turns_total{workflow="ship",agent="claude",model="m1",state="settled"} 2`,
		`# TYPE wfc_runs gauge`, `# TYPE wfc_agent_cost_usd_total counter`,
	} {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			quoted, _ := json.Marshal(line)
			t.Errorf("no line %s in\n%s", quoted, text)
		}
	}
	if strings.Contains(text, "other") || !strings.Contains(text, `wfc_waiting_oldest_seconds{workflow="ship",kind="person"} 12`) {
		t.Error(text)
	}
	spend(1_000_000)
	if text := scrape(); !strings.Contains(text, "} 1.3\n") {
		t.Errorf("after a change:\n%s", text)
	}
}

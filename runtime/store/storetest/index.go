package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// testIndex compares the index of a store with the one that reads all runs.
func testIndex(t *testing.T, s store.Store) {
	if _, ok := s.(runstore.Index); !ok {
		t.Skip("the store has no index")
	}
	begin := time.Unix(1_700_000_000, 0)
	statuses := []flow.Status{flow.Completed, flow.Failed, flow.Running, flow.Paused}
	for i := range 40 {
		r := store.Run{
			RunInfo: flow.RunInfo{ID: fmt.Sprintf("Flow%d-%02d", i%3, i), Workflow: fmt.Sprintf("Flow%d", i%3)},
			Status:  statuses[i%4], Created: begin.Add(time.Duration(i/2) * time.Minute), // pairs of the same instant
		}
		if r.Status == flow.Failed {
			r.Error, r.Finished = fmt.Sprintf("step %d broke: 100%% of the_tests", i), r.Created.Add(time.Hour)
		}
		if i%10 == 9 { // a child
			r.ID, r.Settings = r.ID+"--step", []byte(`{"parent":{"run":"x","step":"step"}}`)
		}
		steps := []flow.Record{
			{Key: "ask", Kind: "prompt", Status: flow.Completed, Text: "reply", Prompt: "question", Meta: flow.Meta{CostUSD: 0.5, InputTokens: 10, OutputTokens: 2}},
			{Key: "test", Kind: "bash", Status: flow.Failed, Failure: &flow.Failure{Message: "exit 1", Reason: "exit"}},
			{Key: "gate#1", Kind: "question", Status: flow.Waiting, Question: &flow.Question{Key: "gate#1", Message: "Go?"}},
		}
		must(t, s.CreateRun(t.Context(), r, steps))
	}
	index, scan := runstore.IndexOf(s), runstore.IndexOf(struct{ store.Store }{s})
	middle := begin.Add(10 * time.Minute)
	for _, q := range []runstore.RunQuery{
		{}, {Limit: 7}, {Workflow: "Flow1"}, {Statuses: []flow.Status{flow.Failed}}, {Statuses: []flow.Status{flow.Paused, flow.Running}, Limit: 9}, {Search: "flow2"}, {Search: "00% of the_t"},
		{Search: "%"}, {Search: "_"}, {Search: "STEP"}, {Search: "step 1"}, {Since: middle}, {Until: middle}, {Since: middle, Until: middle.Add(time.Minute)},
		{After: &runstore.RunCursor{Created: middle, ID: "Flow2-20"}}, {After: &runstore.RunCursor{Created: middle, ID: ""}, Limit: 3, Workflow: "Flow2"},
	} {
		got, err := index.PageRuns(t.Context(), q)
		want, wantErr := scan.PageRuns(t.Context(), q)
		if err != nil || wantErr != nil || !slices.Equal(idsIn(got), idsIn(want)) {
			t.Errorf("%+v: %q, %v; want %q, %v", q, idsIn(got), err, idsIn(want), wantErr)
		}
		totals, err := index.TotalRuns(t.Context(), q)
		wantTotals, wantErr := scan.TotalRuns(t.Context(), runstore.RunQuery{Workflow: q.Workflow, Statuses: q.Statuses, Search: q.Search, Since: q.Since, Until: q.Until, After: q.After})
		order := func(a, b runstore.RunTotal) int {
			return slices.Compare([]string{a.Workflow, string(a.Status)}, []string{b.Workflow, string(b.Status)})
		}
		slices.SortFunc(totals, order)
		slices.SortFunc(wantTotals, order)
		if err != nil || wantErr != nil || !slices.Equal(totals, wantTotals) {
			t.Errorf("the totals of %+v: %v, %v; want %v, %v", q, totals, err, wantTotals, wantErr)
		}
	}
	// Pages join to the whole list.
	var all []string
	for q := (runstore.RunQuery{Limit: 3}); ; {
		page, err := index.PageRuns(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, idsIn(page)...)
		if len(page) < q.Limit {
			break
		}
		q.After = &runstore.RunCursor{Created: page[2].Created, ID: page[2].ID}
	}
	if whole, _ := index.PageRuns(t.Context(), runstore.RunQuery{}); !slices.Equal(all, idsIn(whole)) || len(all) != 36 {
		t.Errorf("the pages have %q, want %q", all, idsIn(whole))
	}
	const id = "Flow1-01"
	for _, open := range []bool{false, true} {
		got, err := index.StepHeads(t.Context(), id, open)
		var keys []string
		for _, r := range got {
			keys = append(keys, r.Key)
			if r.Text != "" || r.Prompt != "" || r.Key == "gate#1" && r.Question.Message != "Go?" || r.Key == "test" && r.Failure.Message != "exit 1" {
				t.Errorf("the head %+v", r)
			}
		}
		if want := map[bool][]string{false: {"ask", "test", "gate#1"}, true: {"gate#1"}}[open]; err != nil || !slices.Equal(keys, want) {
			t.Errorf("the heads are %q, %v; want %q", keys, err, want)
		}
	}
	step, err := index.Step(t.Context(), id, "ask")
	if err != nil || step.Text != "reply" || step.Prompt != "question" {
		t.Errorf("the step is %+v, %v", step, err)
	}
	failed, err := index.FailedSteps(t.Context(), []string{id, "Flow2-02"})
	if err != nil || len(failed[id]) != 1 || len(failed["Flow2-02"]) != 1 || failed[id][0].Failure.Reason != "exit" {
		t.Errorf("the failed steps are %+v, %v", failed, err)
	}
	for _, missing := range []error{errorOf(index.StepHeads(t.Context(), "none", false)), errorOf(index.Step(t.Context(), id, "none"))} {
		if missing == nil {
			t.Error("an unknown run or step was found")
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

func idsIn(runs []store.Run) []string {
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

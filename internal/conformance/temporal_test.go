package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/conformance/runner"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// TestTemporal performs every recorded case that runs a workflow on the engine for
// Temporal, in the test environment of its SDK, and compares what comes of it with the same
// job on the test engine: statuses, outputs, reasons, costs and the prompts of agents.
func TestTemporal(t *testing.T) {
	setting, set := os.LookupEnv("WFC_CONFORMANCE")
	folders, _, err := caseFolders(setting, set)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collect(folders)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	var plans []plan
	var ids []string
	for _, c := range all.cases {
		p := b.plan(c)
		if bytes.Contains(c.Input, []byte("$((RANDOM")) {
			continue // no two runs of it are equal
		}
		for _, p := range []*plan{&p, p.other} {
			if p != nil && p.job != nil && p.job.Args == nil && p.job.Family == nil && p.job.Session == nil {
				plans, ids = append(plans, plan{job: p.job}), append(ids, c.id())
			}
		}
	}
	want := b.execute(plans)
	got := b.executeBy(plans, func() string {
		return b.batch.BuildIn(t, "internal/conformance/runner", "runtime/engine/temporal/internal/trial")
	})
	for i, id := range ids {
		t.Run(id, func(t *testing.T) {
			cut := overtaken(want[i], got[i])
			if a, b := shape(want[i], cut), shape(got[i], cut); a != b {
				t.Errorf("on the test engine:\n%s\non Temporal:\n%s", a, b)
			}
		})
	}
	summary(t, "%d jobs gave the same on Temporal", len(ids))
}

// overtaken returns the steps that one engine cancelled because a step beside them failed,
// and that had ended by then on the other. Which of two processes ends first is not decided.
func overtaken(a, b *runner.Outcome) []string {
	var keys []string
	failed := slices.ContainsFunc(a.Steps, func(r flow.Record) bool { return r.Status == flow.Failed })
	for _, r := range a.Steps {
		i := slices.IndexFunc(b.Steps, func(other flow.Record) bool { return other.Key == r.Key })
		if !failed || i < 0 {
			continue
		}
		if s := b.Steps[i].Status; r.Status != s && (r.Status == flow.Cancelled || s == flow.Cancelled) && r.Status.Ended() && s.Ended() {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// shape is what is equal on all engines, without the given steps: no times, no folders.
func shape(o *runner.Outcome, without []string) string {
	type step struct {
		Key, Kind, Text, Reason, Failure, Choice string
		Status                                   flow.Status
		Attempt                                  int
		CostUSD                                  float64
	}
	type turn struct{ Step, Prompt, Session string }
	var steps []step
	for _, r := range o.Steps {
		if slices.Contains(without, r.Key) {
			continue
		}
		s := step{Key: r.Key, Kind: r.Kind, Text: r.Text, Reason: r.Reason, Choice: r.Meta.Choice, Status: r.Status, Attempt: r.Attempt, CostUSD: r.Meta.CostUSD}
		if r.Failure != nil {
			s.Failure = fmt.Sprintf("%+v", *r.Failure)
		}
		if r.Kind == "now" {
			s.Text = ""
		}
		steps = append(steps, s)
	}
	// Steps side by side are committed as they end.
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.Key, b.Key) })
	var turns []turn
	for _, t := range o.Turns {
		turns = append(turns, turn{t.Step, t.Prompt, t.Session})
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return strings.Compare(a.Step, b.Step) })
	text, err := json.MarshalIndent(map[string]any{"end": o.End, "steps": steps, "turns": turns, "state": o.State, "error": o.Error}, "", " ")
	if err != nil {
		return err.Error()
	}
	return places.ReplaceAllString(string(text), "/DIR")
}

// places are the folders of a job.
var places = regexp.MustCompile(`[^"\s]*/wfc-conformance-\d+`)

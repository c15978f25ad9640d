package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// TestTemporal performs every recorded case that runs a workflow on the engine for
// Temporal, in the test environment of its SDK, and compares what comes of it with the same
// job on the test engine: statuses, outputs, reasons, costs and the prompts of agents, also
// of runs that steps begin.
func TestTemporal(t *testing.T) {
	b, ids, plans := temporalJobs(t)
	want := b.execute(plans)
	got := b.executeBy(plans, func() string {
		return b.batch.BuildIn(t, "dev/conformance/runner", "runtime/engine/temporal/internal/trial")
	})
	compareEngines(t, ids, plans, want, got)
}

// TestTemporalServer does the same on a server: the one whose address is in WFC_TEST_TEMPORAL.
// `make test-temporal` starts one and runs this test. All jobs take their turns on that
// server, with real clocks.
func TestTemporalServer(t *testing.T) {
	if os.Getenv(runner.ServerVariable) == "" {
		t.Skip("WFC_TEST_TEMPORAL names no server; `make test-temporal` starts one")
	}
	t.Setenv("WFC_TEST_TEMPORAL_BLOBS", t.TempDir())
	b, ids, plans := temporalJobs(t)
	server := os.Getenv(runner.ServerVariable)
	t.Setenv(runner.ServerVariable, "")
	want := b.execute(plans)
	t.Setenv(runner.ServerVariable, server)
	got := b.executeBy(plans, func() string {
		return b.batch.BuildIn(t, "dev/conformance/runner", "runtime/engine/temporal/internal/trial/served")
	})
	compareEngines(t, ids, plans, want, got)
}

// temporalJobs plans the jobs of all recorded cases that run a workflow, and names them.
func temporalJobs(t *testing.T) (*bench, []string, []plan) {
	t.Helper()
	setting, set := os.LookupEnv("WFC_CONFORMANCE")
	folders, _, err := caseFolders(setting, set)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collect(folders)
	if err != nil {
		t.Fatal(err)
	}
	// WFC_TEST_TEMPORAL_CASES chooses cases by a regular expression for their ids.
	chosen, err := regexp.Compile(os.Getenv("WFC_TEST_TEMPORAL_CASES"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	var plans []plan
	var ids []string
	out := map[string]int{}
	for _, c := range all.cases {
		if !chosen.MatchString(c.id()) {
			continue
		}
		p := b.plan(c)
		for _, p := range []*plan{&p, p.other} {
			if p == nil || p.job == nil {
				continue
			}
			if why := leftOut(c, p.job); why != "" {
				out[why]++
				continue
			}
			plans, ids = append(plans, plan{job: p.job}), append(ids, c.id())
		}
	}
	for _, why := range slices.Sorted(maps.Keys(out)) {
		summary(t, "left out %d jobs: %s", out[why], why)
	}
	return b, ids, plans
}

// leftOut says why a job is not performed on Temporal, or "".
func leftOut(c *recorded, job *runner.Job) string {
	switch {
	case bytes.Contains(c.Input, []byte("$((RANDOM")):
		return "no two runs of it are equal"
	case slices.Contains(job.Args, "--dry-run"):
		return "programs for a cluster have no flag --dry-run: a plan needs no engine"
	case job.Session != nil && !job.Session.Async && job.Session.LeaveAfter >= 0:
		return "the process that began the run ends, which ends no run on a cluster"
	}
	return ""
}

// compareEngines compares the outcomes of jobs on both engines.
func compareEngines(t *testing.T, ids []string, plans []plan, want, got []*runner.Outcome) {
	t.Helper()
	children := 0
	for i, id := range ids {
		job := plans[i].job
		t.Run(id, func(t *testing.T) {
			if f := want[i].Family; f != nil {
				children += countChildren(f.Run)
			}
			if a, b := want[i].Session, got[i].Session; a != nil && b != nil && delays.Match(job.Replies) && !job.Session.Resume && a.First.AtOnce != b.First.AtOnce {
				t.Errorf("%d and %d agents at once", a.First.AtOnce, b.First.AtOnce)
			}
			if a, b := shapes(want[i], got[i]); a != b {
				t.Errorf("on the test engine:\n%s\non Temporal:\n%s", a, b)
			}
		})
	}
	if !t.Failed() {
		summary(t, "%d jobs with %d child runs gave the same on Temporal", len(ids), children)
	}
}

func countChildren(r *runner.FamilyRun) int {
	n := len(r.Children)
	for _, c := range r.Children {
		n += countChildren(c)
	}
	return n
}

// overtaken returns the steps that one engine cancelled because a step beside them failed,
// and that had ended by then on the other. Which of two processes ends first is not decided.
func overtaken(a, b []flow.Record) []string {
	var keys []string
	failed := slices.ContainsFunc(a, func(r flow.Record) bool { return r.Status == flow.Failed })
	for _, r := range a {
		i := slices.IndexFunc(b, func(other flow.Record) bool { return other.Key == r.Key })
		if !failed || i < 0 {
			continue
		}
		if s := b[i].Status; r.Status != s && (r.Status == flow.Cancelled || s == flow.Cancelled) && r.Status.Ended() && s.Ended() {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// shapes are the outcomes of a job on two engines as far as all engines agree: no times, no
// folders, and no steps of which one engine decided the end by speed.
func shapes(a, b *runner.Outcome) (string, string) {
	cut := overtaken(a.Steps, b.Steps)
	texts := [2]string{}
	for i, o := range []*runner.Outcome{a, b} {
		m := map[string]any{"end": o.End, "steps": stepShapes(o.Steps, cut), "turns": turnShapes(o.Turns), "state": o.State, "error": o.Error, "exit": o.Exit}
		if o.Family != nil {
			var other *runner.FamilyRun
			if f := [2]*runner.Outcome{b, a}[i].Family; f != nil {
				other = f.Run
			}
			m["family"], m["phases"] = familyShape(o.Family.Run, other), phaseShapes(o.Family.Phases)
		}
		if s := o.Session; s != nil {
			m["first"], m["last"], m["resumed"], m["cancelled"] = sessionShape(s.First), sessionShape(s.Last), s.ResumeError == "", s.CancelError == ""
		}
		text, err := json.MarshalIndent(m, "", " ")
		if err != nil {
			text = []byte(err.Error())
		}
		texts[i] = noRepository.ReplaceAllString(places.ReplaceAllString(string(text), "/DIR"), "no repository$1")
	}
	return texts[0], texts[1]
}

func stepShapes(list []flow.Record, without []string) any {
	type step struct {
		Key, Kind, Text, Reason, Failure, Choice string
		Status                                   flow.Status
		Attempt                                  int
		CostUSD                                  float64
	}
	var steps []step
	for _, r := range list {
		if slices.Contains(without, r.Key) {
			continue
		}
		s := step{Key: r.Key, Kind: r.Kind, Text: errorsAside(r.Text), Reason: r.Reason, Choice: r.Meta.Choice, Status: r.Status, Attempt: r.Attempt, CostUSD: r.Meta.CostUSD}
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
	return steps
}

func turnShapes(list []runner.Turn) any {
	type turn struct{ Step, Prompt, Session, Agent, Model string }
	var turns []turn
	for _, t := range list {
		turns = append(turns, turn{t.Step, t.Prompt, t.Session, t.Agent, t.Model})
	}
	// Steps of the same name are those of runs side by side.
	slices.SortStableFunc(turns, func(a, b turn) int {
		return cmp.Or(strings.Compare(a.Step, b.Step), strings.Compare(a.Prompt, b.Prompt))
	})
	return turns
}

// familyShape is a run with those that its steps began; other is the same on the other engine.
func familyShape(r, other *runner.FamilyRun) any {
	if r == nil {
		return nil
	}
	var cut []string
	var begun []*runner.FamilyRun
	if other != nil {
		cut, begun = overtaken(r.Steps, other.Steps), other.Children
	}
	children := map[string]any{}
	for _, c := range r.Children {
		if !began(c) {
			continue
		}
		var same *runner.FamilyRun
		if i := slices.IndexFunc(begun, func(o *runner.FamilyRun) bool { return o.Step == c.Step }); i >= 0 {
			same = begun[i]
		}
		children[c.Step] = familyShape(c, same)
	}
	return map[string]any{
		"workflow": r.Workflow, "inputs": canonical(string(r.Inputs)), "worktree": r.Worktree, "end": r.End, "cost": fmt.Sprintf("%.9f", r.CostUSD),
		"steps": stepShapes(r.Steps, cut), "children": children,
	}
}

// began reports whether a run has begun. One that cannot have its folders is a run on a cluster,
// and none on the test engine.
func began(r *runner.FamilyRun) bool {
	worked := func(s flow.Record) bool { return s.Status != flow.Pending }
	return r.End.Status != flow.Failed || len(r.Steps) == 0 || slices.ContainsFunc(r.Steps, worked)
}

func phaseShapes(list []runner.Phase) any {
	var phases []any
	for _, p := range list {
		phases = append(phases, map[string]any{"status": p.Status, "refused": p.Refused, "waiting": stepShapes(p.Waiting, nil)})
	}
	return phases
}

func sessionShape(s *runner.RunState) any {
	if s == nil {
		return nil
	}
	sent := slices.Clone(s.Sent)
	slices.SortStableFunc(sent, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return map[string]any{
		"status": s.Status, "workflow": s.Workflow, "error": s.Error, "started": s.Started, "finished": s.Finished,
		"steps": stepShapes(s.Records, nil), "asked": s.Asked, "sent": sent, "warnings": s.Warnings,
	}
}

// delays finds replies that take time. How many others are given at once is not decided.
var delays = regexp.MustCompile(`"delayMs":[1-9]`)

// places are the folders of a job.
var places = regexp.MustCompile(`[^"\s]*/wfc-conformance-\d+`)

// noRepository finds the message of a worktree that cannot be made since the folder is no git
// repository, in the words of the test engine or of git.
var noRepository = regexp.MustCompile(`(?:a worktree cannot be made: this is no git repository|(?:run \$RUN is failed: )?the folders of the run cannot be made: a separate worktree needs a git repository, and git finds none.*?)( Class:|\\?")`)

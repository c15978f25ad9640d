package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/conformance/runner"
)

// nowRuns replays the `run` cases that use nothing newer than today's compiler
// knows, and lists those that end in another way.
func nowRuns(t *testing.T, all []*nowCase) string {
	t.Helper()
	b := newBench(t)
	var cases []*nowCase
	var plans []plan
	for _, c := range all {
		if old := c.older(t); old != nil {
			p, err := planRun(b, old)
			if err != nil {
				t.Fatalf("%s: %v", c.id(), err)
			}
			if p.skip == "" {
				cases, plans = append(cases, c), append(plans, p)
			}
		}
	}
	var lines []string
	for i, out := range b.execute(plans) {
		cases[i].nameSessions(out)
		if diffs := plans[i].judge(out); len(diffs) > 0 {
			parts := make([]string, len(diffs))
			for i, d := range diffs {
				parts[i] = d.what
			}
			lines = append(lines, cases[i].id()+": "+strings.Join(parts, ", ")+"\n")
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d cases replayed, %d agree. The others differ in:\n\n%s", len(plans), len(plans)-len(lines), strings.Join(lines, ""))
}

// older returns the case in the form of the older recordings, or nil if that
// form or today's compiler lacks something that the case uses.
func (c *nowCase) older(t *testing.T) *recorded {
	t.Helper()
	in, run := &c.in, c.run
	if run == nil || run.Refused != "" || run.Body != nil || run.Children != nil ||
		in.YAML == "" || in.Config.Tiers != nil {
		return nil
	}
	if slices.ContainsFunc(in.Steps, func(s nowStep) bool { return s.Respond != "" || s.Run != "" }) {
		return nil
	}
	newer := func(d *diag.Diagnostic) bool {
		return d.Code.Slug == "newer-key" || d.Code.Slug == "newer-node-type" || d.Code.Slug == "unsupported-key"
	}
	if slices.ContainsFunc(compileNow(in).Diagnostics, newer) {
		return nil
	}
	type node struct {
		State, Reason string
		Output        *string
	}
	type result struct{ Summary *string }
	expect := struct {
		Status  string
		Outcome string
		Nodes   map[string]node
		Calls   any
		Results []result
	}{run.Status, run.Outcome, map[string]node{}, run.Calls, nil}
	for id, n := range run.Nodes {
		expect.Nodes[id] = node{n.State, n.Cause, n.Output}
	}
	if run.Summary != nil {
		expect.Results = []result{{run.Summary}}
	}
	text, err := json.Marshal(expect)
	if err != nil {
		t.Fatal(err)
	}
	return &recorded{Group: c.Group, Name: c.Name, Op: "run", Input: c.Input, Expect: text, dialect: nowFolder, version: nowVersion}
}

// nameSessions names the sessions of turns by their node and turn, as the cases do.
func (c *nowCase) nameSessions(out *runner.Outcome) {
	if out == nil {
		return
	}
	steps := newSteps(compileNow(&c.in).Program)
	names, count := map[string]string{}, map[string]int{}
	for i := range out.Turns {
		turn := &out.Turns[i]
		id := steps.id(turn.Step)
		count[id]++
		names["s"+strconv.Itoa(i+1)] = fmt.Sprintf("%s#%d", id, count[id])
		if name := names[turn.Session]; name != "" {
			turn.Session = name
		}
	}
}

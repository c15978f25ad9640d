package conformance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
)

// planNowDry compares a dry run with a fixture that `wfc test` runs. One whose stubs are
// complete is also compared with the plan that `run --dry-run --outputs` shows.
func planNowDry(b *bench, c *nowCase) plan {
	r := compileNow(&c.in, c.in.Scaffold)
	if why := unfinished(r); why != "" && c.in.ExecCode {
		return skipped(why)
	}
	if c.in.Scaffold && !r.HasErrors() {
		return judged(c.judgeScaffold(r))
	}
	if r.HasErrors() {
		if c.dry.Refused != "" || c.dryFailsAt(findingNodesOf(r)) {
			return judged(nil)
		}
		return judged([]difference{{"compilation", c.dry.Outcome, refusal(r)}})
	}
	f := newFixture(b, c, r)
	if !c.plannable() {
		return plan{fixture: f, judge: func(*runner.Outcome) []difference { return f.judge() }}
	}
	job := runner.Job{Args: append(c.arguments(b), "--dry-run", "--json", "--outputs", "-"), Stdin: "{}"}
	if c.in.Arguments != "" {
		job.Args = append(job.Args, c.in.Arguments)
	}
	if c.in.Stubs != nil {
		job.Stdin = string(c.in.Stubs)
	}
	p := b.perform(r, job, c.judgePlan)
	plan := p.judge
	p.fixture, p.judge = f, func(out *runner.Outcome) []difference { return merged(plan(out), f.judge()) }
	return p
}

// merged adds further differences to a list, each once.
func merged(diffs, more []difference) []difference {
	for _, d := range more {
		if !slices.Contains(diffs, d) {
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// plannable reports whether a plan can show what is recorded: no stub is missing, no code
// runs, and no loop needs more than one reply.
func (c *nowCase) plannable() bool {
	in, want := &c.in, c.dry
	if in.ExecCode || in.DefaultStubs || in.PauseAtGates || in.Scaffold || len(in.Config.Tiers) > 0 {
		return false
	}
	if want.Refused != "" {
		return want.Refused == "stubs" || want.Refused == "inputs"
	}
	for _, t := range want.Trace {
		if t.Iteration > 0 || t.Type == "loop" || t.Type == "loop_group" || t.Type == "workflow" || t.Type == "approval" || t.Fault == "missing-stub" {
			return false
		}
	}
	return true
}

// dryFailsAt reports whether one of the nodes fails in the dry run.
func (c *nowCase) dryFailsAt(nodes []string) bool {
	for _, t := range c.dry.Trace {
		if t.State == failedStatus && slices.Contains(nodes, t.Node) {
			return true
		}
	}
	return false
}

// A planned is what a plan says of a run.
type planned struct {
	Verdict struct{ Status string }
	Steps   []struct {
		ID, Decision, Status, Output string
		Actions                      []struct{ Prompt string }
	}
	Unused []string `json:"unused_outputs"`
}

func (c *nowCase) judgePlan(out *runner.Outcome) []difference {
	if c.dry.Refused != "" {
		return same("exit code", "2", strconv.Itoa(out.Exit))
	}
	var got planned
	if err := json.Unmarshal([]byte(out.Stdout), &got); err != nil {
		return []difference{{"plan", "one", "exit code " + strconv.Itoa(out.Exit)}}
	}
	diffs := same("outcome", c.dry.Outcome, got.Verdict.Status)
	diffs = append(diffs, same("unused", strings.Join(c.dry.Unused, " "), strings.Join(got.Unused, " "))...)
	for _, t := range c.dry.Trace {
		want, step := t.State, "none"
		if want == "stubbed" {
			want = "completed"
		}
		for _, s := range got.Steps {
			if s.ID != t.Node {
				continue
			}
			if step = s.Status; s.Decision != "runs" {
				step = s.Decision
			}
			if want == step && t.Output != nil {
				diffs = append(diffs, same("output of "+t.Node, *t.Output, s.Output)...)
			}
			if t.Text != nil && (t.Type == "prompt" || t.Type == "command") && len(s.Actions) > 0 {
				diffs = append(diffs, same("prompt of "+t.Node, *t.Text, s.Actions[0].Prompt)...)
			}
		}
		diffs = append(diffs, same("node "+t.Node, want, step)...)
	}
	return diffs
}

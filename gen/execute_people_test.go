package gen_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// said is the result of a turn in a session.
func said(text, session string) flow.Result {
	return flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Session: session}}
}

// answered is what somebody answers.
func answered(key, choice, text string) sim.Answer {
	return sim.Answer{Key: key, After: time.Minute, Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Choice: choice}}}
}

// loopRun is a run in which each loop of the sample goes its way.
func loopRun() scenario {
	return scenario{
		Workflow: "loops", Inputs: json.RawMessage(`{"arguments":"args"}`), Attended: true,
		Results: map[string]flow.Result{
			"plan":  text("the plan"),
			"fix#1": said("one", "s1"), "fix#2": said("two <promise>DONE</promise>", "s2"),
			"tested#1": said("first DONE", "t1"), "tested#1/until": text("false"),
			"tested#2": said("second", "t2"), "tested#2/until": text("true"),
			"fresh#1": said("not yet", "f1"), "fresh#2": said("all is OK.", "f2"),
			"talk#1": said("draft DONE", "d1"), "talk#2": said("<x>DONE</x>", "d2"),
			"talk-of#1": text("DONE"), "talk-of#2": text("DONE"),
		},
		Answers: []sim.Answer{
			answered("talk#1/gate", "approve", "shorter"), answered("talk-of#1/gate", "approve", ""),
		},
	}
}

func TestLoopsRepeat(t *testing.T) {
	s := loopRun()
	s.Explore = 1
	o := execute(t, s)
	for key, want := range map[string]string{
		"fix": "two", "tested": "second", "fresh": "all is OK.", "talk": "<x>DONE</x>", "talk-of": "DONE",
	} {
		if got := o.Step(key); got.Status != flow.Completed || got.Text != want {
			t.Errorf("%s ended as %+v, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"fix#1":    "Fix the plan.\nBefore: ||At the end say DONE.\n|claude|",
		"fix#2":    "Fix the plan.\nBefore: one||At the end say DONE.\n|claude|s1",
		"tested#2": "Again: first DONE|claude|t1",
		"fresh#1":  "Start anew: args two Say OK.|claude|",
		"fresh#2":  "Start anew: args two Say OK.|claude|",
		"talk#1":   "Draft it, then say DONE. |claude|",
		"talk#2":   "Draft it, then say DONE. shorter|claude|d1",
	} {
		var p flow.Prompt
		o.payload(t, key, &p)
		if got := strings.ReplaceAll(p.Text, "|\n", "|") + "|" + p.Agent + "|" + p.Session; got != want {
			t.Errorf("%s asked %q, want %q", key, got, want)
		}
		if fresh := strings.HasPrefix(key, "fresh"); p.FreshSession != fresh {
			t.Errorf("%s asked %+v", key, p)
		}
	}
	if got := o.Step("talk-of#1/gate"); got.Question == nil || got.Question.Message != "Is $fix.output right?" {
		t.Errorf("talk-of asked %+v", got.Question)
	}
}

// What a test of a loop sees is the iteration before the one that it tests.
func TestLoopTestEnvironment(t *testing.T) {
	o := execute(t, loopRun())
	for key, previous := range map[string]string{"tested#1/until": "", "tested#2/until": "first DONE"} {
		var test flow.Bash
		o.payload(t, key, &test)
		if !test.Test || variable(test.Env, "LOOP_PREV_OUTPUT") != previous || variable(test.Env, "ARGUMENTS") != "args" || len(test.Bindings) != 1 || test.Bindings[0].Value != "the plan" {
			t.Errorf("%s ran %+v", key, test)
		}
	}
	var other flow.Bash
	o.payload(t, "iterate-fix", &other)
	if other.Test || variable(other.Env, "LOOP_PREV_OUTPUT") != "" {
		t.Errorf("iterate-fix ran %+v", other)
	}
}

// A loop's time limit and retries are for the whole of it.
func TestLoopLimits(t *testing.T) {
	s := loopRun()
	s.Results["fresh#2"] = failed("no luck")
	s.Results["fresh/attempt2#1"] = said("OK.", "f3")
	o := execute(t, s)
	if got := o.Step("fresh"); got.Status != flow.Completed || got.Text != "OK." {
		t.Errorf("fresh ended as %+v %v", got, got.Failure)
	}
	for _, key := range []string{"fresh#1", "fresh#2", "fresh/attempt2#1"} {
		if a := o.Actions[key]; a.Timeout != 0 || a.Retry != (flow.Retry{}) {
			t.Errorf("%s was performed with %+v", key, a)
		}
	}
	s = loopRun()
	s.Takes = map[string]time.Duration{"fresh#1": 40 * time.Minute, "fresh#2": 30 * time.Minute, "fresh/attempt2#1": time.Minute}
	s.Results["fresh/attempt2#1"] = said("OK.", "f3")
	o = execute(t, s)
	if got := o.Step("fresh#2"); got.Status != flow.Cancelled {
		t.Errorf("fresh#2 ended as %+v", got)
	}
	if got := o.Step("fresh"); got.Status != flow.Completed || got.Text != "OK." {
		t.Errorf("fresh ended as %+v %v", got, got.Failure)
	}
}

// A loop that uses its iterations up fails and keeps what it said last.
func TestLoopUsesUpItsIterations(t *testing.T) {
	s := loopRun()
	s.Results["fix#2"], s.Results["fix#3"] = text("two"), text("UNDONE")
	o := execute(t, s)
	got := o.Step("fix")
	if got.Status != flow.Failed || got.Text != "UNDONE" || got.Failure.Message != "node `fix` ran 3 iterations without reaching its signal `DONE`" {
		t.Errorf("fix ended as %+v %+v", got, got.Failure)
	}
	// A reader of the failed loop's output fails.
	if got := o.Step("fresh#1"); got.Key != "" {
		t.Errorf("fresh went on with %+v", got)
	}
}

// variable is the value of a variable of a script.
func variable(env []flow.Variable, name string) string {
	for _, v := range env {
		if v.Name == name {
			return v.Value
		}
	}
	return "none"
}

func TestLoopGateRejected(t *testing.T) {
	s := loopRun()
	s.Answers[0] = answered("talk#1/gate", "reject", "not like this")
	o := execute(t, s)
	if o.End.Status != flow.Cancelled || o.End.Reason != "node `talk` was rejected: not like this" {
		t.Errorf("the run ended as %+v", o.End)
	}
}

func TestApprovals(t *testing.T) {
	s := scenario{
		Workflow: "approvals", Inputs: json.RawMessage(`{"arguments":"it"}`), Explore: 1,
		Results: map[string]flow.Result{"build": text("v1"), "release/rework#1": said("mended", "r1")},
		Answers: []sim.Answer{
			answered("first#1", "approve", "go"),
			answered("release#1", "reject", "too big"), answered("release#2", "approve", "now"),
		},
	}
	for _, s.Attended = range []bool{false, true} {
		o := execute(t, s)
		if o.End.Status != flow.Completed || o.Step("first").Text != "" || o.Step("release").Text != "now" {
			t.Errorf("the run ended as %+v, %+v", o.End, o.Steps)
		}
		if q := o.Step("first#1").Question; q == nil || q.Message != "Begin?" || q.Timeout != 0 {
			t.Errorf("first asked %+v", q)
		}
		if q := o.Step("release#2").Question; q == nil || q.Message != "Release v1?\n" || q.Timeout != 36*time.Hour {
			t.Errorf("release asked %+v", q)
		}
		var mend, tell flow.Prompt
		o.payload(t, "release/rework#1", &mend)
		if mend.Text != "They said: too big.\nMend v1\n" || mend.IdleTimeout != 2*time.Minute || o.Actions["release/rework#1"].Timeout != 0 {
			t.Errorf("the rework asked %+v", mend)
		}
		o.payload(t, "tell", &tell)
		if tell.Text != "Tell all: now" {
			t.Errorf("tell asked %q", tell.Text)
		}
	}
	s.Answers = append(s.Answers[:1], answered("release#1", "reject", "a"), answered("release#2", "reject", "b"), answered("release#3", "reject", "c"))
	o := execute(t, s)
	if o.End.Status != flow.Cancelled || o.End.Reason != "node `release` was rejected: c" || o.Actions["release/rework#2"].Payload == nil || o.Actions["release/rework#3"].Payload != nil {
		t.Errorf("the run ended as %+v, %v", o.End, o.Actions)
	}
	s.Answers, s.Explore, s.Attended = nil, 0, false
	if o := execute(t, s); o.End.Status != flow.Paused || o.Step("release").Status != flow.Waiting {
		t.Errorf("the run ended as %+v, %+v", o.End, o.Steps)
	}
}

// A prompt goes on with the conversation of the nearest node that has one.
func TestSessions(t *testing.T) {
	s := scenario{Workflow: "sessions", Explore: 1, Results: map[string]flow.Result{
		"a": said("1", "sa"), "b#1": said("2", "sb1"), "b#2": said("DONE", "sb2"), "c": said("3", "sc"), "d": said("4", "sd"), "e": said("5", "se"),
	}}
	check := func(want map[string]string) {
		t.Helper()
		o := execute(t, s)
		for key, session := range want {
			var p flow.Prompt
			o.payload(t, key, &p)
			if p.Session != session || p.FreshSession != (key == "d") || p.Persist != (key == "e") {
				t.Errorf("%s asked %+v, want session %q", key, p, session)
			}
		}
	}
	check(map[string]string{"a": "", "b#1": "", "b#2": "sb1", "c": "sb2", "d": "", "e": "sd"})
	s.Results["b#1"], s.Results["b#2"] = text("2"), text("DONE")
	check(map[string]string{"c": ""})
}

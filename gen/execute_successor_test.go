package gen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The keys of the xprompt format's successor, in every world that a process can die in.
func TestSuccessorRuns(t *testing.T) {
	printed := map[string]flow.Result{
		"build": text("target=x\nstatus=ok\n"), "count[0]": text("lines=3"), "count[1]": text("lines=4"),
		"review": text(`{"verdict": "fine"}`), "report": text(""), "clean": text(""),
	}
	o := execute(t, scenario{Workflow: "successor", Inputs: json.RawMessage(`{"target":"x","verbose":true}`), Explore: 3, Results: printed})
	if o.End.Status != flow.Completed || string(o.End.Outputs) != `{"review":{"verdict":"fine"}}` || o.End.Summary != `{"verdict":"fine"}` {
		t.Errorf("the run ended as %+v", o.End)
	}
	if got := o.Step("build").Text; got != `{"target":"x","status":"ok","_artifact":"/sim/artifacts/build.stdout"}` {
		t.Errorf("build gave %s", got)
	}
	if got := o.Step("count").Text; got != `[{"lines":3,"_artifact":"/sim/artifacts/count.0.stdout"},{"lines":4,"_artifact":"/sim/artifacts/count.1.stdout"}]` {
		t.Errorf("count gave %s", got)
	}
	var build flow.Bash
	o.payload(t, "build", &build)
	if !build.SaveStdout || variable(build.Env, "DEPLOY_TARGET") != "x" || variable(build.Env, "VERBOSE") != "1" || variable(build.Env, "LANG") != "C.UTF-8" {
		t.Errorf("build ran %+v", build)
	}
	var review flow.Prompt
	o.payload(t, "review", &review)
	if !strings.HasPrefix(review.Text, "Read the log /sim/artifacts/build.stdout; the build of x is ok.") || variable(review.Env, "DEPLOY_TARGET") != "x" {
		t.Errorf("review asked %+v", review)
	}
	var count flow.Script
	o.payload(t, "count[1]", &count)
	if !count.SaveStdout || variable(count.Env, "VERBOSE") != "1" {
		t.Errorf("count ran %+v", count)
	}

	printed["build"] = failed("no")
	o = execute(t, scenario{Workflow: "successor", Inputs: json.RawMessage(`{"target":"x"}`), Explore: 3, Results: printed})
	for key, want := range map[string]flow.Status{"build": flow.Failed, "count": flow.Skipped, "review": flow.Skipped, "report": flow.Skipped, "clean": flow.Completed} {
		if got := o.Step(key); got.Status != want {
			t.Errorf("%s ended as %+v", key, got)
		}
	}
	if o.End.Status != flow.Failed || o.Step("report").Reason != "when_condition" {
		t.Errorf("the run ended as %+v, report as %+v", o.End, o.Step("report"))
	}

	printed["build"], printed["clean"] = text("status=ok"), failed("it is locked")
	o = execute(t, scenario{Workflow: "successor", Inputs: json.RawMessage(`{"target":"x"}`), Explore: 3, Results: printed})
	if o.End.Status != flow.Failed || !strings.Contains(o.End.Error, "`clean`") || o.Step("report").Status != flow.Completed {
		t.Errorf("the run ended as %+v", o.End)
	}
}

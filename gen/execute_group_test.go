package gen_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// groupResults are the results of the actions of groups.txtar: the check passes in the
// third iteration.
func groupResults() map[string]flow.Result {
	r := map[string]flow.Result{"plan": text(`{"probe": "yes"}`), "report": text("r")}
	for n := 1; n <= 3; n++ {
		part := func(name string) string { return fmt.Sprintf("fix#%d.%s", n, name) }
		r[part("change")] = text(fmt.Sprintf("change %d", n))
		r[part("probe")] = text(fmt.Sprintf(`{"why": "w%d"}`, n))
		r[part("check")] = text(fmt.Sprintf(`{"ok": %v, "reason": "r%d"}`, n == 3, n))
		r[part("note")] = text("noted")
		r[part("polish#1.rub")], r[part("polish#1.look")] = text("first"), text("not yet")
		r[part("polish#2.rub")], r[part("polish#2.look")] = text("second"), text("it SHINES")
		r[fmt.Sprintf("fix#%d/until", n)] = text(fmt.Sprint(n == 3))
		r[fmt.Sprintf("talk#%d.write", n)], r[fmt.Sprintf("talk#%d.print", n)] = text("w"), text(strings.Repeat("END", min(1, n/2)))
	}
	return r
}

// The nodes of a group read each other, nodes around it and the previous iteration, in
// every world that a process can die in.
func TestGroups(t *testing.T) {
	o := execute(t, scenario{
		Workflow: "groups", Inputs: json.RawMessage(`{"arguments":"it"}`), Explore: 3, Results: groupResults(),
		Answers: []sim.Answer{{Key: "talk#1/gate", Result: flow.Result{Status: flow.Completed, Text: "shorter", Meta: flow.Meta{Choice: "approve"}}}},
	})
	if o.End.Status != flow.Completed || string(o.End.Outputs) != `{"report":"r"}` {
		t.Fatalf("the run ended as %+v", o.End)
	}
	for key, want := range map[string]string{"fix": "noted", "talk": "END", "fix#1.polish": "it SHINES", "fix#2.check": `{"ok":false,"reason":"r2"}`} {
		if got := o.Step(key).Text; got != want {
			t.Errorf("%s gave %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]flow.Status{
		"fix#1.probe": flow.Completed, "fix#1.note": flow.Skipped, "fix#3.note": flow.Completed, "fix#4.change": "", "fix#3.polish#2.look": flow.Completed,
	} {
		if got := o.Step(key).Status; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"fix#1.change":       "Do {\"probe\": \"yes\"}. Before: \nWhy: , ",
		"fix#2.change":       "Do {\"probe\": \"yes\"}. Before: change 1\nWhy: r1, w1",
		"fix#3.change":       "Do {\"probe\": \"yes\"}. Before: change 2\nWhy: r2, w2",
		"fix#3.note":         "Write down {\"why\": \"w3\"} and r3.",
		"fix#2.polish#1.rub": "Polish change 2 after . Say SHINES at the end.",
		"fix#2.polish#2.rub": "Polish change 2 after first. Say SHINES at the end.",
		"talk#1.write":       "Write about noted. ",
		"talk#2.write":       "Write about noted. shorter",
	} {
		var got flow.Prompt
		o.payload(t, key, &got)
		if got.Text != want {
			t.Errorf("%s asked %q, want %q", key, got.Text, want)
		}
	}
	var until, print flow.Bash
	o.payload(t, "fix#3/until", &until)
	if len(until.Bindings) != 3 || until.Bindings[0].Value != "true" || until.Bindings[1].Value != "noted" || until.Bindings[2].Value != "" {
		t.Errorf("the test of the third iteration got %+v", until.Bindings)
	}
	o.payload(t, "talk#2.print", &print)
	if !slices.Contains(print.Env, flow.Variable{Name: "LOOP_USER_INPUT", Value: "shorter"}) {
		t.Errorf("the script after the gate got %+v", print.Env)
	}
}

// A node that fails inside a group fails it once the others have followed their rules: the
// condition of `note`, whose rule is all_done, reads the failed node.
func TestGroupFails(t *testing.T) {
	results := groupResults()
	results["fix#2.check"] = failed("no")
	o := execute(t, scenario{Workflow: "groups", Explore: 3, Results: results})
	if got := o.Step("fix"); got.Status != flow.Failed || !strings.HasPrefix(got.Failure.Message, "iteration 2: node `check` failed: no") {
		t.Errorf("the group ended as %+v", got)
	}
	if got := o.Step("fix#2.note"); got.Failure == nil || got.Failure.Reason != "reference" {
		t.Errorf("the node behind it ended as %+v", got)
	}
	for key, want := range map[string]flow.Status{"fix#2.probe": flow.Completed, "fix#2.note": flow.Failed, "fix#2.polish": flow.Skipped, "talk": flow.Skipped} {
		if got := o.Step(key).Status; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// A block runs its nodes for each item, in every world that a process can die in.
func TestBlocks(t *testing.T) {
	results := map[string]flow.Result{"list": text(`["a", {"b": 1.0}, "skip", "bad"]`), "after": text("x"), "each[3].look": failed("broken")}
	for i, name := range []string{"a", "b", "c"} {
		results[fmt.Sprintf("each[%d].look", i)] = text("look " + name)
		results[fmt.Sprintf("each[%d].fix", i)] = text("fixed " + name)
		results[fmt.Sprintf("each[%d].rest#1.inner", i)] = text(name + " DONE")
	}
	o := execute(t, scenario{Workflow: "blocks", Explore: 3, Results: results})
	want := `["fixed a","fixed b","c DONE",{"archon_failed":true,"error":"node ` + "`look`" + ` failed: broken","status":"failed"}]`
	if got := o.Step("each"); got.Text != want || got.Status != flow.Completed {
		t.Errorf("the block ended as %+v, want %s", got, want)
	}
	var look, inner flow.Bash
	o.payload(t, "each[1].look", &look)
	o.payload(t, "each[0].rest#1.inner", &inner)
	if look.Bindings[0].Value != `{"b":1.0}` || inner.Bindings[0].Value != "a" || inner.Bindings[1].Value != "look a" {
		t.Errorf("the scripts got %+v and %+v", look.Bindings, inner.Bindings)
	}
	var fix flow.Prompt
	o.payload(t, "each[0].fix", &fix)
	if fix.Text != "Fix a after look a" {
		t.Errorf("fix asked %q", fix.Text)
	}
	o = execute(t, scenario{Workflow: "blocks", Results: map[string]flow.Result{"list": text("no list")}})
	if got := o.Step("each"); got.Status != flow.Failed || !strings.Contains(got.Failure.Message, "is not a JSON array: no list") {
		t.Errorf("the block of no list ended as %+v", got)
	}
}

// A long group is cut into several functions that share the tasks.
func TestLongGroup(t *testing.T) {
	results := map[string]flow.Result{"plan": text("p")}
	for n := 1; n <= 2; n++ {
		for i := range 230 {
			results[fmt.Sprintf("fix#%d.n%d", n, i)] = text(fmt.Sprintf("%d", n*i))
		}
	}
	results["fix#2.n229"] = text("DONE")
	o := execute(t, scenario{Workflow: "cutgroup", Results: results})
	var last flow.Bash
	o.payload(t, "fix#2.n200", &last)
	if o.End.Status != flow.Completed || o.Step("fix").Text != "DONE" || last.Bindings[0].Value != "p" || last.Bindings[1].Value != "200" {
		t.Errorf("the run ended as %+v, and node 200 got %+v", o.End, last.Bindings)
	}
}

// A group with a typed output ends by its signal, too.
func TestTypedGroup(t *testing.T) {
	const last = `{"ok":true,"note":"all DONE"}`
	o := execute(t, scenario{Workflow: "typedgroup", Explore: 2, Results: map[string]flow.Result{
		"fix#1.check": text(`{"ok":false}`), "fix#2.check": text(last), "end": text("e"),
	}})
	var end flow.Bash
	o.payload(t, "end", &end)
	if o.End.Status != flow.Completed || o.Step("fix").Text != last || end.Bindings[0].Value != "all DONE" || end.Bindings[1].Value != last {
		t.Errorf("the run ended as %+v, and the last node got %+v", o.End, end.Bindings)
	}
}

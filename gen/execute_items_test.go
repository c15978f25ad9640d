package gen_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// itemResults are the results of the actions of items.txtar for the files a.go and skip.
func itemResults() map[string]flow.Result {
	r := map[string]flow.Result{"list": text(`{"files": ["$(a)", "skip"]}`), "names": text(`["x", {"y": 1}]`), "report": text("end")}
	for i := range 2 {
		item := func(format string, args ...any) string { return fmt.Sprintf(format, append([]any{i}, args...)...) }
		r[item("each[%d].look")] = text(item("look %d"))
		r[item("each[%d].read")] = text(item("read %d"))
		r[item("each[%d].more")] = text(item("more %d"))
		r[item("each[%d].polish#1.rub")], r[item("each[%d].polish#2.rub")] = text("rough"), text("smooth")
		r[item("each[%d].polish#1/until")], r[item("each[%d].polish#2/until")] = text("false"), text("true")
		r[item("each[%d].say__say")] = text(item("said %d"))
		r[item("each[%d].verdict")] = text(item("verdict %d"))
		r[item("all[%d].rate")] = text(item(`{"grade": %d}`))
		r[item("fix#1.again[%d].say")], r[item("fix#2.again[%d].say")] = text("no"), text(item("no %d"))
		for k := range 2 {
			r[item("outer__rates[%d].inner[%d].say", k)] = text(item("%d.%d", k))
		}
		r[item("outer__rates[%d].print")] = text(item("print %d"))
	}
	r["fix#1.look"], r["fix#2.look"] = text("no"), text("DONE")
	for i, word := range []string{"one", "two", "three"} {
		r[fmt.Sprintf("constant[%d].say", i)] = text(word)
	}
	return r
}

// runItems runs the sample items, in which these results differ from those of a run that
// goes well. It also dies at every point of its journal.
func runItems(t *testing.T, results map[string]flow.Result) *outcome {
	t.Helper()
	s := scenario{Workflow: "items", Inputs: json.RawMessage(`{"arguments":"","context":"","tone":"calm"}`), Explore: 2, Results: itemResults()}
	maps.Copy(s.Results, results)
	return execute(t, s)
}

// The nodes of a block read the item, each other, nodes around the include, and the previous
// iteration of a group in the block.
func TestItems(t *testing.T) {
	o := runItems(t, nil)
	if o.End.Status != flow.Completed {
		t.Fatalf("the run ended as %+v", o.End)
	}
	for key, want := range map[string]string{
		"each": `["verdict 0","verdict 1"]`, "all": `[{"grade":0},{"grade":1}]`, "constant": `["one","two","three"]`,
		"fix#2.again": `["no 0","no 1"]`, "outer__rates[1].inner": `["1.0","1.1"]`, "outer__rates": `["print 0","print 1"]`,
	} {
		if got := o.Step(key).Text; got != want {
			t.Errorf("%s gave %s, want %s", key, got, want)
		}
	}
	for key, want := range map[string]flow.Status{
		"each[0].read": flow.Completed, "each[1].read": flow.Skipped, "each[1].more": flow.Skipped, "each[0].note": flow.Completed,
		"each[1].say__first": flow.Skipped, "fix#1.again[1].say": flow.Completed, "each[2].look": "",
	} {
		if got := o.Step(key).Status; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"each[0].read":         `Read $(a) of {"files":["$(a)","skip"]} in a calm, and short style.`,
		"each[0].more":         "Continue with read 0.",
		"each[1].polish#2.rub": "Rub skip after rough.",
		"all[1].rate":          `Rate {"y":1}.`,
		"report":               `Report ["verdict 0","verdict 1"], [{"grade":0},{"grade":1}], ["one","two","three"], ["print 0","print 1"].`,
	} {
		var got flow.Prompt
		o.payload(t, key, &got)
		if got.Text != want {
			t.Errorf("%s asked %q, want %q", key, got.Text, want)
		}
	}
	var look, print flow.Bash
	o.payload(t, "each[0].look", &look)
	if look.Bindings[0].Value != "$(a)" || variable(look.Env, "INPUTS_FILE") != "$(a)" || variable(look.Env, "INPUTS_STYLE") != "calm, and short" {
		t.Errorf("the script got %+v and %+v", look.Bindings, look.Env)
	}
	o.payload(t, "outer__rates[1].print", &print)
	if print.Bindings[0].Value != "verdict 1" || print.Bindings[1].Value != `["1.0","1.1"]` {
		t.Errorf("the outer block got %+v", print.Bindings)
	}
	var say flow.Script
	o.payload(t, "constant[1].say", &say)
	if variable(say.Env, "INPUTS_WORD") != `{"c":1}` {
		t.Errorf("the script got %+v", say.Env)
	}
}

// An item that fails is an object in the array, or fails the include once all have ended.
func TestItemsFail(t *testing.T) {
	o := runItems(t, map[string]flow.Result{"each[0].look": failed("broken"), "all[0].rate": failed("no")})
	if got := o.Step("each"); got.Status != flow.Completed || !strings.HasPrefix(got.Text, "[{\"archon_failed\":true,\"error\":\"node `look` failed: ") || !strings.HasSuffix(got.Text, `"status":"failed"},"verdict 1"]`) {
		t.Errorf("each ended as %+v", got)
	}
	if got := o.Step("each[0].verdict").Status; got != flow.Completed {
		t.Errorf("the verdict of an item that failed, whose rule is all_done, is %q", got)
	}
	if got := o.Step("all"); got.Status != flow.Failed || !strings.HasPrefix(got.Failure.Message, "all[0]: node `rate` failed: ") || o.Step("all[1].rate").Status != flow.Completed {
		t.Errorf("all ended as %+v, its second item as %+v", got, o.Step("all[1].rate"))
	}
}

// No item starts if the value is not an array; an empty array has no items.
func TestItemsNeedAnArray(t *testing.T) {
	o := runItems(t, map[string]flow.Result{"names": text(`{"x": 1}`)})
	if got := o.Step("all"); got.Status != flow.Failed || !strings.Contains(got.Failure.Message, "`$names.output` is not a JSON array") || o.Step("all[0]").Status != "" {
		t.Errorf("all ended as %+v %+v", got, got.Failure)
	}
	o = runItems(t, map[string]flow.Result{"names": text(`[]`)})
	if got := o.Step("all"); got.Status != flow.Completed || got.Text != "[]" {
		t.Errorf("all of no items ended as %+v", got)
	}
}

// Each item has its own child runs.
func TestItemsRunWorkflows(t *testing.T) {
	results := map[string]flow.Result{"names": text(`["[1]", ["b"]]`), "fresh": text(`["x"]`), "again[0].print": text("p"), "say": text("said"), "report": text("end")}
	for i := range 2 {
		results[fmt.Sprintf("each[%d].end", i)] = text(fmt.Sprintf("end %d", i))
	}
	o := execute(t, scenario{Workflow: "itemcalls", Inputs: json.RawMessage(`{"arguments":""}`), Explore: 2, Results: results})
	if got := o.Step("each").Text; got != `["end 0","end 1"]` {
		t.Errorf("each gave %s", got)
	}
	var end flow.Bash
	o.payload(t, "each[1].end", &end)
	if end.Bindings[0].Value != "said" || end.Bindings[1].Value != `["said"]` {
		t.Errorf("the script got %+v", end.Bindings)
	}
	for _, run := range []string{"each[0].one", "each[1].one", "each[0].many[0]", "each[1].many[0]"} {
		if child := o.Children[run]; child == nil || child.End.Status != flow.Completed {
			t.Errorf("run %s ended as %+v", run, child)
		}
	}
}

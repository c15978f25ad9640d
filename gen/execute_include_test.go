package gen_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// runIncludes runs the sample includes, in which these results differ from those of a run
// that goes well.
func runIncludes(t *testing.T, results map[string]flow.Result) *outcome {
	t.Helper()
	s := scenario{Workflow: "includes", Inputs: json.RawMessage(`{"arguments":"","context":"","tone":"$(rm) 'x'"}`), Explore: 2, Results: map[string]flow.Result{
		"fetch": text("+ a $(rm)"), "size": text(`{"lines": 3}`), "review__check": text("ok"), "review__read": text("read"),
		"review__lint__count": text("9"), "review__lint__fix": text("fixed"), "review__verdict": text("good"),
		"again__check": text("plain"), "again__read": text("reread"), "again__verdict": text("better"), "report": text("done"),
	}}
	maps.Copy(s.Results, results)
	return execute(t, s)
}

func TestBlocksRun(t *testing.T) {
	o := runIncludes(t, nil)
	if o.End.Status != flow.Completed || string(o.End.Outputs) != `{"report":"done"}` {
		t.Errorf("the run ended as %+v with %s", o.End, o.End.Outputs)
	}
	var check flow.Bash
	o.payload(t, "review__check", &check)
	if want := "make test | tail -n 5\necho \"in ${inputs_tone}, and short style: $INPUTS_LIMITS\""; check.Script != want {
		t.Errorf("the script is %q, want %q", check.Script, want)
	}
	if len(check.Bindings) != 1 || check.Bindings[0].Value != "$(rm) 'x'" {
		t.Errorf("the script has the values %+v", check.Bindings)
	}
	for name, want := range map[string]string{
		"INPUTS_DIFF": "+ a $(rm)", "INPUTS_TEST": "make test | tail -n 5", "INPUTS_STYLE": "$(rm) 'x', and short", "INPUTS_LIMITS": "[1,2]",
	} {
		if got := variable(check.Env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var count flow.Script
	o.payload(t, "review__lint__count", &count)
	if variable(count.Env, "INPUTS_LIMITS") != "[1,2]" || variable(count.Env, "INPUTS_WHAT") != "+ a $(rm)" {
		t.Errorf("the script of the inner block has %+v", count.Env)
	}
	var read flow.Prompt
	o.payload(t, "review__read", &read)
	if want := "Read + a $(rm) in a $(rm) 'x', and short style."; read.Text != want || read.Model != "haiku" || !read.FreshSession {
		t.Errorf("asked %+v", read)
	}
	var again flow.Prompt
	o.payload(t, "again__read", &again)
	if want := "Read good in a plain style."; again.Text != want {
		t.Errorf("the second block asked %q, want %q", again.Text, want)
	}
	if got := o.Step("again__lint__count"); got.Status != flow.Skipped || got.Reason != "trigger_rule" {
		t.Errorf("the block of a false condition: %+v", got)
	}
}

// A node of a block that does not run is skipped, whatever its own rule says.
func TestBlocksAreSkipped(t *testing.T) {
	o := runIncludes(t, map[string]flow.Result{"size": text(`{"lines": 0}`)})
	if got := o.Step("review"); got.Status != flow.Skipped || got.Reason != "when_condition" {
		t.Errorf("the include ended as %+v", got)
	}
	for _, key := range []string{"review__check", "review__read", "review__lint", "review__lint__fix", "review__verdict", "review__note"} {
		if got := o.Step(key); got.Status != flow.Skipped || got.Reason != "trigger_rule" {
			t.Errorf("%s ended as %+v", key, got)
		}
	}
	if got := o.Step("report"); got.Status != flow.Completed {
		t.Errorf("report ended as %+v", got)
	}
}

// An entry with a stricter rule than the include is skipped alone.
func TestBlocksWithSeveralRules(t *testing.T) {
	o := runIncludes(t, map[string]flow.Result{"fetch": failed("exit 1")})
	for key, want := range map[string]flow.Status{
		"review": flow.Completed, "review__check": flow.Failed, "review__read": flow.Failed, "review__lint": flow.Skipped,
		"review__verdict": flow.Failed, "again": flow.Skipped, "again__check": flow.Skipped, "again__verdict": flow.Skipped,
	} {
		if got := o.Step(key); got.Status != want {
			t.Errorf("%s ended as %+v, want %s", key, got, want)
		}
	}
}

// Lines of the code of a block are those of the included file.
func TestLinesOfBlocks(t *testing.T) {
	code := string(gen.Generate(program("includes"), gen.Options{LineDirectives: true})[0].Content)
	for _, want := range []string{"//line review.yaml:11:9\n", "//line lint.yaml:7:9\n", "//line includes.yaml:21:13\n"} {
		if !strings.Contains(code, want) {
			t.Errorf("the code has no line %q", want)
		}
	}
}

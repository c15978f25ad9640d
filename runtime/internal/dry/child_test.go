package dry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
)

// callee is a workflow that other ones run.
func callee(script string) *flow.Definition {
	def := &flow.Definition{
		Name: "build", Inputs: []flow.InputInfo{{Name: "of", Type: "text"}, {Name: "mode", Type: "text", Default: `"fast"`}},
		Nodes: []flow.NodeInfo{{Key: "make", Kind: "bash"}, {Key: "ship", Kind: "bash", After: []string{"make"}}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct{ Of, Mode string }
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		first := bash(c, "make", script+" "+in.Of+" "+in.Mode, nil, flow.Node[string]{})
		bash(c, "ship", "ship it", nil, flow.Node[string]{After: flow.After(first)})
		return nil, flow.Settle(c)
	}
	return def
}

func caller(t *testing.T, def *flow.Definition, call flow.Child, outputs string) *dry.Plan {
	t.Helper()
	top := &flow.Definition{Name: "release", Nodes: []flow.NodeInfo{{Key: "build", Kind: "workflow"}}, Children: []*flow.Definition{def}}
	top.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "build", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(call))
		}})
		return nil, flow.Settle(c)
	}
	opt := dry.Options{}
	if outputs != "" {
		var err error
		if opt.Outputs, err = dry.ReadOutputs([]byte(outputs), top.Nodes); err != nil {
			t.Fatal(err)
		}
	}
	p, err := dry.Make(top, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A run of another workflow is planned with its steps, indented.
func TestPlanOfAChild(t *testing.T) {
	p := caller(t, callee("make"), flow.Child{Workflow: "build", Inputs: []byte(`{"of": "wfc"}`), Worktree: true}, "")
	a := step(p, "build").Actions[0]
	if p.Verdict.Status != "completed" || a.Plan == nil || len(a.Plan.Steps) != 2 || a.Plan.Steps[0].Actions[0].Script != "make wfc fast" {
		t.Fatalf("%+v %+v", p.Verdict, a)
	}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n1    build (workflow): runs\n     runs the workflow build in a separate git worktree; the run completes\n     inputs: {",
		"\n     1    make (bash): runs\n          script:\n            make wfc fast\n", "\n     2    ship (bash): runs\n          after make\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if p := caller(t, callee("make"), flow.Child{Workflow: "build"}, `{"build": "done"}`); step(p, "build").Actions[0].Plan != nil || step(p, "build").Output != "done" {
		t.Errorf("%+v", step(p, "build"))
	}
}

// A run that cannot be as it is planned says why.
func TestPlanOfAChildThatFails(t *testing.T) {
	broken := callee("make")
	broken.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "make", Kind: "bash", Run: func(*flow.Context) (string, error) { return "", &flow.Failure{Message: "no way"} }})
		return nil, flow.Settle(c)
	}
	for want, p := range map[string]*dry.Plan{
		"needs the input `of`":                caller(t, callee("make"), flow.Child{Workflow: "build"}, ""),
		"has no workflow `other`":             caller(t, callee("make"), flow.Child{Workflow: "other"}, ""),
		"the run of workflow `build` is fail": caller(t, broken, flow.Child{Workflow: "build", Inputs: []byte(`{"of": ""}`)}, ""),
	} {
		if p.Verdict.Status != "failed" || !strings.Contains(strings.Join(p.Verdict.Reasons, " "), want) {
			t.Errorf("%s: %+v", want, p.Verdict)
		}
	}
}

// A workflow that runs itself is planned once.
func TestPlanOfAWorkflowThatRunsItself(t *testing.T) {
	def := &flow.Definition{Name: "build", Nodes: []flow.NodeInfo{{Key: "again", Kind: "workflow"}}}
	def.Children = []*flow.Definition{def}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "again", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			_, err := c.Do(flow.Child{Workflow: "build"})
			return "", err
		}})
		return nil, flow.Settle(c)
	}
	a := step(caller(t, def, flow.Child{Workflow: "build"}, ""), "build").Actions[0]
	if a.Plan == nil || a.Plan.Steps[0].Actions[0].Plan != nil {
		t.Errorf("%+v", a.Plan)
	}
}

// Waits are shown with what they wait for.
func TestPlanOfWaits(t *testing.T) {
	kinds := map[string]steps.Wait{
		"nap": {For: time.Hour}, "deploy": {Event: "deployed", EventTimeout: time.Hour}, "look": {Attention: "Look at it."},
	}
	p := small(t, "", "nap deploy look", func(c *flow.Context) {
		for _, key := range []string{"nap", "deploy", "look"} {
			flow.Spawn(c, flow.Node[string]{Key: key, Kind: "wait", Run: func(c *flow.Context) (string, error) { return kinds[key].Run(c) }})
		}
	})
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"nap/wait (wait)\n       waits until 20", "Z: 1h\n", "waits for the event `deployed`, at most 1h\n       taken as: signal", "waits for a person:\n         Look at it.\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// A group of nodes is planned as one iteration, whose steps can be given outputs.
func TestPlanOfAGroup(t *testing.T) {
	def := &flow.Definition{Name: "fix", Nodes: []flow.NodeInfo{{Key: "fix", Kind: "loop_group", Inside: []flow.NodeInfo{{Key: "edit", Kind: "bash"}, {Key: "test", Kind: "bash", After: []string{"edit"}}}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop_group", Run: func(c *flow.Context) (string, error) {
			return steps.Loop{Max: 3, Goal: "x", Done: func(text string) bool { return text == "DONE" }, Body: func(c *flow.Context, _ *steps.Iteration) (flow.Result, error) {
				return steps.RunNodes(c, func(c *flow.Context) []flow.AnyTask {
					edit := bash(c, "edit", "edit", nil, flow.Node[string]{})
					return flow.After(bash(c, "test", "test", nil, flow.Node[string]{After: flow.After(edit)}))
				})
			}}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	keys := func(outputs string) string {
		var opt dry.Options
		if outputs != "" {
			var err error
			if opt.Outputs, err = dry.ReadOutputs([]byte(outputs), def.Nodes); err != nil {
				t.Fatal(err)
			}
		}
		p, err := dry.Make(def, opt)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, a := range step(p, "fix").Actions {
			list = append(list, a.Key)
		}
		return strings.Join(list, " ") + strings.Join(p.Unused, " ")
	}
	for outputs, want := range map[string]string{
		"":                     "fix#1.edit fix#1.test",
		`{"fix.test": "DONE"}`: "fix#1.edit fix#1.test",
		`{"fix#1.test": "no", "fix#2.test": "DONE"}`: "fix#1.edit fix#1.test fix#2.edit fix#2.test",
	} {
		if got := keys(outputs); got != want {
			t.Errorf("%s: %s", outputs, got)
		}
	}
	if _, err := dry.ReadOutputs([]byte(`{"fux.test": "x"}`), def.Nodes); err == nil {
		t.Error("a node that there is not")
	}
}

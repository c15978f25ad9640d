package dry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
	"github.com/wfc-lang/wfc/runtime/output"
	"github.com/wfc-lang/wfc/runtime/value"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

type listed struct {
	Items []string `json:"items"`
	Ready bool     `json:"ready"`
}

// dynamic is a step's output of which nothing is known when it is compiled.
func dynamic(text string) (py.Value, error) { return py.Loads(text) }

func say(c *flow.Context, script string) (string, error) {
	r, err := c.Do(flow.Bash{Script: script})
	if err != nil {
		return "", err
	}
	return (*output.Spec)(nil).FromStdout(r, nil)
}

// sequence is a sequence with every kind of step.
func sequence() *flow.Definition {
	def := &flow.Definition{Name: "steps"}
	for _, n := range strings.Fields("list:bash each:for fork:parallel again:repeat plan:bash sum:bash maybe:bash") {
		key, kind, _ := strings.Cut(n, ":")
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: kind})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		list := flow.RunNext(c, flow.Node[*listed]{Key: "list", Kind: "bash", Decode: value.Decode[*listed], Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: "list"})
			return r.Text, err
		}})
		each := flow.RunNext(c, flow.Node[py.Value]{Key: "each", Kind: "for", Decode: dynamic, Run: func(c *flow.Context) (string, error) {
			items := list.MustOutput().Value.Items
			n, err := steps.Length(c, steps.List{Name: "i", Items: len(items)}, steps.List{Name: "j", Items: 3})
			if err != nil {
				return "", err
			}
			return steps.Each(c, n, output.JoinArray, func(c *flow.Context, i int) (string, error) { return say(c, "each "+items[i]) })
		}})
		fork := flow.RunNext(c, flow.Node[py.Value]{Key: "fork", Kind: "parallel", Decode: dynamic, Run: func(c *flow.Context) (string, error) {
			return steps.Fork{FailFast: true, Branches: []steps.Branch{
				{Name: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) { return say(c, "a") }},
				{Name: "b", Kind: "bash", Run: func(c *flow.Context) (string, error) { return say(c, "b") },
					When: func() (bool, error) { return list.MustOutput().Value.Ready, nil }},
			}}.Run(c, output.JoinObject)
		}})
		flow.RunNext(c, flow.Node[py.Value]{Key: "again", Kind: "repeat", Decode: dynamic, Run: func(c *flow.Context) (string, error) {
			return steps.Repeat{Max: 4, Condition: "{{ again.done }}",
				Body:  func(c *flow.Context, p steps.Previous) (string, error) { return say(c, "again "+p.Text) },
				Until: func(text string) (bool, error) { return strings.Contains(text, "yes"), nil },
			}.Run(c)
		}})
		plan := flow.RunNext(c, flow.Node[py.Value]{Key: "plan", Kind: "bash", Decode: dynamic, Run: func(c *flow.Context) (string, error) {
			return steps.Review{Step: "plan", Make: func(c *flow.Context, _ steps.Draft) (string, error) { return say(c, "plan") },
				Accept: (*output.Spec)(nil).Accept, ReadEdit: (*output.Spec)(nil).FromEdit}.Run(c)
		}})
		flow.RunNext(c, flow.Node[string]{Key: "sum", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			d, ok := fork.MustOutput().Value.(*py.Dict)
			if !ok {
				return "", &flow.Failure{Message: "'str object' has no attribute 'a'"}
			}
			text, _ := each.Text()
			return say(c, py.TypeName(d)+text)
		}})
		flow.RunNext(c, flow.Node[string]{Key: "maybe", Kind: "bash", When: func() (bool, error) { return plan.Approved(), nil },
			Run: func(c *flow.Context) (string, error) { return say(c, "maybe") }})
		return nil, flow.Settle(c)
	}
	return def
}

func keysOf(s *dry.Step) string {
	var keys []string
	for _, a := range s.Actions {
		keys = append(keys, a.Key)
	}
	return strings.Join(keys, " ")
}

// What is not known is planned as far as it can be.
func TestPlanOfASequence(t *testing.T) {
	p := plan(t, sequence(), "")
	for id, want := range map[string]string{
		"each": "each[0]", "fork": "fork/a fork/b", "again": "again#1", "plan": "plan/make1 plan/review#1", "sum": "", "maybe": "maybe",
	} {
		if s := step(p, id); keysOf(s) != want || s.Status != flow.Completed || s.Failure != "" {
			t.Errorf("%s: %s (%s, %s), want %s", id, keysOf(s), s.Status, s.Failure, want)
		}
	}
	for id, want := range map[string]string{
		"each": "once for each item of an unknown list", "again": "1 to 4 times",
	} {
		if got := step(p, id).Repeats; got != want {
			t.Errorf("%s repeats %q, want %q", id, got, want)
		}
	}
	for id, want := range map[string]string{
		"fork": "it is unknown whether `b` runs: it depends on `$list.output`", "again": "at most 4 iterations until {{ again.done }}",
		"plan": "a person accepts, edits or rejects the output; a rejection cancels the run", "sum": "its action depends on the output of `each`",
	} {
		if got := strings.Join(step(p, id).Notes, "; "); got != want && id != "sum" || id == "sum" && !strings.HasPrefix(got, "its action depends on the output of") {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if s := step(p, "each").Actions[0]; !strings.Contains(s.Script, "‹list.output.items[]›") {
		t.Errorf("%+v", s)
	}
	if step(p, "maybe").Decision != dry.Runs || p.Verdict.Status != "completed" {
		t.Errorf("%+v, %+v", step(p, "maybe"), p.Verdict)
	}
}

// What is scripted is followed.
func TestPlanOfASequenceWithOutputs(t *testing.T) {
	p := plan(t, sequence(), `{"list": {"items": ["x","y","z"], "ready": false}, "each": "v=1", "each[2]": "v=3", "fork/a": "k=a",
		"again#1": "no", "again#2": "said=yes", "plan": "n=1", "plan/review#1": "rerun", "plan/review": {"choice": "edit", "text": "n: 2"}}`)
	for id, want := range map[string]string{
		"each": `[{"v":"1"},{"v":"1"},{"v":"3"}]`, "fork": `{"a":{"k":"a"}}`, "again": `{"said":"yes"}`, "plan": `{"n":2,"approved":true}`,
	} {
		if s := step(p, id); s.Output != want || !s.OutputKnown {
			t.Errorf("%s: %q, want %q", id, s.Output, want)
		}
	}
	if got := keysOf(step(p, "plan")); got != "plan/make1 plan/review#1 plan/make2 plan/review#2" {
		t.Error(got)
	}
}

// A sequence of which no step runs completes, and says why none does.
func TestPlanOfASequenceThatSkips(t *testing.T) {
	def := &flow.Definition{Name: "s", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash"}, {Key: "c", Kind: "bash"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.RunNext(c, flow.Node[string]{Key: "a", Kind: "bash", Replace: func() (string, bool, error) { return "text", true, nil }})
		flow.RunNext(c, flow.Node[string]{Key: "b", Kind: "bash", Run: func(c *flow.Context) (string, error) { return say(c, "b") }})
		flow.RunNext(c, flow.Node[string]{Key: "c", Kind: "bash"})
		return nil, flow.Settle(c)
	}
	p := plan(t, def, `{"b": {"fail": "no"}}`)
	if a, c := step(p, "a"), step(p, "c"); a.Decision != dry.Skipped || a.Output != "text" || a.Why[0] != "its output is given as an input" ||
		c.Why[0] != "a step before it does not complete" || p.Verdict.Status != "failed" {
		t.Errorf("%+v, %+v, %+v", a, c, p.Verdict)
	}
}

func TestKeysOfSteps(t *testing.T) {
	nodes := []flow.NodeInfo{{Key: "p", Kind: "parallel"}, {Key: "n", Kind: "bash"}}
	for key, ok := range map[string]bool{
		"p/a": true, "p[0]/a": true, "p/make1[0]/a": true, "n/make2": true, "n/review#2": true, "n/review": true, "n[3]": true, "n/make2#1": true,
		"n/a": false, "p//a": false, "n/make": false, "p/": false, "n/reviews": false,
	} {
		text, _ := json.Marshal(map[string]string{key: "x"})
		if _, err := dry.ReadOutputs(text, nodes); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
}

package cli_test

import (
	"context"
	"os"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/value"
)

// untouchable is a performer that ends the program when it performs.
type untouchable struct{}

func (untouchable) Kind() string { return "bash" }

func (untouchable) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	println("step", call.Action.Key, "was performed")
	os.Exit(99)
	return flow.Result{}
}

// plans is a program of which nothing may be performed or opened.
func plans() cli.Program {
	type answer struct {
		Kind string `json:"kind"`
	}
	const schema = `{"type":"object","properties":{"kind":{"type":"string","enum":["bug","question"]}},"required":["kind"]}`
	def := &flow.Definition{
		Name: "plans", Fingerprint: "p1", Source: "plans.yaml", Agents: []string{"claude"}, Uses: flow.Uses{BaseBranch: true}, ExclusiveCheckout: true,
		Inputs: []flow.InputInfo{{Name: "arguments", Type: "text", Default: `""`, Rest: true}},
		Nodes: []flow.NodeInfo{
			{Key: "fetch", Kind: "bash"},
			{Key: "classify", Kind: "prompt", After: []string{"fetch"}, Agent: "claude"},
			{Key: "fix", Kind: "bash", After: []string{"classify"}, When: "$classify.output.kind == 'bug'"},
			{Key: "gate", Kind: "approval", After: []string{"fix"}},
		},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		fetch := node(c, "fetch", "gh issue list", nil)
		classify := flow.Spawn(c, flow.Node[*answer]{Key: "classify", Kind: "prompt", After: flow.After(fetch), Decode: value.Decode[*answer], Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: "Which kind is this?\n" + fetch.MustOutput().Text, Schema: []byte(schema)})
			return r.Text, err
		}})
		fix := flow.Spawn(c, flow.Node[string]{
			Key: "fix", Kind: "bash", After: flow.After(classify),
			When: func() (bool, error) { return classify.MustOutput().Value.Kind == "bug", nil },
			Run: func(c *flow.Context) (string, error) {
				base, err := c.BaseBranch()
				if err != nil {
					return "", err
				}
				r, err := c.Do(flow.Bash{Script: `git switch "${WFC_2}"`, Bindings: []flow.Binding{
					{Name: "WFC_1", Value: classify.MustOutput().Value.Kind}, {Name: "WFC_2", Value: base},
				}})
				return r.Text, err
			},
		})
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: flow.After(fix), Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Good?"}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	return cli.Program{
		Definition: def, Performers: []engine.Performer{untouchable{}}, Prompts: prompts.Opener(structured.Check),
		OpenStore: func(context.Context, string) (store.Store, error) {
			println("the store was opened")
			os.Exit(98)
			return nil, nil
		},
		Defaults: settings.Project{Agents: []settings.Agent{{Name: "claude", Kind: "scripted", Program: "/nowhere/replies.json", Model: "small"}}},
	}
}

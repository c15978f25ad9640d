// Package steps has the nodes of workflows that are more than one action: loops, forks,
// approval gates and reviews. Their parts are steps of their own in the journal, so a
// later process of the run continues with the first part that is not completed.
//
// A node that lets an agent work until the tests pass:
//
//	fix := flow.Spawn(c, flow.Node[string]{
//		Key: "fix",
//		Run: func(c *flow.Context) (string, error) {
//			return steps.Loop{
//				Max:  5,
//				Goal: "`go test ./...`",
//				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
//					return c.Do(flow.Prompt{Agent: "claude", Text: "Mend the tests.\n" + i.Previous})
//				},
//				Until: func(c *flow.Context, _ *steps.Iteration) (bool, error) {
//					return steps.Test(c, flow.Bash{Script: "go test ./..."})
//				},
//			}.Run(c)
//		},
//	})
package steps

// Package steps has the kinds of nodes that consist of several actions: loops, forks,
// approval gates and reviews. The journal has a separate step for each part, so a later
// process of the run continues with the first part that has not completed.
//
// The names archon and xprompt are those of dialects, formats of workflow files; see
// package compiler. Loop is the loop of archon workflows: it repeats a body, usually the
// prompt of an agent, until the text of an iteration or a test says that the work is
// complete. Repeat is the loop of xprompt workflows: it repeats a node until or while a
// condition on its output holds. Each and ForEach run once for each item of a list. Fork
// runs branches in parallel, Approval asks a person for permission, and Review lets a
// person decide about an output.
//
// A node that lets an agent work until the tests pass:
//
//	fix := flow.Spawn(c, flow.Node[string]{
//		Key: "fix",
//		Run: func(c *flow.Context) (string, error) {
//			return steps.Loop{
//				Max:       5,
//				Goal:      "`go test ./...`",
//				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
//					return c.Do(flow.Prompt{Agent: "claude", Text: "Fix the failing tests.\n" + i.Previous})
//				},
//				Until: func(c *flow.Context, _ *steps.Iteration) (bool, error) {
//					return steps.Test(c, flow.Bash{Script: "go test ./..."})
//				},
//			}.Run(c)
//		},
//	})
package steps

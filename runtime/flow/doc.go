// Package flow is the kernel that generated workflows are written against: typed
// tasks, actions as data, and the interface of the engines that run them.
//
// A workflow is a Definition whose Flow spawns nodes. A node waits for the tasks in
// After, reads their outputs and performs actions through its Context:
//
//	lint := flow.Spawn(c, flow.Node[string]{
//		Key: "lint",
//		Run: func(c *flow.Context) (string, error) {
//			done, err := c.Do(flow.Bash{Script: "golangci-lint run"})
//			return done.Text, err
//		},
//	})
//	flow.Spawn(c, flow.Node[string]{
//		Key:   "fix",
//		After: flow.After(lint),
//		Run: func(c *flow.Context) (string, error) {
//			done, err := c.Do(flow.Prompt{Agent: "claude", Text: "Fix:\n" + lint.Out().Text})
//			return done.Text, err
//		},
//	})
//	return nil, flow.Settle(c)
//
// Flow code is deterministic by construction. It has no clock, randomness, input or
// output, and neither goroutines nor channels; all effects are Actions that an Engine
// performs and whose results it journals. So any run can be replayed from its journal,
// on any engine.
//
// Package steps has nodes that are more than one action: loops, forks, gates, reviews.
// Package graph has state graphs. Performers, which Go programs add to an engine,
// receive the payloads of actions and return Results.
//
// The package imports nothing but the standard library and leaves of the runtime that
// do the same.
package flow

// Version2_RunWfcGenAgain is the version of generated code that this runtime fits.
// Generated code names it, so code of another version does not compile: "undefined:
// flow.Version2_RunWfcGenAgain".
//
// Rename it to the next number, here and in package gen, in a change after which
// existing generated code would not compile or would behave differently: an exported
// name that generated code uses is removed, changes its type or its meaning. Do not
// rename it when names are added or when wfc writes other code that old and new
// runtimes both run. One runtime fits one version.
const Version2_RunWfcGenAgain = true

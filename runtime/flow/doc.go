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
// Flow code must be deterministic: it uses no clock, no random numbers, no I/O, no
// goroutines and no channels. All effects are Actions. An Engine performs them and writes
// their results to the run's journal. So an engine can replay any run from its journal.
//
// These terms have one meaning throughout: a run is one execution of a workflow, by one
// process or by several, one after the other. A node is a part of the workflow; Spawn
// makes it a task of the run. A step is an entry of the journal with a key: a node, an
// action, a question or a part of a node. A step or a Future is settled once it has its
// result. A scope is a group of tasks and actions that can be cancelled together. A plan
// is a run that performs nothing and only shows what would happen (see RunInfo.Planned).
//
// Package steps has nodes of several actions: loops, forks, gates, reviews. Package graph
// has state graphs. An engine passes the payload of each action to a performer (see
// package runtime/engine), which returns a Result.
//
// The package imports only the standard library and packages of the runtime that import
// nothing else.
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

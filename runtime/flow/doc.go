// Package flow defines workflows as Go code: typed tasks, actions as data, and the
// interface of the engines that run them.
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
//			done, err := c.Do(flow.Prompt{Agent: "claude", Text: "Fix:\n" + lint.Output().Text})
//			return done.Text, err
//		},
//	})
//	return nil, flow.Settle(c)
//
// The output of a node is a text, which the journal stores, and a typed value, which
// Node.Decode makes of the text. Without Decode both are the same string. Choose the
// accessor by the states in which the node may be:
//
//	t.Output()    the node completed, by its trigger rule: Text and Value; panics otherwise
//	t.Text()      the node may be skipped: its text is "" then; an error if it failed
//	t.Needed(ref) the node may be skipped or fail: both are an error, which names ref
//	t.Value(ref)  the same, for the typed value
//	t.Final()     the node is settled: Text and Value, both zero if it did not complete
//	t.Optional()  the same, as a pointer to the value: nil if it did not complete
//
// The end of an action is a Result, whose Text is the output of the action.
//
// Flow code must be deterministic: it uses no clock, no random numbers, no I/O, no
// goroutines and no channels. All effects are Actions. An Engine performs them and writes
// their results to the run's journal. So an engine can replay any run from its journal.
//
// In this package and in engines these terms have one meaning: a run is one execution of a
// workflow, by one process or by several, one after the other. A node is a part of the
// workflow; Spawn makes it a task of the run. A step is an entry of the journal with a key:
// a node, an action, a question or a part of a node. (Workflows of xprompt call their nodes
// steps.) A step or a Future is settled once it has its result. A scope is a group of tasks
// and actions that can be cancelled together. A plan is a run that performs nothing and only
// shows what would happen (see RunInfo.Planned).
//
// Package steps has nodes of several actions: loops, forks, gates, reviews. Package graph
// has state graphs. An engine passes the payload of each action to a performer (see
// package runtime/engine), which returns a Result.
//
// Func, Given and Replacement are for generated code, NodeContext and NodeState for packages
// steps and graph, and NewContext, Batch and Future.OnSettle for engines.
//
// The package imports only the standard library and packages of the runtime that import
// nothing else.
package flow

// RunWfcGenAgainUnlessVersion4 makes generated code of another version fail to compile: run
// "wfc gen" again if Go reports "undefined: flow.RunWfcGenAgainUnless…". Generated code
// names the constant of its version; one runtime has one version.
const RunWfcGenAgainUnlessVersion4 = true

// To change wfc itself: rename the constant to the next number, here and in package gen,
// when existing generated code would no longer compile or would behave differently. Do not
// rename it when names are added.

// Package flow defines workflows as Go code: typed tasks, actions as data, and the
// interface by which the code uses the engine that runs it. The compiler of wfc writes such
// code from YAML, and you can write it by hand.
//
// A workflow is a Definition. Its Flow is a function that spawns nodes, waits until they have
// settled (completed, failed, were skipped or cancelled), and returns the outputs of the
// workflow:
//
//	var mend = flow.Definition{
//		Name: "mend", Fingerprint: "1", Agents: []string{"claude"},
//		Nodes: []flow.NodeInfo{{Key: "lint", Kind: "bash"}, {Key: "fix", Kind: "prompt", Agent: "claude", After: []string{"lint"}}},
//		Flow: func(c *flow.Context) (any, error) {
//			lint := flow.Spawn(c, flow.Node[string]{
//				Key: "lint", Kind: "bash",
//				Run: func(c *flow.Context) (string, error) {
//					return flow.TextOf(c.Do(flow.Bash{Script: "golangci-lint run"}))
//				},
//			})
//			fix := flow.Spawn(c, flow.Node[string]{
//				Key: "fix", Kind: "prompt", After: flow.After(lint),
//				Run: func(c *flow.Context) (string, error) {
//					return flow.TextOf(c.Do(flow.Prompt{Agent: "claude", Text: "Fix:\n" + lint.MustOutput().Text}))
//				},
//			})
//			err := flow.Settle(c)
//			return map[string]string{"fix": fix.Final().Text}, err
//		},
//	}
//
// # Rules of flows
//
// A flow that breaks one of these rules fails its run, with a message that says what to change:
//
//   - A node reads the outputs of nodes that it waits for: those in its After, and those for
//     which these wait. Any other output may not be there yet.
//   - The flow calls Settle after it has spawned the last node, reads outputs only after that,
//     and returns Settle's error. Nodes that have not settled when the flow returns do not run.
//     A flow that ends with an error need not settle. (In `return task.Final(), flow.Settle(c)`,
//     Go calls Final first.)
//   - Only the flow spawns nodes. The code of a node performs actions, by Context.Do and
//     Context.DoAs, each under a separate key.
//   - Each node has a separate key, which Definition.Nodes declares; see Node.Key. A declared
//     node that the flow does not spawn, because of an `if`, is shown as skipped. Prefer
//     Node.When, which also says why.
//
// Flow code must be deterministic: it uses no clock, no random numbers, no I/O, no
// goroutines and no channels. All effects are Actions. An engine, such as local.Engine,
// performs them and writes their results to the run's journal. A resumed run executes the flow
// again from its first line, and takes the results of completed nodes from the journal, so the
// flow must take the same path again. The command `wfc vettool` finds code that may not
// (package gen/vet). Package sim runs a flow in tests, with made-up results and a virtual
// clock, and can let the process die at every point.
//
// Package steps has nodes of several actions: loops, forks, gates, reviews. Package graph
// has state graphs, whose nodes may run many times. An engine passes the payload of each action
// to a performer (see package runtime/engine), which returns a Result; its Text is the output
// of the action. Flow code reaches its engine by a Context; a Scheduler is the interface behind
// it.
//
// # Outputs
//
// The output of a node is a string, its text, which the journal stores, and a typed
// value, which Node.Decode makes of the text. Without Decode the value is the text.
// Choose the accessor by the states in which the node may be:
//
//	                     completed       skipped   failed or cancelled
//	t.Text()             the text        ""        an error
//	t.RequireText(ref)   the text        an error  an error
//	t.RequireValue(ref)  the value       an error  an error
//	t.Final()            text and value  zero      zero
//	t.Optional()         &value          nil       nil
//	t.MustOutput()       text and value  panics    panics
//
// In a loop, the Task of a node in the previous iteration may be nil; see Task.
//
// # Terms
//
// In this package and in engines these terms have one meaning:
//
//   - A run is one execution of a workflow, by one process or by several, one after the
//     other.
//   - A node is a part of the workflow.
//   - A task is a unit of flow code that waits and continues independently of the others,
//     like a goroutine. Spawn starts a task for a node; its Task has the node's output.
//   - A sequence is a flow that runs its nodes one after the other, by RunNext.
//   - A step is an entry of the journal with a key: of a node, an action, a question or a
//     part of a node. (Workflows of the dialect xprompt call their nodes steps.)
//   - A step or a Future is settled once it has its result.
//   - A scope is a group of tasks and actions that can be cancelled together.
//   - A symbolic engine executes flow code without the outputs of actions: it puts symbols
//     in their place. Dry runs use one.
//
// The names archon, xprompt and lango are those of dialects, the formats of workflow
// files; package compiler describes them.
//
// TypedFlow, RequireInput and Replacement are for generated code, NodeContext and
// NodeState for packages steps and graph, and RunFlow, Batch and Future.OnSettle for
// engines.
//
// The package imports only the standard library and packages of the runtime that import
// nothing else.
package flow

// RunWfcGenAgainUnlessVersion6 makes generated code of another version fail to compile: run
// "wfc gen" again if Go reports "undefined: flow.RunWfcGenAgainUnless…". Generated code
// names the constant of its version; one runtime has one version.
const RunWfcGenAgainUnlessVersion6 = true

// To change wfc itself: rename the constant to the next number, here and in package gen,
// when existing generated code would no longer compile or would behave differently. Do not
// rename it when names are added.

// Package graph runs state graphs: workflows that visit one node at a time. A node ends
// with a label, one of the names in its `outputs`. The label decides which node is next.
// The nodes share a typed state.
//
// Generated code has one table of nodes and edges, a Graph. Its functions are methods of a
// struct for one run, which embeds a Walk, and Walk.Follow walks through the table:
//
//	var table = graph.Graph[node, run]{
//		Nodes: []graph.Node[node, run]{
//			{Name: nodeDraft, Kind: "prompt", Labels: []string{"done"}, Run: (*run).runDraft},
//			{Name: nodeReview, Kind: "prompt", Labels: []string{"bugs", "clean"}, Run: (*run).runReview},
//		},
//		Edges: []graph.Edge[node, run]{
//			{From: graph.Start, To: nodeDraft},
//			{From: nodeDraft, To: nodeReview},
//			{From: nodeReview, To: nodeDraft, On: "bugs", When: (*run).reviewToDraft},
//			{From: nodeReview, To: graph.End},
//		},
//	}
//
// Pictures and the command info show the same table; see Graph.Info and Graph.NodeInfos.
//
// A Walk is the path of a run through the graph. The journal does not contain it: a later
// process repeats the same walk from the start, because the journal has everything that
// decides it: the outputs of agents and scripts with their labels, people's answers, and
// every reading of the clock. (A script that failed is a step that completed with a label
// that means failure; see package reply.) The engine performs only the steps that the
// journal lacks.
//
// Visits are numbered: the first visited node is 1, and the branches of a parallel have
// the numbers after its own, in their order. Keys contain the number, so they are the
// same in every process: `review@5`, `review@5/again` when the agent had to be asked for
// its label, `approval@9#1` for a question, `deploy@7/before#1` for an interrupt,
// `review@5/state` for the state that is saved after it.
//
// In this package an interrupt is a question to a person, before or after a node, whether
// to continue. An interrupted action is something else: one whose process died while it
// ran (see settings.Interrupts).
//
// A visit has this order: interrupts before the node; the node's work; Node.OnEnd, which
// assigns to the state; the choice of the edge; the state is saved; interrupts after the
// node; limits. If no edge of a node holds, the node fails before the interrupts after it.
// The next visit begins when the state is saved, so that the files of the run (see package
// graphfiles) always explain what happened. Saving the state is an action, since flow code
// has no effects itself. It is idempotent, so the policy for interrupted actions does not
// apply to it.
//
// A run halts when it reaches a limit or a person says no, and may continue later. It
// journals the halt under a separate key, such as `review@5/limit#1/halted`. A later
// process that finds this key continues past the halt, and saves a state that says so.
package graph

// Package graph runs state graphs: workflows that visit one node at a time. A node ends
// with a label, one of the names in its `outputs`. The label decides which node is next.
// The nodes share a typed state.
//
// Generated code is a loop with one case for each node. A case describes the visit to its
// node, and Walk.Visit performs it:
//
//	for at := r.walk.Start(graph.Edge[node]{To: nodeDraft}); at != nodeEnd; {
//		switch at {
//		case nodeDraft:
//			at = r.walk.Visit(graph.Visit[node]{
//				Work:  graph.Work[node]{Node: at, Run: r.runDraft, OnEnd: graph.Keep(&r.labels.Draft)},
//				Edges: []graph.Edge[node]{{To: nodeReview}},
//			})
//		case nodeReview:
//			at = r.walk.Visit(graph.Visit[node]{
//				Work:  graph.Work[node]{Node: at, Run: r.runReview, OnEnd: graph.Keep(&r.labels.Review)},
//				Edges: []graph.Edge[node]{{To: nodeDraft, When: r.reviewToDraft}, {To: nodeEnd}},
//			})
//		}
//	}
//	return r.walk.Finish()
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
// A visit has this order: interrupts before the node; the node's work; Work.OnEnd, which
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

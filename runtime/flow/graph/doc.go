// Package graph runs state graphs: workflows that visit one node at a time, whose
// output decides which node is next, around a typed state.
//
// Generated code is a switch over the nodes. Each case says what a visit is made of;
// methods do the work:
//
//	for at := r.Start(graph.Edge[node]{To: nodeDraft}); at != nodeEnd; {
//		switch at {
//		case nodeDraft:
//			at = r.Visit(graph.Visit[node]{
//				Step:  graph.Step[node]{Node: at, Run: r.draft, Done: graph.Keep(&r.Labels.Draft)},
//				Edges: []graph.Edge[node]{{To: nodeReview}},
//			})
//		case nodeReview:
//			at = r.Visit(graph.Visit[node]{
//				Step:  graph.Step[node]{Node: at, Run: r.review, Done: graph.Keep(&r.Labels.Review)},
//				Edges: []graph.Edge[node]{{To: nodeDraft, If: r.unfit}, {To: nodeEnd}},
//			})
//		}
//	}
//	return r.Finish()
//
// The walk itself is not journalled. A later process walks the same way from the
// beginning, because everything that decides it is in the journal or follows from it:
// the outputs of agents and scripts with their labels (a script that failed is a step
// that completed with the label `fail`), people's answers, and every reading of the
// clock. Only missing steps are performed.
//
// Visits are numbered: the first visited node is 1, and the branches of a parallel have
// the numbers after its own, in their order. Keys contain the number, so they are the
// same in every process: `review@5`, `review@5/again` when the agent had to be asked for
// its label, `approval@9#1` for a question, `deploy@7/before#1` for an interrupt,
// `review@5/state` for the state that is saved after it.
//
// A visit has this order: interrupts before the node; the node's work; handlers; the
// choice of the edge; the state is saved; interrupts after the node; limits. A node
// without an edge that holds has failed, before anybody is asked. The next visit begins
// when the state is saved, so that the task's folder always explains what happened.
// Saving is an action because flow code performs nothing itself; it may be performed
// twice without harm, so the policy for interrupted actions does not apply to it.
//
// A run that halts and may continue (a limit, a person who says no) has saved that under
// a separate key, `review@5/limit#1/halted`. A later process finds it in the journal and
// knows that this halt is over; when it passes the place, it saves that it continues.
package graph

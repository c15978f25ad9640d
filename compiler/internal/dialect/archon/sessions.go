package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// The original engine runs a workflow in layers and keeps the conversation of the
// last prompt that was alone in its layer: the next such prompt continues it.
// Scripts, gates and other single nodes change nothing. A layer of several nodes
// ends the conversation, since none of them is the last. `context: fresh` starts a
// conversation that later nodes continue. A loop starts its own, and later nodes
// continue that of its last iteration.
//
// A compiled workflow has no layers at run time, but the dependencies alone
// determine the conversation: in an unbroken run of layers of one node, each node
// depends on the one before it. Only the run decides which of them are skipped. So
// a prompt gets a list of candidates, the nearest first, up to the first that must
// have completed for the prompt to run. The list also ends at a prompt to another
// agent, because an agent cannot continue another agent's conversation.

// mostCandidates bounds the list where every node may have been skipped. A
// prompt all of whose nearest candidates were skipped begins anew.
const mostCandidates = 16

// continueConversations sets the conversation that each prompt continues. It is called
// before references add more dependencies.
func continueConversations(decls []*nodeDecl) {
	decls = withoutIncludes(decls)
	var run []*ir.Node
	for _, layer := range dependencyLayers(nodeDependencies(decls)) {
		if len(layer) > 1 {
			run = run[:0]
			continue
		}
		n := decls[layer[0]]
		if p, ok := n.node.Action.(*ir.Prompt); ok && !n.agent.fresh && n.agent.resume == nil {
			p.Continues, _ = sessionCandidates(p.Agent.Name, n.node, run)
		}
		run = append(run, n.node)
	}
}

// withoutIncludes returns the nodes that are not includes. An include only marks the
// place of its block.
func withoutIncludes(decls []*nodeDecl) []*nodeDecl {
	return slices.DeleteFunc(slices.Clone(decls), func(n *nodeDecl) bool { return n.block != nil })
}

// continueIterations sets the conversation that the first prompts of a group continue: that
// with which the previous iteration ended.
func continueIterations(g *group) {
	decls := withoutIncludes(g.decls)
	layers := dependencyLayers(nodeDependencies(decls))
	var last, run []*ir.Node
	for i := len(layers) - 1; i >= 0 && len(layers[i]) == 1; i-- {
		last = append(last, decls[layers[i][0]].node)
	}
	for _, layer := range layers {
		if len(layer) > 1 {
			return
		}
		n := decls[layer[0]]
		if p, ok := n.node.Action.(*ir.Prompt); ok && !n.agent.fresh {
			if _, open := sessionCandidates(p.Agent.Name, n.node, run); open {
				p.ContinuesPrevious = lastOf(p.Agent.Name, last)
			}
		}
		run = append(run, n.node)
	}
}

// lastOf returns the ids of the nodes at the end of an iteration, the last one first, that
// have a conversation with the agent.
func lastOf(agent string, last []*ir.Node) []string {
	var ids []string
	for _, n := range last {
		switch conversationAgent(n) {
		case "":
			continue
		case agent:
			ids = append(ids, n.ID)
		default:
			return ids
		}
		if surelyCompletes(n) || len(ids) == mostCandidates {
			return ids
		}
	}
	return ids
}

// surelyCompletes reports whether a node completes in every iteration that does. It asks
// for single nodes after one another, so the search is a chain.
func surelyCompletes(n *ir.Node) bool {
	for {
		switch {
		case n.When != nil || n.WhenText != "" || n.SkipOnTimeout || n.Rule != ir.AllSuccess || len(n.Needs) > 1:
			return false
		case len(n.Needs) == 0:
			return true
		}
		n = n.Needs[0].Node
	}
}

// sessionCandidates returns the ids of the nodes in the run before n that have a
// conversation with the agent. open says that all of them may have been skipped.
func sessionCandidates(agent string, n *ir.Node, run []*ir.Node) (ids []string, open bool) {
	certain := true
	for i := len(run) - 1; i >= 0; i-- {
		certain = certain && needsCompleted(n, run[i])
		n = run[i]
		switch conversationAgent(n) {
		case "":
		case agent:
			ids = append(ids, n.ID)
			if certain || len(ids) == mostCandidates {
				return ids, false
			}
		default:
			return ids, false
		}
	}
	return ids, true
}

// needsCompleted reports whether n runs only if before, on which it depends,
// has completed.
func needsCompleted(n, before *ir.Node) bool {
	if n.Include != nil && len(n.Needs) == 1 && n.Needs[0].Node == n.Include {
		return needsCompleted(n.Include, before)
	}
	switch n.Rule {
	case ir.AllSuccess:
		return true
	case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
		return len(n.Needs) == 1 && n.Needs[0].Node == before
	}
	return false
}

// conversationAgent returns the name of the agent with which a node has a conversation that
// others can continue with, or "".
func conversationAgent(n *ir.Node) string {
	switch action := n.Action.(type) {
	case *ir.Prompt:
		return action.Agent.Name
	case *ir.Loop:
		if _, group := action.Body.(*ir.DAG); group {
			return "" // its conversations are those of its nodes
		}
		for _, inner := range action.Body.All() {
			if p, ok := inner.Action.(*ir.Prompt); ok {
				return p.Agent.Name
			}
		}
	}
	return ""
}

// nodeDependencies returns the positions of the nodes that each node depends on. The first nodes
// of a block depend on those before the block.
func nodeDependencies(decls []*nodeDecl) [][]int {
	index := map[*ir.Node]int{}
	for i, n := range decls {
		index[n.node] = i
	}
	needs := make([][]int, len(decls))
	for i, n := range decls {
		todo, seen := slices.Clone(n.node.Needs), map[*ir.Node]bool{}
		for len(todo) > 0 {
			before := todo[0].Node
			todo = todo[1:]
			if seen[before] {
				continue
			}
			seen[before] = true
			if k, ok := index[before]; ok {
				needs[i] = append(needs[i], k)
			} else {
				todo = append(todo, before.Needs...)
			}
		}
	}
	return needs
}

// dependencyLayers returns the positions of nodes by the length of the longest chain of
// dependencies before them. It leaves out nodes in a cycle, which is reported
// elsewhere, and all nodes that wait for them.
func dependencyLayers(needs [][]int) [][]int {
	waits := make([]int, len(needs))
	followers := make([][]int, len(needs))
	var ready []int
	for i, list := range needs {
		for _, before := range list {
			followers[before] = append(followers[before], i)
		}
		if waits[i] = len(list); len(list) == 0 {
			ready = append(ready, i)
		}
	}
	var all [][]int
	for len(ready) > 0 {
		all = append(all, ready)
		var next []int
		for _, i := range ready {
			for _, f := range followers[i] {
				if waits[f]--; waits[f] == 0 {
					next = append(next, f)
				}
			}
		}
		ready = next
	}
	return all
}

// contextDecl holds the keys under `context:`. By `resume`, a prompt works on a copy of the
// session of an earlier node.
type contextDecl struct{ resume *value }

var contextLevel = level{Where: "under `context:`", Name: "`context`", Prefix: "context."}

var contextFields = []field[contextDecl]{
	{Name: "resume", Shape: decode.FilledString, Required: true,
		Doc:  "The prompt continues a copy of this node's session. The node must end first.",
		Read: func(d *decoder, v value, c *contextDecl) { c.resume = decode.Keep(v, d.Filled) }},
}

// readContext reads the session that a prompt starts with: a word, or the node that had it.
func readContext(d *decoder, v value, n *nodeDecl) {
	n.agent.addKey(v)
	if d.IsText(v.Node) {
		word, _ := d.Choice(v)
		n.agent.fresh = word == "fresh"
		if word == "shared" {
			n.agent.shared = &v
		}
		return
	}
	var c contextDecl
	if readLevel(d, v, contextLevel, contextFields, &c) {
		n.agent.resume = c.resume
	}
}

// checkShared reports nodes that share a session although nothing orders them, which the
// newer rules refuse. needs has the positions of the nodes that each depends on.
func (r *reader) checkShared(decls []*nodeDecl, needs [][]int) {
	for _, layer := range dependencyLayers(needs) {
		for _, i := range layer {
			n := decls[i]
			if r.rules.Holds(formats.SharedContext) && len(layer) > 1 && n.agent.shared != nil && n.node.Action.Kind() == (*ir.Prompt)(nil).Kind() {
				other := decls[layer[0]].node
				if other == n.node {
					other = decls[layer[1]].node
				}
				r.Bag.Add(finding.InvalidSession(n.agent.shared.Place(), n.messageLabel()+" can run at the same time as `"+other.ID+"`, so it shares no session",
					"remove `context`, or order the nodes by `depends_on`", other.IDSpan))
			}
		}
	}
}

// A resumption is a prompt that continues the session of a node.
type resumption struct {
	reader *ir.Node
	scope  *scope
	source source.Text
}

// resumeSession notes the node whose session a prompt continues, for resumeSessions.
func (d *decoder) resumeSession(n *nodeDecl) {
	if v := n.agent.resume; v != nil {
		d.resumptions = append(d.resumptions, resumption{n.node, d.scope, v.Node.Text().TrimFunc(isSpace)})
	}
}

// resumeSessions sets the sessions that prompts continue, once all nodes are known.
func (r *resolver) resumeSessions(list []resumption) {
	for _, one := range list {
		prompt, ok := one.reader.Action.(*ir.Prompt)
		if !ok {
			continue // it has a fault
		}
		id, at := one.source.Value, one.source.Whole()
		producer := one.scope.nodes[id]
		if producer == nil {
			r.bag.Add(finding.UnknownSession(at, id, plain.Nearest(id, one.scope.ids)))
			continue
		}
		if block := one.scope.blocks[id]; block != nil {
			r.bag.Add(finding.InvalidSession(at, noSession(id), "name such a node", block.IDSpan))
			continue
		}
		if problem, help := r.cannotResume(one.reader, prompt, producer); problem != "" {
			r.bag.Add(finding.InvalidSession(at, problem, help, producer.IDSpan))
			continue
		}
		prompt.Resumes, prompt.ResumesSpan = producer.ID, at
	}
}

// noSession says that a node of some other kind has no session.
func noSession(id string) string {
	return "`" + id + "` has no session: only `prompt`, `command` and `loop` nodes have one"
}

// cannotResume says why a prompt cannot continue the session of a node, and what to do; the
// problem is "" if it can.
func (r *resolver) cannotResume(reader *ir.Node, p *ir.Prompt, producer *ir.Node) (problem, help string) {
	body := r.bodies[reader]
	agent := conversationAgent(producer)
	loop, isLoop := producer.Action.(*ir.Loop)
	_, fails := producer.Action.(*ir.Fail)
	group := false
	if isLoop {
		_, group = loop.Body.(*ir.DAG)
	}
	switch {
	case body.owner != nil:
		return "a node in the body of `" + body.owner.ID + "` cannot continue the session of a node", "remove `context`, or move the node out of the body"
	case producer == reader:
		return "a node cannot continue its own session", "name an earlier node"
	case r.bodies[producer] != body || !body.isAncestor(body.index[producer], body.index[reader]):
		return "`" + reader.ID + "` does not depend on `" + producer.ID + "`", "add `" + producer.ID + "` to its `depends_on`"
	case producer.Output == types.Invalid || fails:
		return "", "" // it has a fault
	case agent == "" || group:
		return noSession(producer.ID), "name such a node"
	case agent != p.Agent.Name:
		return "`" + producer.ID + "` has a session with the agent `" + agent + "`, and `" + reader.ID + "` prompts `" + p.Agent.Name + "`",
			"give both nodes the same `provider`"
	}
	if kind, known := r.env.Kind(agent); known && !kind.Forks {
		return "the agent `" + agent + "` cannot copy a session", "use `claude` for both nodes, or `context: shared`"
	}
	return "", ""
}

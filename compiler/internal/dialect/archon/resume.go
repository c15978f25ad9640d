package archon

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// By `context: {resume: node}`, a prompt works on a copy of the session of an earlier node.

// contextDecl holds the keys under `context:`.
type contextDecl struct{ resume *value }

var contextLevel = level{Where: "under `context:`", Name: "`context`", Prefix: "context."}

var contextFields = []field[contextDecl]{
	{Name: "resume", Shape: decode.FilledString, Required: true, Since: afterNine,
		Doc:  "Node whose session the prompt continues, on a copy of it. The node must end first.",
		Read: func(d *decoder, v value, c *contextDecl) { c.resume = decode.Keep(v, d.Filled) }},
}

// readContext reads the session that a prompt starts with: a word, or the node that had it.
func readContext(d *decoder, v value, n *nodeDecl) {
	n.agent.note(v)
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
func (d *decoder) checkShared(decls []*nodeDecl, needs [][]int) {
	for _, layer := range layers(needs) {
		for _, i := range layer {
			n := decls[i]
			if d.newer && len(layer) > 1 && n.agent.shared != nil && n.node.Action.Kind() == (*ir.Prompt)(nil).Kind() {
				other := decls[layer[0]].node
				if other == n.node {
					other = decls[layer[1]].node
				}
				d.Bag.Add(finding.InvalidSession(n.agent.shared.Place(), n.label()+" can run at the same time as `"+other.ID+"`, so it shares no session",
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
			r.bag.Add(finding.UnknownSession(at, id, finding.Nearest(id, one.scope.ids)))
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
	agent := converses(producer)
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

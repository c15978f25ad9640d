package flow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// The rules of flows hold for generated code by construction. Code written by hand that breaks
// one fails its run, because a node that silently does not run looks like one that did.

// RunFlow calls fn, the Flow of a Definition with these nodes, as the first task of a run,
// whose Scheduler is e. Only engines call it. An fn that returns while nodes are not settled
// fails, whatever its outputs, unless it returns an error of its own.
func RunFlow(e Scheduler, nodes []NodeInfo, fn func(c *Context) (any, error)) (any, error) {
	f := newFlowState(nodes)
	outputs, err := fn(&Context{scheduler: e, flow: f, node: &NodeState{}})
	if outcome, ok := errors.AsType[*kernel.OutcomeError](err); err == nil || ok && outcome.Err == nil {
		err = cmp.Or(f.unsettledError(), err)
	}
	return outputs, err
}

// newFlowState returns the state of a flow with these declared nodes.
func newFlowState(nodes []NodeInfo) *flowState {
	f := &flowState{infos: make(map[string]*NodeInfo, len(nodes)), claimed: map[string]bool{}}
	for i := range nodes {
		f.declared = append(f.declared, nodes[i].Key)
		f.infos[nodes[i].Key] = &nodes[i]
	}
	return f
}

// futures are those of the flow's nodes and deliveries.
func (f *flowState) futures() []*Future { return append(futuresOf(f.tasks), f.deliveries...) }

// unsettledError is the error of a flow that has returned without one, or nil.
func (f *flowState) unsettledError() error {
	var names []string
	for _, t := range f.tasks {
		if !t.future().Settled() {
			names = append(names, "`"+t.Key()+"`")
		}
	}
	for _, d := range f.deliveries {
		if !d.Settled() && len(names) == 0 {
			names = []string{"deliveries"}
		}
	}
	const shown = 10
	switch n := len(names); {
	case n == 0:
		return nil
	case n > shown:
		names = append(names[:shown], fmt.Sprintf("%d more", n-shown))
	}
	return &Failure{Reason: kernel.ReasonMisuse, Class: ClassFatal, Message: fmt.Sprintf(
		"the flow returned while %s had not settled: end it with `return outputs, flow.Settle(c)`", plain.JoinAnd(names))}
}

// claimKey gives a key to the next node of the flow. It panics if the flow cannot have the node, or
// if its NodeInfo lacks a dependency, because repeats go by NodeInfo.
func (c *Context) claimKey(key string, after []AnyTask) {
	f := c.flow
	switch {
	case key == "":
		panic(kernel.NewMisuse("a node has no `Key`: give it one that no other node of the flow has"))
	case c.node.Key != "":
		panic(kernel.NewMisuse("node `%s` spawns node `%s`, which a resumed run would leave out if `%s` has completed: spawn it in the flow", c.node.Key, key, c.node.Key))
	case key[0] == '/':
		panic(kernel.NewMisuse("the key of node `%s` starts with `/`, as keys of wfc's own steps do: rename it", key))
	case f.claimed[key]:
		panic(kernel.NewMisuse("node `%s` is spawned twice: give every node of a flow a separate `Key`", key))
	case f.infos[key] == nil && len(f.declared) > 0:
		panic(kernel.NewMisuse("node `%s` is spawned, but not declared: add it to `Nodes` of the definition%s", key, plain.DidYouMean(key, f.declared)))
	}
	f.claimed[key] = true
	for _, t := range after {
		if info := f.infos[key]; !f.sequence && info != nil && f.infos[t.Key()] != nil && !slices.Contains(info.After, t.Key()) && !slices.Contains(info.Order, t.Key()) {
			panic(kernel.NewMisuse("node `%s` has `%s` in `After`, but not in `Nodes` of the definition: add it to `After` of the NodeInfo, too", key, t.Key()))
		}
	}
}

// partKey returns the key of a part of the node, or of the part whose code runs. It panics if
// another node has this key: the results of one would be taken for those of the other. A flow
// itself may perform an action under the key of a node that it declares and does not spawn.
func (c *Context) partKey(suffix string) string {
	key := c.key + suffix
	local, inFlow := strings.CutPrefix(key, c.flow.inside)
	switch isDeclared := c.flow.infos[local] != nil; {
	case key == "":
		panic(kernel.NewMisuse("the flow's Context has no key for a step: call it in the function of a node, with the Context that the function gets"))
	case inFlow && key != c.node.Key && (isDeclared && c.node.Key != "" || c.flow.claimed[local]):
		panic(kernel.NewMisuse("step `%s` has the key of another node: rename node `%s`", key, key))
	}
	return key
}

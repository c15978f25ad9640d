package cli

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// checkReplies returns an error if the file of a scripted agent has replies for a step that
// no workflow of the program has, but whose name is nearly that of a step that asks an agent: they
// would never be given, and the step that was meant would get an echo. Other names are no error, because
// several workflows may share a file, and one may be written before its steps are.
func (a *call) checkReplies(f runFlags, agents engine.Agents) error {
	if f.Replay != "" {
		return nil
	}
	var known, asking []string // most runs have no scripted agent and need no names
	for _, name := range a.program.askedAgents() {
		c, ok := agents.List.Resolve(name)
		if !ok || c.Kind != settings.KindScripted {
			continue
		}
		if known == nil {
			known, asking = stepNames(flow.Reachable(a.program.Definition))
		}
		for _, step := range scriptedSteps(c.Program) {
			if step == "*" || slices.ContainsFunc(known, func(k string) bool { return stepkey.Matches(step, k) }) {
				continue
			}
			if plain.Nearest(step, asking) != "" {
				return usageError("agent `%s`: %s has replies for an %s", name, c.Program, plain.UnknownName("step", step, asking))
			}
		}
	}
	return nil
}

// scriptedSteps returns the keys of a file of replies, in their order in the alphabet. The
// agent reports a file that is not valid.
func scriptedSteps(path string) (steps []string) {
	text, err := wholefile.Source.Given(path)
	var replies map[string]json.RawMessage
	if err != nil || json.Unmarshal(wholefile.TrimBOM(text), &replies) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(replies))
}

// stepNames returns the names of the nodes of workflows, also of those inside others, which have
// their own name, too, and asking those of the nodes that ask an agent.
func stepNames(definitions []*flow.Definition) (names, asking []string) {
	seen := map[string]bool{}
	add := func(name string, asks bool) {
		if asks {
			asking = append(asking, name)
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	var visit func(nodes []flow.NodeInfo, prefix string)
	visit = func(nodes []flow.NodeInfo, prefix string) {
		for _, n := range nodes {
			add(prefix+n.Key, n.Agent != "")
			add(n.Key, n.Agent != "")
			if len(n.Inside) > 0 && n.Inside[0].Key != n.Key {
				visit(n.Inside, prefix+n.Key+".")
			}
		}
	}
	for _, d := range definitions {
		visit(d.Nodes, "")
	}
	return names, asking
}

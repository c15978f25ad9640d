package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// infoAgent is an agent of the workflow as info shows it.
type infoAgent struct {
	engine.AgentState
	// Permission is what the agent may do to the machine without asking, when the
	// project says it.
	Permission string `json:"permission,omitempty"`
	// Nodes are the nodes that ask it.
	Nodes []string `json:"nodes"`
}

// infoAgents are the workflow's agents. With check it is found out whether they
// could answer.
func (a *app) infoAgents(ctx context.Context, s runSettings, check bool) ([]infoAgent, error) {
	def := a.program.Definition
	list := make([]infoAgent, 0, len(def.Agents)) // never null
	if a.program.Prompts == nil || len(def.Agents) == 0 {
		return list, nil
	}
	choices, err := s.choices(a.program.Defaults, a.secretNames())
	if err != nil {
		return nil, err
	}
	prompts, err := a.program.Prompts(choices)
	if err != nil {
		return nil, usage("%v", err)
	}
	q := engine.Inspection{Names: def.Agents, Thorough: check, Static: !check}
	states, err := a.inspect(ctx, prompts, q)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		state.Problem, state.Hint = a.mask(state.Problem), a.mask(state.Hint)
		agent := infoAgent{AgentState: state, Nodes: []string{}}
		if c, ok := choices.List.End(state.Name); ok {
			own, _ := choices.List.Find(state.Name)
			agent.Permission = cmp.Or(own.Permission, c.Permission)
		}
		for _, n := range def.Nodes {
			if n.Agent == state.Name {
				agent.Nodes = append(agent.Nodes, n.Key)
			}
		}
		list = append(list, agent)
	}
	return list, nil
}

// text is an agent in one line.
func (i *infoAgent) text() string {
	text := i.Name
	if i.Kind == "" {
		text += ": nothing is set up to answer for it"
	} else if i.Kind != i.Name {
		text += " (" + i.Kind + ")"
	}
	var more []string
	if i.Model != "" {
		more = append(more, "model "+i.Model)
	}
	if i.Permission != "" {
		more = append(more, "permission "+i.Permission)
	}
	if keys := i.keys(); keys != "" {
		more = append(more, keys)
	}
	if len(i.Nodes) > 0 {
		more = append(more, "asked by "+strings.Join(i.Nodes, ", "))
	}
	return text + after(": ", strings.Join(more, "; "))
}

// keys says which variables may hold the key to the agent's service.
func (i *infoAgent) keys() string {
	var set, unset []string
	for _, c := range i.Credentials {
		if c.Set {
			set = append(set, c.Name)
		} else {
			unset = append(unset, c.Name)
		}
	}
	switch {
	case len(set) > 0:
		return strings.Join(set, ", ") + " set"
	case len(unset) > 0:
		return strings.Join(unset, " or ") + " not set"
	}
	return ""
}

// usable reports whether none of the agents is known to be unable to answer.
func usable(agents []infoAgent) bool {
	return !slices.ContainsFunc(agents, func(i infoAgent) bool { return i.Usable == engine.No || i.Installed == engine.No })
}

// printCheck prints what was found out about agents, and below it what is wrong.
func (a *app) printCheck(agents []infoAgent) error {
	tw := tabwriter.NewWriter(a.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "AGENT\tKIND\tPROGRAM\tVERSION\tINSTALLED\tSIGNED IN\tUSABLE")
	for _, i := range agents {
		fmt.Fprint(tw, plain.Row(i.Name, dash(i.Kind), dash(i.Program), dash(i.Version), string(i.Installed), string(i.SignedIn), string(i.Usable)))
	}
	if err := tw.Flush(); err != nil {
		return failed(err)
	}
	for _, i := range agents {
		for _, line := range []string{i.Problem, after("→ ", i.Hint)} {
			if line != "" {
				fmt.Fprintf(a.streams.Out, "%s: %s\n", plain.Line(i.Name), plain.Below(line, "  "))
			}
		}
	}
	return nil
}

func dash(text string) string { return cmp.Or(text, "-") }

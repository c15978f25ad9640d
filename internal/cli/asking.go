package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An asking is a workflow that nobody wrote: it asks given agents, so that its
// program links their kinds and knows what stands behind their names.
type asking struct {
	name string
	// first are nodes before those that ask, as YAML.
	first string
	// ask are the agents' names.
	ask []string
	// behind says what stands behind names.
	behind settings.Agents
	store  settings.Store
	// state and database are where the runs are, as the project says.
	state, database string
	// mcp puts an MCP server into it, and temporal the engine on Temporal.
	mcp, temporal bool
}

// files returns the workflow's program. Without names it asks the agent of the
// first nodes alone, if there is any.
func (w *asking) files() []gen.File {
	text := fmt.Sprintf("name: %s\ndescription: made by wfc for its own use\nnodes:\n%s", w.name, w.first)
	var project settings.Project
	for i, name := range w.ask {
		if name == "" || strings.TrimSpace(name) != name {
			continue // no workflow can name it
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			panic(err) // a text encodes
		}
		text += fmt.Sprintf("  - {id: ask%d, prompt: Are you there?, provider: %s}\n", i, quoted)
		project.Agents = append(project.Agents, settings.Agent{Name: name})
	}
	r := compiler.Compile(source.NewFile(w.name+".yaml", []byte(text)), compiler.Options{Path: w.name + ".yaml", Root: ".", Settings: project})
	if r.Program == nil || r.HasErrors() {
		panic(fmt.Sprintf("the workflow `%s` does not compile: %v", w.name, r.Diagnostics))
	}
	return gen.Generate(r.Program, gen.Options{
		Main: true, LineDirectives: true, Store: w.store, MCP: w.mcp, Temporal: w.temporal, Defaults: settings.Project{Agents: w.behind, State: w.state, Database: w.database},
	})
}

// agentsOf returns the names of the agents that a workflow asks.
func agentsOf(o outcome) []string {
	if o.result == nil {
		return nil
	}
	return o.result.Agents()
}

// kindsOf returns the kinds of agents that stand behind names, in order; those
// that every program has are left out.
func kindsOf(names []string, agents settings.Agents) []string {
	var kinds []string
	names = slices.Clone(names)
	for i := 0; i < len(names); i++ {
		a, _ := agents.Find(names[i])
		_, known := catalog.KindNamed(a.Kind)
		switch {
		case a.Use != "" && !slices.Contains(names, a.Use):
			names = append(names, a.Use)
		case known && !slices.Contains(kinds, a.Kind):
			kinds = append(kinds, a.Kind)
		}
	}
	return kinds
}

// listed joins names as people do.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

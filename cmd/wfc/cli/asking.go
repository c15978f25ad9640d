package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An asking is a generated workflow that asks certain agents. Its program therefore links
// the kinds of these agents and knows their settings.
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
	// mcp puts an MCP server into it, otel an exporter of traces, and temporal the engine on
	// Temporal.
	mcp, otel, temporal bool
}

// programFiles returns the workflow's program. Without names it asks the agent of the
// first nodes alone, if there is any.
func (w *asking) programFiles() []gen.File {
	text := fmt.Sprintf("name: %q\ndescription: made by wfc for its own use\nnodes:\n%s", w.name, w.first)
	var project settings.Project
	for i, name := range w.ask {
		if name == "" || strings.TrimSpace(name) != name {
			continue // no workflow can name it
		}
		text += fmt.Sprintf("  - {id: ask%d, prompt: Are you there?, provider: %s}\n", i, plain.MustEncodeJSON(name))
		project.Agents = append(project.Agents, settings.Agent{Name: name})
	}
	r := compiler.Compile(source.NewFile("asking.yaml", []byte(text)), compiler.Options{Path: "asking.yaml", Root: ".", Settings: project})
	if r.Workflow == nil || r.HasErrors() {
		panic(fmt.Sprintf("the workflow `%s` does not compile: %v", w.name, r.Diagnostics))
	}
	return gen.Generate(r.Workflow, gen.Options{
		Main: true, LineDirectives: true, Store: w.store, MCP: w.mcp, OTel: w.otel, Temporal: w.temporal, Defaults: settings.Project{Agents: w.behind, State: w.state, Database: w.database},
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

// stockNodes are one node of each kind that links a separate part of the runtime, so a
// program of them needs all that any program needs, except agents.
const stockNodes = `  - id: shell
    bash: echo "$ARGUMENTS"
  - id: program
    script: print("ready")
    runtime: uv
    depends_on: [shell]
  - id: agent
    prompt: "Is this ready? $shell.output"
    depends_on: [shell]
    output_format:
      type: object
      properties:
        ready: {type: boolean}
      required: [ready]
`

// newPrefetchWorkflow returns the workflow that is built beforehand: it asks agents of the
// kinds that start programs, which cost little to link, and the agents of a
// configuration. The SDKs of services are large, so they are fetched only with
// what asks for them.
func newPrefetchWorkflow(c *config.Config, base string) *asking {
	behind := c.Settings(base).Agents
	w := &asking{name: "stock", first: stockNodes, behind: behind}
	for _, a := range catalog.Agents() {
		if k, _ := catalog.KindNamed(a.Kind); k.StartsProgram() {
			w.ask = append(w.ask, a.Name)
		}
	}
	for _, a := range c.Agents() {
		w.ask = plain.AddNew(w.ask, a.Name)
	}
	return w
}

// stockHere returns the stock workflow for the project of the current folder,
// with the store that --store says.
func (a *app) stockHere(store string) (*asking, error) {
	pr, err := a.projects.currentProject()
	if err != nil {
		return nil, err
	}
	w := newPrefetchWorkflow(pr.config.Config, pr.config.Dir)
	w.store = storeFor(store, pr.config.Config).Kind
	return w, nil
}

// tellStock says what is fetched without any workflow.
func (s *screen) tellStock(w *asking) {
	code := "shared code"
	if w.temporal {
		code += ", the engine on Temporal"
	}
	fmt.Fprintf(s.Err, "prefetching %s and agents of kind %s; for agents of other kinds, name a workflow that uses them\n",
		code, plain.JoinAnd(kindsOf(w.ask, w.behind)))
}

// tellNeeds says which kinds of agents a workflow brings along.
func (s *screen) tellNeeds(w generated) {
	if kinds := kindsOf(w.asks, w.behind); len(kinds) > 0 {
		fmt.Fprintf(s.Err, "prefetching for %s: agents of kind %s\n", plain.Line(w.input.name), plain.JoinAnd(kinds))
	}
}

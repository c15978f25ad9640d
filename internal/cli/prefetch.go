package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// stockNodes are of every kind that links a part of the runtime of its own, so
// that a program of them needs all that any program needs, but for agents.
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

// stock returns the workflow that is built beforehand: it asks agents of the
// kinds that start programs, which cost little to link, and the agents of a
// configuration. The SDKs of services are large, so they are fetched only with
// what asks for them.
func stock(c *config.Config, base string) *asking {
	behind := c.Settings(base).Agents
	w := &asking{name: "stock", first: stockNodes, behind: behind}
	for _, a := range catalog.Agents() {
		if k, _ := catalog.KindNamed(a.Kind); k.StartsProgram() {
			w.ask = append(w.ask, a.Name)
		}
	}
	for _, a := range c.Agents() {
		if !slices.Contains(w.ask, a.Name) {
			w.ask = append(w.ask, a.Name)
		}
	}
	return w
}

// stockHere returns the stock workflow for the project of the current folder,
// with the store that --store says.
func (a *app) stockHere(store string) (*asking, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	pr, err := a.projects.of(filepath.Join(wd, "stock.yaml"))
	if err != nil {
		return nil, err
	}
	w := stock(pr.config.Config, pr.config.Dir)
	w.store = storeFor(store, pr.config.Config)
	return w, nil
}

// tellStock says what is fetched without any workflow.
func (a *app) tellStock(w *asking) {
	code := "shared code"
	if w.temporal {
		code += ", the engine on Temporal"
	}
	fmt.Fprintf(a.Err, "prefetching %s and agents of kind %s; for agents of other kinds, name a workflow that uses them\n",
		code, listed(kindsOf(w.ask, w.behind)))
}

// tellNeeds says which kinds of agents a workflow brings along.
func (a *app) tellNeeds(w generated) {
	if kinds := kindsOf(w.asks, w.behind); len(kinds) > 0 {
		fmt.Fprintf(a.Err, "prefetching for %s: agents of kind %s\n", plain.Line(w.input.name), listed(kinds))
	}
}

package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// The packages that a program names. A binary links what its main names and no
// more, so there are no registries.
const (
	cliPath        = modulePath + "/runtime/cli"
	enginePath     = modulePath + "/runtime/engine"
	shellPath      = modulePath + "/runtime/shell"
	scriptPath     = modulePath + "/runtime/script"
	choicePath     = modulePath + "/runtime/agent/choice"
	structuredPath = modulePath + "/runtime/agent/structured"
	entstorePath   = modulePath + "/runtime/store/entstore"
	postgresPath   = modulePath + "/runtime/store/entstore/postgres"
	memoryPath     = modulePath + "/runtime/store/memory"
	graphfilesPath = modulePath + "/runtime/graphfiles"
	zonesPath      = modulePath + "/runtime/schedule/zones"
	mcpPath        = modulePath + "/runtime/mcp"
	temporalPath   = modulePath + "/runtime/engine/temporal"
)

// mainFunc writes the program around a workflow:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Performers: []engine.Performer{&shell.Performer{}, &script.Performer{}},
//			Prompts:    choice.Performer(structured.Check, claude.Kind()),
//			OpenStore:  entstore.OpenState,
//		}))
//	}
//
// Performers are those of the kinds of nodes there are, except prompts: their
// performer needs agents, which the command line chooses among the names in
// Definition.Agents. The check of replies is named when a prompt has a schema, and
// the kinds of agents are those that stand behind the workflow's: a kind that is
// not named is not linked.
func (g *generator) mainFunc(f *jen.File) {
	n := g.needs(f)
	f.ImportNames(map[string]string{cliPath: "cli", choicePath: "choice", "os": "os"})
	d := fields{}
	d.set("Definition", jen.Op("&").Id(definitionID))
	d.list("Performers", jen.Qual(enginePath, "Performer"), n.performers)
	if n.prompts {
		check := n.check
		if check == nil {
			check = jen.Nil()
		}
		d.set("Prompts", jen.Qual(choicePath, "Performer").Call(append([]jen.Code{check}, n.kinds...)...))
	}
	if g.opt.Temporal {
		f.ImportName(temporalPath, "temporal")
		d.set("Cluster", jen.Qual(temporalPath, "Open"))
	} else {
		openStore(g.opt.Store, &d)
	}
	if g.opt.MCP && !g.opt.Temporal {
		f.ImportName(mcpPath, "mcp")
		d.set("MCP", jen.Qual(mcpPath, "Serve"))
	}
	g.setDefaults(&d)
	f.Func().Id("main").Params().Block(
		jen.Qual("os", "Exit").Call(jen.Qual(cliPath, "Main").Call(jen.Qual(cliPath, "Program").Add(d.lines()))),
	)
}

// namesZone reports whether the workflow's schedule means the time of a zone that
// only a time zone database knows. Its program carries one, so that it needs none
// on the machine where it runs.
func (g *generator) namesZone() bool {
	s := g.program.Workflow.Schedule
	return s != nil && s.Zone != "" && s.Zone != "UTC"
}

// openStore sets the function that opens a store.
func openStore(s settings.Store, d *fields) {
	switch s {
	case "", settings.StoreSQLite:
		d.set("OpenStore", jen.Qual(entstorePath, "OpenState"))
	case settings.StoreMemory:
		d.set("OpenStore", jen.Qual(memoryPath, "OpenState"))
	case settings.StorePostgres:
		d.set("OpenDatabase", jen.Qual(postgresPath, "OpenURL"))
	default:
		panic(fmt.Sprintf("there is no store %q", s))
	}
}

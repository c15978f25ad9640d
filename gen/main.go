package gen

import (
	"fmt"
	"path"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// mainFunc writes the program around a workflow:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Needs:      map[string]string{"bash": "build"},
//			Performers: []engine.Performer{&shell.Performer{}, &script.Performer{}},
//			Prompts:    prompts.Opener(structured.Check, claude.Kind()),
//			OpenStore:  entstore.OpenState,
//		}))
//	}
//
// Performers are those of the kinds of nodes there are, except prompts: their
// performer needs agents, which the command line chooses among the names in
// Definition.Agents. The check of replies is named if a prompt has a schema, and the kinds of
// agents are those of the workflow's agents: a kind that is not named is not linked.
func (g programWriter) mainFunc(f *jen.File) {
	n := g.collectNeeds(f)
	f.ImportNames(map[string]string{cliPath: "cli", promptsPath: "prompts", "os": "os"})
	d := fields{}
	d.setField("Definition", jen.Op("&").Id(definitionID))
	g.setTools(&d)
	d.setList("Performers", jen.Qual(enginePath, "Performer"), n.performers)
	if n.prompts {
		check := n.check
		if check == nil {
			check = jen.Nil()
		}
		d.setField("Prompts", jen.Qual(promptsPath, "Opener").Call(append([]jen.Code{check}, n.kinds...)...))
	}
	if g.opt.Temporal {
		f.ImportName(temporalPath, "temporal")
		d.setField("Cluster", jen.Qual(temporalPath, "Cluster").Call())
	} else {
		openStore(g.opt.Store, &d)
	}
	if g.opt.MCP && !g.opt.Temporal {
		f.ImportName(mcpPath, "mcp")
		d.setField("MCP", jen.Qual(mcpPath, "Server").Call())
	}
	if g.opt.OTel {
		f.ImportName(otelPath, "otel")
		d.setField("Telemetry", jen.Qual(otelPath, "Exporter").Call())
	}
	if g.opt.Serve {
		f.ImportName(servePath, "serve")
		d.setField("Serve", jen.Qual(cliPath, "Pages").Call(jen.Qual(servePath, "Pages").Call()))
	}
	g.setTriggers(f, &d)
	g.setDefaults(&d)
	f.Func().Id("main").Params().Block(
		jen.Qual("os", "Exit").Call(jen.Qual(cliPath, "Main").Call(jen.Qual(cliPath, "Program").Add(d.asLines()))),
	)
}

// setTools sets the programs that the steps start.
func (g programWriter) setTools(d *fields) {
	needs, may := jen.Dict{}, jen.Dict{}
	for _, t := range g.program.Workflow.Tools() {
		if t.Needed {
			needs[jen.Lit(t.Name)] = jen.Lit(t.Step)
		} else {
			may[jen.Lit(t.Name)] = jen.Lit(t.Step)
		}
	}
	if len(needs) > 0 {
		d.setField("Needs", jen.Map(jen.String()).String().Values(needs))
	}
	if len(may) > 0 {
		d.setField("MayNeed", jen.Map(jen.String()).String().Values(may))
	}
}

// engineFuncs writes the functions by which Go programs open an engine for the
// workflow:
//
//	func Options() embedding.Options {
//		return embedding.Options{
//			OpenStore:  entstore.OpenState,
//			Workflows:  []*flow.Definition{&Workflow},
//			Performers: []engine.Performer{&shell.Performer{}},
//			Kinds:      []agent.Kind{claude.Kind()},
//			CheckReply: structured.Check,
//			Defaults:   settings.Project{…},
//		}
//	}
//
//	func Open(ctx context.Context, more ...embedding.Options) (*local.Engine, error)
func (g programWriter) engineFuncs(f *jen.File) {
	n := g.collectNeeds(f)
	f.ImportNames(map[string]string{embedPath: "embedding", agentPath: "agent"})
	d := fields{}
	openStore(g.opt.Store, &d)
	d.setField("Workflows", jen.Index().Op("*").Qual(flowPath, "Definition").Values(jen.Op("&").Id(definitionID)))
	d.setList("Performers", jen.Qual(enginePath, "Performer"), n.performers)
	d.setList("Kinds", jen.Qual(agentPath, "Kind"), n.kinds)
	d.setField("CheckReply", n.check)
	g.setDefaults(&d)
	g.writeDoc(f, "Options returns the workflow, the store, the performers and the agents that the workflow needs, and the settings that wfc.yaml had when this code was generated.")
	f.Func().Id("Options").Params().Qual(embedPath, "Options").Block(jen.Return(jen.Qual(embedPath, "Options").Add(d.asLines())))
	g.writeDoc(f, "Open opens an engine with the Options of the workflow. More options override them; see embedding.Open.")
	f.Func().Id("Open").Params(jen.Id("ctx").Qual(contextPath, contextType), jen.Id("more").Op("...").Qual(embedPath, "Options")).
		Params(jen.Op("*").Qual(localPath, "Engine"), jen.Error()).
		Block(jen.Return(jen.Qual(embedPath, "Open").Call(jen.Id("ctx"), jen.Append(jen.Index().Qual(embedPath, "Options").Values(jen.Id("Options").Call()), jen.Id("more").Op("...")).Op("..."))))
}

// openStore sets the function that opens a store.
func openStore(kind settings.Store, d *fields) {
	store, ok := catalog.StoreOf(kind)
	if !ok {
		panic(fmt.Sprintf("there is no store %q", kind))
	}
	field := "OpenStore"
	if store.ByURL {
		field = "OpenDatabase"
	}
	d.setField(field, jen.Qual(modulePath+"/"+store.Package, store.Opener))
}

// needs are the parts of the runtime that a workflow needs, as code that names
// them. What names them links them, and nothing else does.
type needs struct {
	// performers perform the workflow's actions, except prompts.
	performers []jen.Code
	// prompts says that there are prompts, and check validates their replies; it is
	// nil when no prompt has a schema.
	prompts bool
	check   *jen.Statement
	// kinds are the kinds of agents behind the workflow's agents.
	kinds []jen.Code
}

// collectNeeds returns what the workflow and those that it runs need, and imports it into a file.
func (g programWriter) collectNeeds(f *jen.File) needs {
	f.ImportNames(map[string]string{
		enginePath: "engine", shellPath: "shell", scriptPath: "script", graphfilesPath: "graphfiles", deliverPath: "deliver",
		structuredPath: "structured", settingsPath: "settings",
	})
	for _, store := range catalog.Stores() {
		f.ImportName(modulePath+"/"+store.Package, path.Base(store.Package))
	}
	var n needs
	var bash, script, schema bool
	for _, node := range g.allNodes() {
		for _, a := range node.Node.AllActions() {
			switch a.(type) {
			case *ir.Bash:
				bash = true
			case *ir.Script:
				script = true
			case *ir.Prompt:
				n.prompts = true
			}
		}
		schema = schema || node.hasSchema()
	}
	performer := func(path string) {
		n.performers = append(n.performers, jen.Op("&").Qual(path, "Performer").Values())
	}
	if bash {
		performer(shellPath)
	}
	if script {
		performer(scriptPath)
	}
	if g.graph != nil {
		n.performers = append(n.performers, jen.Qual(graphfilesPath, "New").Call())
	}
	switch {
	case !g.sendsMessages():
	case g.sendsMail():
		f.ImportName(mailPath, "mail")
		n.performers = append(n.performers, jen.Qual(deliverPath, "WithMail").Call(append([]jen.Code{jen.Qual(mailPath, "Sender").Call()}, g.channelCodes()...)...))
	default:
		n.performers = append(n.performers, jen.Qual(deliverPath, "New").Call(g.channelCodes()...))
	}
	if g.namesZone() {
		f.Anon(zonesPath)
	}
	if n.prompts && schema {
		n.check = jen.Qual(structuredPath, "Check")
	}
	if n.prompts {
		n.kinds = g.agentKinds(f)
	}
	return n
}

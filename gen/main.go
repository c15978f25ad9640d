package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The packages that programs and engine.go name. A binary links what its main names and no
// more, so there are no registries.
const (
	cliPath        = modulePath + "/runtime/cli"
	enginePath     = modulePath + "/runtime/engine"
	shellPath      = modulePath + "/runtime/shell"
	scriptPath     = modulePath + "/runtime/script"
	promptsPath    = modulePath + "/runtime/agent/prompts"
	structuredPath = modulePath + "/runtime/agent/structured"
	entstorePath   = modulePath + "/runtime/store/entstore"
	postgresPath   = modulePath + "/runtime/store/entstore/postgres"
	memoryPath     = modulePath + "/runtime/store/memory"
	graphfilesPath = modulePath + "/runtime/graphfiles"
	zonesPath      = modulePath + "/runtime/schedule/zones"
	mcpPath        = modulePath + "/runtime/mcp"
	temporalPath   = modulePath + "/runtime/engine/temporal"
	embedPath      = modulePath + "/runtime/embedding"
	agentPath      = modulePath + "/runtime/agent"
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
// Definition.Agents. The check of replies is named when a prompt has a schema, and
// the kinds of agents are those that stand behind the workflow's: a kind that is
// not named is not linked.
func (g *generator) mainFunc(f *jen.File) {
	n := g.needs(f)
	f.ImportNames(map[string]string{cliPath: "cli", promptsPath: "prompts", "os": "os"})
	d := fields{}
	d.set("Definition", jen.Op("&").Id(definitionID))
	g.tools(&d)
	d.list("Performers", jen.Qual(enginePath, "Performer"), n.performers)
	if n.prompts {
		check := n.check
		if check == nil {
			check = jen.Nil()
		}
		d.set("Prompts", jen.Qual(promptsPath, "Opener").Call(append([]jen.Code{check}, n.kinds...)...))
	}
	if g.opt.Temporal {
		f.ImportName(temporalPath, "temporal")
		d.set("Cluster", jen.Qual(temporalPath, "Cluster").Call())
	} else {
		openStore(g.opt.Store, &d)
	}
	if g.opt.MCP && !g.opt.Temporal {
		f.ImportName(mcpPath, "mcp")
		d.set("MCP", jen.Qual(mcpPath, "Server").Call())
	}
	g.setDefaults(&d)
	f.Func().Id("main").Params().Block(
		jen.Qual("os", "Exit").Call(jen.Qual(cliPath, "Main").Call(jen.Qual(cliPath, "Program").Add(d.lines()))),
	)
}

// tools sets the programs that the steps start.
func (g *generator) tools(d *fields) {
	needs, may := jen.Dict{}, jen.Dict{}
	for _, t := range g.program.Workflow.Tools() {
		if t.Needed {
			needs[jen.Lit(t.Name)] = jen.Lit(t.Step)
		} else {
			may[jen.Lit(t.Name)] = jen.Lit(t.Step)
		}
	}
	if len(needs) > 0 {
		d.set("Needs", jen.Map(jen.String()).String().Values(needs))
	}
	if len(may) > 0 {
		d.set("MayNeed", jen.Map(jen.String()).String().Values(may))
	}
}

// engineNames are the identifiers of engine.go.
var engineNames = []string{"Options", "Open", "embed"}

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
func (g *generator) engineFuncs(f *jen.File) {
	n := g.needs(f)
	f.ImportNames(map[string]string{embedPath: "embedding", agentPath: "agent"})
	d := fields{}
	openStore(g.opt.Store, &d)
	d.set("Workflows", jen.Index().Op("*").Qual(flowPath, "Definition").Values(jen.Op("&").Id(definitionID)))
	d.list("Performers", jen.Qual(enginePath, "Performer"), n.performers)
	d.list("Kinds", jen.Qual(agentPath, "Kind"), n.kinds)
	d.set("CheckReply", n.check)
	g.setDefaults(&d)
	g.doc(f, "Options returns the workflow, the store, the performers and the agents that the workflow needs, and the settings that wfc.yaml had when this code was generated.")
	f.Func().Id("Options").Params().Qual(embedPath, "Options").Block(jen.Return(jen.Qual(embedPath, "Options").Add(d.lines())))
	g.doc(f, "Open opens an engine with the Options of the workflow. More options override them; see embedding.Open.")
	f.Func().Id("Open").Params(jen.Id("ctx").Qual(contextPath, contextType), jen.Id("more").Op("...").Qual(embedPath, "Options")).
		Params(jen.Op("*").Qual(localPath, "Engine"), jen.Error()).
		Block(jen.Return(jen.Qual(embedPath, "Open").Call(jen.Id("ctx"), jen.Append(jen.Index().Qual(embedPath, "Options").Values(jen.Id("Options").Call()), jen.Id("more").Op("...")).Op("..."))))
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

// allNodes returns the nodes of the workflow and of those that it runs.
func (g *generator) allNodes() []*node {
	var list []*node
	for _, member := range g.all() {
		list = append(list, member.nodes...)
	}
	return list
}

// needs returns what the workflow and those that it runs need, and imports it into a file.
func (g *generator) needs(f *jen.File) needs {
	f.ImportNames(map[string]string{
		enginePath: "engine", shellPath: "shell", scriptPath: "script", graphfilesPath: "graphfiles", deliverPath: "deliver",
		structuredPath: "structured", entstorePath: "entstore", postgresPath: "postgres", memoryPath: "memory", settingsPath: "settings",
	})
	var n needs
	var bash, script, schema bool
	for _, node := range g.allNodes() {
		for _, a := range node.Node.Actions() {
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
	if g.delivers() {
		n.performers = append(n.performers, jen.Qual(deliverPath, "New").Call(g.channels()...))
	}
	if g.namesZone() {
		f.Anon(zonesPath)
	}
	if n.prompts && schema {
		n.check = jen.Qual(structuredPath, "Check")
	}
	if n.prompts {
		n.kinds = g.kinds(f)
	}
	return n
}

// usesFiles reports whether the work of a node uses the folders of the run.
func (g *generator) usesFiles() bool {
	w := g.program.Workflow
	return g.graph != nil || w.Evidence || g.reads(expr.StateDir) || w.FilesNode(g.isProgram) != nil
}

// isProgram reports whether an agent is a program, which works in the folder of the run. An
// agent that nobody knows may be one.
func (g *generator) isProgram(agent string) bool {
	a, ok := g.opt.Defaults.Agents.Resolve(agent)
	kind := a.Kind
	if !ok {
		known, _ := catalog.AgentNamed(agent)
		kind = known.Kind
	}
	k, ok := catalog.KindNamed(kind)
	return kind != settings.KindScripted && (!ok || k.StartsProgram())
}

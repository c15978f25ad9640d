package gen

import (
	"github.com/dave/jennifer/jen"
)

// The packages that only code with an engine imports.
const (
	embedPath = modulePath + "/runtime/embed"
	agentPath = modulePath + "/runtime/agent"
)

// engineNames are the identifiers of engine.go.
var engineNames = []string{"Needs", "Open", "embed"}

// engineFuncs writes the functions by which Go programs open an engine for the
// workflow:
//
//	func Needs() embed.Options {
//		return embed.Options{
//			OpenStore:  entstore.OpenState,
//			Performers: []engine.Performer{&shell.Performer{}},
//			Kinds:      []agent.Kind{claude.Kind()},
//			Check:      structured.Check,
//			Defaults:   settings.Project{…},
//		}
//	}
//
//	func Open(ctx context.Context, more ...embed.Options) (*local.Engine, error)
func (g *generator) engineFuncs(f *jen.File) {
	n := g.needs(f)
	f.ImportNames(map[string]string{embedPath: "embed", agentPath: "agent"})
	d := fields{}
	openStore(g.opt.Store, &d)
	d.list("Performers", jen.Qual(enginePath, "Performer"), n.performers)
	d.list("Kinds", jen.Qual(agentPath, "Kind"), n.kinds)
	d.set("Check", n.check)
	g.setDefaults(&d)
	g.doc(f, "Needs returns the store, the performers and the agents that the workflow needs, and the settings that wfc.yaml had when this code was generated.")
	f.Func().Id("Needs").Params().Qual(embedPath, "Options").Block(jen.Return(jen.Qual(embedPath, "Options").Add(d.lines())))
	g.doc(f, "Open opens an engine with the Needs of the workflow. More options override them; see embed.Open.")
	f.Func().Id("Open").Params(jen.Id("ctx").Qual(contextPath, contextType), jen.Id("more").Op("...").Qual(embedPath, "Options")).
		Params(jen.Op("*").Qual(localPath, "Engine"), jen.Error()).
		Block(jen.Return(jen.Qual(embedPath, "Open").Call(jen.Id("ctx"), jen.Append(jen.Index().Qual(embedPath, "Options").Values(jen.Id("Needs").Call()), jen.Id("more").Op("...")).Op("..."))))
}

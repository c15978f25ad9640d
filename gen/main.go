package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/ir"
)

// The packages that a program names. A binary links what its main names and no
// more, so there are no registries.
const (
	cliPath        = modulePath + "/runtime/cli"
	enginePath     = modulePath + "/runtime/engine"
	shellPath      = modulePath + "/runtime/shell"
	scriptPath     = modulePath + "/runtime/script"
	agentPath      = modulePath + "/runtime/agent"
	structuredPath = agentPath + "/structured"
)

// mainFile writes the program around a workflow:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Performers: []engine.Performer{shell.New(), script.New()},
//			Validate:   structured.Validate,
//		}))
//	}
//
// Performers are those of the kinds of nodes there are, except prompts: their
// performer needs agents, which the command line chooses among the names in
// Definition.Agents. Validate is named when a prompt has a schema, and checks
// replies.
func (g *generator) mainFile() []byte {
	f := g.newFile()
	f.ImportNames(map[string]string{cliPath: "cli", enginePath: "engine", shellPath: "shell", scriptPath: "script", structuredPath: "structured", "os": "os"})
	var bash, script, schema bool
	for _, n := range g.nodes {
		switch n.Action.(type) {
		case *ir.Bash:
			bash = true
		case *ir.Script:
			script = true
		}
		schema = schema || n.hasSchema()
	}
	var performers []jen.Code
	if bash {
		performers = append(performers, jen.Qual(shellPath, "New").Call())
	}
	if script {
		performers = append(performers, jen.Qual(scriptPath, "New").Call())
	}
	d := fields{}
	d.set("Definition", jen.Op("&").Id(definitionID))
	if len(performers) > 0 {
		d.set("Performers", jen.Index().Qual(enginePath, "Performer").Values(performers...))
	}
	if schema {
		d.set("Validate", jen.Qual(structuredPath, "Validate"))
	}
	f.Func().Id("main").Params().Block(
		jen.Qual("os", "Exit").Call(jen.Qual(cliPath, "Main").Call(jen.Qual(cliPath, "Program").Add(d.lines()))),
	)
	return g.render(f)
}

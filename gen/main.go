package gen

import (
	"fmt"

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
	choicePath     = modulePath + "/runtime/agent/choice"
	structuredPath = modulePath + "/runtime/agent/structured"
	entstorePath   = modulePath + "/runtime/store/entstore"
	memoryPath     = modulePath + "/runtime/store/memory"
)

// A Store says where a program keeps its runs.
type Store int

const (
	// SQLite keeps them in a database in the state folder.
	SQLite Store = iota
	// Memory keeps them in the process: nothing outlives it.
	Memory
)

// mainFile writes the program around a workflow:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Performers: []engine.Performer{&shell.Performer{}, &script.Performer{}},
//			Prompts:    choice.Performer(structured.Check),
//			OpenStore:  entstore.OpenState,
//		}))
//	}
//
// Performers are those of the kinds of nodes there are, except prompts: their
// performer needs agents, which the command line chooses among the names in
// Definition.Agents. The check of replies is named when a prompt has a schema.
func (g *generator) mainFile() []byte {
	f := g.newFile()
	f.ImportNames(map[string]string{
		cliPath: "cli", enginePath: "engine", shellPath: "shell", scriptPath: "script", choicePath: "choice",
		structuredPath: "structured", entstorePath: "entstore", memoryPath: "memory", "os": "os",
	})
	var bash, script, prompt, schema bool
	for _, n := range g.nodes {
		switch n.Action.(type) {
		case *ir.Bash:
			bash = true
		case *ir.Script:
			script = true
		case *ir.Prompt:
			prompt = true
		}
		schema = schema || n.hasSchema()
	}
	var performers []jen.Code
	if bash {
		performers = append(performers, jen.Op("&").Qual(shellPath, "Performer").Values())
	}
	if script {
		performers = append(performers, jen.Op("&").Qual(scriptPath, "Performer").Values())
	}
	d := fields{}
	d.set("Definition", jen.Op("&").Id(definitionID))
	if len(performers) > 0 {
		d.set("Performers", jen.Index().Qual(enginePath, "Performer").Values(performers...))
	}
	if prompt {
		check := jen.Nil()
		if schema {
			check = jen.Qual(structuredPath, "Check")
		}
		d.set("Prompts", jen.Qual(choicePath, "Performer").Call(check))
	}
	d.set("OpenStore", jen.Qual(g.opt.Store.path(), "OpenState"))
	f.Func().Id("main").Params().Block(
		jen.Qual("os", "Exit").Call(jen.Qual(cliPath, "Main").Call(jen.Qual(cliPath, "Program").Add(d.lines()))),
	)
	return g.render(f)
}

// path is the package of a store.
func (s Store) path() string {
	switch s {
	case SQLite:
		return entstorePath
	case Memory:
		return memoryPath
	}
	panic(fmt.Sprintf("there is no store %d", s))
}

package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

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
		for _, a := range actions(node.Node) {
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

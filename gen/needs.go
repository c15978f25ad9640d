package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
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

// sessionNode is the first node that continues a session of its agent, or "".
func (g *generator) sessionNode() string {
	if n := g.program.Workflow.SessionNode(); n != nil {
		return n.ID
	}
	return ""
}

// tags are the tags that a worker needs to perform a node: its own, and those of its agents.
func (g *generator) tags(n *ir.Node) []string {
	tags := slices.Clone(n.Tags)
	for _, name := range agentsOf(n) {
		a, _ := g.opt.Defaults.Agents.Find(name)
		tags = append(tags, a.Tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

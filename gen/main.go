package gen

import (
	"fmt"
	"slices"

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

// Defaults are settings of runs for which a program's command line gives none;
// see cli.Defaults. They are no part of the workflow: its fingerprint does not
// know them.
type Defaults struct {
	// Agents say what stands behind agents.
	Agents []Agent
	// BaseBranch and DocsDir are the branch that changes are made against and
	// the documentation folder, or "".
	BaseBranch, DocsDir string
	// MaxParallel is how many steps run at once, or 0.
	MaxParallel int
	// Environ are variables for processes, as os.Environ has them.
	Environ []string
	// State is the folder that keeps the runs, or "".
	State string
	// OnInterrupt says what becomes of interrupted actions.
	OnInterrupt Interrupts
}

// An Agent says what stands behind an agent's name; see engine.AgentChoice.
type Agent struct {
	Name, Kind, Argument string
	// Args are nil when Argument may hold them too.
	Args                []string
	Model, SystemPrompt string
}

// mainFunc writes the program around a workflow:
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
func (g *generator) mainFunc(f *jen.File) {
	f.ImportNames(map[string]string{
		cliPath: "cli", enginePath: "engine", shellPath: "shell", scriptPath: "script", choicePath: "choice",
		structuredPath: "structured", entstorePath: "entstore", memoryPath: "memory", schedPath: "sched", "os": "os",
	})
	var bash, script, prompt, schema bool
	for _, n := range g.nodes {
		for _, a := range actions(n.Action) {
			switch a.(type) {
			case *ir.Bash:
				bash = true
			case *ir.Script:
				script = true
			case *ir.Prompt:
				prompt = true
			}
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
	if defaults := g.opt.Defaults.fields(g); len(defaults.code) > 0 {
		d.set("Defaults", jen.Qual(cliPath, "Defaults").Add(defaults.lines()))
	}
	f.Func().Id("main").Params().Block(
		jen.Qual("os", "Exit").Call(jen.Qual(cliPath, "Main").Call(jen.Qual(cliPath, "Program").Add(d.lines()))),
	)
}

// used returns the names of the workflow's agents and of those that they use.
func (o *Defaults) used(g *generator) []string {
	names := slices.Clone(g.agents())
	for i := 0; i < len(names); i++ {
		for _, a := range o.Agents {
			if a.Name == names[i] && a.Kind == "use" && !slices.Contains(names, a.Argument) {
				names = append(names, a.Argument)
			}
		}
	}
	return names
}

// fields are the settings that there are. Of agents only those count that the
// workflow names, and those that these use.
func (o *Defaults) fields(g *generator) fields {
	var agents []jen.Code
	used := o.used(g)
	for _, a := range o.Agents {
		if !slices.Contains(used, a.Name) {
			continue
		}
		d := fields{}
		d.set("Name", jen.Lit(a.Name))
		d.set("Kind", jen.Lit(a.Kind))
		d.set("Argument", jen.Lit(a.Argument))
		if a.Args != nil && len(a.Args) == 0 {
			d.set("Args", jen.Index().String().Values())
		}
		d.texts("Args", a.Args)
		for _, text := range []struct{ name, value string }{{"Model", a.Model}, {"SystemPrompt", a.SystemPrompt}} {
			if text.value != "" {
				d.set(text.name, jen.Lit(text.value))
			}
		}
		agents = append(agents, d.line())
	}
	d := fields{}
	d.list("Agents", jen.Qual(enginePath, "AgentChoice"), agents)
	for _, text := range []struct{ name, value string }{{"BaseBranch", o.BaseBranch}, {"DocsDir", o.DocsDir}, {"State", o.State}} {
		if text.value != "" {
			d.set(text.name, jen.Lit(text.value))
		}
	}
	if o.MaxParallel > 0 {
		d.set("MaxParallel", jen.Lit(o.MaxParallel))
	}
	d.texts("Environ", o.Environ)
	if policies := o.OnInterrupt.code(g); policies != nil {
		d.set("OnInterrupt", policies)
	}
	return d
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

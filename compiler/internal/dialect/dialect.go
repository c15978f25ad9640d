// Package dialect defines what a front end is: the part of the compiler that
// knows one of the existing formats. The packages below it are the front ends,
// none of which sees another, and decode, which they have in common.
package dialect

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Frontend turns files of one format into programs.
type Frontend interface {
	// Name is the dialect's name as users write it.
	Name() string
	// Detect reports whether a document has the dialect's shape, and why, in
	// words that finish the sentence "it looks like NAME because …".
	Detect(look detect.Look) (ok bool, why string)
	// Tables are the kinds of mappings of the format with their keys, the file
	// itself first.
	Tables() []decode.Table
	// Compile checks a document by the dialect's rules and returns its
	// program. It reports all independent faults; the program is nil when
	// there is no telling what the file means.
	Compile(doc *yamlsrc.Document, env *Env, bag *diag.Bag) *ir.Program
}

// An Env is what a front end may know of the world.
type Env struct {
	// Root is the project's folder: where command files and scripts are
	// looked for.
	Root string
	// Dir is the workflow file's folder.
	Dir string
	// Home is the user's home folder, or "".
	Home string
	// Files reads files; a front end reads them in no other way.
	Files Files
	// Config are the settings of wfc.yaml that concern front ends.
	Config Config
}

// Files reads files by path.
type Files interface {
	// Read returns a file's content. The error satisfies fs.ErrNotExist when
	// there is none.
	Read(path string) ([]byte, error)
	// List returns the names of the entries of a folder in order, folders with
	// a slash at the end; nil when there is no such folder.
	List(dir string) []string
}

// Config are the settings of wfc.yaml that concern front ends.
type Config struct {
	// Commands and Scripts are further folders for command files and named
	// scripts, relative to Root.
	Commands, Scripts []string
	// Agents are the agents that the configuration defines.
	Agents []Agent
	// Models are the model tiers and aliases it defines.
	Models []Model
	// UntilStrict makes archon's loop signals match only as the original
	// engine matches them.
	UntilStrict bool
	// Limits are what a run may use.
	Limits Limits
	// Programs says where programs run text that bash scripts give them, by name.
	Programs map[string]shell.Program
}

// Limits end a run that has used more. Zero is no limit.
type Limits struct {
	// CostUSD is in US dollars.
	CostUSD float64
	// Tokens are those that models read and write.
	Tokens int64
}

// An Agent is an agent that the configuration defines.
type Agent struct {
	// Name is what workflows call it.
	Name string
	// Base is the agent of the format that does the work, or "" for another one
	// and for a program of the user's own.
	Base string
	// Kind is the kind of agent in runtime/agent/catalog, or "" for a program of
	// the user's own.
	Kind string
	// Options are the names of the options that it takes; nil means those that
	// Base takes, else those that Kind does, and all for a program.
	Options []string
	// Model is the model for prompts that name none, or "".
	Model string
	// Priced says that the configuration knows what its model costs.
	Priced bool
}

// A Model is a model tier such as "small" or an alias such as "@fast" that the
// configuration defines.
type Model struct {
	Name string
	// Agent is the agent that has the model, or "" for the one that is asked.
	Agent string
	// Model is the model's own name.
	Model string
}

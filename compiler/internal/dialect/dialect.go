// Package dialect defines front ends: the parts of the compiler that each know one
// of the existing formats. The packages below it are the front ends, which do not
// import each other, and the packages that they share.
package dialect

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Frontend turns files of one format into programs.
type Frontend interface {
	// Name is the dialect's name as users write it.
	Name() string
	// Detect reports whether a document has the dialect's shape, and why, in words
	// that finish the sentence "it looks like NAME because …".
	Detect(look detect.Look) (ok bool, why string)
	// Tables are the kinds of mappings of the format with their keys, the file
	// itself first.
	Tables() []decode.Table
	// Typed reports whether scalars have types; see decode.Decoder.
	Typed() bool
	// Compile checks a document by the dialect's rules and returns its program. It
	// reports all independent faults; the program is nil if the meaning of the file
	// is unclear.
	Compile(doc *yamlsrc.Document, env *Env, bag *diag.Bag) *ir.Program
}

// A Filterer is a Frontend whose format has conditions.
type Filterer interface {
	// Filter parses the condition of a trigger, in which `payload` is what arrived. It reports
	// faults at their place. See expr.Payload for the expressions that the result has.
	Filter(text source.Text, bag *diag.Bag) expr.Expr
}

// An Env is the environment that a front end may read.
type Env struct {
	// Root is the project's folder: where command files and scripts are searched
	// for.
	Root string
	// Dir is the workflow file's folder.
	Dir string
	// Home is the user's home folder, or "".
	Home string
	// Files reads files; a front end reads them in no other way.
	Files Files
	// Settings are those of wfc.yaml. An agent in it has the settings of those that it
	// uses; its Use is then a known agent or a kind.
	Settings settings.Project
	// Schedule, DeliverTo and NodeTags are what the configuration sets for the workflow. The
	// file overrides the first two.
	Schedule  *ir.Schedule
	DeliverTo []ir.Target
	NodeTags  []ir.NodeTags
	// Ask asks an interpreter about a script; see compiler.Options. It may be nil.
	Ask oracle.Ask
	// Use compiles another workflow file, which this one uses, as if it stood alone. It is
	// nil in tests of front ends alone.
	Use func(path string) *Used
}

// A Used is a workflow file that another one uses.
type Used struct {
	File *source.File
	// Program is nil if the file has errors.
	Program *ir.Program
	// Findings are those of the file alone, and Raw the same before comments in the file
	// hid some and the configuration changed severities.
	Findings, Raw []*diag.Diagnostic
	// Cycle are the files of a cycle of files that use each other, this one first and
	// last, or nil. Then there is neither a program nor a finding.
	Cycle []string
}

// FirstError returns the first error of the file, or nil.
func (u *Used) FirstError() *diag.Diagnostic {
	i := slices.IndexFunc(u.Findings, func(f *diag.Diagnostic) bool { return f.Severity == diag.Error })
	if i < 0 {
		return nil
	}
	return u.Findings[i]
}

// Own returns the finding that the file has alone for one in the file that uses it: the one
// of the same code at the same place, no less severe. It returns nil if there is none.
func (u *Used) Own(d *diag.Diagnostic) *diag.Diagnostic {
	for _, own := range u.Raw {
		if own.Code == d.Code && own.Span.Compare(d.Span) == 0 && own.Severity >= d.Severity {
			return own
		}
	}
	return nil
}

// Files reads files by path.
type Files interface {
	// Read returns a file's content. For a missing file, the error satisfies
	// fs.ErrNotExist.
	Read(path string) ([]byte, error)
	// List returns the sorted names of the entries of a folder, folders with a
	// trailing slash; nil if the folder does not exist.
	List(dir string) []string
}

// Reason is an error of Files without the path that it names.
func Reason(err error) error {
	if named, ok := errors.AsType[*fs.PathError](err); ok {
		return named.Err
	}
	return err
}

// ModelNamed returns the tier or alias of the configuration that the name of a
// model is, with or without the @ of an alias, or nil. It reports one that is
// written as an alias and not defined, at the place.
func (e *Env) ModelNamed(name string, at source.Span, bag *diag.Bag) *settings.Model {
	bare, isAlias := strings.CutPrefix(name, "@")
	for i := range e.Settings.Models {
		if m := &e.Settings.Models[i]; m.Name == name || isAlias && m.Name == bare {
			return m
		}
	}
	if isAlias {
		bag.Add(finding.UnknownModelAlias(at, name, e.Aliases()))
	}
	return nil
}

// HasModel reports whether the configuration defines a tier or alias of that name.
func (e *Env) HasModel(name string) bool {
	return e.ModelNamed(name, source.Span{}, new(diag.Bag)) != nil
}

// Aliases returns the tiers and aliases of the configuration as a workflow writes an alias.
func (e *Env) Aliases() []string {
	var names []string
	for _, m := range e.Settings.Models {
		names = append(names, "@"+strings.TrimPrefix(m.Name, "@"))
	}
	return names
}

// Efforts are the rungs of reasoning effort, the weakest first. An agent has some of
// them.
var Efforts = catalog.KindInfo{}.KnownEfforts()

// Kind returns the kind of an agent; false for a program of the user's own.
func (e *Env) Kind(agent string) (catalog.KindInfo, bool) {
	if a, ok := e.Settings.Agents.Find(agent); ok {
		return catalog.KindNamed(a.Kind)
	}
	known, _ := catalog.AgentNamed(agent)
	return catalog.KindNamed(known.Kind)
}

// effortOptions are the options by which agents get an effort.
var effortOptions = []string{"effort", "modelReasoningEffort"}

// TierEffort returns the option of a prompt whose model is a tier or an alias with an
// effort; false if it has none, or if the agent takes none, which is reported at the place
// of the model.
func (e *Env) TierEffort(m *settings.Model, agent string, at source.Span, bag *diag.Bag) (ir.Option, bool) {
	if m == nil || m.Effort == "" {
		return ir.Option{}, false
	}
	kind, _ := e.Kind(agent)
	takes := kind.Options
	if a, _ := e.Settings.Agents.Find(agent); a.Options != nil {
		takes = a.Options
	}
	name := effortOptions[0]
	if takes != nil {
		i := slices.IndexFunc(effortOptions, func(option string) bool { return slices.Contains(takes, option) })
		if i < 0 {
			bag.Add(finding.TierWithoutEffort(at, m.Name, m.Effort, agent))
			return ir.Option{}, false
		}
		name = effortOptions[i]
	}
	effort := m.Effort
	if nearest := kind.NearestEffort(effort); nearest != effort {
		bag.Add(finding.LoweredEffort(at, effort, agent, nearest))
		effort = nearest
	}
	return ir.Option{Name: name, JSON: strconv.Quote(effort), Span: at}, true
}

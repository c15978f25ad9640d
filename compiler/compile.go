// Package compiler checks workflow files, and compiles them for package gen:
//
//	result := compiler.Compile(source.NewFile("triage.yaml", content), compiler.Options{})
//	for _, d := range result.Diagnostics {
//		at := d.Span.Position()
//		fmt.Printf("%s:%d:%d: %s: %s\n", d.Span.File.Name, at.Line, at.Column, d.Severity, d.Message)
//	}
//
// Package compiler/config gives the options that a project's wfc.yaml asks for, and
// package gen turns the compiled workflow of a result into Go code. The commands of wfc
// and its language server call Compile, too.
//
// A dialect is one of the formats of workflow files, each first made for another program.
// Dialects lists them:
//
//   - archon, of Archon (https://github.com/coleam00/Archon): graphs of nodes
//   - graphloop, of graph-loop (https://github.com/tedzhao26/agents-skills-collection):
//     state graphs, in which a run moves from node to node
//   - lango, of Lango (https://github.com/langoai/lango): agent steps
//   - xprompt, of gai (https://github.com/bbugyi200/dotfiles): sequences of steps
//
// The packages of the runtime use these names, too. Compile parses the YAML, runs the
// front end of the file's dialect, and runs the checks that all dialects share. Then it
// applies the user's choices: comments that ignore findings, configured severities,
// strict mode. Compile always returns a Result, also for a broken file.
package compiler

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Options change how Compile treats a file. The zero Options detect the dialect and read
// other files from disk. The method Options of config.Config fills in the fields that a
// project's wfc.yaml decides; the caller sets the others.
type Options struct {
	// Path is the file's path on disk; "" means that its name is the path. A relative path
	// starts at the current directory.
	Path string
	// Dialect is the file's dialect, one of Dialects; "" detects it from, in this order: a
	// comment `# wfc: dialect=NAME` before the first key, ConfigDialect, the file's folder,
	// its shape.
	Dialect string
	// ConfigDialect is the dialect that the configuration names for the file, NoDialect,
	// or "". A dialect comment in the file overrides it.
	ConfigDialect string
	// Files reads the files that the workflow refers to; nil reads them from disk.
	Files Files
	// Ask asks bash or python3 whether it can read a script, which it must not run: it starts
	// the program with these arguments and input, and returns what the program prints and its
	// exit status, -1 if it could not be asked. With nil, no program decides findings: Compile
	// refuses a bash script that its own parser cannot read, and finds in Python only what is
	// wrong with strings and brackets.
	Ask func(program string, args []string, input string) (stdout, stderr string, status int)
	// Root is the project's folder; "" means the nearest folder above the file with
	// wfc.yaml, .archon or .git, else the file's own.
	Root string
	// Home is the absolute path of the user's home folder. Archon workflows may use the
	// commands and scripts in its folder .archon and the skills in .claude/skills. "" means
	// that there is no home folder: then only the project's own files are found.
	Home string
	// Settings are the project's settings. Settings.Agents must be resolved: no agent's
	// Use names another agent of the list. The method Options of config.Config resolves
	// them.
	Settings settings.Project
	// Schedule is the cron expression that the configuration gives to the workflow. It must
	// be valid; the zero Text means none. DeliverTo are the delivery targets that the
	// configuration gives to the workflow. config.Config.Options sets both. The workflow
	// file overrides them.
	Schedule  source.Text
	DeliverTo []source.Text
	// WorkerTags restrict nodes of the workflow to the Temporal workers that were started with
	// these tags (key `tags` in wfc.yaml); other engines ignore them. It is an opaque
	// value, which only config.Config.Options makes.
	WorkerTags []ir.NodeTags
	// Triggers start runs of the workflow or report events to them (key `triggers` in wfc.yaml).
	// It is an opaque value, which only config.Config.Options makes.
	Triggers []ir.Trigger
	// Severities are the configured severities of warnings and notes. They have no effect
	// on findings that are errors.
	Severities map[*diag.Code]diag.Severity
	// Constants are inputs with known values, which become part of the compiled workflow.
	Constants []Constant
	// Portability adds findings about differences from the original engine: the program
	// for which the file's dialect was first made.
	Portability bool
	// Strict turns warnings into errors.
	Strict bool
}

// Files reads the files that a workflow refers to, by absolute native paths, as package
// path/filepath has them. Compile may be called concurrently only if Files is safe for
// concurrent use.
type Files interface {
	// Read returns a file's content. If the file does not exist, errors.Is(err,
	// fs.ErrNotExist) holds for the error.
	Read(path string) ([]byte, error)
	// List returns the names of a folder's entries, sorted; names of folders end with a
	// slash. It returns nil if the folder does not exist.
	List(dir string) []string
}

// A Constant fixes the value of an input at compile time: no run can set the input. Value
// is its text as on a command line, such as 3 or true. Compile reports a Constant that
// names no input of the workflow, and a Value that does not fit the input's type.
type Constant struct {
	Name, Value string
}

// A Result is a compiled file.
type Result struct {
	// File is the file.
	File *source.File
	// Workflow is the compiled workflow, an opaque value for gen.Generate. It is nil if the
	// file is not a workflow or its errors leave its meaning open. Generate code only if it
	// is not nil and HasErrors is false.
	Workflow *ir.Program
	// Diagnostics are the findings, in the order of the file.
	Diagnostics []*diag.Diagnostic
	// Suppressed are the findings that comments in the file ignore.
	Suppressed []*diag.Diagnostic
	// Dialect is the file's dialect, or "".
	Dialect string
	// Why is the reason for Dialect; it completes the sentence "it is DIALECT because". If
	// Dialect is "", Why is the reason that no dialect was found, or "".
	Why string
	// NotWorkflow reports that the file is not a workflow, so that a search through folders
	// skips it. Diagnostics then has nothing if Excluded is true, the YAML errors if the
	// file is not valid YAML, and else one finding: that the file does not look like a
	// workflow.
	NotWorkflow bool
	// Excluded reports that Options.ConfigDialect is NoDialect and nothing overrides it:
	// the configuration excludes the file from the workflows. Then there are no findings.
	Excluded bool
	// Stack is the stack trace of a panic in the compiler, or "".
	Stack string
}

// Agents returns the names of the agents that prompts use, in this workflow and in the
// workflows that it runs, in the order of their first prompts.
func (r *Result) Agents() []string {
	if r.Workflow == nil {
		return nil
	}
	var names []string
	for _, p := range append([]*ir.Program{r.Workflow}, r.Workflow.Callees()...) {
		for _, prompt := range bodyPrompts(p.Workflow.Body) {
			names = plain.AddNew(names, prompt.Agent.Name)
		}
	}
	return names
}

// HasErrors reports whether any finding is an error.
func (r *Result) HasErrors() bool { return diag.HasErrors(r.Diagnostics) }

// Codes returns every kind of finding in order of ID.
func Codes() []*diag.Code { return codes.All() }

// Compile compiles a file. It never panics: a bug in the compiler becomes a finding, with
// its stack trace in Result.Stack. It is safe for concurrent use if Files of the options
// is.
func Compile(file *source.File, opt Options) *Result {
	return compileFile(file, opt, allFrontends())
}

func compileFile(file *source.File, opt Options, fronts []dialect.Frontend) *Result {
	r := &Result{File: file}
	c := &compilation{file: file, opt: opt, result: r, frontends: fronts, family: &family{used: map[string]*dialect.Used{}}}
	c.completeResult()
	return r
}

func (c *compilation) completeResult() {
	c.family.users = append(c.family.users, c.absPath())
	c.runGuarded(c.buildProgram)
	c.runGuarded(c.finishDiagnostics)
	c.family.users = c.family.users[:len(c.family.users)-1]
}

// A compilation is the work on one file.
type compilation struct {
	file       *source.File
	opt        Options
	frontends  []dialect.Frontend
	result     *Result
	doc        *yamlsrc.Document
	directives directives
	bag        diag.Bag
	// family are the files that this one uses, and those that use it.
	family *family
	// raw are the findings before comments and the configuration apply.
	raw []*diag.Diagnostic
}

// runGuarded runs a step and turns a panic into a finding. It keeps earlier findings.
func (c *compilation) runGuarded(step func()) {
	defer func() {
		if fault := recover(); fault != nil {
			c.result.Stack = fmt.Sprintf("%v\n\n%s", fault, debug.Stack())
			c.result.Workflow = nil
			c.bag.Add(finding.InternalError(source.Span{File: c.file}, fmt.Sprint(fault)))
			c.result.Diagnostics = c.bag.Sorted()
		}
	}()
	step()
}

func (c *compilation) buildProgram() {
	c.doc = yamlsrc.Parse(c.file, &c.bag)
	c.directives = readDirectives(c.doc)
	c.bag.Add(c.directives.problems...)
	front := c.chooseFrontend()
	if front == nil || c.doc == nil || c.bag.HasErrors() && c.doc.Root == nil {
		return
	}
	env := c.newEnv()
	c.addSettings(env)
	program := front.Compile(c.doc, env, &c.bag)
	c.result.Workflow = program
	if program == nil {
		return
	}
	c.warnForeign(program.Workflow)
	applyConstants(program, c.opt.Constants, &c.bag)
	var found diag.Bag
	check.Run(program, &found)
	checkLimits(program, &c.opt.Settings, &found)
	program.Triggers = bindTriggers(program, c.opt.Triggers, front, &found)
	c.addChecks(program, found.Sorted())
	c.checkWhole(program)
}

// checkWhole sees to it that a program without errors is whole. A front end that
// puts something wrong into a program and says so by no more than a warning would
// otherwise be found out by the generator, which cannot say where.
func (c *compilation) checkWhole(program *ir.Program) {
	if c.bag.HasErrors() {
		return
	}
	if bad := program.FirstBad(); bad != nil {
		at := bad.At
		if !at.IsValid() {
			at = source.Span{File: c.file}
		}
		c.bag.Add(finding.InternalError(at, "wfc rejected this part without reporting an error"))
	}
}

// finishDiagnostics makes the result's diagnostics from the findings.
func (c *compilation) finishDiagnostics() {
	list := c.bag.Sorted()
	c.keepRaw(list)
	if !c.result.NotWorkflow {
		list = foldShared(c.suppressIgnored(list))
	}
	if c.doc != nil {
		c.doc.EncodeFixes(list)
	}
	c.hideOutside(list)
	c.result.Diagnostics = c.adjustSeverities(list)
}

func (c *compilation) absPath() string {
	path := cmp.Or(c.opt.Path, c.file.Name)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func (c *compilation) newEnv() *dialect.Env {
	env := &dialect.Env{
		Root: c.opt.Root, Dir: filepath.Dir(c.absPath()), Home: c.opt.Home,
		Files: c.opt.Files, Settings: c.opt.Settings, Ask: c.opt.Ask, Use: c.compileUsed,
	}
	if env.Files == nil {
		env.Files = workspace.Disk{}
	}
	if env.Root == "" {
		env.Root = workspace.Root(c.absPath(), env.Home)
	}
	env.Files = newProjectFiles(env.Files, env.Root, env.Home)
	return env
}

// Package config reads wfc.yaml, the settings of a project.
//
// The file is read with the compiler's own reader, so that a mistake in it is
// shown like a mistake in a workflow: with its place, what is known there, and
// the nearest right name. Nothing in it is skipped silently.
package config

import (
	"fmt"
	"os"
	slashpath "path"
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/glob"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Config is the settings of one wfc.yaml. The zero Config has the defaults.
type Config struct {
	// Dir is the folder of the file; paths in it are relative to it.
	Dir string
	// Severities are the levels of warnings and notes.
	Severities map[*diag.Code]compiler.Level
	// Agents are the agents that workflows may name.
	Agents []Agent
	// Models are the model tiers and aliases that workflows may name.
	Models []Model
	// Commands and Scripts are further folders for command files and named
	// scripts.
	Commands, Scripts []string
	// Dialects say which files are of which dialect; the first that matches
	// counts.
	Dialects []DialectRule
	// Exclude are patterns of files and folders that are not checked, relative to
	// the configuration's folder. A folder that matches is left out with all that
	// is below it.
	Exclude []string
	// BaseBranch is the branch that changes are made against, or "".
	BaseBranch string
	// DocsDir is the documentation folder, or "".
	DocsDir string
	// Env are variables for every process that a run starts, in file order.
	Env []Variable
	// UntilStrict makes archon's loop signals match only as the original
	// engine matches them.
	UntilStrict bool
	// MaxParallel is how many processes a run has at most at once; 0 means the
	// default.
	MaxParallel int
	// OnInterrupt says what becomes of actions that were running when a run was
	// interrupted.
	OnInterrupt OnInterrupt
	// State is the folder for the state of runs, or "".
	State string
	// Store is the name of what programs keep their runs in, or "".
	Store string
	// Database is the URL of a database that keeps runs, without a password, or
	// "".
	Database string
	// Delivery says where results go.
	Delivery Delivery
	// Workflows give settings to workflows of any dialect, in file order.
	Workflows []WorkflowRule
	// Limits are what a run may use.
	Limits dialect.Limits
	// Programs says where programs run text that bash scripts give them, by name.
	Programs map[string]shell.Program
	// Environment says what processes see of the caller's environment.
	Environment Environment
	// Gates is what answers to questions need: any, terminal, token or "".
	Gates string
}

// An Environment is what processes see of the caller's environment: patterns of
// names of variables, in which * stands for any characters. Nil leaves it to the
// programs; an empty list is none but those that every program needs.
type Environment struct {
	// Agents and Scripts are for agents' programs and for bash and script nodes.
	Agents, Scripts []string
}

// A DialectRule says that files of a pattern are of a dialect.
type DialectRule struct {
	// Pattern is a path relative to the configuration's folder, with *, ? and
	// [a-z] in names and ** for any number of folders.
	Pattern string
	// Dialect is a dialect's name, or compiler.NoDialect for files that are no
	// workflows.
	Dialect string
}

// A Variable is an environment variable.
type Variable struct {
	Name, Value string
}

// Policy is what becomes of an interrupted action.
type Policy string

// The policies.
const (
	// Rerun performs it again.
	Rerun Policy = "rerun"
	// Ask asks a person.
	Ask Policy = "ask"
	// Fail fails it.
	Fail Policy = "fail"
)

// OnInterrupt are the policies for interrupted actions; runtime/flow/sched says
// which of them counts for what.
type OnInterrupt struct {
	Default Policy
	// Kinds are policies of kinds of nodes, such as "bash".
	Kinds map[string]Policy
	// Nodes are policies of nodes by id.
	Nodes map[string]Policy
}

// Load reads the configuration at path, shown to people as name. The error
// says that the file could not be read; what is wrong in it are findings, and
// the settings that are right count all the same.
func Load(path, name string) (*Config, []*diag.Diagnostic, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read configuration: %w", err)
	}
	c, findings := Parse(source.NewFile(name, content))
	c.Dir = filepath.Dir(path)
	return c, findings, nil
}

// Parse reads a configuration.
func Parse(file *source.File) (*Config, []*diag.Diagnostic) {
	var bag diag.Bag
	c := &Config{}
	doc := yamlsrc.Parse(file, &bag)
	if doc != nil && doc.Root != nil && !bag.HasErrors() {
		d := &decoder{config: c, bag: &bag}
		for _, dup := range doc.Duplicates {
			bag.Add(finding.DuplicateKey(dup.Key, dup.First, dup.Second))
		}
		if doc.More.IsValid() {
			bag.Add(finding.ConfigValue(doc.More, "wfc.yaml", "a single document"))
		}
		if !doc.Root.IsNull() {
			d.section("", doc.Root, topKeys())
			for _, check := range d.later {
				check()
			}
		}
	}
	list := bag.Sorted()
	if doc != nil {
		doc.EncodeFixes(list)
	}
	return c, list
}

// Dialect returns the dialect that the configuration names for a file of the
// given absolute path, or "".
func (c *Config) Dialect(path string) string {
	rel, err := filepath.Rel(c.Dir, path)
	if err != nil {
		return ""
	}
	for _, r := range c.Dialects {
		if glob.Match(r.Pattern, filepath.ToSlash(rel)) {
			return r.Dialect
		}
	}
	return ""
}

// Excludes reports whether the file or folder of the given absolute path, or a
// folder above it, is excluded.
func (c *Config) Excludes(path string) bool {
	rel, err := filepath.Rel(c.Dir, path)
	if err != nil || len(c.Exclude) == 0 || !filepath.IsLocal(rel) {
		return false
	}
	for name := filepath.ToSlash(rel); name != "."; name = slashpath.Dir(name) {
		for _, pattern := range c.Exclude {
			if glob.Match(pattern, name) {
				return true
			}
		}
	}
	return false
}

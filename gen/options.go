package gen

import (
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Options configure Generate. The zero Options generate a library package that contains
// the workflow and nothing else.
type Options struct {
	// Package is the package's name, which ValidPackage must accept; "" takes one from the
	// workflow's name. With Main it is "main".
	Package string
	// Main adds main.go, which makes the package a program: a main package with the
	// workflow's command line.
	Main bool
	// Engine adds engine.go, by which Go programs open an engine for the workflow
	// with the settings of Defaults. It has no effect with Main.
	Engine bool
	// LineDirectives puts "//line triage.yaml:12:5" before lines, so that panics and
	// compile errors refer to the workflow file. Such code is not formatted: use it for a
	// build, not for files that you keep. Without it, comments such as "// triage.yaml:12"
	// give the lines.
	LineDirectives bool
	// Cover adds a function Terms to the package, which returns how often each operand of a
	// condition was false and true, by its place in the workflow file. The command `wfc
	// test` reports these counts.
	Cover bool
	// Store is the kind of store in which the program keeps its runs; "" is
	// settings.StoreSQLite. Defaults.Store itself has no effect: to follow wfc.yaml, set
	// Store to it.
	Store settings.Store
	// Temporal makes a program that runs the workflow on a Temporal cluster; Store and MCP
	// then have no effect. Temporal has no effect without Main.
	Temporal bool
	// MCP adds a Model Context Protocol server to the program. Without it, the command
	// mcp of the program only says that there is none. MCP has no effect without Main.
	MCP bool
	// OTel adds an exporter of traces to the program, package runtime/otel. It has no effect
	// without Main, nor with Temporal.
	OTel bool
	// Serve adds pages for browsers to the program. Without it, the command serve of the program
	// only says that there are none. Serve has no effect without Main.
	Serve bool
	// Defaults are the project's settings. A program contains the ones that its workflow
	// uses. They do not change flow.Definition.Fingerprint, so a program with new settings
	// can resume the runs of the earlier one.
	Defaults settings.Project
	// ImportPath is the import path of the package; "" is the path that package build gives
	// to programs. It matters only if the workflow runs others: each of these has a package
	// in a folder below (see File.Name), and the code imports it by ImportPath and the
	// folder's name.
	ImportPath string
	// AgentKinds are the import paths of packages that provide kinds of agents, by the
	// kinds' names: a kind that wfc lacks, or a replacement for one of its own. Each package
	// has the function Kind() agent.Kind. The package of any other kind is
	// runtime/agent/<name> of wfc.
	AgentKinds map[string]string
	// MoreKinds are the names of kinds of agents that the program has besides the kinds of
	// its agents, so that the flag --agent can choose them. They have no effect on a workflow
	// without prompts.
	MoreKinds []string
}

// A File is one generated file.
type File struct {
	// Name is the file's name. For a file of a child workflow, one that the workflow runs,
	// it is FOLDER/NAME.
	Name    string
	Content []byte
}

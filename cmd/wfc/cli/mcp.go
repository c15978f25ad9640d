package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// wfc links no MCP server: it would be a third larger with it and start more
// slowly, for one command of many. That command builds a program with the server
// in it, once, and becomes it. The program calls wfc for what only wfc can do, by
// the hidden commands mcp-build and mcp-list.

// mcpMain is the source of that program, for a store's package and what opens it.
const mcpMain = `package main

import (
	"os"

	"github.com/wfc-lang/wfc/runtime/mcp/folder"
	%q
)

func main() {
	os.Exit(folder.Main(%s))
}
`

// mcpFiles returns that program for a project, whose runs it must find.
func mcpFiles(pr *project) []gen.File {
	store := lastingStore(pr.config.Config)
	openers := path.Base(store.Package) + "." + store.Opener + ", nil"
	if store.ByURL {
		openers = "nil, " + path.Base(store.Package) + "." + store.Opener
	}
	return []gen.File{{Name: "main.go", Content: fmt.Appendf(nil, mcpMain, "github.com/wfc-lang/wfc/"+store.Package, openers)}}
}

// serverStore is the store of programs behind a server, as --store has it: the
// project's, unless that keeps nothing that another process could look at.
func serverStore(pr *project) string {
	if storeFor("", pr.config.Config).Forgets {
		return string(lastingStore(pr.config.Config).Kind)
	}
	return ""
}

// archonWorkflows is where projects of the original engine keep workflows.
const archonWorkflows = ".archon/workflows"

// An mcpRun is the command `wfc mcp` with its flags.
type mcpRun struct {
	*app
	dir, state string
	prefetch   bool
}

func mcpCommand(a *app) *cobra.Command {
	m := &mcpRun{app: a}
	cmd := &cobra.Command{
		Use:   "mcp [PATH…]",
		Short: "Serve workflow files to an agent (Model Context Protocol)",
		Long: `mcp serves workflow files to a client of the Model Context Protocol, over standard
input and output. PATH is a file, the name of a workflow or a folder; the default is
the current folder. The client can run, check and save workflows, and show, cancel and
resume runs. It cannot answer a run's questions: the status of the run shows the
command with which a person answers.

The server builds a workflow before its first run. When the server ends, it cancels
its runs; you can resume them.

The first call builds the server, which takes longer than many clients wait. Run
wfc mcp --prefetch first.`,
		Example: "  wfc mcp --prefetch\n  wfc mcp flows/",
		RunE:    func(cmd *cobra.Command, args []string) error { return m.run(cmd, args) },
	}
	cmd.Flags().StringVar(&m.dir, "dir", "", "`FOLDER` for saved workflows (default: PATH, "+archonWorkflows+" or current folder)")
	cmd.Flags().StringVar(&m.state, "state", "", "`FOLDER` that keeps the runs (default: WFC_STATE or the checkout's)")
	cmd.Flags().BoolVar(&m.prefetch, "prefetch", false, "build the server and shared code; serve nothing")
	return cmd
}

func (m *mcpRun) run(cmd *cobra.Command, args []string) error {
	for i, path := range args {
		_, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			args[i], err = m.projects.fileNamed(path, "file or folder")
		}
		if err != nil {
			return err
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	pr, err := m.projects.currentProject()
	if err != nil {
		return err
	}
	builder, err := m.newBuilder("", "")
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	program, err := builder.BuildCached(ctx, mcpFiles(pr), "wfc-mcp")
	if err != nil {
		return buildError(ctx, err)
	}
	if m.prefetch {
		stock, err := m.stockHere(serverStore(pr))
		if err != nil {
			return err
		}
		stock.mcp = true
		if err := builder.Prefetch(ctx, stock.programFiles()); err != nil {
			return buildError(ctx, err)
		}
		return nil
	}
	argv, err := m.commandLine(pr, wd, args)
	if err != nil {
		return err
	}
	stop() // signals are the program's now
	if err := execProgram(program, append([]string{program}, argv...)); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return nil
}

// commandLine returns the arguments of the program.
func (m *mcpRun) commandLine(pr *project, wd string, paths []string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the wfc program: %w", err)
	}
	settings := pr.config.Settings(pr.config.Dir)
	given := m.state
	if given == "" && os.Getenv("WFC_STATE") == "" {
		given = settings.State
	}
	folder, err := state.Locate(given, wd)
	if err != nil {
		return nil, err
	}
	argv := []string{"--wfc", self, "--dir", m.saveDir(paths), "--state", folder.Path}
	if settings.Database != "" {
		argv = append(argv, "--database", settings.Database)
	}
	return append(append(argv, "--"), paths...), nil
}

// saveDir is the folder for new workflows.
func (m *mcpRun) saveDir(paths []string) string {
	switch {
	case m.dir != "":
		return m.dir
	case len(paths) == 1 && isFolder(paths[0]):
		return paths[0]
	case isFolder(archonWorkflows):
		return archonWorkflows
	}
	return "."
}

// The hidden commands by which the program behind `wfc mcp` calls wfc. They are
// of one version with it, since wfc carries its source.

// mcpBuildCommand prints the program of a workflow, with a server in it.
func mcpBuildCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "mcp-build FILE STATE", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.projects.compileOne(&compileFlags{}, args[0])
			if err != nil {
				return err
			}
			inBudget := func(_ context.Context, o outcome, _ bool) error {
				here, err := state.Locate("", ".")
				if err != nil || args[1] != here.Path { // a person named another one
					return err
				}
				return checkBudgetPlace(o, string(serverStore(o.project)), ".")
			}
			program, err := a.cachedProgram(cmd, o, gen.Options{Main: true, LineDirectives: true, MCP: true}, serverStore(o.project), false, inBudget)
			if err != nil {
				return err
			}
			return a.printLine(map[string]string{"program": program, "workflow": o.result.Workflow.Workflow.Name})
		},
	}
}

// A listed workflow is one that mcp-list prints.
type listedWorkflow struct {
	Path        string        `json:"path"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Inputs      []listedInput `json:"inputs,omitempty"`
	Errors      int           `json:"errors,omitempty"`
}

type listedInput struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// mcpListCommand prints the workflows in files and folders.
func mcpListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "mcp-list PATH…", Hidden: true, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ins, err := a.projects.findInputs(args, "stdin.yaml")
			if err != nil {
				return err
			}
			outcomes, err := a.projects.compileAll(&compileFlags{}, ins)
			if err != nil {
				return err
			}
			list := []listedWorkflow{}
			for _, o := range outcomes {
				if o.result != nil && !o.result.NotWorkflow {
					list = append(list, listWorkflow(o))
				}
			}
			return a.printLine(map[string]any{"workflows": list})
		},
	}
}

func listWorkflow(o outcome) listedWorkflow {
	w := listedWorkflow{Path: o.input.name}
	for _, d := range o.result.Diagnostics {
		if d.Severity == diag.Error {
			w.Errors++
		}
	}
	if o.result.Workflow == nil || o.result.Workflow.Workflow == nil {
		return w
	}
	flow := o.result.Workflow.Workflow
	w.Name, w.Description = flow.Name, flow.Description
	for _, in := range flow.Inputs {
		w.Inputs = append(w.Inputs, listedInput{in.Name, in.Type.String(), in.Doc, in.Default == nil})
	}
	return w
}

// printLine prints JSON on a line.
func (s *screen) printLine(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = plain.JSONWriter(s.Out).Write(append(text, '\n'))
	return err
}

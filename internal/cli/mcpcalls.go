package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// The hidden commands by which the program behind `wfc mcp` calls wfc. They are
// of one version with it, since wfc carries its source.

// mcpBuildCommand prints the program of a workflow, with a server in it.
func mcpBuildCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "mcp-build FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			program, name, err := a.cachedServer(cmd, args[0])
			if err != nil {
				return err
			}
			return a.printLine(map[string]string{"program": program, "workflow": name})
		},
	}
}

// cachedServer returns the program of a workflow with a server in it, and the
// workflow's name.
func (a *app) cachedServer(cmd *cobra.Command, path string) (program, name string, err error) {
	o, err := a.compileOne(&compileFlags{}, path)
	if err != nil {
		return "", "", err
	}
	if program, err = a.cachedProgram(cmd, o, gen.Options{Main: true, LineDirectives: true, MCP: true}, serverStore(o.project)); err != nil {
		return "", "", err
	}
	return program, o.result.Program.Workflow.Name, nil
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
			ins, err := a.inputs(args, "stdin.yaml")
			if err != nil {
				return err
			}
			outcomes, err := a.compileAll(&compileFlags{}, ins)
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
	if o.result.Program == nil || o.result.Program.Workflow == nil {
		return w
	}
	flow := o.result.Program.Workflow
	w.Name, w.Description = flow.Name, flow.Description
	for _, in := range flow.Inputs {
		w.Inputs = append(w.Inputs, listedInput{in.Name, in.Type.String(), in.Doc, in.Default == nil})
	}
	return w
}

// printLine prints JSON on a line.
func (a *app) printLine(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = plain.JSONWriter(a.Out).Write(append(text, '\n'))
	return err
}

package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
)

// dryFlags are the flags of run that make it show what it would do.
type dryFlags struct {
	on      bool
	outputs string
}

func (f *dryFlags) addToCommand(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "dry-run", false, "show the plan of the run; do nothing")
	cmd.Flags().StringVar(&f.outputs, "outputs", "", "with --dry-run: JSON `FILE` of step outputs; - is standard input")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "jsonl")
}

// checkValues checks what was given together.
func (f *dryFlags) checkValues(inputs string) error {
	switch {
	case f.outputs != "" && !f.on:
		return usageError("--outputs needs --dry-run")
	case f.outputs == "-" && inputs == "-":
		return usageError("--inputs and --outputs cannot both be standard input")
	}
	return nil
}

// printPlan shows what a run would do. It opens nothing: no store, no state folder,
// no agent.
func (a *app) printPlan(d dryFlags, n *newRun) error {
	f, def, defaults := n.flags, a.program.Definition, a.program.Defaults
	outputs, err := a.scriptedOutputs(d.outputs, def.Nodes)
	if err != nil {
		return err
	}
	chosen, err := f.chooseAgents(defaults, a.secretNames())
	if err != nil {
		return err
	}
	performers, _, err := a.newPerformers(engine.Agents{}, nil)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return failedError(fmt.Errorf("the current folder: %w", err))
	}
	if n.worktree != nil {
		dir = "‹worktree of the run›"
	}
	plan, err := dry.Make(def, dry.Options{
		Inputs: n.inputs, Outputs: outputs, WorkDir: dir,
		BaseBranch: cmp.Or(f.BaseBranch, defaults.BaseBranch), DocsDir: defaults.DocsDir,
		Agents: chosen.List, Performers: performers, Environ: a.hiddenVariables(), Graph: n.graph,
	})
	if _, ok := errors.AsType[*dry.OutputError](err); ok {
		return usageError("--outputs %s: %w", d.outputs, err)
	}
	if err != nil {
		return failedError(err)
	}
	if a.json {
		return printJSON(a.streams.Out, plan)
	}
	return failedError(plan.Write(a.streams.Out))
}

// scriptedOutputs reads the file of --outputs.
func (a *app) scriptedOutputs(file string, nodes []flow.NodeInfo) (*dry.Outputs, error) {
	if file == "" {
		return nil, nil
	}
	read := func() ([]byte, error) { return wholefile.Source.Given(file) }
	if file == "-" {
		read = func() ([]byte, error) { return wholefile.Source.From(a.streams.In, "standard input") }
	}
	text, err := read()
	if err != nil {
		return nil, usageError("--outputs: %w", err)
	}
	outputs, err := dry.ReadOutputs(bytes.TrimSpace(wholefile.TrimBOM(text)), nodes)
	if node, ok := errors.AsType[*dry.UnknownNodeError](err); ok {
		keys := make([]string, len(nodes))
		for i, n := range nodes {
			keys[i] = n.Key
		}
		return nil, usageError("--outputs %s: %w%s", file, err, plain.Instead(node.Node, keys))
	}
	if err != nil {
		return nil, usageError("--outputs %s: %w", file, err)
	}
	return outputs, nil
}

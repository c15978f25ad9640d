package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
)

func vettoolCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "vettool [PACKAGE…]",
		Short: "Check Go code that belongs to workflows, with go vet",
		Long: `vettool runs ` + "`go vet`" + ` over Go packages, with checks for code that belongs to workflows:

  wfcgen     generated packages that do not fit their workflow file
  wfcinputs  required inputs that a call leaves out
  wfcresult  errors and statuses of runs that the code does not check
  wfcflow    code in hand-written flows that may act differently when a run is resumed

Without packages, it prints the path of the tool for ` + "`go vet -vettool`" + `.
The exit code is 1 if there are findings or go vet fails.

https://github.com/wfc-lang/wfc/blob/main/docs/guide/vet.md describes the checks, and
their use in golangci-lint.`,
		Example: "  wfc vettool ./...\n  go vet -vettool=\"$(wfc vettool)\" ./...",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runVetTool(cmd, args) },
	}
}

// runVetTool runs go vet over packages, or prints the path of its tool.
func (a *app) runVetTool(cmd *cobra.Command, args []string) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find wfc: %w", err)
	}
	if len(args) == 0 {
		fmt.Fprintln(a.Out, path)
		return nil
	}
	vet := exec.CommandContext(cmd.Context(), "go", append([]string{"vet", "-vettool=" + path}, args...)...)
	vet.Stdout, vet.Stderr = a.Out, a.Err
	fmt.Fprintln(a.Err, "go vet first compiles the packages, which can take a minute")
	err = vet.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return silentExit(ExitFindings)
	}
	if err != nil {
		return fmt.Errorf("`wfc vettool` needs the go command: %w", err)
	}
	return nil
}

package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
)

// manCommand writes manual pages. It is for those who package wfc, so help does
// not show it.
func manCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages of wfc",
		Long:    "man writes a manual page for each command to the folder DIR.",
		Example: "  wfc man /usr/local/share/man/man1",
		Hidden:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("`%s` needs a folder for the pages", cmd.CommandPath())
			}
			return commandline.NoArguments(cmd, args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("create the folder for the pages: %w", err)
			}
			// A root with all commands; that of this process has only the called one.
			if err := writeManPages(a.root(nil), args[0], "wfc "+version()); err != nil {
				return fmt.Errorf("write the pages: %w", err)
			}
			return nil
		},
	}
}

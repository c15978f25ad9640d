package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

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
			cmd.Root().DisableAutoGenTag = true // no day; SOURCE_DATE_EPOCH sets the month
			header := &doc.GenManHeader{Section: "1", Source: "wfc " + version(), Manual: "wfc"}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return fmt.Errorf("write the pages: %w", err)
			}
			return nil
		},
	}
}

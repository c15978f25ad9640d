package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func lspCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors over the Language Server Protocol",
		Long: `lsp is a language server. Editors start it and speak to it over standard input and
output. It shows findings while you write, describes and completes keys and names,
finds and renames references, and offers the fixes of findings.

docs/guide/editors.md has the settings for editors.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			stream := struct {
				io.ReadCloser
				io.Writer
			}{io.NopCloser(a.In), plain.Raw(a.Out)}
			err := lsp.Serve(cmd.Context(), stream, lsp.Options{Version: buildVersion(), Home: a.projects.home})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return &exitError{ExitFindings, err} // the exit code that the protocol demands
			}
			if err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			return nil
		},
	}
	// Clients pass it to every server.
	cmd.Flags().Bool("stdio", true, "use standard input and output")
	return cmd
}

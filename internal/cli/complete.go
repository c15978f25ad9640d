package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) completeTarget(p passedCommand) cobra.CompletionFunc { return nil }

func (a *app) completeFlags(cmd *cobra.Command, p passedCommand) {}

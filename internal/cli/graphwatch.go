package cli

import "github.com/spf13/cobra"

func (g *graphFlags) serve(cmd *cobra.Command, file string) error { return nil }

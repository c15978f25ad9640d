package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/drawing"
	"github.com/wfc-lang/wfc/runtime/graph"
)

func graphCommand(a *app) *cobra.Command {
	var flags compileFlags
	var format string
	var layers bool
	formats := graph.Formats()
	cmd := &cobra.Command{
		Use:     "graph FILE",
		Short:   "Draw a workflow",
		Long:    "graph draws a workflow as a table for the terminal, or as Mermaid, DOT or SVG.\nWith --layers, it prints layers of nodes that can run in parallel: [A] [B C] [D].",
		Example: "  wfc graph flow.yaml\n  wfc graph flow.yaml --format svg > flow.svg",
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", format, formats); err != nil {
				return err
			}
			if layers && cmd.Flags().Changed("format") {
				return errors.New("--layers has its own format; remove --format")
			}
			o, err := a.compileOne(&flags, args[0])
			if err != nil {
				return err
			}
			if flags.verbose {
				a.explain([]outcome{o})
			}
			if err := a.refuse(o); err != nil {
				return err
			}
			w := o.result.Program.Workflow
			nodes, edges := drawing.Describe(w)
			switch {
			case layers && edges != nil:
				return errors.New("--layers does not work with state graphs: their nodes have no layers")
			case layers:
				return graph.WriteLayers(a.Out, nodes)
			}
			return graph.Write(a.Out, format, w.Name, nodes, edges)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&format, "format", formats[0], "output format: "+strings.Join(formats, ", "))
	cmd.Flags().BoolVar(&layers, "layers", false, "print layers of nodes that can run in parallel")
	return cmd
}

package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

func explainCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE…]",
		Short: "Explain diagnostics, or list them all",
		Long:  "explain describes a diagnostic and its remedy, with a faulty and a correct example.\nCODE is a number (WFC801) or a slug (unused-ignore). Without CODE, explain lists all\ndiagnostics.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listCodes()
			}
			return a.explainCodes(args)
		},
	}
}

func (a *app) listCodes() error {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, c := range diag.Codes() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Severity, c.Slug)
	}
	return w.Flush()
}

func (a *app) explainCodes(args []string) error {
	var b strings.Builder
	for i, name := range args {
		c, ok := diag.Lookup(name)
		if !ok {
			return unknownCode(name)
		}
		if i > 0 {
			b.WriteString("\n")
		}
		doc := c.Document()
		fmt.Fprintf(&b, "%s %s (%s)\n\n%s\n", c.ID, c.Slug, c.Severity, doc.Text)
		if doc.Config != "" {
			fmt.Fprintf(&b, "\nWith this wfc.yaml:\n\n%s", indented(doc.Config))
		}
		if doc.Beside != "" {
			fmt.Fprintf(&b, "\nWith this workflow beside it:\n\n%s", indented(doc.Beside))
		}
		if doc.Bad != "" {
			fmt.Fprintf(&b, "\nWith the fault:\n\n%s", indented(doc.Bad))
		}
		if doc.Good != "" {
			fmt.Fprintf(&b, "\nWithout it:\n\n%s", indented(doc.Good))
		}
	}
	_, err := fmt.Fprint(a.Out, b.String())
	return err
}

func unknownCode(name string) error {
	var known []string
	for _, c := range diag.Codes() {
		known = append(known, c.Slug, c.ID)
	}
	if best := finding.Nearest(name, known); best != "" {
		return fmt.Errorf("unknown diagnostic `%s`; did you mean `%s`?", name, best)
	}
	return fmt.Errorf("unknown diagnostic `%s`; `wfc explain` lists all", name)
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

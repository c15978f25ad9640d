package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// explainFormats are the formats of the command.
var explainFormats = []string{"text", "json", "markdown", "html"}

// An explainRun is the command `wfc explain` with its flags.
type explainRun struct {
	*app
	format, search string
}

func explainCommand(a *app) *cobra.Command {
	e := &explainRun{app: a}
	cmd := &cobra.Command{
		Use:   "explain [CODE…|WORD…]",
		Short: "Explain diagnostics, list or search them",
		Long: `explain describes a diagnostic and its remedy, usually with a bad and a good example.
At a terminal, it also shows the finding in the bad one. CODE is a number (WFC801 or 801)
or a slug (unused-ignore). Without arguments, explain lists all diagnostics with their
titles.

With --search, or if no argument is a code, explain lists the diagnostics that mention
all words. It exits with 2 if there are none.

The format html is one page with a search. It needs no other file and no network.`,
		Example: "  wfc explain WFC510\n  wfc explain --search quotes\n  wfc explain --format html > checks.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", e.format, explainFormats); err != nil {
				return err
			}
			return e.run(cmd, args)
		},
	}
	cmd.Flags().StringVar(&e.format, "format", explainFormats[0], "output format: "+strings.Join(explainFormats, ", "))
	cmd.Flags().StringVar(&e.search, "search", "", "list the diagnostics that mention these words")
	return cmd
}

func (e *explainRun) run(cmd *cobra.Command, args []string) error {
	searching := cmd.Flags().Changed("search")
	switch {
	case searching && strings.TrimSpace(e.search) == "":
		return fmt.Errorf("--search needs a word")
	case searching:
		return e.findCodes(append(args, e.search))
	case len(args) == 0:
		return e.listCodes(codes.All(), explain.Page)
	}
	var found []*diag.Code
	var unknown []string
	for _, name := range args {
		if c, ok := codes.Lookup(isNumber().ReplaceAllString(name, "WFC$1")); ok {
			found = append(found, c)
		} else {
			unknown = append(unknown, name)
		}
	}
	for _, name := range unknown {
		if len(found) > 0 || isNumber().MatchString(name) {
			return unknownCode(name)
		}
	}
	if unknown != nil {
		return e.findCodes(args)
	}
	return e.writeCodes(found, func() string { return explain.Markdown(found) }, explain.WriteText)
}

// isNumber matches the number of a code, also without WFC or with zeros or a hyphen before it.
var isNumber = lazyregexp.New(`(?i)^(?:wfc)?-?0*(\d+)$`)

// findCodes lists the codes that mention words.
func (e *explainRun) findCodes(words []string) error {
	found, instead := explain.Search(words)
	if found == nil {
		return fmt.Errorf("no diagnostic mentions `%s`; `wfc explain` lists all", strings.Join(words, " "))
	}
	if instead != "" {
		fmt.Fprintf(e.Err, "no diagnostic mentions `%s`; these mention `%s`:\n", strings.Join(words, " "), instead)
	}
	return e.listCodes(found, func() string { return explain.Table(found) })
}

// listCodes lists codes; markdown is the list in that format.
func (e *explainRun) listCodes(list []*diag.Code, markdown func() string) error {
	return e.writeCodes(list, markdown, explain.WriteTable)
}

// writeCodes writes codes in the format of the flag. JSON and HTML have all about each code.
func (e *explainRun) writeCodes(list []*diag.Code, markdown func() string, text func(io.Writer, []*diag.Code, report.Options) error) error {
	switch e.format {
	case "json":
		return explain.WriteJSON(e.Out, list)
	case "html":
		return explain.WriteHTML(e.Out, list)
	case "markdown":
		_, err := io.WriteString(e.Out, markdown())
		return err
	}
	return text(e.Out, list, e.textOptions(e.Out))
}

func unknownCode(name string) error {
	var known []string
	for _, c := range codes.All() {
		known = append(known, c.Slug, c.ID)
	}
	return fmt.Errorf("unknown diagnostic `%s`%s", name, cmp.Or(plain.DidYouMean(name, known), "; `wfc explain` lists all"))
}

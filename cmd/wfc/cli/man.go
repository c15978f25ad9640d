package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
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
			if err := writeManPages(a.newRootCommand(nil), args[0], "wfc "+buildVersion()); err != nil {
				return fmt.Errorf("write the pages: %w", err)
			}
			return nil
		},
	}
}

// writeManPages writes a manual page for a command and each of its subcommands that help
// shows, as wfc-check.1, to a folder. The pages are in roff; see man(7).
//
// The page generator of package cobra is not used: it links two parsers, for Markdown and
// for YAML, and their tables take a twentieth of the start of every command.
func writeManPages(cmd *cobra.Command, dir, source string) error {
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := writeManPages(sub, dir, source); err != nil {
			return err
		}
	}
	page, err := manPage(cmd, source)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, manName(cmd)+".1"), []byte(page), "")
}

// manName is the name of a command's page.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command.
func manPage(cmd *cobra.Command, source string) (string, error) {
	month, err := manMonth()
	if err != nil {
		return "", err
	}
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.TH %s 1 %s %s wfc\n", quoteRoff(strings.ToUpper(manName(cmd))), quoteRoff(month), quoteRoff(source))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(manName(cmd)), escapeRoff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", escapeRoff(cmd.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", formatParagraphs(cmd.Long))
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS INHERITED FROM PARENT COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLE\n.EX\n%s\n.EE\n", escapeRoff(cmd.Example))
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, manName(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			others = append(others, manName(sub))
		}
	}
	for i, other := range others {
		others[i] = `\fB` + escapeRoff(other) + `\fP(1)`
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	return b.String(), nil
}

// manMonth is the date of the pages: this month, or that of SOURCE_DATE_EPOCH, so that
// builds of packages can be repeated.
func manMonth() (string, error) {
	now := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", fmt.Errorf("SOURCE_DATE_EPOCH is not a number of seconds: %q", epoch)
		}
		now = time.Unix(seconds, 0).UTC()
	}
	return now.Format("Jan 2006"), nil
}

// formatParagraphs writes a text whose paragraphs are separated by empty lines.
func formatParagraphs(text string) string {
	return strings.ReplaceAll(escapeRoff(strings.TrimSpace(text)), "\n\n", "\n.PP\n") + "\n"
}

// manFlags writes a section with the flags that help shows, if there are such.
func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := `\fB\-\-` + escapeRoff(f.Name) + `\fP`
		if f.Shorthand != "" && f.ShorthandDeprecated == "" {
			name = `\fB\-` + escapeRoff(f.Shorthand) + `\fP, ` + name
		}
		if value != "" {
			name += ` \fI` + escapeRoff(value) + `\fP`
		}
		if def := f.DefValue; def != "" && def != "false" && def != "0" && def != "[]" && def != "0s" {
			usage += " (default " + def + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, escapeRoff(usage))
	})
}

// escapeRoff writes a text so that no character of it is a command, and hyphens can be copied.
func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quoteRoff writes an argument of a command.
func quoteRoff(text string) string {
	return `"` + strings.ReplaceAll(escapeRoff(text), `"`, `""`) + `"`
}

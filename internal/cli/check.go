package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/report"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// defaultLimit is the number of findings shown of each file.
const defaultLimit = 50

// uncommitted is the commit of --changed without a value: a check then reports uncommitted
// changes.
const uncommitted = "HEAD"

// checkGarbage is how much garbage, in per cent of what is in use, may gather
// while many files are checked.
const checkGarbage = 400

// A check is the command `wfc check` with its flags.
type check struct {
	*app
	flags   compileFlags
	format  string
	stdinAs string
	limit   int
	// fix applies fixes; diff only shows them.
	fix, diff bool
	// none accepts that there is no workflow to check.
	none bool
	// baseline is the file with the findings to leave out, or "".
	baseline       string
	updateBaseline bool
	// changed is the commit from which a file must differ to be checked, or "".
	changed string
}

func checkCommand(a *app) *cobra.Command {
	c := &check{app: a, flags: compileFlags{findingsOnly: true}}
	cmd := &cobra.Command{
		Use:   "check [PATH…]",
		Short: "Check workflows for faults",
		Long: `check reports the faults of workflows. PATH is a file, a folder, a pattern such as
'flows/**/*.yaml', or - for standard input. The default is the current folder. In a
folder, check searches for *.yaml and *.yml files. It skips files that are not
workflows, that git ignores or that wfc.yaml excludes. It always checks a named
file, unless wfc.yaml excludes it.

A comment # wfc:ignore[CODE] reason suppresses a warning or a note, but no error: on
its line, above it, or at the top for the whole file. wfc.yaml sets severities,
dialects and folders.

With --baseline, check leaves out the known findings that a file lists, so that only
new ones count. --update-baseline writes the file. An entry stays valid when its line
moves; check names the entries that match no finding.

With --changed, check reports only files that differ from a commit, or use one that
does: --changed alone means uncommitted changes; --changed=main also means commits
since the current branch left main.

With --fix, check writes fixed files. For standard input, it prints the fixed file
on standard output and the findings on standard error. With --fix --diff, it writes
nothing and prints the difference; it exits with 1 if there is one.

The exit code is 0 without errors, 1 with errors (with --strict also with warnings), and
2 if check cannot read a file or finds no workflow.`,
		Example: "  wfc check\n  wfc check flows/triage.yaml --strict\n  wfc check --changed=main --baseline .wfc-baseline.json\n  wfc check --format sarif > findings.sarif\n  wfc check - --stdin-filename flow.yaml < flow.yaml",
		RunE:    func(cmd *cobra.Command, args []string) error { return c.run(args) },
	}
	c.flags.register(cmd)
	cmd.Flags().StringVar(&c.format, "format", string(report.Text), "output format: "+strings.Join(names(report.Formats()), ", "))
	cmd.Flags().StringVar(&c.stdinAs, "stdin-filename", "stdin.yaml", "name of standard input in reports")
	cmd.Flags().IntVar(&c.limit, "limit", defaultLimit, "maximum findings shown per file (text format); 0 shows all")
	cmd.Flags().BoolVar(&c.flags.bounds, "report", false, "show how long runs of state graphs can be")
	cmd.Flags().BoolVar(&c.none, "allow-none", false, "succeed if there is no workflow to check")
	cmd.Flags().StringVar(&c.baseline, "baseline", "", "file with known findings, which are left out")
	cmd.Flags().BoolVar(&c.updateBaseline, "update-baseline", false, "write the present findings to the file of --baseline")
	cmd.Flags().StringVar(&c.changed, "changed", "", "report only files that differ from a commit or branch (--changed=main)")
	cmd.Flags().Lookup("changed").NoOptDefVal = uncommitted
	cmd.Flags().BoolVar(&c.fix, "fix", false, "apply fixes that keep the meaning of correct workflows")
	cmd.Flags().BoolVar(&c.diff, "diff", false, "with --fix: print the difference instead of writing files")
	return cmd
}

func (c *check) run(args []string) error {
	if err := oneOf("--format", c.format, names(report.Formats())); err != nil {
		return err
	}
	if c.limit < 0 {
		return errors.New("--limit must be 0 or more")
	}
	if c.flags.bounds && !report.Format(c.format).HasBounds() {
		return fmt.Errorf("--report needs --format %s or %s", report.Text, report.JSON)
	}
	if c.diff && !c.fix {
		return errors.New("--diff needs --fix")
	}
	if c.updateBaseline && c.baseline == "" {
		return errors.New("--update-baseline needs --baseline FILE")
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	c.flags.resources = c.changed != ""
	ins, err := c.inputs(args, c.stdinAs)
	if missing := (*missingError)(nil); errors.As(err, &missing) && c.changed == uncommitted {
		return fmt.Errorf("%w; to compare with a branch or commit, write `--changed=%s`", err, missing.name)
	}
	if err != nil {
		return err
	}
	ins, err = c.exclude(ins)
	if err != nil {
		return err
	}
	if len(ins) > 1 && os.Getenv("GOGC") == "" {
		// Next to nothing of a file's compilation is kept, so waiting longer
		// with collecting saves time and costs tens of megabytes. A lone file
		// stays as it is: it may be so large that much of it is in use at once.
		defer debug.SetGCPercent(debug.SetGCPercent(checkGarbage))
	}
	outcomes, err := c.compileAll(&c.flags, ins)
	if err != nil {
		return err
	}
	if err := c.checkTags(args, outcomes); err != nil {
		return err
	}
	if c.changed != "" {
		if outcomes, err = c.changedSince(c.changed, outcomes); err != nil {
			return err
		}
		if len(outcomes) == 0 {
			fmt.Fprintf(c.Err, "no file differs from %s\n", plain.Line(c.changed))
		}
	}
	code := ExitClean
	if c.fix {
		code = c.applyFixes(outcomes)
	}
	if c.flags.verbose {
		c.explain(outcomes)
	}
	r := reportOf(outcomes)
	if err := c.applyBaseline(r); err != nil {
		return err
	}
	out := c.Out
	if c.diff {
		out = c.Err // standard output has the difference
	} else if c.fix {
		printed, err := c.printFixed(outcomes)
		if err != nil {
			return err
		}
		if printed {
			out = c.Err // standard output has the workflow
		}
	}
	opt := c.textOptions(out)
	opt.Limit, opt.Path = c.limit, (&repositories{}).path
	if err := report.Write(findingsTo(out, report.Format(c.format)), report.Format(c.format), r, opt); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	code = max(code, c.exitCode(outcomes, r))
	if c.changed != "" && len(outcomes) == 0 {
		return exit(code)
	}
	return exit(c.conclude(args, outcomes, r, code))
}

// findingsTo is where a report is written to: formats for programs escape by
// themselves.
func findingsTo(w io.Writer, format report.Format) io.Writer {
	if format == report.Text || format == report.OneLine {
		return plain.Coloured(w)
	}
	return plain.Raw(w)
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/ci"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
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
	// fix says which fixes to apply, fixSure or fixAll; diff only shows them.
	fix  string
	diff bool
	// none makes it fine to find no workflow.
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

With --fix, check writes fixed files. It applies only sure fixes, which change nothing but
the fault. --fix=all also applies suggestions, such as the name in "did you mean": it shows
the difference on standard error and, at a terminal, asks first. For standard input, check
prints the fixed file on standard output and the findings on standard error. With --diff,
it writes nothing and prints the difference; it exits with 1 if there is one.

The exit code is 0 without errors, 1 with errors (with --strict also with warnings), and
2 if check cannot read a file or finds no workflow.`,
		Example: "  wfc check\n  wfc check flows/triage.yaml --strict\n  wfc check --changed=main --baseline .wfc-baseline.json\n  wfc check --format sarif > findings.sarif\n  wfc check - --stdin-filename flow.yaml < flow.yaml",
		RunE:    func(cmd *cobra.Command, args []string) error { return c.run(args) },
	}
	c.flags.register(cmd)
	cmd.Flags().StringVar(&c.format, "format", string(report.Text), "output format: "+strings.Join(plain.Strings(report.Formats()), ", "))
	cmd.Flags().StringVar(&c.stdinAs, "stdin-filename", "stdin.yaml", "name of standard input in reports")
	cmd.Flags().IntVar(&c.limit, "limit", defaultLimit, "maximum findings shown per file (text format); 0 shows all")
	cmd.Flags().BoolVar(&c.flags.bounds, "report", false, "show how long runs of state graphs can be")
	cmd.Flags().BoolVar(&c.none, "allow-none", false, "succeed even without workflows to check")
	cmd.Flags().StringVar(&c.baseline, "baseline", "", "file with known findings, which are left out")
	cmd.Flags().BoolVar(&c.updateBaseline, "update-baseline", false, "write the present findings to the file of --baseline")
	cmd.Flags().StringVar(&c.changed, "changed", "", "report only files that differ from a commit or branch (--changed=main)")
	cmd.Flags().Lookup("changed").NoOptDefVal = uncommitted
	cmd.Flags().StringVar(&c.fix, "fix", "", "apply sure fixes; --fix=all also applies suggestions")
	cmd.Flags().Lookup("fix").NoOptDefVal = fixSure
	cmd.Flags().BoolVar(&c.diff, "diff", false, "with --fix: print the difference instead of writing files")
	return cmd
}

func (c *check) run(args []string) error {
	if err := c.validate(); err != nil {
		return err
	}
	args = orCurrentFolder(args)
	ins, err := c.selectInputs(args)
	if err != nil {
		return err
	}
	if len(ins) > 1 && os.Getenv("GOGC") == "" {
		// Next to nothing of a file's compilation is kept, so waiting longer
		// with collecting saves time and costs tens of megabytes. A lone file
		// stays as it is: it may be so large that much of it is in use at once.
		defer debug.SetGCPercent(debug.SetGCPercent(checkGarbage))
	}
	outcomes, err := c.projects.compileAll(&c.flags, ins)
	if err != nil {
		return err
	}
	if err := checkNodeNames(args, outcomes); err != nil {
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
	if c.fix != "" {
		code = c.applyFixes(outcomes)
	}
	if c.flags.verbose {
		c.explainOutcomes(outcomes)
	}
	r := reportOf(outcomes)
	if err := c.applyBaseline(r); err != nil {
		return err
	}
	if err := c.printReport(outcomes, r); err != nil {
		return err
	}
	code = max(code, c.exitCode(outcomes, r))
	if c.flags.strict && r.Counts().Warnings > 0 { // those of a configuration stay warnings
		code = max(code, ExitFindings)
	}
	if c.changed != "" && len(outcomes) == 0 {
		return silentExit(code)
	}
	return silentExit(c.reportConclusion(args, outcomes, r, code))
}

// validate checks the flags.
func (c *check) validate() error {
	if err := oneOf("--format", c.format, plain.Strings(report.Formats())); err != nil {
		return err
	}
	if c.fix != "" {
		if err := oneOf("--fix", c.fix, []string{fixSure, fixAll}); err != nil {
			return err
		}
	}
	switch {
	case c.limit < 0:
		return errors.New("--limit must be 0 or more")
	case c.flags.bounds && !report.Format(c.format).HasBounds():
		return fmt.Errorf("--report needs --format %s or %s", report.Text, report.JSON)
	case c.diff && c.fix == "":
		return errors.New("--diff needs --fix")
	case c.updateBaseline && c.baseline == "":
		return errors.New("--update-baseline needs --baseline FILE")
	}
	return nil
}

// selectInputs returns the files to check.
func (c *check) selectInputs(args []string) ([]input, error) {
	c.flags.resources = c.changed != ""
	ins, err := c.projects.findInputs(args, c.stdinAs)
	if missing := (*missingError)(nil); errors.As(err, &missing) && c.changed == uncommitted {
		return nil, fmt.Errorf("%w; to compare with a branch or commit, write `--changed=%s`", err, missing.name)
	}
	if err != nil {
		return nil, err
	}
	return c.dropExcluded(ins)
}

// printReport prints the findings, and with --fix what came from the standard input.
func (c *check) printReport(outcomes []outcome, r *report.Report) error {
	out := c.Out
	if c.diff {
		out = c.Err // standard output has the difference
	} else if c.fix != "" {
		printed, err := c.printFixed(outcomes)
		if err != nil {
			return err
		}
		if printed {
			out = c.Err // standard output has the workflow
		}
	}
	opt := c.textOptions(out)
	opt.Limit, opt.Path = c.limit, (&repositories{}).relativePath
	if err := report.Write(findingsTo(out, report.Format(c.format)), report.Format(c.format), r, opt); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	format := report.Format(c.format)
	if out == c.Err || format == report.Text || format == report.OneLine || !ci.IsUnseen(out, format == report.GitHub) {
		return nil
	}
	return report.WriteBrief(c.Err, r)
}

// findingsTo is where a report is written to: formats for programs escape by
// themselves.
func findingsTo(w io.Writer, format report.Format) io.Writer {
	if format == report.Text || format == report.OneLine {
		return plain.Coloured(w)
	}
	return plain.Raw(w)
}

// dropExcluded returns inputs without the named files that the configuration excludes. It
// names each of them, because the user may expect them to be checked.
func (c *check) dropExcluded(ins []input) ([]input, error) {
	var left []input
	for _, in := range ins {
		excluded, err := c.projects.isExcluded(in.path)
		switch {
		case err != nil:
			return nil, err
		case excluded && in.named:
			c.tellExcluded(in, "exclude")
		case in.named && in.content == nil && search.BelongsToTests(in.path):
			fmt.Fprintf(c.Err, "wfc: %s is not checked: it is a test of a workflow; `wfc test` runs it\n", plain.Line(in.name))
		default:
			left = append(left, in)
		}
	}
	return left, nil
}

func (c *check) tellExcluded(in input, setting string) {
	fmt.Fprintf(c.Err, "wfc: %s is not checked: `%s` in wfc.yaml excludes it\n", plain.Line(in.name), plain.Line(setting))
}

// reportConclusion says on the error stream what a check without findings was about, and
// returns the exit code. A check that found no workflow is not a clean one. One of
// named files is, when these are configurations or excluded: hooks name whatever
// has changed.
func (c *check) reportConclusion(args []string, outcomes []outcome, r *report.Report, code int) int {
	workflows, configs, others := 0, 0, 0
	reported := false // as a file that is not a workflow or cannot be read
	for _, o := range outcomes {
		switch {
		case o.isWorkflow():
			workflows++
		case o.isConfig():
			configs++
		case o.err != nil:
			reported = true
		case o.isSkipped() && o.input.named:
			c.tellExcluded(o.input, "dialects")
		case o.isSkipped():
			others++
		default:
			reported = true
		}
	}
	clean := code == ExitClean && r.Counts() == report.Counts{}
	none := "no findings"
	if known := r.CountKnown(); known > 0 {
		none = fmt.Sprintf("no findings but %d in the baseline", known)
	}
	switch searched := slices.ContainsFunc(args, isSearch); {
	case workflows > 0 && clean:
		fmt.Fprintf(c.Err, "%s, %s\n", finding.Count(workflows, "workflow"), none)
	case workflows > 0 || reported:
	case !searched && configs > 0 && clean:
		fmt.Fprintf(c.Err, "%s, %s\n", finding.Count(configs, "configuration"), none)
	case searched:
		return max(code, c.tellNone(args, others))
	}
	return code
}

// isSearch reports whether an argument is a folder or a pattern, and not a file.
func isSearch(arg string) bool {
	info, err := os.Stat(arg)
	return arg != stdinName && (err != nil || info.IsDir())
}

// tellNone says that a search found no workflow, only other files, and returns the
// exit code for it.
func (c *check) tellNone(args []string, others int) int {
	fmt.Fprintf(c.Err, "wfc: no workflows in %s", plain.Line(strings.Join(args, ", ")))
	if others > 0 {
		fmt.Fprintf(c.Err, "; skipped %s (`wfc check -v` shows why)", finding.Count(others, "other YAML file"))
	}
	if c.none {
		fmt.Fprintln(c.Err)
		return ExitClean
	}
	fmt.Fprintln(c.Err, "; --allow-none accepts this")
	return ExitUsage
}

// A baseline is the file with the findings that a check leaves out. It names files
// relative to its folder, so it holds from every folder.
type baseline struct {
	dir     string
	content *report.Baseline
}

// openBaseline reads the file; create makes an empty one if there is none.
func openBaseline(path string, create bool) (*baseline, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	b := &baseline{dir: filepath.Dir(abs), content: &report.Baseline{}}
	text, err := wholefile.Source.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		return b, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the baseline %s does not exist; --update-baseline writes it", plain.Line(path))
	case err != nil:
		return nil, err
	}
	if b.content, err = report.ParseBaseline(text); err != nil {
		return nil, fmt.Errorf("%s is not a baseline: %w", plain.Line(path), err)
	}
	return b, nil
}

// entryName is the name of a file in the baseline.
func (b *baseline) entryName(name string) string {
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(b.dir, abs)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// isGone reports whether a file of the baseline does not exist any more.
func (b *baseline) isGone(file string) bool {
	return !workspace.Exists(filepath.Join(b.dir, filepath.FromSlash(file)))
}

// applyBaseline takes the known findings out of a report, and says which entries match none.
func (c *check) applyBaseline(r *report.Report) error {
	if c.baseline == "" {
		return nil
	}
	b, err := openBaseline(c.baseline, c.updateBaseline)
	if err != nil {
		return err
	}
	if c.updateBaseline {
		b.content.Update(r, b.entryName, b.isGone)
		if err := writeFile(c.baseline, b.content.Encode(), ""); err != nil {
			return fmt.Errorf("write the baseline: %w", err)
		}
		fmt.Fprintf(c.Err, "%s: %s\n", plain.Line(c.baseline), finding.Count(len(b.content.Findings), "finding"))
	}
	stale := b.content.Split(r, b.entryName, b.isGone)
	for _, k := range stale {
		fmt.Fprintf(c.Err, "%s: %s in %s is gone: %s\n", plain.Line(c.baseline), plain.Line(k.Code), plain.Line(k.File), plain.Line(k.Message))
	}
	if len(stale) > 0 {
		fmt.Fprintf(c.Err, "%s: --update-baseline removes the entries of findings that are gone\n", plain.Line(c.baseline))
	}
	return nil
}

// changedSince returns the outcomes of files that differ from the base, that use a file
// which does, or whose configuration does.
func (c *check) changedSince(base string, outcomes []outcome) ([]outcome, error) {
	since := &changes{base: base}
	var left []outcome
	for _, o := range outcomes {
		if o.input.content != nil {
			left = append(left, o)
			continue
		}
		for _, path := range o.dependencyPaths() {
			changed, err := since.isChanged(path)
			if err != nil {
				return nil, err
			}
			if changed {
				left = append(left, o)
				break
			}
		}
	}
	return left, nil
}

// dependencyPaths are the absolute paths of the files that an outcome depends on: its own first.
func (o *outcome) dependencyPaths() []string {
	files := []string{o.input.path}
	if c := o.project.config; c.name != "" {
		if path, err := filepath.Abs(filepath.FromSlash(c.name)); err == nil {
			files = append(files, path)
		}
	}
	for _, name := range o.resources {
		name = filepath.FromSlash(name)
		if filepath.IsAbs(name) {
			files = append(files, name)
			continue
		}
		// Messages name files relative to the project or to the current folder.
		files = append(files, filepath.Join(o.project.root, name))
		if path, err := filepath.Abs(name); err == nil {
			files = append(files, path)
		}
	}
	return slices.DeleteFunc(files, func(path string) bool { return path != o.input.path && !workspace.Exists(path) })
}

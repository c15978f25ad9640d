package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/report"
	"github.com/wfc-lang/wfc/internal/search"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// exclude returns inputs without the named files that the configuration excludes.
// It says so of each: nobody should think that it was checked.
func (c *check) exclude(ins []input) ([]input, error) {
	var left []input
	for _, in := range ins {
		excluded, err := c.excludes(in.path)
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

// conclude says on the error stream what a check without findings was about, and
// returns the exit code. A check that found no workflow is not a clean one. One of
// named files is, when these are configurations or excluded: hooks name whatever
// has changed.
func (c *check) conclude(args []string, outcomes []outcome, r *report.Report, code int) int {
	workflows, configs, others := 0, 0, 0
	reported := false // as a file that is no workflow or that cannot be read
	for _, o := range outcomes {
		switch {
		case o.isWorkflow():
			workflows++
		case o.isConfig():
			configs++
		case o.err != nil:
			reported = true
		case o.skipped() && o.input.named:
			c.tellExcluded(o.input, "dialects")
		case o.skipped():
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

// isSearch reports whether an argument is no file but a folder or a pattern.
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

package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/shared/ci"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// writeOneLine prints "file:line:col: error[WFC203]: message" for each finding.
func writeOneLine(w io.Writer, r *Report, _ Options) error {
	b := bufio.NewWriter(w)
	for _, g := range r.Groups {
		for _, d := range g.Diagnostics {
			b.WriteString(oneLine(g.Name, d))
		}
	}
	return b.Flush()
}

func oneLine(name string, d *diag.Diagnostic) string {
	where := plain.Line(name)
	if d.Span.IsValid() {
		p := d.Span.Position()
		where = fmt.Sprintf("%s:%d:%d", plain.Line(d.Span.File.Name), p.Line, p.Column)
	}
	return fmt.Sprintf("%s: %s[%s]: %s\n", where, d.Severity, d.Code.ID, strings.ReplaceAll(cleanText(d.Message), "\n", " "))
}

// WriteBrief names the gravest findings of a report, each in one line, and counts all: for a log
// that does not show the report. It writes nothing if there are none.
func WriteBrief(w io.Writer, r *Report) error {
	type named struct {
		name string
		*diag.Diagnostic
	}
	var all []named
	for _, g := range r.withoutDuplicates().Groups {
		for _, d := range g.Diagnostics {
			all = append(all, named{g.Name, d})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b named) int { return int(b.Severity) - int(a.Severity) })
	b := bufio.NewWriter(w)
	for _, d := range all[:min(len(all), ci.MostBrief)] {
		b.WriteString(oneLine(d.name, d.Diagnostic))
	}
	if more := len(all) - ci.MostBrief; more > 0 {
		fmt.Fprintf(b, "… and %d more\n", more)
	}
	fmt.Fprintln(b, r.summaryLine())
	return b.Flush()
}

// githubLevels are GitHub's names of the severities.
var githubLevels = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Note: "notice"}

// writeGitHub prints a workflow command for each finding, which GitHub Actions
// shows beside the line.
func writeGitHub(w io.Writer, r *Report, opt Options) error {
	b := bufio.NewWriter(w)
	for _, d := range r.allFindings() {
		var props []any
		if d.Span.IsValid() {
			start, end := d.Span.Position(), d.Span.File.Position(d.Span.End)
			props = append(props, "file", plain.Line(opt.filePath(d.Span.File.Name)), "line", start.Line, "endLine", end.Line)
			if start.Line == end.Line {
				// GitHub refuses columns of a range of lines.
				props = append(props, "col", start.Column, "endColumn", end.Column)
			}
		}
		props = append(props, "title", d.Code.ID+" "+d.Code.Slug)
		text := strings.Join(append([]string{d.Message}, d.Help...), "\n")
		_, _ = b.WriteString(ci.Annotation(githubLevels[d.Severity], cleanText(text), props...)) // Flush has the error
	}
	return b.Flush()
}

// A gitlabIssue is an issue of GitLab's code quality report, which is a list of them.
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// gitlabLevels are GitLab's names of the severities.
var gitlabLevels = map[diag.Severity]string{diag.Error: "major", diag.Warning: "minor", diag.Note: "info"}

func writeGitLab(w io.Writer, r *Report, opt Options) error {
	issues := []gitlabIssue{}
	for _, g := range r.Groups {
		for i, print := range computeFingerprints(g.Diagnostics, opt.filePath) {
			d := g.Diagnostics[i]
			at := gitlabLocation{Path: opt.filePath(g.Name), Lines: gitlabLines{1}}
			if d.Span.IsValid() {
				at = gitlabLocation{opt.filePath(d.Span.File.Name), gitlabLines{d.Span.Position().Line}}
			}
			text := strings.ReplaceAll(cleanText(d.Message), "\n", " ")
			issues = append(issues, gitlabIssue{text, d.Code.ID + " " + d.Code.Slug, print, gitlabLevels[d.Severity], at})
		}
	}
	return writeIndented(w, issues)
}

// writeJUnit writes a JUnit report: a file is a suite, a finding a case that failed, and a
// file without findings a case that passed.
func writeJUnit(w io.Writer, r *Report, opt Options) error {
	var suites []ci.Suite
	for _, g := range r.Groups {
		suite := ci.Suite{Name: plain.Line(opt.filePath(g.Name))}
		for _, d := range g.Diagnostics {
			suite.Cases = append(suite.Cases, junitCaseOf(d, suite.Name, opt))
		}
		if suite.Cases == nil {
			suite.Cases = []ci.Case{{Name: "no findings", Class: suite.Name}}
		}
		suites = append(suites, suite)
	}
	return ci.WriteJUnit(w, "wfc check", suites)
}

func junitCaseOf(d *diag.Diagnostic, class string, opt Options) ci.Case {
	text := cleanText(strings.Join(append([]string{d.Message}, d.Help...), "\n"))
	c := ci.Case{Name: d.Code.ID + " " + d.Code.Slug, Class: class}
	if d.Span.IsValid() {
		at := d.Span.Position()
		c.File, c.Line = plain.Line(opt.filePath(d.Span.File.Name)), at.Line
		c.Name += fmt.Sprintf(" at %d:%d", at.Line, at.Column)
		text = fmt.Sprintf("%s:%d:%d: %s", c.File, at.Line, at.Column, text)
	}
	c.Failure = &ci.Failure{Type: d.Severity.String(), Message: strings.ReplaceAll(cleanText(d.Message), "\n", " "), Text: text}
	return c
}

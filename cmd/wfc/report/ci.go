package report

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// writeOneLine prints "file:line:col: error[WFC203]: message" for each finding.
func writeOneLine(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	for _, g := range r.Groups {
		for _, d := range g.Diagnostics {
			where := plain.Line(g.Name)
			if d.Span.IsValid() {
				p := d.Span.Position()
				where = fmt.Sprintf("%s:%d:%d", plain.Line(d.Span.File.Name), p.Line, p.Column)
			}
			fmt.Fprintf(b, "%s: %s[%s]: %s\n", where, d.Severity, d.Code.ID, strings.ReplaceAll(clean(d.Message), "\n", " "))
		}
	}
	return b.Flush()
}

// githubLevels are GitHub's names of the severities.
var githubLevels = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Note: "notice"}

// writeGitHub prints a workflow command for each finding, which GitHub Actions
// shows beside the line.
func writeGitHub(w io.Writer, r *Report, opt Options) error {
	b := bufio.NewWriter(w)
	for _, d := range r.all() {
		props := []string{}
		if d.Span.IsValid() {
			start, end := d.Span.Position(), d.Span.File.Position(d.Span.End)
			props = append(props, "file="+githubProperty(plain.Line(opt.path(d.Span.File.Name))), fmt.Sprintf("line=%d,endLine=%d", start.Line, end.Line))
			if start.Line == end.Line {
				// GitHub refuses columns of a range of lines.
				props = append(props, fmt.Sprintf("col=%d,endColumn=%d", start.Column, end.Column))
			}
		}
		props = append(props, "title="+githubProperty(d.Code.ID+" "+d.Code.Slug))
		text := strings.Join(append([]string{d.Message}, d.Help...), "\n")
		fmt.Fprintf(b, "::%s %s::%s\n", githubLevels[d.Severity], strings.Join(props, ","), githubText(clean(text)))
	}
	return b.Flush()
}

// githubText escapes the text of a workflow command.
func githubText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// githubProperty escapes the value of a property of a workflow command.
func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
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
		for i, print := range fingerprints(g.Diagnostics, opt.path) {
			d := g.Diagnostics[i]
			at := gitlabLocation{Path: opt.path(g.Name), Lines: gitlabLines{1}}
			if d.Span.IsValid() {
				at = gitlabLocation{opt.path(d.Span.File.Name), gitlabLines{d.Span.Position().Line}}
			}
			text := strings.ReplaceAll(clean(d.Message), "\n", " ")
			issues = append(issues, gitlabIssue{text, d.Code.ID + " " + d.Code.Slug, print, gitlabLevels[d.Severity], at})
		}
	}
	return writeIndented(w, issues)
}

// The types below are the elements of JUnit's XML reports, as CI services read them: a
// file is a suite, a finding a case that failed, and a file without findings a case that
// passed.

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func writeJUnit(w io.Writer, r *Report, opt Options) error {
	doc := junitSuites{Name: "wfc check"}
	for _, g := range r.Groups {
		suite := junitSuite{Name: plain.Line(opt.path(g.Name))}
		for _, d := range g.Diagnostics {
			suite.Cases = append(suite.Cases, junitCaseOf(d, suite.Name, opt))
		}
		if suite.Failures = len(suite.Cases); suite.Failures == 0 {
			suite.Cases = []junitCase{{Name: "no findings", Class: suite.Name}}
		}
		suite.Tests = len(suite.Cases)
		doc.Tests, doc.Failures = doc.Tests+suite.Tests, doc.Failures+suite.Failures
		doc.Suites = append(doc.Suites, suite)
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	// A CI service that reads the output as it is printed must find no command in it.
	text = bytes.ReplaceAll(text, []byte("##["), []byte("&#35;#["))
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func junitCaseOf(d *diag.Diagnostic, class string, opt Options) junitCase {
	text := clean(strings.Join(append([]string{d.Message}, d.Help...), "\n"))
	c := junitCase{Name: d.Code.ID + " " + d.Code.Slug, Class: class}
	if d.Span.IsValid() {
		at := d.Span.Position()
		c.File, c.Line = plain.Line(opt.path(d.Span.File.Name)), at.Line
		c.Name += fmt.Sprintf(" at %d:%d", at.Line, at.Column)
		text = fmt.Sprintf("%s:%d:%d: %s", c.File, at.Line, at.Column, text)
	}
	c.Failure = &junitFailure{Type: d.Severity.String(), Message: strings.ReplaceAll(clean(d.Message), "\n", " "), Text: text}
	return c
}

package testsuite

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/ci"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// schemaVersion is the version of the JSON report.
const schemaVersion = 1

// A Formatter writes a report.
type Formatter func(r *Report, w io.Writer, opt TextOptions) error

// Formats are the formats of reports by name.
func Formats() map[string]Formatter {
	return map[string]Formatter{
		"text":    (*Report).Text,
		"json":    func(r *Report, w io.Writer, opt TextOptions) error { return r.JSON(w, opt.Verbose) },
		"junit":   func(r *Report, w io.Writer, _ TextOptions) error { return r.JUnit(w) },
		"github":  func(r *Report, w io.Writer, _ TextOptions) error { return r.GitHub(w) },
		"summary": func(r *Report, w io.Writer, _ TextOptions) error { return r.Summary(w) },
	}
}

type jsonReport struct {
	SchemaVersion int        `json:"schema_version"`
	Tests         int        `json:"tests"`
	Failed        int        `json:"failed"`
	Isolated      bool       `json:"isolated"`
	Files         []jsonFile `json:"files"`
}

type jsonFile struct {
	File     string        `json:"file"`
	Workflow string        `json:"workflow"`
	Faults   []jsonFailure `json:"faults,omitempty"`
	Tests    []jsonTest    `json:"tests"`
}

type jsonTest struct {
	Name     string        `json:"name"`
	Line     int           `json:"line"`
	Round    int           `json:"run,omitempty"`
	Passed   bool          `json:"passed"`
	Status   string        `json:"status,omitempty"`
	Failures []jsonFailure `json:"failures,omitempty"`
	Way      []string      `json:"way,omitempty"`
	CostUSD  float64       `json:"cost_usd,omitempty"`
	Turns    int           `json:"turns,omitempty"`
	Elapsed  string        `json:"elapsed,omitempty"`
	// Transcript is set for failed tests.
	Transcript string   `json:"transcript,omitempty"`
	Notes      []string `json:"notes,omitempty"`
	// Stubs is set for fixtures of archon.
	Stubs *testrun.StubUse `json:"stubs,omitempty"`
	// Summary and Steps are set in verbose reports.
	Summary string            `json:"summary,omitempty"`
	Steps   []testrun.StepEnd `json:"steps,omitempty"`
}

type jsonFailure struct {
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Expected string `json:"expected,omitempty"`
	Happened string `json:"happened,omitempty"`
	Diff     string `json:"diff,omitempty"`
}

// JSON writes the report as one JSON document. A verbose one also has the result of each
// run, and the ends of its steps.
func (r *Report) JSON(w io.Writer, verbose bool) error {
	doc := jsonReport{SchemaVersion: schemaVersion, Isolated: r.Isolated, Files: []jsonFile{}}
	doc.Tests, doc.Failed = r.Counts()
	for _, f := range r.Files {
		file := jsonFile{File: f.Shown, Tests: []jsonTest{}}
		if f.Definition != nil {
			file.Workflow = f.Definition.Name
		}
		for _, fault := range f.Faults {
			file.Faults = append(file.Faults, jsonFailure{Line: fault.Line, Column: fault.Column, Message: fault.Message})
		}
		for _, t := range f.Tests {
			test := jsonTest{Name: t.Name, Line: t.spec.Line, Round: t.Round, Passed: t.Passed(), Notes: t.Notes, Stubs: t.Stubs}
			for _, x := range t.Failures {
				test.Failures = append(test.Failures, jsonFailure{x.Line, x.Column, x.What, x.Expected, x.Happened, x.Diff})
			}
			if o := t.Observed; o != nil {
				test.Status, test.Way, test.CostUSD, test.Turns = string(o.End.Status), o.Way, o.Spent.CostUSD, o.Spent.Turns
				test.Elapsed = o.Elapsed.String()
				if t.Failed() {
					test.Transcript = o.Transcript()
				}
				if verbose {
					test.Summary, test.Steps = o.End.Summary, o.StepEnds()
				}
			}
			file.Tests = append(file.Tests, test)
		}
		doc.Files = append(doc.Files, file)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// JUnit writes the report as JUnit XML.
func (r *Report) JUnit(w io.Writer) error {
	var suites []ci.Suite
	for _, f := range r.Files {
		suite := ci.Suite{Name: f.Name, File: f.Shown}
		if len(f.Faults) > 0 {
			var text strings.Builder
			for _, fault := range f.Faults {
				text.WriteString(f.Fault(fault))
			}
			suite.Cases = append(suite.Cases, ci.Case{Name: "test file", Class: f.Name, File: f.Shown, Line: f.Faults[0].Line,
				Failure: &ci.Failure{Message: f.Faults[0].Message, Text: text.String()}})
		}
		for _, t := range f.Tests {
			c := ci.Case{Name: strings.TrimPrefix(t.title(), f.Name+"/"), Class: f.Name, File: f.Shown, Line: t.spec.Line}
			if t.Failed() {
				c.Failure = &ci.Failure{Message: t.Failures[0].What, Text: t.Explain("")}
			}
			suite.Cases = append(suite.Cases, c)
		}
		suites = append(suites, suite)
	}
	return ci.WriteJUnit(w, "", suites)
}

// GitHub writes annotations of the lines of expectations that do not hold.
func (r *Report) GitHub(w io.Writer) error {
	var b strings.Builder
	annotate := func(f *File, p testfile.Place, title, message string) {
		b.WriteString(ci.Annotation("error", message, "file", f.Shown, "line", max(p.Line, 1), "col", max(p.Column, 1), "title", title))
	}
	for _, f := range r.Files {
		for _, fault := range f.Faults {
			annotate(f, fault.Place, "invalid test file", fault.Message)
		}
		for _, t := range f.Tests {
			for _, x := range t.Failures {
				message := x.What
				if x.Expected != "" {
					message += "\nexpected: " + x.Expected + "\nhappened: " + x.Happened
				}
				annotate(f, x.Place, t.title(), message+x.Diff)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary writes a table of the files in Markdown.
func (r *Report) Summary(w io.Writer) error {
	cell := strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ")
	var b strings.Builder
	b.WriteString("| test file | tests | passed | failed |\n|---|--:|--:|--:|\n")
	for _, f := range r.Files {
		ran, failed := f.Counts()
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", cell.Replace(f.Shown), ran, ran-failed, failed)
	}
	ran, failed := r.Counts()
	fmt.Fprintf(&b, "| **all** | %d | %d | %d |\n", ran, ran-failed, failed)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteBrief names the tests that failed and the mistakes of test files, each in one line: for a log
// that does not show the report. It writes nothing if there are none.
func (r *Report) WriteBrief(w io.Writer) error {
	var lines []string
	for _, f := range r.Files {
		for _, fault := range f.Faults {
			lines = append(lines, fmt.Sprintf("%s: error: %s", f.formatPlace(fault.Place), fault.Message))
		}
		for _, t := range f.Tests {
			if t.Failed() {
				lines = append(lines, fmt.Sprintf("FAIL  %s: %s: %s", t.title(), f.formatPlace(t.Failures[0].Place), t.Failures[0].What))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	var b strings.Builder
	for _, line := range lines[:min(len(lines), ci.MostBrief)] {
		first, _, _ := strings.Cut(line, "\n")
		b.WriteString(first + "\n")
	}
	if more := len(lines) - ci.MostBrief; more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/runtime/plain"
)

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

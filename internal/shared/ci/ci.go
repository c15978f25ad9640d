// Package ci writes reports in the forms that services for continuous integration read.
package ci

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Suite is a suite of a JUnit report: a file, for example.
type Suite struct {
	Name string `xml:"name,attr"`
	File string `xml:"file,attr,omitempty"`
	// WriteJUnit sets Tests and Failures.
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Cases    []Case `xml:"testcase"`
}

// A Case is a test of a suite, or a finding.
type Case struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Line    int      `xml:"line,attr,omitempty"`
	Failure *Failure `xml:"failure"`
}

// A Failure says why a case failed.
type Failure struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes suites as JUnit XML, with the elements that all its readers know. name may
// be "".
func WriteJUnit(w io.Writer, name string, suites []Suite) error {
	doc := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr,omitempty"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []Suite  `xml:"testsuite"`
	}{Name: name, Suites: suites}
	for i := range suites {
		s := &suites[i]
		s.Tests = len(s.Cases)
		for _, c := range s.Cases {
			if c.Failure != nil {
				s.Failures++
			}
		}
		doc.Tests, doc.Failures = doc.Tests+s.Tests, doc.Failures+s.Failures
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	// A service that reads the output as it is printed must find no command in it.
	text = bytes.ReplaceAll(text, []byte("##["), []byte("&#35;#["))
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

var (
	escapeText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotation returns a workflow command of GitHub Actions, which shows text beside a line.
// level is error, warning or notice. properties are names, each with its value: "line", 3.
func Annotation(level, text string, properties ...any) string {
	var list []string
	for i := 0; i < len(properties); i += 2 {
		list = append(list, fmt.Sprint(properties[i])+"="+escapeProperty.Replace(fmt.Sprint(properties[i+1])))
	}
	return "::" + level + " " + strings.Join(list, ",") + "::" + escapeText.Replace(text) + "\n"
}

// MostBrief is how many findings are named beside a report that only programs read.
const MostBrief = 20

// IsUnseen reports whether a report goes where its reader does not look: to a file or to another
// program. Annotations are made for a log, so only a file hides them.
func IsUnseen(out io.Writer, annotations bool) bool {
	f, ok := plain.File(out)
	if annotations {
		if !ok {
			return false
		}
		info, err := f.Stat()
		return err == nil && info.Mode().IsRegular()
	}
	return !ok || !term.IsTerminal(int(f.Fd()))
}

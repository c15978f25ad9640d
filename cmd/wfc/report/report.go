// Package report renders diagnostics: as text with snippets for people, and in
// the formats that machines read.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A Format is a way of writing a report.
type Format string

// The formats.
const (
	// Text is for people: snippets, labels, help.
	Text Format = "text"
	// OneLine is one line a finding, as compilers print it.
	OneLine Format = "oneline"
	// JSON is one document.
	JSON Format = "json"
	// JSONL is one document a line: a finding each, then a summary.
	JSONL Format = "jsonl"
	// GitHub is the workflow commands that annotate a pull request.
	GitHub Format = "github"
	// GitLab is the code quality report of GitLab.
	GitLab Format = "gitlab"
	// JUnit is the XML of test reports, which most CI services read.
	JUnit Format = "junit"
	// SARIF is the Static Analysis Results Interchange Format, version 2.1.0.
	SARIF Format = "sarif"
)

// writers are the formats in the order in which help shows them.
var writers = []struct {
	format Format
	write  func(io.Writer, *Report, Options) error
}{
	{Text, writeText}, {OneLine, writeOneLine}, {JSON, writeJSON}, {JSONL, writeJSONL},
	{GitHub, writeGitHub}, {GitLab, writeGitLab}, {JUnit, writeJUnit}, {SARIF, writeSARIF},
}

// Formats lists the formats in the order in which help shows them.
func Formats() (list []Format) {
	for _, w := range writers {
		list = append(list, w.format)
	}
	return list
}

// A Group has the findings for one input, which may also point into other files.
type Group struct {
	// Name is the input as the user named it.
	Name string
	// Diagnostics are its findings in order.
	Diagnostics []*diag.Diagnostic
	// Suppressed are the findings that comments ignore, and Known those of a baseline.
	Suppressed, Known []*diag.Diagnostic
	// Bounds say how long runs of it can be, or nil. They are part of the formats
	// for which HasBounds holds.
	Bounds *explore.Report
}

// HasBounds reports whether a format has a place for bounds.
func (f Format) HasBounds() bool { return f == Text || f == JSON }

// A Report is everything that one command found.
type Report struct {
	// Groups are the inputs in the order in which they are shown.
	Groups []Group
	// Files is the number of checked files.
	Files int
	// Compared says that a baseline has been taken out.
	Compared bool
}

// Options say how a report is written.
type Options struct {
	// Width is the number of columns to fit snippets into; 0 means 120.
	Width int
	// Color allows colours in the text format.
	Color bool
	// Limit is the number of findings shown for each group in the text format;
	// 0 means all.
	Limit int
	// Version is the version of wfc that SARIF names; may be empty.
	Version string
	// Path returns the path of a file relative to the root of its repository, for formats
	// that CI services read; nil leaves names as they are.
	Path func(name string) string
}

func (o *Options) filePath(name string) string {
	if o.Path == nil {
		return name
	}
	return o.Path(name)
}

// Write writes a report in a format.
func Write(w io.Writer, format Format, r *Report, opt Options) error {
	for _, f := range writers {
		if f.format == format {
			return f.write(w, r.withoutDuplicates(), opt)
		}
	}
	return fmt.Errorf("unknown report format %q", format)
}

// Counts is how many findings there are of each severity.
type Counts struct {
	Errors, Warnings, Notes int
}

// Counts returns how many distinct findings the report has.
func (r *Report) Counts() Counts {
	var c Counts
	for _, d := range r.withoutDuplicates().allFindings() {
		switch d.Severity {
		case diag.Error:
			c.Errors++
		case diag.Warning:
			c.Warnings++
		case diag.Note:
			c.Notes++
		}
	}
	return c
}

// place is what makes two findings the same one, though they were found in
// two inputs that read the same file.
type place struct {
	code          *diag.Code
	file, message string
	start, end    int
}

// withoutDuplicates returns the report with each finding in the first group that has it.
func (r *Report) withoutDuplicates() *Report {
	seen := map[place]bool{}
	u := &Report{Files: r.Files, Compared: r.Compared}
	for _, g := range r.Groups {
		kept := Group{Name: g.Name, Suppressed: g.Suppressed, Known: g.Known, Bounds: g.Bounds}
		for _, d := range g.Diagnostics {
			p := place{d.Code, fileName(d.Span), d.Message, d.Span.Start, d.Span.End}
			if !seen[p] {
				seen[p] = true
				kept.Diagnostics = append(kept.Diagnostics, d)
			}
		}
		u.Groups = append(u.Groups, kept)
	}
	return u
}

func (r *Report) allFindings() []*diag.Diagnostic {
	var all []*diag.Diagnostic
	for _, g := range r.Groups {
		all = append(all, g.Diagnostics...)
	}
	return all
}

func fileName(s source.Span) string {
	if s.File == nil {
		return ""
	}
	return s.File.Name
}

// summaryLine is the last line of the text format: "2 errors, 1 warning in 3 files", those with
// findings.
func (r *Report) summaryLine() string {
	c := r.Counts()
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Errors, "error"}, {c.Warnings, "warning"}, {c.Notes, "note"}} {
		if p.n > 0 {
			parts = append(parts, finding.Count(p.n, p.what))
		}
	}
	files := 0
	for _, g := range r.Groups {
		if len(g.Diagnostics) > 0 {
			files++
		}
	}
	if len(parts) == 0 {
		parts, files = []string{"nothing found"}, r.Files
	}
	text := strings.Join(parts, ", ") + " in " + finding.Count(files, "file")
	if known := r.CountKnown(); known > 0 {
		text += fmt.Sprintf(" (%d in the baseline)", known)
	}
	return text
}

// CountKnown is how many findings are in the baseline.
func (r *Report) CountKnown() int {
	n := 0
	for _, g := range r.Groups {
		n += len(g.Known)
	}
	return n
}

// limitFindings returns the findings to show when at most limit are wanted: errors
// before others, in their order, so that a flood of warnings hides no error.
func limitFindings(list []*diag.Diagnostic, limit int) []*diag.Diagnostic {
	if limit <= 0 || len(list) <= limit {
		return list
	}
	errors := 0
	for _, d := range list {
		if d.Severity == diag.Error {
			errors++
		}
	}
	errors = min(errors, limit)
	others := limit - errors
	return slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool {
		left := &others
		if d.Severity == diag.Error {
			left = &errors
		}
		*left--
		return *left < 0
	})
}

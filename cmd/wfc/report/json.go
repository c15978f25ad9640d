package report

import (
	"encoding/json"
	"io"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// schemaVersion is the version of the JSON forms; it grows when a reader of
// the old form could misread the new one.
const schemaVersion = 1

type jsonReport struct {
	SchemaVersion int           `json:"schema_version"`
	Summary       jsonSummary   `json:"summary"`
	Diagnostics   []jsonFinding `json:"diagnostics"`
	Bounds        []jsonBounds  `json:"bounds,omitempty"`
}

type jsonSummary struct {
	Files    int `json:"files"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	// Baseline is how many findings are in the baseline, which the others do not count.
	Baseline int `json:"baseline,omitempty"`
}

type jsonFinding struct {
	Code     string      `json:"code"`
	Slug     string      `json:"slug"`
	Severity string      `json:"severity"`
	Message  string      `json:"message"`
	Label    string      `json:"label,omitempty"`
	At       *jsonSpan   `json:"at,omitempty"`
	Related  []jsonLabel `json:"related,omitempty"`
	Help     []string    `json:"help,omitempty"`
	Fixes    []jsonFix   `json:"fixes,omitempty"`
}

type jsonSpan struct {
	File  string       `json:"file"`
	Start jsonPosition `json:"start"`
	End   jsonPosition `json:"end"`
}

// jsonPosition has the byte offset from 0, and the line and the column in code
// points from 1.
type jsonPosition struct {
	Offset int `json:"offset"`
	Line   int `json:"line"`
	Column int `json:"column"`
}

type jsonLabel struct {
	At   *jsonSpan `json:"at"`
	Text string    `json:"text"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Safe  bool       `json:"safe"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	At  *jsonSpan `json:"at"`
	New string    `json:"new"`
}

func writeJSON(w io.Writer, r *Report, _ Options) error {
	doc := jsonReport{SchemaVersion: schemaVersion, Summary: jsonSummaryOf(r), Diagnostics: []jsonFinding{}}
	for _, d := range r.allFindings() {
		doc.Diagnostics = append(doc.Diagnostics, jsonFindingOf(d))
	}
	for _, g := range r.Groups {
		if g.Bounds != nil {
			doc.Bounds = append(doc.Bounds, jsonBoundsOf(g.Name, g.Bounds))
		}
	}
	return writeIndented(w, doc)
}

func writeJSONL(w io.Writer, r *Report, _ Options) error {
	e := newJSONEncoder(w)
	for _, d := range r.allFindings() {
		if err := e.Encode(struct {
			Type          string `json:"type"`
			SchemaVersion int    `json:"schema_version"`
			jsonFinding
		}{"diagnostic", schemaVersion, jsonFindingOf(d)}); err != nil {
			return err
		}
	}
	return e.Encode(struct {
		Type          string `json:"type"`
		SchemaVersion int    `json:"schema_version"`
		jsonSummary
	}{"summary", schemaVersion, jsonSummaryOf(r)})
}

func writeIndented(w io.Writer, doc any) error {
	e := newJSONEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

func newJSONEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(plain.JSONWriter(w))
	e.SetEscapeHTML(false)
	return e
}

func jsonSummaryOf(r *Report) jsonSummary {
	c := r.Counts()
	return jsonSummary{Files: r.Files, Errors: c.Errors, Warnings: c.Warnings, Notes: c.Notes, Baseline: r.CountKnown()}
}

func jsonFindingOf(d *diag.Diagnostic) jsonFinding {
	f := jsonFinding{
		Code: d.Code.ID, Slug: d.Code.Slug, Severity: d.Severity.String(),
		Message: d.Message, Label: d.Label, At: jsonSpanOf(d.Span), Help: d.Help,
	}
	for _, r := range d.Related {
		f.Related = append(f.Related, jsonLabel{jsonSpanOf(r.Span), r.Text})
	}
	for _, x := range d.Fixes {
		fix := jsonFix{Title: x.Title, Safe: x.Safe, Edits: []jsonEdit{}}
		for _, e := range x.Edits {
			fix.Edits = append(fix.Edits, jsonEdit{jsonSpanOf(e.Span), e.New})
		}
		f.Fixes = append(f.Fixes, fix)
	}
	return f
}

func jsonSpanOf(s source.Span) *jsonSpan {
	if !s.IsValid() {
		return nil
	}
	return &jsonSpan{File: s.File.Name, Start: jsonPositionOf(s.File, s.Start), End: jsonPositionOf(s.File, s.End)}
}

func jsonPositionOf(f *source.File, at int) jsonPosition {
	p := f.Position(at)
	return jsonPosition{Offset: at, Line: p.Line, Column: p.Column}
}

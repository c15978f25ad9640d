package report

import (
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// The types below are the part of SARIF 2.1.0 that wfc fills in, with the
// standard's names.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool map[string]*sarifDriver `json:"tool"`
	// Bases describe the folders to which paths are relative, without their places, which
	// differ on each machine.
	Bases      map[string]map[string]sarifText `json:"originalUriBaseIds"`
	ColumnKind string                          `json:"columnKind"`
	Results    []sarifResult                   `json:"results"`
}

type sarifDriver struct {
	Name        string      `json:"name"`
	Version     string      `json:"version,omitempty"`
	Information string      `json:"informationUri"`
	Rules       []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Full    sarifText         `json:"fullDescription"`
	Default map[string]string `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
	Fixes     []sarifFix      `json:"fixes,omitempty"`
	// Prints identify the finding in later versions of the file.
	Prints map[string]string `json:"partialFingerprints,omitempty"`
	// State compares with the baseline: new, unchanged, or "" without one: either all results
	// of a run have the property, or none.
	State string `json:"baselineState,omitempty"`
	// Suppressions is empty if nothing suppresses the finding: either all results of a run
	// have the property, or none.
	Suppressions []map[string]string `json:"suppressions"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Message  *sarifText    `json:"message,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
	// Base is the name of the folder to which the URI is relative.
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}

// The name of the root of the repository, as code scanning services expect it, and the
// home of wfc.
const (
	sarifRoot = "%SRCROOT%"
	homePage  = "https://github.com/wfc-lang/wfc"
)

// sarifPrint is the name of wfc's fingerprints and their version.
const sarifPrint = "wfcFinding/v1"

// A sarifWriter makes the one run of a SARIF log.
type sarifWriter struct {
	run   sarifRun
	rules []sarifRule
	index map[*diag.Code]int
	opt   Options
}

func writeSARIF(w io.Writer, r *Report, opt Options) error {
	driver := &sarifDriver{Name: "wfc", Version: opt.Version, Information: homePage}
	s := &sarifWriter{index: map[*diag.Code]int{}, opt: opt, rules: []sarifRule{}, run: sarifRun{
		Tool:       map[string]*sarifDriver{"driver": driver},
		Bases:      map[string]map[string]sarifText{sarifRoot: {"description": {"The root of the repository."}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}}
	fresh, old := "", ""
	if r.Compared {
		fresh, old = "new", "unchanged"
	}
	for _, g := range r.Groups {
		s.addResults(g.Diagnostics, fresh, []map[string]string{})
		s.addResults(g.Known, old, []map[string]string{{"kind": "external"}})
		s.addResults(g.Suppressed, fresh, []map[string]string{{"kind": "inSource"}}) // a baseline has none of them
	}
	driver.Rules = s.rules
	return writeIndented(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{s.run}})
}

// addResults adds findings with their state.
func (s *sarifWriter) addResults(list []*diag.Diagnostic, state string, suppressions []map[string]string) {
	prints := computeFingerprints(list, s.opt.filePath)
	for i, d := range list {
		result := s.newResult(d)
		result.Prints = map[string]string{sarifPrint: prints[i]}
		result.State, result.Suppressions = state, suppressions
		s.run.Results = append(s.run.Results, result)
	}
}

// ruleIndex returns the index of a code among the rules.
func (s *sarifWriter) ruleIndex(code *diag.Code) int {
	i, ok := s.index[code]
	if !ok {
		i = len(s.rules)
		s.index[code] = i
		s.rules = append(s.rules, sarifRule{code.ID, code.Slug, sarifText{codes.DocumentOf(code).Text}, map[string]string{"level": code.Severity.String()}})
	}
	return i
}

func (s *sarifWriter) newResult(d *diag.Diagnostic) sarifResult {
	text := strings.Join(append([]string{d.Message}, d.Help...), "\n")
	res := sarifResult{RuleID: d.Code.ID, RuleIndex: s.ruleIndex(d.Code), Level: d.Severity.String(), Message: sarifText{text}}
	if d.Span.IsValid() {
		res.Locations = []sarifLocation{{Physical: s.physicalLocation(d.Span)}}
	}
	for i, r := range d.Related {
		res.Related = append(res.Related, sarifLocation{ID: i + 1, Message: &sarifText{r.Text}, Physical: s.physicalLocation(r.Span)})
	}
	for _, f := range d.Fixes {
		res.Fixes = append(res.Fixes, s.newFix(f))
	}
	return res
}

// newFix groups a fix's edits by file, in the order in which the files come first.
func (s *sarifWriter) newFix(f diag.Fix) sarifFix {
	fix := sarifFix{Description: sarifText{f.Title}}
	index := map[*source.File]int{}
	for _, e := range f.Edits {
		i, ok := index[e.Span.File]
		if !ok {
			i = len(fix.Changes)
			index[e.Span.File] = i
			fix.Changes = append(fix.Changes, sarifChange{Artifact: s.artifactLocation(e.Span.File)})
		}
		fix.Changes[i].Replacements = append(fix.Changes[i].Replacements, sarifReplacement{sarifRegionOf(e.Span), sarifText{e.New}})
	}
	return fix
}

func (s *sarifWriter) physicalLocation(at source.Span) sarifPhysical {
	return sarifPhysical{s.artifactLocation(at.File), sarifRegionOf(at)}
}

// artifactLocation is the place of a file: in the repository if its path is relative.
func (s *sarifWriter) artifactLocation(f *source.File) sarifArtifact {
	a := sarifArtifact{URI: fileURI(s.opt.filePath(f.Name))}
	if !strings.HasPrefix(a.URI, "file:") {
		a.Base = sarifRoot
	}
	return a
}

func sarifRegionOf(s source.Span) sarifRegion {
	start, end := s.Position(), s.File.Position(s.End)
	return sarifRegion{start.Line, start.Column, end.Line, end.Column}
}

// fileURI returns a file's name as a URI: a relative one as a relative
// reference.
func fileURI(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if !path.IsAbs(name) {
		// url.URL puts ./ before a name whose first part has a colon.
		return (&url.URL{Path: name}).String()
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

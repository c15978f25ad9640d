package report

import (
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// The types below are the part of SARIF 2.1.0 that wfc fills in, with the
// standard's names.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Full    sarifText    `json:"fullDescription"`
	Default sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
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

func writeSARIF(w io.Writer, r *Report, opt Options) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "wfc", Version: opt.Version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	index := map[*diag.Code]int{}
	for _, d := range r.all() {
		i, ok := index[d.Code]
		if !ok {
			i = len(run.Tool.Driver.Rules)
			index[d.Code] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
				ID: d.Code.ID, Name: d.Code.Slug, Full: sarifText{d.Code.Document().Text},
				Default: sarifDefault{d.Code.Severity.String()},
			})
		}
		run.Results = append(run.Results, sarifResultOf(d, i))
	}
	e := encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func sarifResultOf(d *diag.Diagnostic, rule int) sarifResult {
	text := strings.Join(append([]string{d.Message}, d.Help...), "\n")
	res := sarifResult{RuleID: d.Code.ID, RuleIndex: rule, Level: d.Severity.String(), Message: sarifText{text}}
	if d.Span.IsValid() {
		res.Locations = []sarifLocation{{Physical: sarifPhysicalOf(d.Span)}}
	}
	for i, r := range d.Related {
		res.Related = append(res.Related, sarifLocation{ID: i + 1, Message: &sarifText{r.Text}, Physical: sarifPhysicalOf(r.Span)})
	}
	for _, f := range d.Fixes {
		res.Fixes = append(res.Fixes, sarifFixOf(f))
	}
	return res
}

// sarifFixOf groups a fix's edits by file, in the order in which the files
// come first.
func sarifFixOf(f diag.Fix) sarifFix {
	fix := sarifFix{Description: sarifText{f.Title}}
	index := map[*source.File]int{}
	for _, e := range f.Edits {
		i, ok := index[e.Span.File]
		if !ok {
			i = len(fix.Changes)
			index[e.Span.File] = i
			fix.Changes = append(fix.Changes, sarifChange{Artifact: sarifArtifact{fileURI(e.Span.File.Name)}})
		}
		fix.Changes[i].Replacements = append(fix.Changes[i].Replacements, sarifReplacement{sarifRegionOf(e.Span), sarifText{e.New}})
	}
	return fix
}

func sarifPhysicalOf(s source.Span) sarifPhysical {
	return sarifPhysical{sarifArtifact{fileURI(s.File.Name)}, sarifRegionOf(s)}
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

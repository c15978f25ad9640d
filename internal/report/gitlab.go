package report

import (
	"io"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
)

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
	e := encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(issues)
}

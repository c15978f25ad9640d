package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/runtime/plain"
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

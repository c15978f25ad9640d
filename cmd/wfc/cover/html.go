package cover

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/page"
)

// style has the colours of lines and graphs.
const style = `pre span{display:block;padding:0 .5rem}
.all{background:#dcf3dc}.some{background:#fff3c4}.none{background:#fbd9d3}
.graph svg{max-width:100%;height:auto}
.w-cover-all .w-box,.w-cover-all .w-frame{fill:#b9e3b9}.w-cover-some .w-box,.w-cover-some .w-frame{fill:#ffe58a}.w-cover-none .w-box,.w-cover-none .w-frame{fill:#f7b5a8}
@media(prefers-color-scheme:dark){.all{background:#1f3d1f}.some{background:#4a3f12}.none{background:#4e221b}}
@media(prefers-color-scheme:dark){.w-cover-all .w-box,.w-cover-all .w-frame{fill:#2c5a2c}.w-cover-some .w-box,.w-cover-some .w-frame{fill:#6b5a18}.w-cover-none .w-box,.w-cover-none .w-frame{fill:#6e3026}}
`

// HTML writes one page with the source of each file, whose lines are coloured by
// coverage, and its graph. The page needs no other file and no network.
func HTML(w io.Writer, files []*File) error {
	var b strings.Builder
	b.WriteString("<p><span class=\"all\">covered</span> <span class=\"some\">partly covered</span> <span class=\"none\">not covered</span></p>\n")
	for _, f := range files {
		f.writeHTML(&b)
	}
	return page.Write(w, page.Page{Title: fmt.Sprintf("Coverage: %.1f%%", Percent(files)), Style: style, Body: b.String()})
}

func (f *File) writeHTML(b *strings.Builder) {
	fmt.Fprintf(b, "<h2>%s</h2>\n<table>", html.EscapeString(f.Name))
	for _, kind := range kinds {
		if covered, all := f.Count(kind); all > 0 {
			fmt.Fprintf(b, "<tr><th>%s<td>%d of %d", kind, covered, all)
		}
	}
	b.WriteString("</table>\n")
	if f.Graph != "" {
		fmt.Fprintf(b, "<div class=\"graph\">%s</div>\n", f.Graph)
	}
	b.WriteString("<pre>")
	for i, line := range strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n") {
		class, title := f.lineClass(i + 1)
		fmt.Fprintf(b, "<span%s%s>%4d  %s</span>", htmlAttribute("class", class), htmlAttribute("title", title), i+1, html.EscapeString(strings.TrimRight(line, "\r")))
	}
	b.WriteString("</pre>\n")
}

func htmlAttribute(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(" %s=\"%s\"", name, strings.ReplaceAll(html.EscapeString(value), "\n", "&#10;"))
}

// lineClass returns the class of a line, and its uncovered items.
func (f *File) lineClass(number int) (class, title string) {
	var missing []string
	covered := 0
	for _, it := range f.Items {
		switch {
		case it.Line != number:
		case it.Hits > 0:
			covered++
		default:
			missing = append(missing, "not covered: "+it.Text)
		}
	}
	return coverageClass(covered, len(missing)), strings.Join(missing, "\n")
}

// coverageClass is the CSS class for a number of covered and of missing items.
func coverageClass(covered, missing int) string {
	switch {
	case covered == 0 && missing == 0:
		return ""
	case missing == 0:
		return "all"
	case covered == 0:
		return "none"
	}
	return "some"
}

// NodeState returns the class of a node in the graph: all, some or none of its items are
// covered.
func (f *File) NodeState(node string) string {
	covered, missing := 0, 0
	for _, it := range f.Items {
		switch {
		case it.Node != node:
		case it.Hits > 0:
			covered++
		default:
			missing++
			if it.Kind == "nodes" {
				return "none"
			}
		}
	}
	return coverageClass(covered, missing)
}

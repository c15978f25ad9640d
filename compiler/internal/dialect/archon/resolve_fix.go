package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// addDependency returns the fix, without a title, that adds an entry to a node's
// depends_on, or nil when its text is of a form that no edit is sure about.
func addDependency(n *ir.Node, id string) *diag.Fix {
	at, text := newDependency(n, id)
	if !at.IsValid() {
		return nil
	}
	return &diag.Fix{Edits: []diag.Edit{{Span: at, New: text}}}
}

func newDependency(n *ir.Node, id string) (source.Span, string) {
	if strings.ContainsAny(id, ",[]{}#&*!|>'\"%@`:") || strings.TrimSpace(id) != id || id == "" {
		return source.Span{}, ""
	}
	if last := lastDeclared(n); last != nil {
		return besideEntry(last, id)
	}
	return besideID(n, id)
}

func lastDeclared(n *ir.Node) *ir.Need {
	var last *ir.Need
	for _, need := range n.Needs {
		if !need.Order && (last == nil || need.Span.Start > last.Span.Start) {
			last = need
		}
	}
	return last
}

// besideEntry places an entry behind the last one of a list.
func besideEntry(last *ir.Need, id string) (source.Span, string) {
	at := last.Span
	if !at.IsValid() || strings.Trim(at.Text(), `'"`) != last.Node.Local() {
		return source.Span{}, "" // reached by an alias, or escaped
	}
	end := source.Span{File: at.File, Start: at.End, End: at.End}
	before, _ := around(at)
	if indent, isItem := strings.CutSuffix(before, "- "); isItem && strings.TrimLeft(indent, " ") == "" {
		return end, "\n" + indent + "- " + id
	}
	return end, ", " + id
}

// besideID places a depends_on key behind the node's id.
func besideID(n *ir.Node, id string) (source.Span, string) {
	at := n.IDSpan
	if !at.IsValid() || strings.Contains(n.Span.Text(), "depends_on") {
		return source.Span{}, ""
	}
	before, after := around(at)
	end := source.Span{File: at.File, Start: at.End, End: at.End}
	lead := strings.TrimRight(before, " ")
	lead, found := strings.CutSuffix(lead, ":")
	lead, named := strings.CutSuffix(strings.TrimRight(lead, " "), "id")
	if !found || !named {
		return source.Span{}, ""
	}
	if strings.ContainsAny(lead, "{,") {
		return end, ", depends_on: [" + id + "]"
	}
	if strings.Trim(lead, " -") != "" {
		return source.Span{}, ""
	}
	if rest := strings.TrimLeft(after, " \t\r"); rest != "" && rest[0] != '#' {
		return source.Span{}, ""
	}
	end.Start += len(strings.TrimRight(after, "\r"))
	end.End = end.Start
	return end, "\n" + strings.Repeat(" ", len(lead)) + "depends_on: [" + id + "]"
}

// around returns the text before and after a span on its line.
func around(at source.Span) (before, after string) {
	content := at.File.Content
	start, end := at.Start, at.End
	for start > 0 && content[start-1] != '\n' {
		start--
	}
	for end < len(content) && content[end] != '\n' {
		end++
	}
	return string(content[start:at.Start]), string(content[at.End:end])
}

package site

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/dev/site/color"
	"github.com/wfc-lang/wfc/internal/codes"
)

// writeHeading writes a heading that links itself.
func writeHeading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	id, _ := n.AttributeString("id")
	anchor := html.EscapeString(string(id.([]byte)))
	if entering {
		_, err := fmt.Fprintf(w, "<h%d id=\"%s\">", n.Level, anchor)
		return ast.WalkContinue, err
	}
	if n.Level > 1 {
		fmt.Fprintf(w, " <a class=\"anchor\" href=\"#%s\" aria-label=\"Link to this section\">#</a>", anchor)
	}
	_, err := fmt.Fprintf(w, "</h%d>\n", n.Level)
	return ast.WalkContinue, err
}

// writeFence writes a fenced block of code. Its info string has a language, and in pages
// that tests run, a file and what to do with it.
func writeFence(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	info := ""
	if n.Info != nil {
		info = string(n.Info.Segment.Value(source))
	}
	language, rest, _ := strings.Cut(info, " ")
	file, place, _ := strings.Cut(rest, " ")
	caption := ""
	switch action, text, _ := strings.Cut(place, " "); {
	case file == "":
	case action == "append":
		caption = fmt.Sprintf("at the end of <code>%s</code>", html.EscapeString(file))
	case action == "after":
		caption = fmt.Sprintf("in <code>%s</code>, after the line <code>%s</code>", html.EscapeString(file), html.EscapeString(text))
	default:
		caption = fmt.Sprintf("<code>%s</code>", html.EscapeString(file))
	}
	marks, _ := n.AttributeString(marksAttribute)
	spans, _ := marks.([]span)
	_, err := w.WriteString(codeBlock(caption, language, string(n.Lines().Value(source)), spans))
	return ast.WalkSkipChildren, err
}

// codeBlock returns a block of coloured code. caption is HTML. Marks are in their order,
// apart from each other, inside the code, and not empty.
func codeBlock(caption, language, code string, marks []span) string {
	var b strings.Builder
	if caption != "" {
		fmt.Fprintf(&b, "<figure><figcaption>%s</figcaption>", caption)
	}
	b.WriteString("<pre tabindex=\"0\"><code>")
	at, marked := 0, false
	for _, token := range color.Tokens(language, code) {
		for end := at + len(token.Text); at < end; {
			next := end
			switch {
			case marked:
				next = min(next, marks[0].end)
			case len(marks) > 0 && marks[0].start == at:
				b.WriteString("<mark>")
				next, marked = min(next, marks[0].end), true
			case len(marks) > 0:
				next = min(next, marks[0].start)
			}
			writeToken(&b, token.Class, code[at:next])
			if at = next; marked && at == marks[0].end {
				b.WriteString("</mark>")
				marks, marked = marks[1:], false
			}
		}
	}
	b.WriteString("</code></pre>")
	if caption != "" {
		b.WriteString("</figure>")
	}
	b.WriteByte('\n')
	return b.String()
}

func writeToken(b *strings.Builder, class, text string) {
	text = html.EscapeString(strings.Map(visible, text))
	if class != color.Plain {
		text = fmt.Sprintf("<span class=\"%s\">%s</span>", class, text)
	}
	b.WriteString(text)
}

// visible returns the picture of a control character, which HTML forbids.
func visible(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' {
		return r + '␀'
	}
	return r
}

// languageOf is the language of a file.
func languageOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".py":
		return "python"
	case "":
		return "sh"
	default:
		return ext[1:]
	}
}

// marksAttribute is the attribute of a block of code with its marks.
const marksAttribute = "marks"

// A span is a part of a code, in bytes.
type span struct {
	start, end int
}

// markFaults marks the places that wfc reports in the bad examples of the diagnostics. It
// finds an example after the heading of its code.
func markFaults(d *document) {
	var code *diag.Code
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			id, _, _ := strings.Cut(d.text(n), " ")
			code, _ = codes.Lookup(id)
		case *ast.FencedCodeBlock:
			text := string(n.Lines().Value(d.source))
			if code == nil {
				continue
			}
			examples := codes.DocumentOf(code).Examples
			i := slices.IndexFunc(examples, func(e codes.Example) bool { return text == strings.TrimRight(e.Bad, "\n")+"\n" })
			if i < 0 {
				continue
			}
			var marks []span
			for _, s := range explain.Reported(code, examples[i]) {
				if end := min(s.End, len(text)); s.Start < end {
					marks = append(marks, span{s.Start, end})
				}
			}
			n.SetAttributeString(marksAttribute, marks)
		}
	}
}

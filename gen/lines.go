package gen

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// A //line directive holds until the next one, so code that represents no line
// of the workflow must say so, and by its own line number. That is only known
// when the file is printed; until then a mark takes its place. Directives count
// only at the start of a line, and a mark must not be confused with text of the
// workflow, so in this mode files are not formatted and no string is raw.
const resetMark = "//line wfc-reset:1"

// A style writes code with places in the workflow: comments, or directives for a build.
type style struct {
	directives bool
	file       *source.File // the workflow
}

// addWithPlace appends a statement for a place in the workflow. Its comment is the place, unless the
// comment of the function, or the one before, has it.
func (g *style) addWithPlace(to *block, at source.Span, stmt *jen.Statement) {
	switch {
	case g.directives:
		to.addCode(jen.Comment(g.directiveFor(at)), stmt)
	case !at.IsValid() || g.positionOf(at) == to.outermostBlock().place:
		to.addCode(stmt)
	default:
		to.addCode(g.withComment(stmt, g.positionOf(at)))
	}
}

// addMarked appends a statement for a place in the workflow that needs no comment.
func (g *style) addMarked(to *block, at source.Span, stmt *jen.Statement) {
	if g.directives {
		to.addCode(jen.Comment(g.directiveFor(at)))
	}
	to.addCode(stmt)
}

// noteText is the comment at the end of a line, "" in the mode that has none.
func (g *style) noteText(text string) string {
	if g.directives {
		return ""
	}
	return text
}

// withComment is a statement with a comment at the end of its line.
func (g *style) withComment(stmt *jen.Statement, text string) *jen.Statement {
	if g.directives {
		return stmt
	}
	return jen.Add(stmt).Comment("// " + text)
}

// rowAt is an item of a literal for a place in the workflow. If lines have comments,
// the comment of the whole literal is enough.
func (g *style) rowAt(item *jen.Statement, at source.Span) *jen.Statement {
	if g.directives {
		return jen.Op("\n" + g.directiveFor(at) + "\n").Add(item)
	}
	return item
}

// addLine joins two lines of an expression; the second is from at.
func (g *style) addLine(stmt *jen.Statement, at source.Span) *jen.Statement {
	if g.directives {
		return stmt.Op("+\n" + g.directiveFor(at) + "\n")
	}
	return stmt.Op("+").Line()
}

// beginDeclaration begins a top-level declaration.
func (g *style) beginDeclaration(f *jen.File) {
	f.Line()
	if g.directives {
		f.Comment(resetMark)
	}
}

// writeDoc begins a top-level declaration with its documentation.
func (g *style) writeDoc(f *jen.File, text string) {
	g.beginDeclaration(f)
	f.Comment(wrapComment(text))
}

// withPlace is what a function does, with the place in the workflow.
func (g *style) withPlace(deed string, at source.Span) string {
	if g.directives || !at.IsValid() {
		return deed
	}
	return deed + " (" + g.positionOf(at) + ")"
}

func (g *style) directiveFor(at source.Span) string {
	if !at.IsValid() {
		return resetMark
	}
	p := at.Position()
	return fmt.Sprintf("//line %s:%d:%d", cleanLine(baseName(at.File.Name)), p.Line, p.Column)
}

// positionOf is a place for comments: "triage.yaml:12".
func (g *style) positionOf(at source.Span) string {
	return cleanLine(baseName(at.File.Name)) + ":" + strconv.Itoa(at.Position().Line)
}

// resolveResets replaces the marks by directives back to the file itself.
func resolveResets(content []byte, file string) []byte {
	var out bytes.Buffer
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if strings.TrimRight(string(line), "\n") == resetMark {
			fmt.Fprintf(&out, "//line %s:%d\n", file, number+1)
			continue
		}
		out.Write(line)
	}
	return out.Bytes()
}

// cleanLine makes text fit for one line of a comment.
func cleanLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r == '\ufeff' {
			return '?'
		}
		if r != ' ' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// conditionDoc is a condition at the end of a comment. One that gofmt would change, because
// it makes a quotation mark of two, is a code block.
func conditionDoc(text string) string {
	if text = cleanLine(text); strings.Contains(text, "''") || strings.Contains(text, "``") {
		return codeMark + strings.Join(strings.Fields(text), " ")
	}
	return " " + text
}

// codeMark begins a code block at the end of a comment's text.
const codeMark = "\x10"

// placeNumber is the line number of a place in the workflow.
var placeNumber = lazyregexp.New(`(\(line |:)\d+(\))`)

// withSteadyPlaces returns text for its width. Comments break as if the line numbers of all places had
// the same width, so that the code stays as it is when a node moves.
func withSteadyPlaces(text string) string {
	if !strings.Contains(text, "(") {
		return text
	}
	return placeNumber().ReplaceAllString(text, "${1}123${2}")
}

// textWidth is the width of text.
func textWidth(text string) int { return utf8.RuneCountInString(withSteadyPlaces(text)) }

// wrapComment makes a comment of running text. It is set as one paragraph, so that
// nothing in it can be taken for a directive, a list or a heading.
func wrapComment(text string) string {
	const width, widest = 108, 115 // what fits on one line may be longer
	if text, code, ok := strings.Cut(text, codeMark); ok {
		return wrapComment(text) + "\n//\n//\t" + cleanLine(code)
	}
	text = strings.ReplaceAll(text, "''", `""`) // gofmt would make a quotation mark of two
	const inHole = "\x01"                       // a space at which no line ends
	whole := func(hole string) string { return strings.ReplaceAll(hole, " ", inHole) }
	if text = cleanLine(text); strings.Contains(text, "{{") {
		text = shortHole().ReplaceAllStringFunc(text, whole)
	}
	words := strings.Fields(text)
	if line := "// " + strings.Join(words, " "); textWidth(line) <= widest {
		return strings.ReplaceAll(strings.TrimSuffix(line, "// "), inHole, " ")
	}
	var b strings.Builder
	column := 0
	for _, word := range words {
		size := textWidth(word)
		switch {
		case column == 0:
			b.WriteString("// ")
			column = 3
		case column+1+size > width:
			b.WriteString("\n// ")
			column = 3
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	return strings.ReplaceAll(b.String(), inHole, " ")
}

// shortHole matches a hole of a template that a comment shows in one line.
var shortHole = lazyregexp.New(`\{\{[^{}\n]{1,60}\}\}`)

// placeOf is what messages say of a place: the text there and its line.
func (g *style) placeOf(text string, at source.Span) string {
	const most = 60
	text = strings.Join(strings.Fields(cleanLine(text)), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	if !at.IsValid() {
		return text
	}
	line := strconv.Itoa(at.Position().Line)
	if g.file != nil && at.File.Name == g.file.Name {
		return text + " (line " + line + ")"
	}
	return text + " (" + g.positionOf(at) + ")"
}

// placeOfExpr is placeOf for an expression.
func (g *style) placeOfExpr(e expr.Expr) string {
	text := strings.TrimSpace(strings.Trim(e.Span().Text(), `"'`))
	switch {
	case strings.HasPrefix(text, "{"):
	case inBraces(e.Span()):
		text = "{{ " + text + " }}"
	default:
		text = "`" + text + "`"
	}
	return g.placeOf(text, e.Span())
}

// writeFunction writes a function.
func (g *style) writeFunction(f *jen.File, name, doc string, params, body []jen.Code, results ...jen.Code) {
	g.writeDoc(f, name+" "+doc)
	f.Func().Id(name).Add(signatureCode(params, results...)).Block(body...)
}

// resultTypes are the types of what a function returns: a sure one returns no error.
func resultTypes(value jen.Code, sure bool) []jen.Code {
	if sure {
		return []jen.Code{value}
	}
	return []jen.Code{value, jen.Error()}
}

// inBraces reports whether a place is all that stands in double braces.
func inBraces(at source.Span) bool {
	if !at.IsValid() {
		return false
	}
	content := at.File.Content
	return bytes.HasSuffix(bytes.TrimRight(content[:at.Start], " "), []byte("{{")) && bytes.HasPrefix(bytes.TrimLeft(content[at.End:], " "), []byte("}}"))
}

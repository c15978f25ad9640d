package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// WriteSource writes a whole YAML file with line numbers, its syntax in colour if opt
// allows colours, and the places of findings underlined, each with its message.
func WriteSource(w io.Writer, file *source.File, findings []*diag.Diagnostic, opt Options) error {
	p := newPrinter(w, opt)
	s := &snippet{file: file}
	for _, d := range findings {
		p.main = severityStyle(d.Severity)
		if d.Span.File == file {
			s.addSpan(d.Span, d.Message, true)
		}
		for _, r := range d.Related {
			if r.Span.File == file {
				s.addSpan(r.Span, r.Text, false)
			}
		}
	}
	last := file.LineCount()
	if text, _ := lineOf(file, last); text == "" && last > 1 {
		last--
	}
	p.gutter = len(strconv.Itoa(last))
	if opt.Color {
		p.paint = newPainter(file).paintLine
	}
	slices.SortStableFunc(s.marks, func(a, b mark) int { return a.start - b.start })
	for line := 1; line <= last; line++ {
		var marks []mark
		for _, m := range s.marks {
			if m.line == line {
				marks = append(marks, m)
			}
		}
		if marks != nil {
			s.writeLine(p, line, marks)
			continue
		}
		text, _ := lineOf(file, line)
		p.printSource(line, p.fitText(text, 0, 0))
	}
	return p.w.Flush()
}

// The colours of syntax.
const (
	keyStyle       style = "36"
	stringStyle    style = "32"
	constantStyle  style = "33"
	commentStyle   style = "2"
	referenceStyle style = "35"
)

// tokens matches the parts of a line of YAML that have a colour: a comment, a string in
// quotes, a reference or a piece of a template, a key, and a constant.
var tokens = lazyregexp.New(`(?:^|\s)(#.*)$` + `|("(?:[^"\\]|\\.)*"|'[^']*')` + references +
	`|([\w./@*-]+):(?:\s|$)` + `|(?:^|[\s\[{,:])(true|false|null|-?\d+(?:\.\d+)?)(?:[\s,\]}]|$)`)

const references = `|(\{\{.*?\}\}|\{%.*?%\}|\$\{?[A-Za-z_][\w.-]*\}?)`

var (
	tokenStyles = [...]style{commentStyle, stringStyle, referenceStyle, keyStyle, constantStyle}
	// inText matches the parts of a block string that have a colour.
	inText = lazyregexp.New(references[1:])
	// opensBlock matches a line behind which the lines of a block string follow.
	opensBlock = lazyregexp.New(`(?:^|[:\s-])[|>][+-]?\d?\s*(?:#.*)?$`)
)

// A painter colours lines of a YAML file.
type painter struct {
	// isText says of each line, from 1, whether it is in a block string.
	isText []bool
}

func newPainter(file *source.File) *painter {
	p := &painter{isText: make([]bool, file.LineCount()+1)}
	block := -1 // the indentation of the line that opened a block string
	for line := 1; line <= file.LineCount(); line++ {
		text, _ := lineOf(file, line)
		bare := strings.TrimLeft(text, " ")
		indent := len(text) - len(bare)
		if block >= 0 && (bare == "" || indent > block) {
			p.isText[line] = true
			continue
		}
		block = -1
		if opensBlock().MatchString(text) && !strings.HasPrefix(bare, "#") {
			block = indent
		}
	}
	return p
}

// paintLine colours a line as it is shown.
func (p *painter) paintLine(line int, text string) string {
	pattern, styles := tokens, tokenStyles[:]
	if p.isText[line] {
		pattern, styles = inText, []style{referenceStyle}
	}
	var b strings.Builder
	at := 0
	for _, found := range pattern().FindAllStringSubmatchIndex(text, -1) {
		for i, s := range styles {
			start, end := found[2+2*i], found[3+2*i]
			if start < 0 {
				continue
			}
			b.WriteString(text[at:start])
			b.WriteString(s.paint(text[start:end]))
			at = end
		}
	}
	return b.String() + text[at:]
}

// Heading returns a text in the colour of a severity, or only in bold for diag.Off.
func Heading(s diag.Severity, text string) string {
	if s == diag.Off {
		return boldStyle.paint(text)
	}
	return severityStyle(s).paint(text)
}

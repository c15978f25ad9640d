package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// The text format, for one finding:
//
//	error[WFC203]: node `b` reads a field that `a` does not produce
//	  --> flows/triage.yaml:21:11
//	   |
//	12 |     output_format:
//	   |     ------------- `a` declares its fields here
//	 ·
//	21 |     when: $a.output.kinds == 'bug'
//	   |           ^^^^^^^^^^^^^^^ no field `kinds`
//	   |
//	help: did you mean `kind`?
//	   |     when: $a.output.kind == 'bug'
//	   = see: wfc explain WFC203

const (
	defaultWidth = 120
	minWidth     = 40
)

// style is a terminal's way of showing text.
type style string

const (
	plainStyle   style = ""
	boldStyle    style = "1"
	errorStyle   style = "1;31"
	warningStyle style = "1;33"
	noteStyle    style = "1;36"
	gutterStyle  style = "34"
	relatedStyle style = "34"
	helpStyle    style = "32"
)

// paint returns a text in the style.
func (s style) paint(text string) string { return "\x1b[" + string(s) + "m" + text + "\x1b[0m" }

func severityStyle(s diag.Severity) style {
	switch s {
	case diag.Error:
		return errorStyle
	case diag.Warning:
		return warningStyle
	}
	return noteStyle
}

// A printer writes the text format.
type printer struct {
	w      *bufio.Writer
	width  int
	color  bool
	gutter int   // columns of the line numbers of the present finding
	main   style // of the present finding's severity
	seen   map[*diag.Code]bool
	// paint colours a line of a file, or is nil.
	paint func(line int, text string) string
}

func newPrinter(w io.Writer, opt Options) *printer {
	width := max(cmp.Or(opt.Width, defaultWidth), minWidth)
	return &printer{w: bufio.NewWriter(w), width: width, color: opt.Color, main: errorStyle, seen: map[*diag.Code]bool{}}
}

func writeText(w io.Writer, r *Report, opt Options) error {
	p := newPrinter(w, opt)
	any := false
	for _, g := range r.Groups {
		first, further := foldAlike(g.Diagnostics)
		hidden := len(g.Diagnostics)
		for _, d := range limitFindings(first, opt.Limit) {
			p.printFinding(d, further[d])
			hidden -= 1 + len(further[d])
			any = true
		}
		if hidden > 0 {
			p.printLine(fmt.Sprintf("… and %d more in %s", hidden, plain.Line(g.Name)))
			p.printLine("")
		}
	}
	if any {
		p.printLine(r.summaryLine())
	}
	for _, g := range r.Groups {
		if g.Bounds != nil {
			writeBounds(p.w, plain.Line(g.Name), g.Bounds)
		}
	}
	return p.w.Flush()
}

// foldAlike returns the findings to print in full, and for the first of more than maxAlike alike
// the others, which are listed with it.
func foldAlike(list []*diag.Diagnostic) (first []*diag.Diagnostic, further map[*diag.Diagnostic][]*diag.Diagnostic) {
	type kind struct {
		code    *diag.Code
		file    *source.File
		message string
	}
	alike := map[kind][]*diag.Diagnostic{}
	of := func(d *diag.Diagnostic) kind { return kind{d.Code, d.Span.File, d.Message} }
	for _, d := range list {
		alike[of(d)] = append(alike[of(d)], d)
	}
	further = map[*diag.Diagnostic][]*diag.Diagnostic{}
	for _, d := range list {
		same := alike[of(d)]
		if len(same) <= maxAlike || !d.Span.IsValid() {
			first = append(first, d)
		} else if d == same[0] {
			first, further[d] = append(first, d), same[1:]
		}
	}
	return first, further
}

// maxAlike is how many findings with the same message in one file are printed in full, and
// maxPlaces how many further places the first of more lists.
const (
	maxAlike  = 3
	maxPlaces = 10
)

// describePlaces are those of further findings, in words.
func describePlaces(further []*diag.Diagnostic) string {
	list := make([]string, 0, maxPlaces)
	for _, d := range further[:min(len(further), maxPlaces)] {
		pos := d.Span.Position()
		list = append(list, fmt.Sprintf("%d:%d", pos.Line, pos.Column))
	}
	text := fmt.Sprintf("the same %s: %s", finding.Count(len(further), "more time"), strings.Join(list, ", "))
	if more := len(further) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more (`--format oneline` lists all)", more)
	}
	return text
}

// printFinding prints one diagnostic, the places of further ones with its message, and an empty line.
func (p *printer) printFinding(d *diag.Diagnostic, further []*diag.Diagnostic) {
	p.main = severityStyle(d.Severity)
	snippets := snippetsOf(d)
	fixes := fixesOf(d)
	p.gutter = gutterWidth(snippets, fixes)
	p.printStyled(p.main, fmt.Sprintf("%s[%s]", d.Severity, d.Code.ID))
	p.printStyled(boldStyle, ": "+plain.Indented(cleanText(d.Message), "  "))
	p.printLine("")
	for i, s := range snippets {
		arrow, at := "-->", d.Span
		if i > 0 {
			arrow, at = ":::", relatedIn(d, s.file)
		}
		p.printStyled(gutterStyle, strings.Repeat(" ", p.gutter)+arrow)
		pos := at.Position()
		p.printLine(fmt.Sprintf(" %s:%d:%d", plain.Line(s.file.Name), pos.Line, pos.Column))
		if !s.file.Private && !d.Private {
			s.printLines(p)
		}
	}
	if len(snippets) > 0 && (len(d.Help) > 0 || len(fixes) > 0) {
		p.printBar()
	}
	for _, h := range d.Help {
		if !helpRepeatsFix(h, fixes) {
			p.printHelp(h, "")
		}
	}
	for _, f := range fixes {
		p.printFix(f)
	}
	if len(further) > 0 {
		p.printNote(describePlaces(further))
	}
	if !p.seen[d.Code] {
		p.seen[d.Code] = true
		p.printNote("see: wfc explain " + d.Code.ID)
	}
	p.printLine("")
}

// snippetsOf returns a snippet for each file that a diagnostic points into,
// its own first.
func snippetsOf(d *diag.Diagnostic) []*snippet {
	var all []*snippet
	add := func(at source.Span, label string, primary bool) {
		if !at.IsValid() {
			return
		}
		i := slices.IndexFunc(all, func(s *snippet) bool { return s.file == at.File })
		if i < 0 {
			i = len(all)
			all = append(all, &snippet{file: at.File})
		}
		all[i].addSpan(at, label, primary)
	}
	add(d.Span, d.Label, true)
	for _, r := range d.Related {
		add(r.Span, r.Text, false)
	}
	return all
}

func relatedIn(d *diag.Diagnostic, f *source.File) source.Span {
	for _, r := range d.Related {
		if r.Span.File == f {
			return r.Span
		}
	}
	return source.Span{}
}

// A shownFix is a fix as it is printed: lines before and after.
type shownFix struct {
	title         string
	safe          bool
	line          int
	before, after []string
}

// maxFixLines is the number of lines up to which a fix is printed; of a longer
// one the title has to do.
const maxFixLines = 8

func fixesOf(d *diag.Diagnostic) []shownFix {
	var all []shownFix
	for _, f := range d.Fixes {
		s := shownFix{title: f.Title, safe: f.Safe}
		if file, edits, ok := editsOf(f); ok && !tooLong(file, edits) {
			if line, before, after, ok := replacedLines(file, edits); ok && len(before)+len(after) <= maxFixLines {
				s.line, s.before, s.after = line, before, after
			}
		}
		all = append(all, s)
	}
	return all
}

// tooLong reports whether a fix changes a line so long that its title has to do.
func tooLong(file *source.File, edits []diag.Edit) bool {
	for _, e := range edits {
		if text, _ := file.Line(file.Position(e.Span.Start).Line); len(text) > longLine || len(e.New) > longLine {
			return true
		}
	}
	return false
}

// editsOf returns a fix's edits in order when they are all of one file.
func editsOf(f diag.Fix) (*source.File, []diag.Edit, bool) {
	if len(f.Edits) == 0 {
		return nil, nil, false
	}
	file := f.Edits[0].Span.File
	if slices.ContainsFunc(f.Edits, func(e diag.Edit) bool { return !e.Span.IsValid() || e.Span.File != file }) {
		return nil, nil, false
	}
	sorted := slices.SortedStableFunc(slices.Values(f.Edits), func(a, b diag.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return file, sorted, true
}

// helpRepeatsFix reports whether a line of help says what a fix that follows does, as "did you mean
// `x`?" and "replace with `x`" do. The line is then the title of the fix, so that the advice
// is printed once.
func helpRepeatsFix(help string, fixes []shownFix) bool {
	for i, f := range fixes {
		name, replaces := strings.CutPrefix(f.title, "replace with ")
		if replaces && strings.HasSuffix(strings.TrimSuffix(help, "?"), name) || strings.HasPrefix(help, f.title+":") || help == f.title {
			fixes[i].title = help
			return true
		}
	}
	return false
}

func gutterWidth(snippets []*snippet, fixes []shownFix) int {
	last := 1
	for _, s := range snippets {
		last = max(last, s.lastLine())
	}
	for _, f := range fixes {
		last = max(last, f.line+max(len(f.before), len(f.after))-1)
	}
	return len(strconv.Itoa(last))
}

func (p *printer) printHelp(text, suffix string) {
	p.printStyled(helpStyle, "help")
	p.printLine(": " + strings.ReplaceAll(cleanText(text), "\n", "\n      ") + suffix)
}

// printFix prints a fix: the line as it would be when one line replaces one, else
// the lines that go and come.
func (p *printer) printFix(f shownFix) {
	suffix := ""
	if f.safe {
		suffix = "  (wfc check --fix)"
	}
	p.printHelp(f.title, suffix)
	if len(f.before) == 1 && len(f.after) == 1 {
		start, end := changedRange(f.before[0], f.after[0])
		p.printNumbered(f.line, "|", p.fitText(f.after[0], start, end))
		return
	}
	for i, text := range f.before {
		p.printNumbered(f.line+i, "-", p.fitText(text, 0, 0))
	}
	for i, text := range f.after {
		p.printNumbered(f.line+i, "+", p.fitText(text, 0, 0))
	}
}

func (p *printer) fitText(text string, start, end int) string {
	r := newRow(text)
	shown, _ := r.renderWindow(r.fitWindow(r.cellIndex(start), r.cellIndex(end), p.sourceColumns()))
	return shown
}

// sourceColumns is the number of columns for source text.
func (p *printer) sourceColumns() int { return max(p.width-p.gutter-3, minWidth/2) }

func (p *printer) printSource(line int, text string) {
	if p.paint != nil {
		text = p.paint(line, text)
	}
	p.printNumbered(line, "|", text)
}

func (p *printer) printNumbered(line int, sign, text string) {
	p.printStyled(gutterStyle, fmt.Sprintf("%*d %s", p.gutter, line, sign))
	if text != "" {
		text = " " + text
	}
	p.printLine(text)
}

func (p *printer) printBar() {
	p.printStyled(gutterStyle, strings.Repeat(" ", p.gutter)+" |")
	p.printLine("")
}

func (p *printer) printGap() {
	p.printStyled(gutterStyle, strings.Repeat(" ", p.gutter)+" ·")
	p.printLine("")
}

func (p *printer) printNote(text string) {
	p.printStyled(gutterStyle, strings.Repeat(" ", p.gutter)+" =")
	p.printLine(" " + text)
}

func (p *printer) printUnderline(column, length int, m mark) {
	sign, look := "-", relatedStyle
	if m.primary {
		sign, look = "^", p.main
	}
	text := strings.Repeat(sign, length)
	if m.label != "" {
		text += " " + strings.ReplaceAll(cleanText(m.label), "\n", " ")
	}
	p.printStyled(gutterStyle, strings.Repeat(" ", p.gutter)+" | ")
	p.printStyled(plainStyle, strings.Repeat(" ", column))
	p.printStyled(look, text)
	p.printLine("")
}

func (p *printer) printStyled(s style, text string) {
	if p.color && s != plainStyle {
		text = s.paint(text)
	}
	p.w.WriteString(text) // the first failure is kept for Flush
}

func (p *printer) printLine(text string) {
	p.w.WriteString(text)
	p.w.WriteByte('\n')
}

package yamlsrc

// Encoding of fixes.
//
// Whoever finds a fault inside a scalar knows which text belongs there, but not
// how YAML writes it: a quote is doubled in single quotes, escaped in double
// quotes, free in a block, and impossible in some plain scalars. This is the one
// place that knows. Where the text cannot be written in the scalar's own style,
// the whole scalar is written again in double quotes.

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// EncodeFixes encodes the decoded edits of findings for the styles of their
// scalars. It removes a fix with an edit that YAML cannot hold. Edits of other
// files stay as they are: those files are not YAML.
func (d *Document) EncodeFixes(findings []*diag.Diagnostic) {
	for _, f := range findings {
		f.Fixes = slices.DeleteFunc(f.Fixes, func(fix diag.Fix) bool {
			for i, e := range fix.Edits {
				if !e.Decoded {
					continue
				}
				if e.Decoded = false; e.Span.File == d.File {
					var ok bool
					if e.Span, e.New, ok = d.encodeEdit(e.Span, e.New); !ok {
						return true
					}
					e.Scalar = true
				}
				fix.Edits[i] = e
			}
			return false
		})
	}
}

// encodeEdit returns the edit of the file that gives the scalar at a place, or the
// part of its value there, another text. In a comment, any text of one line may be.
func (d *Document) encodeEdit(at source.Span, text string) (source.Span, string, bool) {
	n := d.scalarAt(at)
	switch {
	case n == nil:
		return at, text, isPrintableLine(text) && slices.ContainsFunc(d.Comments, func(c Comment) bool {
			return c.Span.Start < at.Start && at.End <= c.Span.End
		})
	case n.Alias.IsValid():
		quoted, ok := doubleQuoted(text)
		return at, quoted, ok && at == n.Alias
	}
	from, to, ok := n.partAt(at)
	if !ok {
		return at, "", false
	}
	p := piece{node: n, from: from, to: to, text: text}
	switch n.Style {
	case SingleQuoted, DoubleQuoted:
		return p.encodeQuoted()
	case Plain:
		return p.encodePlain()
	}
	return p.encodeBlock()
}

// scalarAt returns the scalar, or the alias, that a place lies in, or nil.
func (d *Document) scalarAt(at source.Span) *Node {
	if d.scalars == nil {
		d.scalars = []*Node{}
		d.Root.walkBelow(0, func(n *Node, _ int) {
			if n.Kind == Scalar || n.Alias.IsValid() {
				d.scalars = append(d.scalars, n)
			}
		})
		slices.SortStableFunc(d.scalars, func(a, b *Node) int { return a.Place().Start - b.Place().Start })
	}
	i := sort.Search(len(d.scalars), func(i int) bool { return d.scalars[i].Place().Start > at.Start }) - 1
	if i < 0 || at.End > max(d.scalars[i].Place().End, d.scalars[i].Text().Whole().End) {
		return nil
	}
	return d.scalars[i]
}

// walkBelow calls visit for every node that is written below n, in the order of the
// file, with its depth. It does not go into aliases and merged pairs, which are
// written elsewhere.
func (n *Node) walkBelow(depth int, visit func(n *Node, depth int)) {
	if n == nil {
		return
	}
	visit(n, depth)
	if n.Alias.IsValid() {
		return
	}
	for _, item := range n.Items {
		item.walkBelow(depth+1, visit)
	}
	for _, p := range n.Pairs {
		if !p.Merged {
			p.Key.walkBelow(depth+1, visit)
			p.Value.walkBelow(depth+1, visit)
		}
	}
}

// partAt returns which part of a scalar's value is at a place: all of it when the
// place is the scalar's.
func (n *Node) partAt(at source.Span) (from, to int, ok bool) {
	if at == n.Span {
		return 0, len(n.Value), true
	}
	t := n.Text()
	if !t.Exact() {
		return 0, 0, false
	}
	from = sort.Search(len(n.Value), func(i int) bool { return t.Span(i, i).Start >= at.Start })
	if t.Span(from, from).Start != at.Start {
		return 0, 0, false
	}
	if at.End == at.Start {
		return from, from, true
	}
	to = from + 1 + sort.Search(len(n.Value)-from, func(i int) bool { return t.Span(from, from+1+i).End >= at.End })
	return from, to, to <= len(n.Value) && t.Span(from, to).End == at.End
}

// A piece is a part of a scalar's value that becomes another text.
type piece struct {
	node     *Node
	from, to int
	text     string
}

// wholeValue is the scalar's value with the text in it.
func (p *piece) wholeValue() string { return p.node.Value[:p.from] + p.text + p.node.Value[p.to:] }

// writtenSpan returns the bytes of the piece in a flow scalar whose text ends at an
// offset, escapes and all. It is false when they go over several lines.
func (p *piece) writtenSpan(end int) (source.Span, bool) {
	t := p.node.Text()
	at := source.Span{File: p.node.Span.File, Start: t.Span(p.from, p.from).Start, End: end}
	if p.to < len(p.node.Value) {
		at.End = t.Span(p.to, p.to).Start
	}
	return at, t.Exact() && at.Start <= at.End && !strings.ContainsAny(at.Text(), "\r\n")
}

// rewriteDoubleQuoted writes the whole scalar in double quotes.
func (p *piece) rewriteDoubleQuoted() (source.Span, string, bool) {
	quoted, ok := doubleQuoted(p.wholeValue())
	return p.node.Span, quoted, ok
}

func (p *piece) encodeQuoted() (source.Span, string, bool) {
	at, ok := p.writtenSpan(p.node.Span.End - 1)
	if !ok {
		return p.rewriteDoubleQuoted()
	}
	if p.node.Style == DoubleQuoted {
		text, ok := escapeDoubleQuoted(p.text)
		return at, text, ok
	}
	if !isPrintableLine(p.text) {
		return p.rewriteDoubleQuoted()
	}
	return at, strings.ReplaceAll(p.text, "'", "''"), true
}

func (p *piece) encodePlain() (source.Span, string, bool) {
	at, ok := p.writtenSpan(p.node.Span.End)
	if !ok || !p.staysPlain() {
		return p.rewriteDoubleQuoted()
	}
	return at, p.text, true
}

// indicators are the characters that no plain scalar begins with here. YAML allows
// some of them, if no space comes after them.
const indicators = "-?:,[]{}#&*!|>'\"%@`"

// staysPlain reports whether the scalar can be written without quotes, at
// every place.
func (p *piece) staysPlain() bool {
	value := p.wholeValue()
	if !isPrintableLine(value) || strings.TrimSpace(value) != value || strings.Contains(value, ": ") || strings.Contains(value, " #") || strings.HasSuffix(value, ":") {
		return false
	}
	if p.from == 0 && (value == "" || strings.IndexByte(indicators, value[0]) >= 0) {
		return false
	}
	return !strings.ContainsAny(p.text, ",[]{}") && (p.node.Tag != TagString || plainTag(value) == TagString)
}

// encodeBlock writes a piece of a block scalar, where only the indentation of lines
// is encoded.
func (p *piece) encodeBlock() (source.Span, string, bool) {
	t := p.node.Text()
	at := t.Span(p.from, p.to)
	if !t.Exact() || strings.Contains(p.node.Value[p.from:p.to], "\n") || strings.Contains(at.Text(), "\n") {
		return at, "", false
	}
	lines := strings.Split(p.text, "\n")
	if len(lines) > 1 && p.node.Style == Folded || !isPrintableLine(strings.Join(lines, "")) {
		return at, "", false
	}
	// How many line breaks end a block is said in its header.
	if last := len(strings.TrimRight(p.node.Value, "\n")); p.from > last || p.to == last && strings.HasSuffix(p.node.Value[:p.from]+p.text, "\n") {
		return at, "", false
	}
	// Blanks that begin a line of a folded block, or the first of any, say something
	// about indentation.
	begins := p.node.Style == Folded && (p.from == 0 || p.node.Value[p.from-1] == '\n')
	before, after := p.node.Value[:p.from], p.node.Value[p.to:]
	if begins && startBlank("", p.text, after) || startBlank("\n", before, p.text, after) {
		return at, "", false
	}
	end := "\n"
	if line, start := at.File.Line(at.Position().Line); start+len(line) < len(at.File.Content) && at.File.Content[start+len(line)] == '\r' {
		end = "\r\n"
	}
	return at, strings.Join(lines, end+strings.Repeat(" ", int(p.node.indent))), true
}

// startBlank reports whether the text that parts make, without the given characters at its
// start, is empty or starts with white space. It does not join the parts, because a long text
// may have thousands of fixes.
func startBlank(without string, parts ...string) bool {
	for _, part := range parts {
		if part = strings.TrimLeft(part, without); part != "" {
			return part[0] == ' ' || part[0] == '\t'
		}
	}
	return true
}

// isPrintableLine reports whether a text is of one line and has only characters that
// YAML takes without escapes.
func isPrintableLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\t' && (unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\ufeff' || r == '\u2028' || r == '\u2029')
	})
}

// doubleQuoted writes a text in double quotes. It is false for text that is not UTF-8.
func doubleQuoted(text string) (string, bool) {
	text, ok := escapeDoubleQuoted(text)
	return `"` + text + `"`, ok
}

// escapeDoubleQuoted writes a text in the form within double quotes.
func escapeDoubleQuoted(text string) (string, bool) {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], string(r)):
			return "", false
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case isPrintableLine(string(r)):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return b.String(), true
}

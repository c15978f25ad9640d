package human

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A View says how the texts of questions are shown.
type View struct {
	// Width is the columns of the terminal; 0 is unknown, or no terminal.
	Width int
	// Whole is the command that shows the whole of a long text; "" shows it at once.
	Whole string
}

const (
	// firstLines and lastLines of a long text are shown.
	firstLines, lastLines = 40, 20
	// widest is the longest line if the width is unknown.
	widest = 1000
)

// Text returns the text of a question: the words that it is about, below a line that says whose they
// are, an empty line, and its message. Every other line has the indent and the gutter, also where a
// line is too long for the terminal, except the one that says how much is missing.
func (v View) Text(q flow.Question, indent string) string {
	var parts []string
	add := func(head, text string) {
		if text = strings.Trim(Printable(text), "\n"); text != "" {
			parts = append(parts, head+v.quoteInGutter(text, indent))
		}
	}
	if q.Output == "" && !q.IsReview() {
		add("", q.Message)
		return strings.Join(parts, "")
	}
	// Words that cannot be told apart are those of one of several speakers.
	rest, names := q.Output, plain.Texts(q.Speakers, func(s flow.Speaker) string { return "`" + plain.Line(s.Node) + "`" })
	for i := 0; len(names) > 1; i++ {
		n := q.Speakers[i].Length
		if n < 0 || len(rest) < n || !strings.HasPrefix(rest[n:], "\n\n") {
			break
		}
		add(indent+names[0]+" says:\n", Readable(rest[:n]))
		names, rest = names[1:], rest[n+2:]
	}
	if rest = Readable(rest); q.IsReview() {
		rest = cmp.Or(strings.TrimRight(rest, "\n"), "(empty)")
	}
	add(indent+cmp.Or(strings.Join(names, " or "), "a node")+" says:\n", rest)
	add(indent+"the workflow asks:\n", q.Message)
	return strings.Join(parts, "\n")
}

// Result returns a run's result behind the gutter.
func (v View) Result(text string) string {
	return v.quoteInGutter(strings.TrimSuffix(plain.Text(text), "\n"), "")
}

// quoteInGutter returns a printable text behind the gutter.
func (v View) quoteInGutter(text, indent string) string {
	width := widest
	if v.Width > 0 {
		width = max(1, v.Width-len(indent)-plain.Columns(plain.Gutter))
	}
	lines := strings.Split(plain.Wrap(strings.ReplaceAll(text, "\t", "    "), width), "\n")
	var b strings.Builder
	for i, line := range lines {
		missing := len(lines) - firstLines - lastLines
		if v.Whole != "" && missing > 1 && i >= firstLines && i < firstLines+missing {
			if i == firstLines {
				fmt.Fprintf(&b, "%s… %s more lines: `%s`\n", indent, plain.Thousands(int64(missing)), v.Whole)
			}
			continue
		}
		b.WriteString(strings.TrimRight(indent+plain.Gutter+line, " ") + "\n")
	}
	return b.String()
}

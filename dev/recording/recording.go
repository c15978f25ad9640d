// Package recording draws a terminal session as an animated SVG, which plays in
// a browser without scripts. The same session always gives the same bytes.
package recording

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Line is one line of a session: a command that somebody types, or an output.
type Line struct {
	Text    string
	Command bool
}

// The sizes of the picture, in pixels unless they say otherwise.
const (
	columns    = 104 // characters
	rows       = 27  // lines
	charWidth  = 7.8
	lineHeight = 18
	margin     = 16
	titleBar   = 30
)

// The times of the animation, in seconds.
const (
	beforeCommand = 0.9
	afterCommand  = 0.6
	perLine       = 0.07
	perRead       = 0.12 // of each line of an output, before the next command
	atEnd         = 5.0
)

// Draw returns the picture of a session. The description describes it for people who
// cannot see it.
func Draw(title, description string, session []Line) string {
	lines := wrapped(session)
	times, total := schedule(lines)
	width := float64(columns)*charWidth + 2*margin
	height := titleBar + rows*lineHeight + margin

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(title), html.EscapeString(description))
	writeStyle(&b, times, total)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%d" rx="8" fill="#1c1f26"/>`+"\n", width, height)
	for i, colour := range []string{"#e0605a", "#e0b04a", "#62b862"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="15" r="5" fill="%s"/>`+"\n", 20+18*i, colour)
	}
	fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%.0f" height="%d"><g class="screen">`+"\n", margin, titleBar, width-2*margin, rows*lineHeight)
	for i, line := range lines {
		fmt.Fprintf(&b, `<text class="l%d %s" x="0" y="%d" xml:space="preserve">%s</text>`+"\n", i, class(line), (i+1)*lineHeight-5, html.EscapeString(line.Text))
	}
	b.WriteString("</g></svg>\n</svg>\n")
	return b.String()
}

// wrapped returns the lines with a prompt before commands, cut to the width of
// the terminal.
func wrapped(session []Line) []Line {
	var lines []Line
	for _, line := range session {
		text := []rune(strings.ReplaceAll(line.Text, "\t", "    "))
		if line.Command {
			text = slices.Concat([]rune("$ "), text)
		}
		for len(text) > columns {
			lines = append(lines, Line{string(text[:columns]), line.Command})
			text = text[columns:]
		}
		lines = append(lines, Line{string(text), line.Command})
	}
	return lines
}

// schedule returns when each line appears, and when the animation begins again.
func schedule(lines []Line) (times []float64, total float64) {
	now, unread := 0.0, 0
	for i, line := range lines {
		switch {
		case line.Command && (i == 0 || !lines[i-1].Command):
			now += beforeCommand + perRead*float64(unread)
			unread = 0
		case !line.Command && i > 0 && lines[i-1].Command:
			now += afterCommand + 0.01*float64(utf8.RuneCountInString(lines[i-1].Text))
		default:
			now += perLine
		}
		if !line.Command {
			unread++
		}
		times = append(times, now)
	}
	return times, now + atEnd
}

// writeStyle writes the fonts, the colours and the animation: each line appears at
// its time, and the screen scrolls when it is full. Without animations, for people
// who do not want them, the picture shows the end of the session.
func writeStyle(b *strings.Builder, times []float64, total float64) {
	fmt.Fprintf(b, "<style>\ntext{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#c8ccd4}\n"+
		".command{fill:#fff;font-weight:600}.good{fill:#7fcf7f}.bad{fill:#f07f78}.note{fill:#e6c46a}.help{fill:#6fc3df}\n"+
		".screen{transform:translateY(-%dpx);animation:scroll %.2fs step-end infinite}\n", scrolled(len(times)), total)
	b.WriteString("@keyframes scroll{0%{transform:none}")
	for i, at := range times {
		if offset := scrolled(i + 1); offset > 0 {
			fmt.Fprintf(b, "%.2f%%{transform:translateY(-%dpx)}", 100*at/total, offset)
		}
	}
	b.WriteString("}\n")
	for i, at := range times {
		fmt.Fprintf(b, ".l%d{animation:a%d %.2fs step-end infinite}@keyframes a%d{0%%{opacity:0}%.2f%%{opacity:1}}\n", i, i, total, i, 100*at/total)
	}
	b.WriteString("@media (prefers-reduced-motion:reduce){*{animation:none!important}}\n</style>\n")
}

// scrolled returns how far the screen has scrolled when it has had so many lines.
func scrolled(lines int) int { return max(0, lines-rows) * lineHeight }

// class returns the class of a line's colour, from how the line begins.
func class(line Line) string {
	if line.Command {
		return "command"
	}
	text := strings.TrimSpace(line.Text)
	for _, c := range []struct{ name, starts string }{
		{"good", "✓"}, {"bad", "✗"}, {"bad", "error["}, {"note", "warning["}, {"note", "?"}, {"note", "!"}, {"help", "help:"}, {"help", "approve:"},
	} {
		if strings.HasPrefix(text, c.starts) {
			return c.name
		}
	}
	if strings.Contains(text, "^^^") {
		return "bad"
	}
	return "output"
}

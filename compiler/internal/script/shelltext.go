package script

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// gap is the place of a value in the text of a shell command.
const gap = "\x00"

var (
	separatorPattern = lazyregexp.New("\\|\\||&&|[;|&\n()`]|\\$\\(|\\b(?:then|do|else)\\b")
	wordPattern      = lazyregexp.New(`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+`)
	formatted        = strings.NewReplacer("{}", gap, "%s", gap)
	quoteRemover     = strings.NewReplacer(`"`, "", `'`, "")
)

// shellCommands returns the commands of a shell's text as lists of words without quotes.
// reads says that a command may read what the text gives it.
func shellCommands(text string) (commands [][]element, reads []bool) {
	from := 0
	ends := append(separatorPattern().FindAllStringIndex(text, -1), []int{len(text), len(text)})
	for _, end := range ends {
		command := text[from:end[0]]
		var list []element
		for _, w := range wordPattern().FindAllString(command, -1) {
			list = append(list, element{text: quoteRemover.Replace(w), written: true, hostile: strings.Contains(w, gap)})
		}
		commands = append(commands, list)
		reads = append(reads, strings.Contains(command, "<") || from > 0 && text[from-1] == '|')
		from = end[1]
	}
	return commands, reads
}

// quotedAgain reports whether a gap of a shell's text is within quotes, or behind a
// backslash.
func quotedAgain(text string) bool {
	var open byte
	for i := range len(text) {
		switch c := text[i]; {
		case c == gap[0]:
			if open != 0 || i > 0 && text[i-1] == '\\' {
				return true
			}
		case c == open:
			open = 0
		case open == 0 && (c == '\'' || c == '"'):
			open = c
		}
	}
	return false
}

// markIfQuotingUndone marks the value of an expression that contains a value quoted for a shell as
// hostile if the text around it takes its quotes away, or gives it to an interpreter.
func (t *taint) markIfQuotingUndone(v value, from, to int) value {
	whole := ""
	for i := from; i < to; i++ {
		if c := t.callAt[i]; c != nil && len(t.calleeValue(c).names) > 0 {
			i = t.p.toks[i].match // the quoting itself
		} else if t.p.isKind(i, text) {
			whole += formatted.Replace(t.p.textWithGaps(i)) + gap
			i = t.p.toks[i].match
		}
	}
	evaluates := quotedAgain(whole)
	commands, _ := shellCommands(whole)
	for _, list := range commands {
		_, _, ran := findInterpretedProgram(list)
		evaluates = evaluates || ran
	}
	if evaluates {
		v.marks |= hostile
	}
	return v
}

// textWithGaps returns the text of a string with gaps for values and substitutions.
func (p *program) textWithGaps(i int) string {
	l := p.toks[i].lit
	var b strings.Builder
	at := l.body[0]
	for _, g := range p.gapRanges(i) {
		b.WriteString(p.src[at:g[0]] + gap)
		at = g[1]
	}
	b.WriteString(p.src[at:l.body[1]])
	if l.raw || !strings.Contains(b.String(), `\`) {
		return b.String()
	}
	return unescape(b.String())
}

// gapRanges returns where a string contains values and substitutions.
func (p *program) gapRanges(i int) [][2]int {
	var list [][2]int
	for _, s := range p.toks[i].lit.spots {
		list = append(list, [2]int{s.Start, s.End})
	}
	for k := i + 1; k < p.toks[i].match; k++ {
		if p.toks[k].parent == i && p.toks[k].kind == op && p.toks[k].match > k {
			list = append(list, [2]int{p.toks[k].start, p.toks[p.toks[k].match].end})
			k = p.toks[k].match
		}
	}
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	return list
}

package check

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// reportLoops reports loops whose agent never learns the word that ends them. A loop that
// a script can also end needs no such word.
func (a *analysis) reportLoops(bag *diag.Bag) {
	for _, n := range a.nodes {
		loop, ok := n.Action.(*ir.Loop)
		if !ok || loop.Until != nil || strings.TrimSpace(loop.Signal) == "" || loop.Body == nil {
			continue
		}
		if _, nested := loop.Body.(*ir.DAG); nested {
			if neverLearnsSignal(loop) {
				bag.Add(finding.UnmentionedSignal(loop.SignalSpan, n.ID, strings.TrimSpace(loop.Signal)))
			}
			continue
		}
		mentioned := false
		prompts := 0
		for _, inner := range loop.Body.All() {
			if p, ok := inner.Action.(*ir.Prompt); ok {
				prompts++
				mentioned = mentioned || mentionsSignal(templateWords(p.Text), loop.Signal)
			}
		}
		if prompts > 0 && !mentioned {
			bag.Add(finding.UnmentionedSignal(loop.SignalSpan, n.ID, strings.TrimSpace(loop.Signal)))
		}
	}
}

// neverLearnsSignal reports whether the word that ends a group appears in no prompt of the
// agents that give the group's output. Scripts and reviewers may know the word.
func neverLearnsSignal(loop *ir.Loop) bool {
	for _, n := range loop.Last {
		if n.Output == types.Invalid {
			return false // another finding says why
		}
		switch a := n.Action.(type) {
		case *ir.Prompt:
			if mentionsSignal(templateWords(a.Text), loop.Signal) {
				return false
			}
		case *ir.Loop:
			inner, nested := a.Body.(*ir.DAG)
			switch {
			case nested && len(inner.Nodes) > 0:
				all := *a
				all.Signal = loop.Signal
				if !neverLearnsSignal(&all) {
					return false
				}
			case strings.TrimSpace(a.Signal) == strings.TrimSpace(loop.Signal):
				return false // reported for that loop
			default:
				for _, body := range a.Body.All() {
					if p, ok := body.Action.(*ir.Prompt); !ok || mentionsSignal(templateWords(p.Text), loop.Signal) {
						return false
					}
				}
			}
		default:
			return false
		}
	}
	return len(loop.Last) > 0
}

// templateWords is the text of a template as it is written, with a gap for each value.
func templateWords(t *template.Template) string {
	var b strings.Builder
	for _, part := range t.Parts {
		if text, ok := part.(*template.Text); ok {
			b.WriteString(text.Value)
		} else {
			b.WriteByte(0)
		}
	}
	return b.String()
}

// mentionsSignal reports whether a prompt mentions the signal: as a separate word, in a tag
// in any case, or, for all that can be known, in a command file that it sends the
// agent to.
func mentionsSignal(prompt, signal string) bool {
	signal = strings.TrimSpace(signal)
	if strings.Contains(prompt, "commands/") {
		return true
	}
	if strings.Contains(strings.ToLower(prompt), ">"+strings.ToLower(signal)+"<") {
		return true
	}
	for at := 0; ; {
		i := strings.Index(prompt[at:], signal)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(signal)
		before, _ := utf8.DecodeLastRuneInString(prompt[:start])
		after, _ := utf8.DecodeRuneInString(prompt[end:])
		first, _ := utf8.DecodeRuneInString(signal)
		last, _ := utf8.DecodeLastRuneInString(signal)
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}
		at = end
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

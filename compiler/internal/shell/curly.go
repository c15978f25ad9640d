package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/finding"
)

// checkQuotes warns of words that start with a curly quote, or have one behind an equals
// sign: bash keeps the quotes and splits the text between them. In quotes and here-documents
// they are text, and within a word they are apostrophes.
func (s *script) checkQuotes() {
	if s.outer != nil || !strings.ContainsAny(s.src, finding.CurlyQuoteSigns) {
		return
	}
	mended := 0 // the end of the last warning
	s.walkNodes(func(n syntax.Node, path []syntax.Node) {
		lit, ok := n.(*syntax.Lit)
		if !ok || len(path) < 2 {
			return
		}
		word, ok := path[len(path)-2].(*syntax.Word)
		if !ok || word.Parts[0] != n || len(path) > 2 && isBody(path[len(path)-3], word) {
			return
		}
		start := int(lit.Pos().Offset())
		if i := strings.IndexByte(lit.Value, '='); i >= 0 && finding.CurlyLength(s.src[start:]) == 0 {
			start += i + 1
		}
		length := finding.CurlyLength(s.src[start:])
		if length == 0 || start < mended {
			return
		}
		mended = start + length
		plain := `"`
		if strings.HasPrefix(s.src[start:], "‘") || strings.HasPrefix(s.src[start:], "’") {
			plain = "'"
		}
		s.report(finding.CurlyQuotes(finding.ShellCurlyQuote, s.sourceSpan(start, mended), s.src[start:mended], plain))
	})
}

// isBody reports whether a word is the body of a here-document.
func isBody(n syntax.Node, word *syntax.Word) bool {
	r, ok := n.(*syntax.Redirect)
	return ok && r.Hdoc == word
}

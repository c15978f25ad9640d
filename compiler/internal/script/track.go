package script

import "slices"

// comparisons yield no text.
var comparisons = []string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "is"}

// endsExpression reports whether an expression cannot continue at a token, given
// that it is at the expression's level.
func (p *program) endsExpression(i int) bool {
	t := &p.toks[i]
	if t.kind == newline || p.is(i, ";", ",") {
		return true
	}
	if p.lang != JavaScript || !t.breaks || t.kind != word && t.kind != hole || p.is(i, "in", "instanceof", "of", "as", "satisfies") {
		return false
	}
	b := p.before(i)
	switch {
	case p.isKind(b, op):
		return p.is(b, ")", "]", "}", "++", "--")
	case p.isKind(b, word):
		return !slices.Contains(jsPrefixes, p.toks[b].text) || p.is(b-1, ".", "?.")
	}
	return true
}

package script

// comparisons yield no text.
var comparisons = []string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "is"}

// endsExpression reports whether an expression cannot go on at a token, given
// that it stands at the expression's level.
func (p *program) endsExpression(i int) bool {
	t := &p.toks[i]
	if t.kind == newline || p.is(i, ";", ",") {
		return true
	}
	return p.lang == JavaScript && t.breaks && (t.kind == word || t.kind == hole) && !p.isKind(p.before(i), op)
}

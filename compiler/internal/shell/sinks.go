package shell

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkSinks refuses values where bash, or an interpreter, runs text: as a program, its
// file or its input, as a command, or as a name.
func (s *script) checkSinks() {
	for _, l := range s.flow.lines {
		l.refuseRunValues()
	}
	s.checkNodes()
	for _, inner := range s.flow.inner {
		inner.checkNodes()
	}
	for _, e := range s.flow.watched {
		if e.piece.in != nil {
			s.checkEvent(e)
		}
	}
}

// refuseRunValues refuses the values that a line runs.
func (l *line) refuseRunValues() {
	if w := l.words[0]; (l.expanded == nil || !l.expanded()) && isOnlyValue(w) {
		if carriers := w.findCarriers(); len(carriers) > 0 {
			k := carriers[0]
			k.refuseOnce(finding.ShellHoleAsCommand(k.sourceSpan(), k.describeSource(), k.scriptLabel()))
		}
	}
	for _, w := range l.code {
		l.checkCode(w, clean)
	}
	for _, w := range l.loose {
		l.refuseCode(w.findCarriers(), clean, cmp.Or(l.safe, "put double quotes around the value: without them it may be several words, and options among them"))
	}
	for i, words := range l.shellCode {
		for _, w := range words {
			l.checkCode(w, quoted)
		}
		l.checkQuoted(l.inner[i])
	}
	for _, w := range l.files {
		l.checkFile(w)
		l.checkWritten(w)
	}
	if strings.Contains(l.words[0].knownText().text, "/") {
		l.checkWritten(l.words[0])
	}
	for _, w := range l.late {
		for _, k := range w.findCarriers() {
			if k.level > harmless {
				k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), l.title).WithHelp("put `--` before the value: `" + l.name + " … -- " + k.scriptLabel() + "`"))
			}
		}
	}
	if l.stdin {
		l.checkInput()
	}
	for _, w := range nameOperands(l.name, l.words[1:]) {
		w.in.refuseNames("the name of a variable of `"+l.name+"`", w.Word, byKey)
	}
	switch l.name {
	case "printf":
		if w := l.words[min(1, len(l.words)-1)]; len(l.words) > 2 && w.knownText() == (arg{}) {
			w.in.refuseNames("an option of `printf`", w.Word, byKey)
		}
	case "export", "readonly", "declare", "typeset", "local": // behind command or builtin
		for _, w := range l.words[1:] {
			w.in.refuseNames("a name or an option of `"+l.name+"`", w.Word, byKey)
		}
	}
}

// checkCode refuses values of more than a level in a word with program text.
func (l *line) checkCode(w word, than level) {
	l.refuseCode(w.findCarriers(), than, l.safe)
}

// checkInput refuses values in the input.
func (l *line) checkInput() {
	start, end := nodeOffsets(l.words[0].Word)
	for _, p := range l.inputs {
		if carriers := l.in.flow.carriersOf(p, l.in, start, end); len(carriers) > 0 {
			l.refuseCode(carriers[:1], clean, l.safe)
		}
	}
}

// refuseCode refuses the carriers of more than a level in a program, with the safe way, in which LABEL
// represents the value.
func (l *line) refuseCode(carriers []carrier, than level, safe string) {
	for _, k := range carriers {
		if k.level > max(than, harmless) {
			k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), l.title).WithHelp(strings.ReplaceAll(cmp.Or(safe, asArgument), "LABEL", k.scriptLabel())))
		}
	}
}

// checkQuoted refuses values that are quoted for a shell where a program quotes them again.
func (l *line) checkQuoted(inner *script) {
	if inner == nil {
		return
	}
	for _, p := range inner.spots {
		if p.place.dead || p.place.quoting == bare && !p.refused {
			continue
		}
		for _, k := range p.partOf.carriersIn(p.part) {
			if k.level > harmless {
				k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), l.title).
					WithHelp("remove the second pair of quotes").WithHelp(strings.ReplaceAll(cmp.Or(l.safe, asArgument), "LABEL", k.scriptLabel())))
			}
		}
	}
}

// checkFile refuses values in the name of a file that a program runs, other than a file
// of a fixed folder or of a fixed name. A process substitution is the program's text.
func (l *line) checkFile(w word) {
	for _, part := range w.Parts {
		if p, ok := part.(*syntax.ProcSubst); ok {
			l.refuseCode(w.in.carriersIn(p), clean, l.safe)
			return
		}
	}
	start, end := nodeOffsets(w.Word)
	text := strings.Trim(w.in.masked[start:end], `"'`)
	if strings.Contains(w.knownText().text, "/") || isWordText(text[strings.LastIndexByte(text, '/')+1:]) && w.in.liveIn(start+strings.LastIndexByte(text, '/'), end) == nil {
		return
	}
	for _, k := range w.findCarriers() {
		k.refuseOnce(finding.ShellProgramFile(k.sourceSpan(), k.describeSource(), l.title, k.scriptLabel()))
	}
}

// checkWritten refuses a file that the script itself wrote a value to.
func (l *line) checkWritten(w word) {
	start, end := nodeOffsets(w.Word)
	if v := l.in.flow.variables[w.in.fileName(w.Word)]; v != nil && v.level > clean {
		l.refuseCode([]carrier{{entry{seed: v.seed, in: w.in, start: start, end: end}, v.level}}, clean, l.safe)
	}
}

// isOnlyValue reports whether a word has no text of the author.
func isOnlyValue(w word) bool {
	start, end := nodeOffsets(w.Word)
	if start == end {
		return false
	}
	only := true
	for _, part := range flattenQuotes(w.Parts) {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			start, end := nodeOffsets(part)
			text := []byte(w.in.masked[start:end])
			for _, p := range w.in.holesIn(start, end) {
				for i := p.Start; i < p.End; i++ {
					text[i-start] = '\''
				}
			}
			only = only && strings.Trim(string(text), "'$") == ""
		}
	}
	return only
}

// flattenQuotes returns the parts of a word, those in quotes one by one.
func flattenQuotes(parts []syntax.WordPart) []syntax.WordPart {
	var list []syntax.WordPart
	for _, p := range parts {
		if q, ok := p.(*syntax.DblQuoted); ok {
			list = append(list, flattenQuotes(q.Parts)...)
			continue
		}
		list = append(list, p)
	}
	return list
}

// checkNodes refuses values that bash itself evaluates.
func (s *script) checkNodes() {
	for _, n := range s.tree.nodes {
		switch n := n.node.(type) {
		case *syntax.DeclClause:
			s.checkDeclared(n)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				s.refuseNames("`[[ "+n.Op.String()+" … ]]`", n.X, byKey)
			}
		case *syntax.ParamExp:
			s.checkParameter(n)
		case *syntax.Redirect:
			if n.Op == syntax.DplOut { // bash expands the name of a file here once more
				for _, k := range s.carriersIn(n.Word) {
					k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), "the redirection `>&`").WithHelp("write `&> " + k.scriptLabel() + "` for a file"))
				}
			}
		}
	}
	if s.outer != nil {
		s.findGuards()
	}
}

// byKey is how to do without a computed name.
const byKey = "use a fixed name, and the value as a key of an associative array: `declare -A by; by[LABEL]=…`"

// refuseNames refuses outsiders' text that bash reads as a name. A guard checks that in
// a subscript.
func (s *script) refuseNames(what string, n syntax.Node, safe string) {
	if w, ok := n.(*syntax.Word); ok && s.outer == nil && beginsWithSubscript(s.readWord(w).text) && len(s.holesIn(nodeOffsets(w))) == 0 {
		return
	}
	for _, k := range s.carriersIn(n) {
		k.refuseOnce(finding.ValueAsName(k.sourceSpan(), k.describeSource(), what).WithHelp(strings.ReplaceAll(safe, "LABEL", k.scriptLabel())))
	}
}

// beginsWithSubscript reports whether a text begins with a name and a bracket.
func beginsWithSubscript(text string) bool {
	name, _, ok := strings.Cut(text, "[")
	return ok && isName(name)
}

// checkParameter refuses ${!x} and ${x@P} of a value: bash evaluates the text of
// x as the name of a variable, subscripts included, or as a prompt.
func (s *script) checkParameter(n *syntax.ParamExp) {
	prompt := n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P"
	if n.Param == nil || !prompt && !isIndirect(n) {
		return
	}
	plain := &syntax.ParamExp{Dollar: n.Dollar, Rbrace: n.Rbrace, Short: n.Short, Param: n.Param}
	if !prompt {
		s.refuseNames("the name of a variable", plain, "use an associative array: `declare -A by; … ${by[$"+n.Param.Value+"]}`")
		return
	}
	for _, k := range s.carriersIn(plain) {
		k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), "the expansion `${…@P}`").WithHelp("print the value unchanged: `" + k.scriptLabel() + "`"))
	}
}

// isIndirect reports whether an expansion is ${!x}.
func isIndirect(n *syntax.ParamExp) bool { return n.Excl && n.Names == 0 && !allElements(n) }

// checkDeclared refuses outsiders' text among the names of a declaration, and where
// a declaration reads it as an array.
func (s *script) checkDeclared(d *syntax.DeclClause) {
	flags, command := declFlags(d), d.Variant.Value
	for _, a := range d.Args {
		switch {
		case a.Value == nil:
		case a.Name == nil:
			name, _, ok := strings.Cut(s.readWord(a.Value).text, "=")
			name = strings.TrimSuffix(name, "+")
			if ok && isName(name) && strings.Trim(flags, "rxgtl") == "" && !s.isArray(name) ||
				strings.Contains(flags, "f") || strings.Contains(flags, "p") && command != "export" {
				continue
			}
			s.refuseNames("a name or an option of `"+command+"`", a.Value, "declare a fixed name with the value: `"+command+" result=LABEL`")
		case strings.Contains(flags, "n") && command != "export" || command == "nameref":
			s.refuseNames("the target of a reference", a.Value, byKey)
		case strings.ContainsAny(flags, "aA") || s.isArray(a.Name.Value):
			for _, k := range s.carriersIn(a.Value) {
				k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), "`"+command+"`").
					WithHelp("write the elements in parentheses: `" + command + " -a " + a.Name.Value + "=(" + k.scriptLabel() + ")`"))
			}
		}
	}
}

// isArray reports whether the script makes an array of a name anywhere.
func (s *script) isArray(name string) bool { return s.tree.arrays[name] || s.tree.associative[name] }

// checkEvent refuses a value in a variable that bash evaluates, where no guard can be.
func (s *script) checkEvent(e event) {
	for _, k := range e.piece.in.carriersIn(e.piece.node) {
		switch {
		case evaluatedVariables[e.name]:
			k.refuseOnce(finding.ShellProgramText(k.sourceSpan(), k.describeSource(), "`"+e.name+"`").
				WithHelp("keep values out of `" + e.name + "`, and pass them as arguments"))
		case e.assigned && !s.tree.unbound[e.name]:
		case s.isReference(e.name):
			e.piece.in.refuseNames("the target of a reference", e.piece.node, byKey)
		default:
			k.refuseOnce(finding.ShellArithmeticVariable(k.sourceSpan(), k.describeSource(), e.name))
		}
	}
}

// refuseOnce reports an error about a piece of a script, once for each.
func (k *carrier) refuseOnce(d *diag.Diagnostic) {
	root := k.in.outermostScript()
	if p := k.seed.spot; p != nil && k.in == root && k.start == p.Start && k.end == p.End {
		root.refuseHole(p, d)
		return
	}
	at := k.in.rootOffset(k.start)
	if root.flagged[at] {
		return
	}
	root.flagged[at] = true
	if p := k.seed.spot; p != nil {
		d.WithRelated(root.sourceSpan(p.Start, p.End), "the value comes from here")
	}
	root.report(d)
}

// sourceSpan returns the place of a carrier.
func (k *carrier) sourceSpan() source.Span { return k.in.sourceSpan(k.start, k.end) }

// scriptLabel returns a carrier as it may be written in a script.
func (k *carrier) scriptLabel() string {
	switch {
	case isName(k.through) || isPositional(k.through):
		return `"$` + k.through + `"`
	case k.seed.spot != nil:
		return k.seed.spot.Label
	case k.seed.variable != "":
		return `"$` + k.seed.variable + `"`
	}
	return `"$value"`
}

// describeSource names a carrier in a message.
func (k *carrier) describeSource() string {
	what := "`$" + k.seed.variable + "`"
	if k.seed.spot != nil {
		what = "`" + k.seed.spot.Label + "`"
	}
	if k.through == k.seed.variable && k.through != "" || !isName(k.through) && !isPositional(k.through) {
		return what
	}
	return "`$" + k.through + "`, which holds " + what + ","
}

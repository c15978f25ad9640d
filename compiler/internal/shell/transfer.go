package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file computes the text of the parts of a script: words, expansions, and,
// with outputs.go, command substitutions.

// node returns the possible text of a node.
func (t *tracker) node(n syntax.Node) value {
	switch n := n.(type) {
	case *syntax.Word:
		return t.word(n)
	case *syntax.ProcSubst:
		return t.outputs(n.Stmts, t.lost("the input", int(n.Pos().Offset())))
	case syntax.WordPart:
		return t.part(n)
	case *syntax.ArrayExpr:
		v := value{}
		for _, e := range n.Elems {
			v.join(t.word(e.Value))
		}
		if len(n.Elems) == 0 {
			return constant("")
		}
		return v
	case *syntax.Stmt:
		return t.output(n, t.lost("the input", int(n.Pos().Offset())))
	case *parameters:
		return t.parameter("@", int(n.Pos().Offset()))
	case *indirect:
		return t.named(n.Node.(*syntax.Word))
	case *everything:
		return t.ever(n.name)
	case *lostNode:
		return t.lost(n.what, int(n.Pos().Offset()))
	case *fileNode:
		return t.lost("the content of a file", int(n.Pos().Offset()))
	case *printed:
		return t.printed(n.CallExpr.Args)
	case constantNode:
		return constant(n.text)
	case syntax.ArithmExpr:
		return number()
	case nil:
		return constant("")
	}
	return anyText()
}

// ever returns the possible values of a variable at any time.
func (t *tracker) ever(name string) value {
	t.note(name)
	v := t.own[slot{name, nowhere}]
	v.join(t.inFunctions[name])
	v.join(t.asLocal[name])
	v.join(t.computed[name])
	v.join(t.wild)
	return v
}

// named returns the values of the variables that a word names.
func (t *tracker) named(w *syntax.Word) value {
	names := t.word(w)
	v := value{}
	for _, c := range names.consts {
		c, _, _ = strings.Cut(c, "[")
		if isPositional(c) {
			v.join(t.parameter(c, int(w.Pos().Offset())))
		} else {
			v.join(t.ever(c))
			v.join(t.environment(c))
		}
	}
	if names.open {
		v.join(t.lost("a variable whose name is computed", int(w.Pos().Offset())))
	}
	return v
}

// word returns the text of a word.
func (t *tracker) word(w *syntax.Word) value {
	if w == nil {
		return constant("")
	}
	if len(w.Parts) == 1 {
		return t.part(w.Parts[0])
	}
	return t.parts(w.Parts)
}

// parts returns the joined text of parts. For very many parts, it returns only
// their origins.
func (t *tracker) parts(parts []syntax.WordPart) value {
	v := constant("")
	for i, p := range parts {
		if i == fewEvents {
			v.open, v.text, v.consts = true, true, nil
		}
		given := t.part(p)
		if i >= fewEvents {
			v.join(value{origins: given.origins})
			continue
		}
		v = v.then(given)
	}
	return v
}

func (t *tracker) part(p syntax.WordPart) value {
	switch p := p.(type) {
	case *syntax.Lit:
		return t.literal(p, unescape(p.Value, ""))
	case *syntax.SglQuoted:
		if p.Dollar && strings.Contains(p.Value, `\`) {
			v := t.literal(p, "")
			v.open, v.text, v.consts = true, true, nil
			return v
		}
		return t.literal(p, p.Value)
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			return constant("")
		}
		return t.parts(p.Parts)
	case *syntax.ParamExp:
		return t.expansion(p)
	case *syntax.CmdSubst:
		return t.substitution(p)
	case *syntax.ArithmExp:
		return number()
	case *syntax.ProcSubst:
		return anyText()
	case *syntax.ExtGlob:
		v := t.literal(p.Pattern, "")
		v.open, v.text, v.consts = true, true, nil
		return v
	}
	return anyText()
}

// literal is a text of the script with the holes in it.
func (t *tracker) literal(n syntax.Node, text string) value {
	start, end := offsets(n)
	v := value{}
	for _, p := range spotsFrom(t.s.spots, start) {
		if p.Start >= end {
			break
		}
		if !p.place.dead {
			v.join(hole(p))
			if p.Start > start || p.End < end {
				v.text = true
			}
		}
	}
	if v.open {
		return v
	}
	return constant(text)
}

// substitution is the output of $(…).
func (t *tracker) substitution(n *syntax.CmdSubst) value {
	start := int(n.Pos().Offset())
	if len(n.Stmts) == 1 && n.Stmts[0].Cmd == nil && len(n.Stmts[0].Redirs) > 0 {
		v := value{}
		for _, node := range redirected(n.Stmts[0]) {
			v.join(t.node(node))
		}
		return v
	}
	v := t.outputs(n.Stmts, t.lost("the input", start))
	if len(v.consts) == 0 && !v.open && len(n.Stmts) == 0 {
		return constant("")
	}
	trimmed := value{origins: v.origins, open: v.open, text: v.text}
	for _, c := range v.consts {
		trimmed.join(constant(strings.TrimRight(c, "\n")))
	}
	return trimmed
}

// expansion returns the text of ${…}.
func (t *tracker) expansion(n *syntax.ParamExp) value {
	if n.Param == nil {
		return anyText()
	}
	start, end := offsets(n)
	if holes := t.s.holesIn(start, end); len(holes) > 0 && n.Short {
		// The mask of a hole runs on from the name or the dollar before it.
		v := constant("")
		if cut := holes[0].Start; cut > start+1 {
			v = t.variable(t.s.masked[start+1:cut], start)
		}
		return v.then(t.literal(n.Param, ""))
	}
	name := n.Param.Value
	switch {
	case n.Length:
		return number()
	case n.Names != 0:
		return anyText()
	case n.Excl && allElements(n):
		if !t.s.tree.associative[name] {
			return number()
		}
		v := t.ever(keysOf(name))
		v.join(anyText())
		return v
	case n.Excl:
		return t.named(&syntax.Word{Parts: []syntax.WordPart{&syntax.ParamExp{Short: true, Dollar: n.Dollar, Param: n.Param}}})
	}
	v := t.variable(name, start)
	if n.Slice != nil || n.Repl != nil || n.Exp != nil {
		return t.operated(n, v)
	}
	return v
}

// allElements reports whether an expansion is of all elements of an array, or of
// all its keys.
func allElements(n *syntax.ParamExp) bool {
	w, ok := n.Index.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// operated is the text of a variable after an operator of ${…}.
func (t *tracker) operated(n *syntax.ParamExp, v value) value {
	switch {
	case keepsDigitsOnly(n):
		return number()
	case n.Slice != nil:
		if name := n.Param.Value; name == "@" || name == "*" || n.Index != nil {
			return v
		}
		return v.changed()
	case n.Repl != nil:
		v = v.changed()
		with := t.word(n.Repl.With).changed()
		v.text = v.text || with.text
		v.join(value{origins: with.origins})
		return v
	}
	switch n.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		r := t.word(n.Exp.Word)
		r.join(constant(""))
		return r
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		v.join(t.word(n.Exp.Word))
		return v
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v
	case syntax.OtherParamOps:
		switch n.Exp.Word.Lit() {
		case "Q", "A", "K", "k":
			return v.quoted()
		case "P":
			return t.lost("the result of ${…@P}", int(n.Pos().Offset()))
		}
	}
	return v.changed()
}

// keepsDigitsOnly reports whether an expansion is ${x//[^0-9]/}.
func keepsDigitsOnly(n *syntax.ParamExp) bool {
	if n.Repl == nil || !n.Repl.All || n.Repl.Orig == nil || n.Repl.With != nil && len(n.Repl.With.Parts) > 0 {
		return false
	}
	return slices.Contains([]string{"[^0-9]", "[!0-9]", "[^[:digit:]]", "[![:digit:]]"}, n.Repl.Orig.Lit())
}

// variable returns the value of a variable or a parameter with a special name.
func (t *tracker) variable(name string, at int) value {
	switch name {
	case "?", "#", "$", "!":
		return number()
	case "0":
		if t.s.given != nil {
			v, _ := t.s.given(name)
			return v
		}
		return anyText()
	case "-":
		return anyText()
	case "_":
		return t.lost("the last argument of a command", at)
	}
	v := t.holds(name, at)
	if counted[name] && !v.hostile() && !t.s.tree.functions["()"] {
		if len(t.slots[slot{name, nowhere}]) == 0 && len(t.inFunctions[name].consts) == 0 && !t.inFunctions[name].open {
			return number()
		}
	}
	return v
}

// counted are the variables that bash itself keeps as integers.
var counted = map[string]bool{
	"RANDOM": true, "SRANDOM": true, "SECONDS": true, "LINENO": true, "EPOCHSECONDS": true, "UID": true, "EUID": true, "PPID": true,
	"BASHPID": true, "BASH_SUBSHELL": true, "SHLVL": true, "OPTIND": true, "HISTCMD": true, "PIPESTATUS": true, "BASH_LINENO": true,
	"BASH_VERSINFO": true, "GROUPS": true, "BASH_ARGC": true, "COMP_CWORD": true,
}

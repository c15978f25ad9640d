package shell

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/types"
	"mvdan.cc/sh/v3/syntax"
)

// Values travel: `x=$a.output; eval "$x"` runs the value as surely as `eval
// $a.output` does. The flow is the graph of a script's variables: an edge leads from each
// variable whose text another one may get. It has no order and no branches: what a
// variable holds anywhere, it may hold everywhere. Functions' parameters, outputs and
// inputs are variables, too. Nothing is followed through files, the environment or
// programs other than shells.

// A level says what outsiders' text is to a shell that reads it.
type level int

const (
	clean    level = iota
	harmless       // of a type without room for code: numbers, bools, enums of plain words
	quoted         // quoted once for a shell: printf %q, ${x@Q}
	raw
)

// A change says what happens to a text on its way.
type change int

const (
	copied change = iota
	quotes
	altered
)

// afterChange is the level of a text that was changed. Direct text isn't the output of a
// command, which may print anything about a harmless value.
func (l level) afterChange(c change, direct bool) level {
	switch {
	case l == harmless && !direct:
		return raw.afterChange(c, direct)
	case l <= harmless || c == copied:
		return l
	case c == quotes:
		return quoted
	}
	return raw
}

func (c change) followedBy(next change) change {
	if next == copied {
		return c
	}
	return next
}

// A seed is a source of outsiders' text: a hole, or a variable that an outsider chooses.
type seed struct {
	spot     *spot
	variable string
}

// A variable is one variable of a script, under one name in all functions.
type variable struct {
	level level
	seed  seed // of the text, unless the level is clean
	// text says that it may be something other than an integer or nothing, and set that
	// the script gives it a value.
	text, set bool
	// literals are the fixed texts that the script assigns, others says that there are
	// more values.
	literals []string
	others   bool
	// changes are where the script gives it text: offsets in the outermost script.
	changes []int
	feeds   []edge
}

type edge struct {
	to     *variable
	change change
	text   bool // the text arrives as it is, and not as the output of a command
}

// A piece is a node of a script, or one of the flow's own variables.
type piece struct {
	in       *script
	node     syntax.Node
	variable string
}

// An entry is a place in a piece where text comes in: a seed, or a variable.
type entry struct {
	seed     seed
	variable string
	change   change
	direct   bool // it is not in the output of a command
	in       *script
	start    int
	end      int
	through  string // the variable as the script names it
}

// flow is the graph of an outermost script and the programs in it.
type flow struct {
	root      *script
	variables map[string]*variable
	scopes    map[string]*scope
	// functions are the names of declared functions, arrays the assignments of lists.
	functions map[string]bool
	arrays    map[string][]arrayText
	lines     []*line
	inner     []*script
	// numbered are what the script feeds to descriptors other than the input.
	numbered []piece
	watched  []event
	named    []assignment
}

// An event gives a variable that bash evaluates a value.
type event struct {
	name     string
	piece    piece
	assigned bool // by an assignment, so that a guard may be before it
}

func (f *flow) ensureVariable(name string) *variable {
	v := f.variables[name]
	if v == nil {
		v = &variable{}
		f.variables[name] = v
	}
	return v
}

// gainPiece adds the text of a piece to a variable.
func (f *flow) gainPiece(name string, p piece, how change) *variable {
	v := f.ensureVariable(name)
	v.set = true
	if p.in == nil {
		f.ensureVariable(p.variable).feeds = append(f.ensureVariable(p.variable).feeds, edge{v, how, true})
		v.others = true
		return v
	}
	if p.in.holdsText(p.node, nil) {
		v.text = true
	}
	if w, ok := p.node.(*syntax.Word); ok && p.in.readWord(w).full && how == copied {
		v.literals = append(v.literals, p.in.readWord(w).text)
	} else {
		v.others = true
	}
	v.changes = append(v.changes, p.in.rootOffset(int(p.node.Pos().Offset())))
	p.in.visitSources(p.node, how, true, func(src entry) {
		if src.variable != "" {
			from := f.ensureVariable(src.variable)
			from.feeds = append(from.feeds, edge{v, src.change, src.direct})
			return
		}
		v.raiseLevel(src.seed, src.seed.level().afterChange(src.change, src.direct))
		v.text = v.text || src.direct && src.seed.isText()
	})
	return v
}

// gainText gives a variable text that no outsider chooses.
func (f *flow) gainText(name string, p piece) {
	v := f.ensureVariable(name)
	v.set, v.text, v.others = true, true, true
	v.changes = append(v.changes, p.in.rootOffset(int(p.node.Pos().Offset())))
}

func (v *variable) raiseLevel(from seed, l level) bool {
	if l <= v.level {
		return false
	}
	v.level, v.seed = l, from
	return true
}

func (s seed) level() level {
	if s.spot != nil && types.IsHarmless(s.spot.Type) {
		return harmless
	}
	return raw
}

func (s seed) isText() bool {
	return s.spot == nil || !s.spot.place.arith && !alwaysInteger(s.spot.Type)
}

// propagateText spreads outsiders' text along the edges.
func (f *flow) propagateText() {
	for _, name := range f.root.options.Variables {
		if v := f.ensureVariable(name); !v.set || !f.root.assignsFirst(name) {
			v.raiseLevel(seed{variable: name}, raw)
			v.text = true
		}
	}
	var queue []*variable
	if any := f.variables[anyVariable]; any != nil {
		for _, v := range f.variables {
			any.feeds = append(any.feeds, edge{v, altered, true})
		}
	}
	for name, v := range f.variables {
		if !v.set && !strings.ContainsAny(name, "([") && !counted[name] {
			v.text = true // of the environment
		}
		if v.text || v.level > clean {
			queue = append(queue, v)
		}
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, e := range v.feeds {
			grown := e.to.raiseLevel(v.seed, v.level.afterChange(e.change, e.text))
			if v.text && e.text && !e.to.text {
				e.to.text, grown = true, true
			}
			if grown {
				queue = append(queue, e.to)
			}
		}
	}
}

// assignsFirst reports whether the script's first mention of a variable is an assignment
// that happens for certain.
func (s *script) assignsFirst(name string) bool {
	first := strings.Index(s.src, name)
	for _, n := range s.tree.nodes {
		if a, ok := n.node.(*syntax.Assign); ok && int(a.Pos().Offset()) == first {
			return n.depth <= 3 && a.Value != nil
		}
	}
	return false
}

// counted are the variables that bash itself keeps as integers.
var counted = setOf("RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "UID", "EUID", "PPID", "BASHPID", "BASH_SUBSHELL", "SHLVL",
	"OPTIND", "HISTCMD", "PIPESTATUS", "BASH_LINENO", "BASH_VERSINFO", "GROUPS", "BASH_ARGC", "COMP_CWORD", "?", "#", "$", "!")

// visitSources visits the places where text comes into a node: of the node's own text, or of
// the output of a statement.
func (s *script) visitSources(n syntax.Node, how change, direct bool, visit func(entry)) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if direct {
				s.visitSources(n, how, false, visit)
				return false
			}
		case *syntax.Lit, *syntax.SglQuoted:
			s.holeSources(n, how, direct, visit)
		case *syntax.ParamExp:
			s.expansionSources(n, how, direct, visit)
			return false
		case *syntax.CmdSubst:
			if s.printsNumber(n, true) {
				return false
			}
			then := altered
			if s.quotesOutput(n) {
				then = quotes
			}
			for _, st := range n.Stmts {
				s.visitSources(st, then.followedBy(how), false, visit)
			}
			return false
		case *syntax.ProcSubst:
			if n.Op == syntax.CmdIn {
				for _, st := range n.Stmts {
					s.visitSources(st, altered, false, visit)
				}
			}
			return false
		case *syntax.Redirect:
			for _, w := range fedWords(n) {
				s.visitSources(w, how, direct, visit)
			}
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name := s.readWord(n.Args[0]).text
				if name == "[" || name == "test" {
					return false
				}
				if s.flow.functions[name] {
					start, end := nodeOffsets(n)
					visit(entry{variable: name + "()!", change: how, in: s, start: start, end: end})
				}
			}
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.TestClause, *syntax.FuncDecl:
			return false
		}
		return true
	})
}

// holeSources visits the holes in a text.
func (s *script) holeSources(n syntax.Node, how change, direct bool, visit func(entry)) {
	start, end := nodeOffsets(n)
	for _, p := range spotsFrom(s.spots, start) {
		if p.Start >= end {
			return
		}
		s.holeSource(p, how, direct, visit)
	}
}

func (s *script) holeSource(p *spot, how change, direct bool, visit func(entry)) {
	switch {
	case p.place.dead, p.Type == types.Invalid, s.outer == nil && slices.Contains(s.options.Runner, strings.Trim(p.Label, "${}")):
	case p.part != nil:
		p.partOf.visitSources(p.part, altered.followedBy(how), direct, visit) // the shell takes its quotes off
	default:
		visit(entry{seed: seed{spot: p}, change: how, direct: direct, in: s, start: p.Start, end: p.End})
	}
}

// expansionSources visits the sources of ${…}.
func (s *script) expansionSources(n *syntax.ParamExp, how change, direct bool, visit func(entry)) {
	start, end := nodeOffsets(n)
	if n.Param == nil || n.Length || n.Names != 0 || keepsDigitsOnly(n) {
		return
	}
	at := entry{change: how, direct: direct, in: s, start: start, end: end, through: n.Param.Value}
	if holes := s.holesIn(start, end); n.Short && len(holes) > 0 {
		// The mask of a hole runs on from the name or the dollar before it.
		if at.end = holes[0].Start; at.end > start+1 {
			at.through = s.masked[start+1 : at.end]
			at.variable = s.variableName(at.through, start)
			visit(at)
		}
		s.holeSource(holes[0], how, direct, visit)
		return
	}
	at.variable = s.variableName(n.Param.Value, start)
	switch {
	case n.Excl && allElements(n):
		at.variable += "[!]"
	case n.Excl:
		for _, name := range s.flow.ensureVariable(at.variable).literals {
			name, _, _ = strings.Cut(name, "[")
			at.variable = s.variableName(name, start)
			visit(at)
		}
		return
	case n.Repl != nil:
		at.change = altered.followedBy(how)
		if n.Repl.With != nil {
			s.visitSources(n.Repl.With, at.change, direct, visit)
		}
	case n.Slice != nil && n.Param.Value != "@" && n.Index == nil:
		at.change = altered.followedBy(how)
	case n.Exp == nil:
	case isAlternative(n.Exp.Op):
		if n.Exp.Word != nil {
			s.visitSources(n.Exp.Word, how, direct, visit)
		}
		if n.Exp.Op == syntax.AlternateUnset || n.Exp.Op == syntax.AlternateUnsetOrNull {
			return
		}
	case n.Exp.Op == syntax.OtherParamOps && slices.Contains([]string{"Q", "A", "K", "k"}, n.Exp.Word.Lit()):
		at.change = quotes.followedBy(how)
	default:
		at.change = altered.followedBy(how)
	}
	visit(at)
}

// variableName is the name in the flow of a variable at an offset.
func (s *script) variableName(name string, at int) string {
	if !isPositional(name) {
		return name
	}
	scope := s.scopeAt(at)
	if name == "*" || len(name) > 1 || s.flow.ensureScope(scope).shifted > 0 {
		name = "@"
	}
	return scope + "()" + name
}

func isPositional(name string) bool {
	return name == "@" || name == "*" || name != "" && '1' <= name[0] && name[0] <= '9'
}

// holdsText reports whether a node's own text is something other than an integer,
// variables aside, unless their names are to be asked for.
func (s *script) holdsText(n syntax.Node, variable func(name string) bool) bool {
	text := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			text = text || s.isTextLiteral(n, removeBackslashes(n.Value, ""))
		case *syntax.SglQuoted:
			text = text || s.isTextLiteral(n, n.Value)
		case *syntax.CmdSubst:
			text = text || !s.printsNumber(n, false)
			return false
		case *syntax.ProcSubst, *syntax.ExtGlob, *syntax.Stmt:
			text = true
		case *syntax.ArithmExp:
			return false
		case *syntax.ParamExp:
			if variable != nil {
				s.expansionSources(n, copied, true, func(src entry) {
					text = text || src.variable != "" && variable(src.variable) || src.variable == "" && src.seed.isText()
				})
			}
			text = text || n.Names != 0 || n.Excl && (!allElements(n) || s.tree.associative[n.Param.Value]) ||
				n.Exp != nil && n.Exp.Op == syntax.OtherParamOps || n.Repl != nil && n.Repl.With != nil && s.holdsText(n.Repl.With, variable)
			if n.Exp != nil && isAlternative(n.Exp.Op) && n.Exp.Word != nil {
				text = text || s.holdsText(n.Exp.Word, variable)
			}
			return false
		}
		return !text
	})
	return text
}

// isTextLiteral reports whether a literal is neither an integer nor a hole for one.
func (s *script) isTextLiteral(n syntax.Node, text string) bool {
	start, end := nodeOffsets(n)
	holes := s.holesIn(start, end)
	if len(holes) == 0 {
		return !isNumber(text)
	}
	return len(holes) > 1 || (seed{spot: holes[0]}).isText() || holes[0].Start != start || holes[0].End != end
}

// isText reports whether a node may be something other than an integer or nothing.
func (s *script) isText(n syntax.Node) bool {
	return s.holdsText(n, func(name string) bool { return s.flow.ensureVariable(name).text })
}

// isTextVariable is isText of a variable at an offset.
func (s *script) isTextVariable(name string, at int) bool {
	v, known := s.flow.variables[s.variableName(name, at)]
	if !known {
		return !isPositional(name) && !counted[name]
	}
	return v.text
}

// isNumber reports whether arithmetic reads a text as an integer, or as
// nothing, and runs none of it.
func isNumber(text string) bool {
	digits := strings.TrimLeft(strings.TrimSpace(text), "+-")
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(digits, "0123456789") == ""
}

// keepsDigitsOnly reports whether an expansion is ${x//[^0-9]/}.
func keepsDigitsOnly(n *syntax.ParamExp) bool {
	if n.Repl == nil || !n.Repl.All || n.Repl.Orig == nil || n.Repl.With != nil && len(n.Repl.With.Parts) > 0 {
		return false
	}
	return slices.Contains([]string{"[^0-9]", "[!0-9]", "[^[:digit:]]", "[![:digit:]]"}, n.Repl.Orig.Lit())
}

// allElements reports whether an expansion is of all elements of an array, or of
// all its keys.
func allElements(n *syntax.ParamExp) bool {
	w, ok := n.Index.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// quotesOutput reports whether a substitution is a single printf of quoted words.
func (s *script) quotesOutput(n *syntax.CmdSubst) bool {
	if len(n.Stmts) != 1 {
		return false
	}
	call, ok := n.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 3 || s.readWord(call.Args[0]).text != "printf" {
		return false
	}
	format := s.readWord(call.Args[1])
	rest := strings.ReplaceAll(format.text, "%q", "")
	return format.full && rest != format.text && !strings.ContainsAny(rest, "%\\")
}

// printsNumber reports whether a substitution prints only integers for any input, or digits
// with separators between them: a count, or what grep and tr select, which other filters
// leave as it is.
func (s *script) printsNumber(n *syntax.CmdSubst, separated bool) bool {
	if len(n.Stmts) != 1 {
		return false
	}
	for st := n.Stmts[0]; ; {
		last := st
		b, piped := st.Cmd.(*syntax.BinaryCmd)
		if piped && b.Op == syntax.Pipe {
			last, st = b.Y, b.X
		}
		call, ok := last.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || s.flow.functions[s.readWord(call.Args[0]).text] {
			return false
		}
		options, operands := "", []string{}
		for _, w := range call.Args[1:] {
			if a := s.readWord(w); a.full && strings.HasPrefix(a.text, "-") {
				options += a.text
			} else {
				operands = append(operands, a.text)
			}
		}
		switch name := s.readWord(call.Args[0]).text; {
		case name == "wc": // with a file it prints the name, too
			return len(operands) == 0 && len(options) == 2
		case name == "grep" && strings.Contains(options, "c"):
			return len(operands) <= 2 && !strings.ContainsAny(options, "rRH")
		case name == "date":
			return slices.Equal(operands, []string{"+%s"}) && options == ""
		case name == "grep" && len(operands) > 0:
			return separated && len(operands) <= 2 && strings.Contains(options, "o") && strings.Trim(options, "-ohEPm1") == "" && digitPattern().MatchString(operands[0])
		case name == "tr" && len(operands) > 0 && (options == "-cd" || options == "-dc"):
			return separated && listContains("0-9 0123456789 [:digit:]", operands[0])
		case piped && listContains("sort uniq head tail tac", name), piped && name == "tr" && options == "-d":
			continue
		}
		return false
	}
}

// digitPattern finds regular expressions that only match digits and single separators.
var digitPattern = lazyregexp.New(`^\^?((\[0-9\]|\[\[:digit:\]\]|\\d)(\\?[+*?]|\\?\{[0-9,]+\\?\})?(\\\.|[-:]|$|\$$)?)+$`)

// A carrier is a piece of a script that holds outsiders' text.
type carrier struct {
	entry
	level level
}

// carriersIn returns the pieces of a node that hold outsiders' text.
func (s *script) carriersIn(n syntax.Node) []carrier {
	var found []carrier
	s.visitSources(n, copied, true, func(src entry) {
		k := carrier{src, src.seed.level().afterChange(src.change, src.direct)}
		if src.variable != "" {
			v := s.flow.variables[src.variable]
			if v == nil || v.level == clean {
				return
			}
			k.seed, k.level = v.seed, v.level.afterChange(src.change, src.direct)
			if p := k.seed.spot; p != nil && strings.HasPrefix(src.through, suppliedName) {
				k.in, k.start, k.end = s.outermostScript(), p.Start, p.End
			}
		}
		found = append(found, k)
	})
	return found
}

// carriersOf is carriersIn of a piece that came to the script at a place, or of the variable that it is.
func (f *flow) carriersOf(p piece, at *script, start, end int) []carrier {
	if p.in != nil {
		return p.in.carriersIn(p.node)
	}
	if v := f.variables[p.variable]; v != nil && v.level > clean {
		if p := v.seed.spot; p != nil {
			at, start, end = f.root, p.Start, p.End
		}
		return []carrier{{entry{seed: v.seed, in: at, start: start, end: end}, v.level}}
	}
	return nil
}

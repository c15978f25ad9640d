package shell

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is a word of a command line, with the script that has it.
type word struct {
	*syntax.Word
	in *script
}

func (s *script) wordsOf(list []*syntax.Word) []word {
	words := make([]word, len(list))
	for i, w := range list {
		words[i] = word{w, s}
	}
	return words
}

func (w word) knownText() arg          { return w.in.readWord(w.Word) }
func (w word) asPiece() piece          { return piece{in: w.in, node: w.Word} }
func (w word) findCarriers() []carrier { return w.in.carriersIn(w.Word) }

// A scope is a function, or a program with parameters of its own.
type scope struct {
	// calls are the arguments it is called with, heads its commands that begin with a
	// parameter.
	calls [][]word
	heads []head
	// shifted is by how many places it moves its parameters at most, if each shift happens
	// once.
	shifted int
}

// A head is a command whose first word is a parameter.
type head struct {
	in    *script
	rest  []word
	path  []syntax.Node
	depth int
	// from is the first parameter of the command, and only says that it is the last, too.
	from int
	only bool
}

// An arrayText is an assignment of a list.
type arrayText struct {
	words    []word
	appended bool
}

func (f *flow) ensureScope(name string) *scope {
	sc := f.scopes[name]
	if sc == nil {
		sc = &scope{}
		f.scopes[name] = sc
	}
	return sc
}

// newFlow collects the flow of an outermost script.
func newFlow(s *script) *flow {
	f := &flow{root: s, variables: map[string]*variable{}, scopes: map[string]*scope{}, functions: map[string]bool{}, arrays: map[string][]arrayText{}}
	s.flow = f
	f.collectScript(s)
	f.assignNamed()
	f.propagateText()
	return f
}

// collectScript adds a script to the flow.
func (f *flow) collectScript(s *script) {
	for _, n := range s.tree.nodes {
		switch n := n.node.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				f.functions[n.Name.Value] = true
				s.addFunctionRange(n)
			}
		case *syntax.CallExpr:
			s.noteShift(n)
		case *syntax.Assign:
			if n.Name != nil && n.Array != nil {
				f.noteArray(s, n)
			}
		case *syntax.Redirect:
			if n.N != nil && n.N.Value != "0" {
				for _, w := range fedWords(n) {
					f.numbered = append(f.numbered, piece{in: s, node: w})
				}
			}
		}
	}
	s.walkNodes(func(n syntax.Node, nodes []syntax.Node) { f.collectNode(s, n, nodes) })
}

// noteShift notes that a function moves its parameters.
func (s *script) noteShift(n *syntax.CallExpr) {
	if len(n.Args) == 0 || n.Args[0].Lit() != "shift" {
		return
	}
	by := 1
	if len(n.Args) > 1 {
		if n, err := strconv.Atoi(n.Args[1].Lit()); err == nil {
			by = n
		}
	}
	s.flow.ensureScope(s.scopeAt(int(n.Pos().Offset()))).shifted += max(by, 0)
}

func (f *flow) noteArray(s *script, a *syntax.Assign) {
	var words []word
	for _, e := range a.Array.Elems {
		if e.Value != nil {
			words = append(words, word{e.Value, s})
		}
	}
	f.arrays[a.Name.Value] = append(f.arrays[a.Name.Value], arrayText{words, a.Append})
}

func (f *flow) collectNode(s *script, n syntax.Node, nodes []syntax.Node) {
	here := func(n syntax.Node) piece { return piece{in: s, node: n} }
	switch n := n.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			f.gainPiece(n.Name.Value+"()!", here(n.Body), altered)
		}
	case *syntax.WordIter:
		for _, w := range n.Items {
			how := copied
			if mayBeSeveral(w) {
				how = altered
			}
			f.giveVariable(s, n.Name.Value, here(w), how, false)
		}
		if len(n.Items) == 0 && !n.InPos.IsValid() {
			f.giveVariable(s, n.Name.Value, piece{variable: s.scopeAt(int(n.Pos().Offset())) + "()@"}, copied, false)
		}
	case *syntax.Assign:
		f.collectAssign(s, n)
	case *syntax.DeclClause:
		for _, a := range n.Args {
			switch {
			case a.Name != nil && a.Value != nil && s.isReference(a.Name.Value):
				f.named = append(f.named, assignment{word{a.Value, s}, piece{variable: a.Name.Value}, true})
			case a.Name == nil && a.Value != nil && isAssignmentText(s.readWord(a.Value).text):
				f.assignText(s, word{a.Value, s})
			}
		}
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			f.addCommand(s, s.wordsOf(n.Args), nodes, 0)
		}
	case *syntax.Redirect:
		switch n.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
			f.gainPiece(s.fileName(n.Word), here(parentOf(nodes)), altered)
		}
	case *syntax.BinaryTest:
		if n.Op == syntax.TsReMatch {
			f.gainPiece("BASH_REMATCH", here(n.X), altered)
		}
	case *syntax.BinaryArithm:
		if w, ok := n.X.(*syntax.Word); ok && isAssignment(n.Op) && isName(w.Lit()) {
			f.ensureVariable(w.Lit()).set = true
		}
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil && n.Exp.Word != nil {
			f.giveVariable(s, n.Param.Value, here(n.Exp.Word), copied, false)
		}
	}
}

// fileName is the name in the flow of a file that the script writes and runs itself, under
// the same name. Files are not followed any further.
func (s *script) fileName(w *syntax.Word) string {
	if p, ok := loneExpansion(w); ok && p.Param != nil && isPlain(p) {
		return "(file)$" + p.Param.Value
	}
	return "(file)" + commandName(word{w, s})
}

func parentOf(nodes []syntax.Node) syntax.Node { return nodes[max(0, len(nodes)-2)] }

// giveVariable is gain of a variable that a script names.
func (f *flow) giveVariable(s *script, name string, p piece, how change, assigned bool) {
	f.gainPiece(name, p, how)
	if evaluatedVariables[name] || s.isInteger(name) || s.isReference(name) {
		f.watched = append(f.watched, event{name, p, assigned})
	}
}

// evaluatedVariables are those whose text bash itself runs.
var evaluatedVariables = setOf("PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "BASH_ENV", "ENV")

func (f *flow) collectAssign(s *script, a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		if a.Name != nil {
			f.ensureVariable(a.Name.Value).set = true
		}
		return
	}
	name := a.Name.Value
	if a.Index != nil {
		f.gainPiece(name+"[!]", piece{in: s, node: a.Index}, copied)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				f.gainPiece(name+"[!]", piece{in: s, node: e.Index}, copied)
			}
			if e.Value != nil {
				f.giveVariable(s, name, piece{in: s, node: e.Value}, copied, true)
			}
		}
		return
	}
	if a.Value == nil {
		f.ensureVariable(name).set = true
		return
	}
	if s.outer != nil && s.containsHole(a.Name) {
		for _, p := range s.holesIn(nodeOffsets(a.Name)) { // the text around the program has the name
			f.named = append(f.named, assignment{word{&syntax.Word{Parts: []syntax.WordPart{p.part}}, p.partOf}, piece{in: s, node: a.Value}, false})
		}
	}
	how := copied
	if a.Append {
		how = altered
	}
	f.giveVariable(s, name, piece{in: s, node: a.Value}, how, true)
	if s.isInteger(name) {
		f.ensureVariable(name).text = false // the guard sees to that
	}
}

// assignText adds the assignment in the text of a word.
func (f *flow) assignText(s *script, w word) {
	name, _, _ := strings.Cut(w.knownText().text, "=")
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "+"), "[")
	f.giveVariable(s, name, w.asPiece(), altered, false)
}

// An assignment gives text to the variables that a word names.
type assignment struct {
	to   word
	from piece
	// both says that the variables give theirs, too: they are one.
	both bool
}

// addTo adds to the variables that a word names.
func (f *flow) addTo(s *script, w word, from []piece) {
	if a := w.knownText(); a.full || beginsWithSubscript(a.text) {
		name, _, _ := strings.Cut(a.text, "[")
		f.gainText(name, w.asPiece())
		for _, p := range from {
			f.giveVariable(s, name, p, altered, false)
		}
		return
	}
	for _, p := range from {
		f.named = append(f.named, assignment{w, p, false})
	}
}

// assignNamed adds what the script gives to variables with computed names; one that is
// unknown may be any.
func (f *flow) assignNamed() {
	for _, a := range f.named {
		names := []string{anyVariable}
		if p, ok := loneExpansion(a.to.Word); ok && p.Param != nil {
			if v := f.ensureVariable(a.to.in.variableName(p.Param.Value, int(p.Pos().Offset()))); len(v.literals) > 0 {
				names = v.literals
			}
		} else if text := a.to.knownText(); text.full {
			names = []string{text.text}
		}
		for _, name := range names {
			name, _, _ = strings.Cut(name, "[")
			f.giveVariable(a.to.in, name, a.from, altered, false)
			if a.both {
				f.gainPiece(a.from.variable, piece{variable: name}, copied)
			}
		}
	}
}

// anyVariable is the name of a variable that only the run knows.
const anyVariable = "(any)"

// addCommand adds a command line, and those that it comes to.
func (f *flow) addCommand(s *script, words []word, nodes []syntax.Node, depth int) {
	if len(words) == 0 || depth > maxDepth {
		return
	}
	l := &line{in: s, words: words, name: commandName(words[0])}
	l.expanded = f.expandCommand(s, words, nodes, depth)
	if l.interpreter = s.lookupInterpreter(l.name); l.interpreter != nil || f.functions[l.name] || inputReaders[l.name] {
		l.inputs = s.commandInputs(nodes)
	}
	f.lines = append(f.lines, l)
	f.collectCall(l)
	if l.readProgram(); l.stdin && l.interpreter != nil {
		l.files = append(l.files, s.inputFile(nodes)...)
	}
	for _, code := range l.shellCode {
		l.inner = append(l.inner, f.newInner(l, code))
	}
	for _, inner := range l.nestedCommands() {
		f.addCommand(s, inner, nodes, depth+1)
	}
}

// inputReaders are further programs whose input the flow follows.
var inputReaders = setOf("mapfile", "readarray", "read", "xargs", "ssh", "source", ".", "eval")

// maxDepth bounds the nesting of programs that run others.
const maxDepth = 12

// commandName returns the base name of the program that a word names, or "" when only
// the run knows it. In "$dir/tool" it is known.
func commandName(w word) string {
	a := w.knownText()
	if a.full {
		return path.Base(a.text)
	}
	start, end := nodeOffsets(w.Word)
	text := strings.TrimRight(w.in.masked[start:end], `"'`)
	if at := strings.LastIndexByte(text, '/'); at >= 0 && isWordText(text[at+1:]) && w.in.liveIn(start+at, end) == nil {
		return text[at+1:]
	}
	return ""
}

// expandCommand adds the command lines that one may come to whose first word is a parameter,
// an array, or a variable of fixed text. It reports whether that may be all of them.
func (f *flow) expandCommand(s *script, words []word, nodes []syntax.Node, depth int) func() bool {
	w := words[0]
	p, ok := loneExpansion(w.Word)
	if !ok || p.Param == nil || p.Exp != nil || p.Repl != nil || p.Length || p.Excl || depth > 4 {
		return nil
	}
	at := int(p.Pos().Offset())
	name := p.Param.Value
	switch {
	case isPositional(name):
		h := head{in: s, rest: words[1:], path: slices.Clone(nodes), depth: depth, from: 1}
		if n, err := strconv.Atoi(name); err == nil {
			h.from, h.only = n, true
		} else if p.Slice != nil {
			if h.from, err = strconv.Atoi(s.text.Value[int(p.Slice.Offset.Pos().Offset()):endOf(p.Slice.Offset)]); err != nil {
				h.from = 1
			}
		}
		sc := f.ensureScope(w.in.scopeAt(at))
		sc.heads = append(sc.heads, h)
		for _, args := range sc.calls {
			f.runHead(sc, h, args)
		}
		return func() bool { return true }
	case p.Index != nil:
		var appended []word
		elements := 0
		for _, a := range f.arrays[name] {
			if elements += len(a.words); a.appended {
				appended = append(appended, a.words...)
			}
		}
		for _, a := range f.arrays[name] {
			if !a.appended {
				f.addCommand(s, slices.Concat(a.words, appended, words[1:]), nodes, depth+1)
			}
		}
		return func() bool { return elements > 0 && len(f.ensureVariable(name).changes) == elements }
	default:
		for _, text := range f.ensureVariable(name).literals {
			var fields []word
			for _, field := range strings.Fields(text) {
				fields = append(fields, word{fixedWord(w.Word, field), s})
			}
			f.addCommand(s, append(fields, words[1:]...), nodes, depth+1)
		}
	}
	return nil
}

// fixedWord is a word of a known text at the place of another.
func fixedWord(at *syntax.Word, text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Left: at.Pos(), Right: at.Pos(), Value: text}}}
}

// addCall adds the arguments of a call of a function, or of a program with parameters.
func (f *flow) addCall(name string, args []word, inputs []piece) {
	sc := f.ensureScope(name)
	sc.calls = append(sc.calls, args)
	split := slices.IndexFunc(args, func(w word) bool { return mayBeSeveral(w.Word) })
	for i, w := range args {
		f.gainPiece(name+"()@", w.asPiece(), copied)
		switch {
		case split >= 0 && i >= split:
			for n := split; n < 9; n++ {
				f.gainPiece(name+"()"+strconv.Itoa(n+1), w.asPiece(), altered)
			}
		case i < 9:
			f.gainPiece(name+"()"+strconv.Itoa(i+1), w.asPiece(), copied)
		}
	}
	for _, p := range inputs {
		f.gainPiece(name+"()<", p, copied)
	}
	for _, h := range sc.heads {
		f.runHead(sc, h, args)
	}
}

// runHead adds the commands that a head may become with the arguments of one call. A function may
// skip a shift, so each argument from the first to the most shifted one may begin the command.
func (f *flow) runHead(sc *scope, h head, args []word) {
	last := h.from - 1 + sc.shifted
	for i := max(0, h.from-1); i <= last && i < len(args); i++ {
		if i < last && !args[i].knownText().full {
			continue // a parameter that the function reads
		}
		words := args[i:]
		if h.only {
			words = words[:1]
		}
		f.addCommand(h.in, slices.Concat(words, h.rest), h.path, h.depth+1)
	}
}

// collectCall adds what a command gives to variables.
func (f *flow) collectCall(l *line) {
	s, args := l.in, l.words[1:]
	switch l.name {
	case "read", "mapfile", "readarray":
		from := l.inputs
		if hasOption(args, "-u") {
			from = f.numbered
		}
		names := nameOperands(l.name, args)
		if len(names) == 0 {
			names = []word{{fixedWord(l.words[0].Word, cmp.Or(map[string]string{"read": "REPLY"}[l.name], "MAPFILE")), s}}
		}
		for _, w := range names {
			f.addTo(s, w, from)
		}
	case "printf":
		if names := nameOperands(l.name, args); len(names) > 0 {
			for _, w := range args[2:] {
				f.addTo(s, names[0], []piece{w.asPiece()})
			}
		}
	case "getopts":
		for _, w := range nameOperands(l.name, args) {
			f.addTo(s, w, nil)
		}
		f.gainPiece("OPTARG", piece{variable: s.scopeAt(int(l.words[0].Pos().Offset())) + "()@"}, altered)
		for _, w := range args[min(2, len(args)):] {
			f.gainPiece("OPTARG", w.asPiece(), altered)
		}
	case "set":
		for len(args) > 0 && strings.IndexAny(args[0].knownText().text, "-+") == 0 {
			end := args[0].knownText().text == "--"
			if args = args[1:]; end {
				break
			}
		}
		if len(args) > 0 {
			f.addCall(s.scopeAt(int(l.words[0].Pos().Offset())), args, nil)
		}
	case "env", "sudo", "export", "declare", "typeset", "local", "readonly":
		for _, w := range args {
			if isAssignmentText(w.knownText().text) {
				f.assignText(s, w)
			}
		}
	default:
		if f.functions[l.name] {
			f.addCall(l.name, args, l.inputs)
		}
	}
}

// commandInputs returns what reaches the input of the command at the end of a path: by
// here-documents, here-strings, pipes and process substitutions around it. The nearest
// redirection hides those outside it.
func (s *script) commandInputs(nodes []syntax.Node) []piece {
	for i := len(nodes) - 1; i > 0; i-- {
		switch n := nodes[i].(type) {
		case *syntax.Stmt:
			if found, ok := s.redirectedInputs(n); ok {
				return found
			}
			if b, ok := nodes[i-1].(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && b.Y == n {
				// What reaches the left side may pass it.
				return slices.Concat(s.commandInputs(nodes[:i]), []piece{{in: s, node: b.X}})
			}
		case *syntax.FuncDecl:
			if n.Name != nil {
				return []piece{{variable: n.Name.Value + "()<"}}
			}
		case *syntax.ProcSubst:
			for j := i - 1; n.Op == syntax.CmdOut && j > 0; j-- {
				if st, ok := nodes[j].(*syntax.Stmt); ok {
					return slices.Concat(s.commandInputs(nodes[:j+1]), []piece{{in: s, node: st}}, s.coprocessWriters())
				}
			}
		case *syntax.CoprocClause:
			return s.coprocessWriters()
		}
	}
	return s.given
}

// inputFile returns the name of the file that is a command's input.
func (s *script) inputFile(nodes []syntax.Node) []word {
	for i := len(nodes) - 1; i > 0; i-- {
		if st, ok := nodes[i].(*syntax.Stmt); ok {
			for _, r := range st.Redirs {
				if r.Op == syntax.RdrIn && (r.N == nil || r.N.Value == "0") && fedWords(r) == nil {
					return []word{{r.Word, s}}
				}
			}
			return nil
		}
	}
	return nil
}

// redirectedInputs returns what a statement's own redirections feed to it.
func (s *script) redirectedInputs(st *syntax.Stmt) (found []piece, ok bool) {
	for i := len(st.Redirs) - 1; i >= 0; i-- {
		r := st.Redirs[i]
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.RdrInOut:
			for _, w := range fedWords(r) {
				found = append(found, piece{in: s, node: w})
			}
			return found, true
		case syntax.DplIn:
			return slices.Concat(s.flow.numbered, s.coprocessWriters()), true
		}
	}
	return nil, false
}

// fedWords returns the words whose text a redirection feeds to a command.
func fedWords(r *syntax.Redirect) []*syntax.Word {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			return []*syntax.Word{r.Hdoc}
		}
	case syntax.WordHdoc:
		return []*syntax.Word{r.Word}
	case syntax.RdrIn, syntax.RdrInOut:
		if len(r.Word.Parts) == 1 {
			if _, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
				return []*syntax.Word{r.Word}
			}
		}
	}
	return nil
}

// coprocessWriters returns the statements that write to the descriptor of a coprocess.
func (s *script) coprocessWriters() (found []piece) {
	for _, st := range s.tree.sends {
		found = append(found, piece{in: s, node: st})
	}
	return found
}

// nameOperands returns the operands of a builtin that are names of variables.
func nameOperands(name string, args []word) []word {
	var names []word
	switch name {
	case "printf", "wait", "test", "[":
		option := map[string]string{"printf": "-v", "wait": "-p"}[name]
		for i, w := range args[:max(0, len(args)-1)] {
			if a := w.knownText(); a.full && (a.text == option || option == "" && (a.text == "-v" || a.text == "-R")) {
				names = append(names, args[i+1])
			}
		}
		return names
	case "read", "mapfile", "readarray", "unset", "getopts":
	default:
		return nil
	}
	value := map[string]string{"read": "dnNptui", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}[name]
	for i := 0; i < len(args); i++ {
		a := args[i].knownText()
		if !a.full || !strings.HasPrefix(a.text, "-") || len(a.text) == 1 {
			names = append(names, args[i])
			continue
		}
		last := a.text[len(a.text)-1:]
		switch {
		case a.text == "--":
		case name == "unset" && last == "f":
			return nil
		case strings.Contains(value, last):
			i++
		}
	}
	if name == "getopts" {
		names = names[min(1, len(names)):min(2, len(names))]
	}
	return names
}

// mayBeSeveral reports whether a word may become several arguments, or none.
func mayBeSeveral(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ArithmExp:
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				if p, ok := inner.(*syntax.ParamExp); ok && (p.Param != nil && p.Param.Value == "@" || p.Index != nil) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// loneExpansion returns the expansion that is all of a word.
func loneExpansion(w *syntax.Word) (*syntax.ParamExp, bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	return p, ok
}

func endOf(n syntax.Node) int { return int(n.End().Offset()) }

// reach is the range of a function in a script.
type reach struct {
	start, end int
	function   string
	parent     int // index of the range around this one, or -1
}

// aroundIndex returns the index of the innermost function around an offset, or -1.
// Functions nest, and are in order of their start.
func (s *script) aroundIndex(at int) int {
	i, found := slices.BinarySearchFunc(s.functions, at, func(r reach, at int) int { return r.start - at })
	if !found {
		i--
	}
	for i >= 0 && at >= s.functions[i].end {
		i = s.functions[i].parent
	}
	return i
}

// addFunctionRange adds the range of a function that starts after all others.
func (s *script) addFunctionRange(n *syntax.FuncDecl) {
	r := reach{function: n.Name.Value}
	r.start, r.end = nodeOffsets(n)
	r.parent = s.aroundIndex(r.start)
	s.functions = append(s.functions, r)
}

// scopeAt returns the name of the scope around an offset.
func (s *script) scopeAt(at int) string {
	if i := s.aroundIndex(at); i >= 0 {
		return s.functions[i].function
	}
	return s.scope
}

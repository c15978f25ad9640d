package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a command line as some program will run it: a simple command, or
// what is left of one behind env, sudo, xargs and their like.
type command struct {
	words []*syntax.Word
	// behind is the command that runs this one, nil for a simple command.
	behind *command
}

// arg is a word of a command line, as far as it is known before the script runs.
type arg struct {
	word *syntax.Word
	text string // the text up to the first expansion or hole
	full bool   // text is all of it
}

// read returns a word's known text.
func (s *script) read(w *syntax.Word) arg {
	start, end := offsets(w)
	if s.liveIn(start, end) == nil {
		if text, ok := wordText(w); ok {
			return arg{w, text, true}
		}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		if !s.readPrefix(&b, part) {
			break
		}
	}
	return arg{w, b.String(), false}
}

// readPrefix adds the known text at the start of a part; false ends the text.
func (s *script) readPrefix(b *strings.Builder, part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		start, end := offsets(part)
		if q, ok := part.(*syntax.SglQuoted); ok {
			start, end = int(q.Left.Offset())+1, int(q.Right.Offset())
			if q.Dollar {
				start++
			}
		}
		if live := s.liveIn(start, end); live != nil {
			b.WriteString(s.masked[start:live.Start])
			return false
		}
		b.WriteString(s.masked[start:max(start, end)])
		return true
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			if !s.readPrefix(b, inner) {
				return false
			}
		}
		return true
	}
	return false
}

// literalName returns the base name of the program a command runs as it is
// written, or "".
func (s *script) literalName(c *command) string {
	if len(c.words) == 0 {
		return ""
	}
	if a := s.read(c.words[0]); a.full {
		return path.Base(a.text)
	}
	return ""
}

// name returns the base name of the program a command runs, or "" when only the
// run knows it.
func (s *script) name(c *command) string {
	if name := s.literalName(c); name != "" || len(c.words) == 0 || s.tracker == nil {
		return name
	}
	if v := s.tracker.word(c.words[0]); len(v.consts) == 1 && !v.open {
		return path.Base(v.consts[0])
	}
	// Of "$dir/tool" the name is known.
	start, end := offsets(c.words[0])
	text := strings.TrimRight(s.masked[start:end], `"'`)
	if at := strings.LastIndexByte(text, '/'); at >= 0 && isWordText(text[at+1:]) && s.liveIn(start+at, end) == nil {
		return text[at+1:]
	}
	return ""
}

func isWordText(text string) bool {
	return text != "" && !strings.ContainsAny(text, "$`\"'\\*?[]{}()")
}

// maxExpanded bounds how many command lines one may stand for.
const maxExpanded = 64

// expand returns the command lines that a simple command may come to: with the
// elements of an array, the arguments of the function, or the text of a variable
// in place of its first word.
func (s *script) expand(words []*syntax.Word, depth int) [][]*syntax.Word {
	p, ok := lone(words[0])
	if !ok || p.Param == nil || depth > 4 || !isPlain(p) {
		return [][]*syntax.Word{words}
	}
	t := s.tracker
	at := int(p.Pos().Offset())
	var heads [][]*syntax.Word
	switch {
	case p.Param.Value == "@" || p.Param.Value == "*":
		function := t.around(at)
		for _, args := range t.calls[function] {
			if heads = append(heads, t.shifted(function, args)...); len(heads) > maxExpanded {
				break
			}
		}
	case p.Index != nil:
		heads = t.elements(p.Param.Value)
	default:
		v := t.variable(p.Param.Value, at)
		if v.open || v.hostile() {
			break
		}
		for _, c := range v.consts {
			var fields []*syntax.Word
			for _, f := range strings.Fields(c) {
				fields = append(fields, fixedWord(words[0], f))
			}
			heads = append(heads, fields)
		}
	}
	var lines [][]*syntax.Word
	for _, h := range heads {
		if line := append(slices.Clone(h), words[1:]...); len(line) > 0 && len(lines) < maxExpanded {
			lines = append(lines, s.expand(line, depth+1)...)
		}
	}
	if len(lines) == 0 || len(heads) > maxExpanded {
		lines = append(lines, words)
	}
	return lines
}

// fixedWord is a word of a known text at the place of another.
func fixedWord(at *syntax.Word, text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Left: at.Pos(), Right: at.Pos(), Value: text}}}
}

// shifted returns the arguments of a call as the function may see them: one that
// shifts its parameters may run any rest of them.
func (t *tracker) shifted(function string, args []*syntax.Word) [][]*syntax.Word {
	sh := t.shifts[function]
	if sh.most == 0 {
		return [][]*syntax.Word{args}
	}
	var rests [][]*syntax.Word
	if !sh.anyhow {
		for i := sh.least; i <= sh.most && i < len(args) && len(rests) < 8; i++ {
			rests = append(rests, args[i:])
		}
		return rests
	}
	for i := range min(len(args), 4) {
		// What is a number or an option before the command is no command.
		if a := t.s.read(args[i]); a.full && (isNumber(a.text) || strings.HasPrefix(a.text, "-")) {
			continue
		}
		rests = append(rests, args[i:])
		if a := t.s.read(args[i]); a.full && t.s.isCommandName(a.text) {
			break
		}
	}
	return rests
}

// isCommandName reports whether a text is a function of the script or a word
// that looks like a program.
func (s *script) isCommandName(text string) bool {
	return s.tree.functions[text] || isWordText(text) && !strings.ContainsAny(text, " ./:=,%") || strings.Contains(text, "/") && isWordText(text)
}

// elements returns the lists of words that an array may hold: each assignment of
// the whole, with all that is appended.
func (t *tracker) elements(name string) [][]*syntax.Word {
	var bases [][]*syntax.Word
	var appended []*syntax.Word
	if len(t.assigned[name]) > maxExpanded {
		return nil
	}
	for _, e := range t.assigned[name] {
		if e.assigned.Array == nil {
			continue
		}
		var list []*syntax.Word
		for _, el := range e.assigned.Array.Elems {
			list = append(list, el.Value)
		}
		if e.assigned.Append {
			appended = append(appended, list...)
		} else {
			bases = append(bases, list)
		}
	}
	for i := range bases {
		bases[i] = append(bases[i], appended...)
	}
	return bases
}

// nested returns the commands that a command of that name runs from its own
// command line.
func (s *script) nested(c *command, name string) []*command {
	inner := func(from int) []*command {
		if from >= len(c.words) {
			return nil
		}
		return []*command{{words: c.words[from:], behind: c}}
	}
	switch {
	case name == "find" || name == "fd":
		return s.findCommands(c)
	case name == "env" && s.hasOption(c, "-S", "--split-string"), name == "command" && s.hasOption(c, "-v", "-V"):
		return nil
	case containers[name]:
		return inner(s.interpreterAt(c, 1, false))
	}
	if w, ok := wrappers[name]; ok {
		return inner(s.skip(c, w))
	}
	if name != "" && !printers[name] && lookupInterpreter(name) == nil {
		return inner(s.interpreterAt(c, 1, true))
	}
	return nil
}

// findCommands returns what find runs for each file.
func (s *script) findCommands(c *command) []*command {
	var found []*command
	for i := 1; i < len(c.words); i++ {
		switch s.read(c.words[i]).text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X":
			end := i + 1
			for end < len(c.words) && !slices.Contains([]string{";", "+"}, s.read(c.words[end]).text) {
				end++
			}
			if end > i+1 {
				found = append(found, &command{words: c.words[i+1 : end], behind: c})
			}
			i = end
		}
	}
	return found
}

// skip returns the index of the word where the wrapped command starts.
func (s *script) skip(c *command, w wrapper) int {
	operands := w.operands
	for i := 1; i < len(c.words); i++ {
		a := s.read(c.words[i])
		switch {
		case a.full && a.text == "--":
			return i + 1 + operands
		case a.full && slices.Contains(w.value, a.text):
			i++
		case strings.HasPrefix(a.text, "-"):
		case w.assignments && isAssignmentText(a.text):
		case operands > 0:
			operands--
		default:
			return i
		}
	}
	return len(c.words)
}

// interpreterAt finds the word from which on a command line runs an
// interpreter: by its name, and when strict also by an option with program
// text behind it, since any program may have an argument of such a name.
func (s *script) interpreterAt(c *command, from int, strict bool) int {
	for i := from; i < len(c.words); i++ {
		a := s.read(c.words[i])
		if !a.full {
			continue
		}
		in := lookupInterpreter(path.Base(a.text))
		if in == nil {
			continue
		}
		if !strict {
			return i
		}
		if i+1 < len(c.words) {
			next := s.read(c.words[i+1])
			if in.shell && isShellCode(next.text) || slices.Contains(in.code, next.text) {
				return i
			}
		}
	}
	return len(c.words)
}

func (s *script) hasOption(c *command, names ...string) bool {
	return slices.ContainsFunc(c.words[1:], func(w *syntax.Word) bool {
		text := s.read(w).text
		return slices.ContainsFunc(names, func(n string) bool {
			return text == n || strings.HasPrefix(text, n+"=") || len(n) == 2 && strings.HasPrefix(text, n)
		})
	})
}

// loadOptions are the options of interpreters whose value is code to load.
var loadOptions = []string{"-r", "--require", "--import", "--preload", "--rcfile", "--init-file", "-I", "-L", "-init", "-o", "-O", "+O", "+o"}

// isInputName reports whether a name of a file is the standard input's.
func isInputName(text string) bool {
	return text == "-" || strings.HasPrefix(text, "/dev/stdin") || strings.HasPrefix(text, "/dev/fd/") || strings.HasPrefix(text, "/proc/self/fd/")
}

// isAssignmentText reports whether a text begins like NAME=.
func isAssignmentText(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && isName(strings.TrimSuffix(name, "+"))
}

// isShellCode reports whether an option of a shell is -c or has it in a cluster.
func isShellCode(option string) bool {
	return len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.Contains(option, "c")
}

// program is what an interpreter's command line says about its program.
type program struct {
	code  []*syntax.Word // words with program text
	args  []*syntax.Word // arguments of the program
	file  *syntax.Word   // the file of the program
	stdin bool           // the program is read from the input
	loads []*syntax.Word // files that are run before the program
	// missing says that the program is the argument that would come next.
	missing bool
}

// readProgram finds the program text of an interpreter's command line.
func (s *script) readProgram(c *command, in *interpreter) program {
	var p program
	var operands []*syntax.Word
	shellCode, shellStdin, options := false, false, true
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		a := s.read(w)
		next := func() *syntax.Word {
			if i++; i < len(c.words) {
				return c.words[i]
			}
			return nil
		}
		switch {
		case !options || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") || a.text == "-":
			if !a.full && a.text == "" && in.shell && len(operands) == 0 && s.shellCodeFollows(c, i) {
				continue // options from a variable
			}
			operands = append(operands, w)
			options = options && !in.script && !in.shell
		case a.full && a.text == "--":
			options = false
		case a.full && slices.Contains(in.rest, a.text):
			if n := next(); n != nil {
				if s.read(n).text == "timeit" {
					return program{code: c.words[i+1:]}
				}
				return program{file: n, args: c.words[i+1:]}
			}
			return p
		case in.shell && !shellCode && a.text == "-s":
			p.stdin, shellStdin = true, true
		case in.shell && isShellCode(a.text):
			shellCode = true
		case a.full && slices.Contains(in.pairs, a.text):
			next()
			next()
		case a.full && slices.Contains(in.value, a.text):
			if n := next(); n != nil && slices.Contains(loadOptions, a.text) {
				p.loads = append(p.loads, n)
			}
		case in.hasCode(a.text):
			if in.attached(a) {
				p.code = append(p.code, w)
			} else if n := next(); n != nil {
				p.code = append(p.code, n)
			}
		case a.full && slices.Contains(in.file, a.text):
			p.file = next()
		}
	}
	if shellStdin {
		return program{stdin: true, args: operands}
	}
	s.readOperands(&p, in, operands, shellCode)
	return p
}

func (s *script) readOperands(p *program, in *interpreter, operands []*syntax.Word, shellCode bool) {
	named := len(p.code) > 0 || p.file != nil
	switch {
	case shellCode:
		if len(operands) > 0 {
			p.code = append(p.code, operands[0])
			p.args = operands[1:]
		}
		p.stdin = false
		p.missing = len(operands) == 0
		return
	case in.operand && !named && len(operands) > 0:
		p.code = append(p.code, operands[0])
		p.args = operands[1:]
		return
	case in.second && len(operands) > 1:
		p.code = append(p.code, operands[1:]...)
		return
	case in.script && !named && len(operands) > 0:
		if a := s.read(operands[0]); !a.full || !isInputName(a.text) {
			if a.full && (a.text == "eval" || a.text == "exec") && len(operands) > 1 {
				p.code = append(p.code, operands[1])
			}
			p.file = operands[0]
			p.args = operands[1:]
			return
		}
	case len(p.code) > 0:
		p.args = operands
	}
	p.stdin = in.stdin && len(p.code) == 0 && p.file == nil
}

func (s *script) shellCodeFollows(c *command, from int) bool {
	return slices.ContainsFunc(c.words[from+1:], func(w *syntax.Word) bool {
		a := s.read(w)
		return a.full && isShellCode(a.text) && len(a.text) <= 4
	})
}

// maxCluster is the length of the longest cluster of short options looked into.
const maxCluster = 5

// hasCode reports whether an option's text is or begins with one that takes
// program text.
func (in *interpreter) hasCode(text string) bool {
	return slices.ContainsFunc(in.code, func(o string) bool {
		switch {
		case text == o, strings.HasPrefix(text, o+"="):
			return true
		case len(o) != 2 || strings.HasPrefix(text, "--"):
			return false
		case strings.HasPrefix(text, o):
			return true
		}
		return in.cluster && len(text) > 2 && len(text) <= maxCluster && strings.Contains(text[1:], o[1:])
	})
}

// attached reports whether the option's value stands in the same word.
func (in *interpreter) attached(a arg) bool {
	if slices.Contains(in.code, a.text) && a.full {
		return false
	}
	if strings.HasPrefix(a.text, "--") {
		return strings.Contains(a.text, "=")
	}
	if !a.full {
		return true
	}
	// A cluster that ends in the option takes the next word.
	return !in.cluster || !slices.ContainsFunc(in.code, func(o string) bool { return len(o) == 2 && strings.HasSuffix(a.text, o[1:]) })
}

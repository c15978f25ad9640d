package script

import (
	"path"
	"slices"
	"strings"
)

// An element is one argument of a program, or a part of one.
type element struct {
	argument
	// text is its text, with gaps for values, if it is written out.
	text    string
	written bool
	hostile bool
}

// fixedPrefix returns the fixed text that the element begins with.
func (e element) fixedPrefix() string {
	before, _, _ := strings.Cut(e.text, gap)
	return before
}

func (e element) isFixed() bool { return e.written && !strings.Contains(e.text, gap) }

// An interpreter is a program that takes a program as an argument, or reads it.
type interpreter struct {
	// options are the letters, and long the names, of the options before the program.
	options string
	long    []string
	// valued are the options that take another argument.
	valued []string
	// first says that the first argument is the program, and rest that all are.
	first, rest bool
	// reads says that it reads a program from standard input if it gets none.
	reads bool
}

var (
	shellProgram  = &interpreter{options: "c", valued: []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}, reads: true}
	pythonProgram = &interpreter{options: "c", valued: []string{"-W", "-X"}, reads: true}
	nodeProgram   = &interpreter{options: "ep", long: []string{"--eval", "--print"}, valued: []string{"-r", "--require", "--import", "--cwd", "--env-file"}, reads: true}
	perlProgram   = &interpreter{options: "eE", valued: []string{"-I"}, reads: true}
	phpProgram    = &interpreter{options: "r", valued: []string{"-d"}, reads: true}
	filterProgram = &interpreter{options: "e", valued: []string{"-v", "-F", "-i", "-l"}, first: true}
	shellBuiltin  = &interpreter{rest: true, first: true}
)

// interpreters are programs by their names, without versions.
var interpreters = map[string]*interpreter{
	"sh": shellProgram, "bash": shellProgram, "dash": shellProgram, "zsh": shellProgram, "ksh": shellProgram, "ash": shellProgram, "fish": shellProgram, "csh": shellProgram, "tcsh": shellProgram,
	"python": pythonProgram, "pypy": pythonProgram, "node": nodeProgram, "nodejs": nodeProgram, "bun": nodeProgram, "deno": nodeProgram,
	"perl": perlProgram, "ruby": perlProgram, "lua": perlProgram, "php": phpProgram, "awk": filterProgram, "gawk": filterProgram, "mawk": filterProgram, "sed": filterProgram, "gsed": filterProgram,
	"eval": shellBuiltin, "trap": shellBuiltin, "source": shellBuiltin,
}

// wrappers are programs that run the program behind them.
var wrappers = []string{"env", "sudo", "doas", "timeout", "nice", "nohup", "stdbuf", "setsid", "time", "xargs", "busybox", "command", "exec"}

// interpreterOf returns the interpreter that an element names, or nil.
func interpreterOf(e element) *interpreter {
	name := strings.TrimSuffix(path.Base(strings.TrimSpace(e.text)), ".exe")
	return interpreters[strings.TrimRight(name, "0123456789.")]
}

// findInterpretedProgram returns the element of a command that is, or may be, the program of an
// interpreter that the command names, and the interpreter's index.
func findInterpretedProgram(list []element) (e element, at int, ran bool) {
	start := programIndex(list)
	for i := range list {
		if in := interpreterOf(list[i]); in != nil && (i <= start || !in.rest) {
			if e, ran, _ := in.findProgram(list[i+1:], i <= start); ran {
				return e, i, true
			}
		}
	}
	return element{}, 0, false
}

// programIndex returns the index of a command's program behind those that only run it.
func programIndex(list []element) int {
	for i, e := range list {
		name := path.Base(e.text)
		setting := strings.Contains(e.fixedPrefix(), "=") || i > 0 && (strings.HasPrefix(name, "-") || strings.Trim(name, "0123456789smh.") == "" && e.isFixed())
		if !setting && !slices.Contains(wrappers, name) {
			return i
		}
	}
	return 0
}

// findProgram returns the first of some arguments by which a value is, or may choose, the
// interpreter's program. reads is whether it reads its program. If it is not certain that
// the interpreter runs, a value counts only behind the option for programs.
func (in *interpreter) findProgram(args []element, certain bool) (e element, ran, reads bool) {
	for i := 0; i < len(args); i++ {
		e, option := args[i], args[i].fixedPrefix()
		isOption := strings.HasPrefix(option, "-") || strings.HasPrefix(option, "+")
		switch {
		case strings.HasPrefix(option, "<") || strings.HasPrefix(option, ">"): // of a shell
			return e, false, in.reads
		case e.hostile && (option == "" || isOption || in.first):
			return e, certain, false
		case in.rest:
		case !e.isFixed() || !isOption && option != "/dev/stdin": // a script
			return e, false, false
		case option == "-" || !isOption || in == shellProgram && option == "-s":
			return e, false, true
		case in.takesProgram(option):
			i = min(i+1, len(args)-1)
			return args[i], args[i].hostile, false
		case slices.Contains(in.valued, option):
			i++
		case in == pythonProgram && option == "-m", in.first && (option == "-f" || option == "--file"):
			return e, false, false
		}
	}
	return element{}, false, in.reads
}

// takesProgram reports whether a program follows an option.
func (in *interpreter) takesProgram(option string) bool {
	if strings.HasPrefix(option, "--") {
		return slices.Contains(in.long, option)
	}
	return option[0] == '-' && strings.ContainsAny(option[1:], in.options) && !slices.Contains(in.valued, option)
}

// readsProgram reports whether a command reads its program from standard input.
func readsProgram(list []element) bool {
	i := programIndex(list)
	if i >= len(list) || interpreterOf(list[i]) == nil {
		return false
	}
	_, _, reads := interpreterOf(list[i]).findProgram(list[i+1:], true)
	return reads
}

// listElements returns the operands of the lists between two tokens, one after the other.
func (t *taint) listElements(from, to, depth int) []element {
	var out []element
	p, list := t.p, t.operandChains(from, to)
	if e, ok := t.concatenatedElement(list, argument{from: from, to: to}); ok {
		return []element{e}
	}
	for i := range list {
		t.spendSteps(1)
		c := &list[i]
		s, isName := t.chainRoot(c)
		v := t.upTo(c, len(c.trailers))
		e := element{argument: argument{from: c.atom, to: c.end}, hostile: v.marks&hostile != 0}
		switch {
		case c.chooses:
		case c.fn == nil && p.hasText(c.atom, "[", "(") && depth < 6:
			for _, a := range t.bracketArguments(c.atom) {
				out = append(out, t.listElements(a.from, a.to, depth+1)...)
			}
		case isName && len(t.bound[s]) > 0 && !t.isModule(s) && (len(c.trailers) == 0 || p.hasText(c.trailers[0].tok, "concat", "copy", "slice")) && depth < 6:
			out = append(out, t.elementsOfName(s, depth+1)...)
		default:
			if p.isKind(c.atom, text) && len(c.trailers) == 0 {
				e.text, e.written = p.textWithGaps(c.atom), true
			}
			for _, n := range v.names {
				e.text, e.written = ownInterpreters[n], e.written || ownInterpreters[n] != ""
			}
			out = append(out, e)
		}
	}
	return out
}

// concatenatedElement returns strings that are joined by an operator as one element.
func (t *taint) concatenatedElement(list []chain, a argument) (element, bool) {
	e := element{argument: a, written: true}
	isText := func(c chain) bool { return t.p.isKind(c.atom, text) && len(c.trailers) == 0 }
	if len(list) < 2 || !slices.ContainsFunc(list, isText) || !slices.ContainsFunc(list[1:], func(c chain) bool { return t.p.hasText(c.atom-1, "+", "%") }) {
		return e, false
	}
	for i := range list {
		if c := &list[i]; isText(*c) {
			e.text += t.p.textWithGaps(c.atom)
		} else {
			e.text += gap
		}
	}
	e.hostile = t.argumentValue(a).marks&hostile != 0
	return e, true
}

// elementsOfName returns the operands of all lists that a name may be, in the order in
// which the script writes them.
func (t *taint) elementsOfName(s symbol, depth int) []element {
	var out []element
	add := func(list ...argument) {
		for _, a := range list {
			out = append(out, t.listElements(a.from, a.to, depth)...)
		}
	}
	for _, i := range t.bound[s] {
		b := &t.bindings[i]
		whole := argument{from: b.from, to: b.to}
		switch list := t.resolveObjectLiteral(whole); {
		case b.from >= b.to:
		case b.element && t.p.hasText(list.from, "[", "("):
			add(t.bracketArguments(list.from)...)
		default:
			add(whole)
		}
	}
	add(t.written[s]...)
	for _, c := range t.calling[s] {
		if slices.Contains(mutators, t.methodName(c)) {
			add(c.args...)
		}
	}
	return out
}

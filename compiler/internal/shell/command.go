package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A line is a command line as some program will run it: a simple command, or the rest of
// one after env, sudo, xargs and similar programs.
type line struct {
	in          *script
	words       []word
	name        string
	interpreter *interpreter
	// inputs are what reaches its input, for commands that may run or keep it.
	inputs []piece
	program
	// expanded reports, for a line whose first word is a list, whether the flow has all
	// command lines that it comes to.
	expanded func() bool
	// inner are the programs of shellCode as scripts; nil for words that aren't a program.
	inner []*script
}

// arg is a word of a command line, as far as it is known before the script runs.
type arg struct {
	text string // the text up to the first expansion or hole
	full bool   // text is all of it
}

// readWord returns a word's known text.
func (s *parsed) readWord(w *syntax.Word) arg {
	start, end := nodeOffsets(w)
	if s.liveIn(start, end) == nil {
		if text, ok := wordText(w); ok {
			return arg{text, true}
		}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		if !s.readPrefix(&b, part) {
			break
		}
	}
	return arg{b.String(), false}
}

// readPrefix adds the known text at the start of a part; false ends the text.
func (s *parsed) readPrefix(b *strings.Builder, part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		start, end := nodeOffsets(part)
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

func isWordText(text string) bool {
	return text != "" && !strings.ContainsAny(text, "$`\"'\\*?[]{}()")
}

// A wrapper is a program that runs the rest of its command line.
type wrapper struct {
	// values are the options with a separate value, operands how many operands are before
	// the command.
	values   string
	operands int
}

var wrappers = map[string]wrapper{
	"env": {values: "-u --unset -C --chdir"}, "sudo": {values: "-u -g -h -p -C -r -t -U -D -R -T --user --group"}, "doas": {values: "-u -C"},
	"timeout": {"-k -s --kill-after --signal", 1}, "gtimeout": {"-k -s", 1}, "nice": {values: "-n --adjustment"}, "ionice": {values: "-c -n --class --classdata"},
	"nohup": {}, "setsid": {}, "time": {values: "-f -o --format --output"}, "command": {}, "builtin": {}, "exec": {values: "-a"}, "coproc": {},
	"stdbuf": {values: "-i -o -e --input --output --error"}, "unbuffer": {}, "busybox": {}, "chroot": {operands: 1}, "unshare": {}, "fakeroot": {}, "setarch": {operands: 1},
	"xargs": {values: "-I -n -P -L -s -d -E -a --max-args --max-procs --replace --delimiter --arg-file"},
	"flock": {"-w -E --timeout --conflict-exit-code", 1}, "runuser": {values: "-u -g -G -s --user"}, "nsenter": {values: "-t --target"},
	"strace": {values: "-e -o -p -s -u -E -P -I -b -a -O -S -X --trace"}, "ltrace": {values: "-e -o -p -s -u -a -n -D -F"},
	"npx": {values: "-p --package"}, "bunx": {}, "uvx": {values: "--with --from --python"}, "uv": {"--with --python -p --extra --group", 1}, "poetry": {operands: 1}, "pipenv": {operands: 1},
}

// containers run a command somewhere else, behind many options.
var containers = setOf("docker", "podman", "kubectl", "docker-compose", "nerdctl")

// printers only handle their arguments as text.
var printers = setOf("echo", "printf", "grep", "egrep", "rg", "test", "[", ":", "true", "false", "git", "gh")

// nestedCommands returns the commands that a line runs from its own words.
func (l *line) nestedCommands() [][]word {
	args := l.words[1:]
	switch {
	case l.name == "find" || l.name == "fd":
		l.noteLoose(len(l.words))
		return findCommands(args)
	case l.name == "ssh":
		return [][]word{l.remote}
	case l.name == "git":
		return [][]word{gitCommand(args)}
	case l.name == "env" && hasOption(args, "-S", "--split-string"), l.name == "command" && hasOption(args, "-v", "-V"):
		return nil
	case l.name == "xargs":
		if at := wrappedCommandIndex(l.words, wrappers["xargs"]); at < len(l.words) {
			l.noteLoose(at)
			return [][]word{l.supplyXargs(l.words[at:], altered)}
		}
		return nil
	}
	at := len(l.words)
	if w, ok := wrappers[l.name]; ok {
		at = min(wrappedCommandIndex(l.words, w), at)
		l.noteLoose(at)
	} else if l.name != "" && !printers[l.name] && l.interpreter == nil {
		at = l.interpreterAt()
	}
	return [][]word{l.words[at:]}
}

// noteLoose notes the words before the command of a wrapper in which the command may begin
// when bash splits them.
func (l *line) noteLoose(before int) {
	for _, w := range l.words[1:before] {
		if mayBeSeveral(w.Word) {
			l.loose = append(l.loose, w)
		}
	}
}

// wrappedCommandIndex returns the index of the word where the command of a wrapper starts.
func wrappedCommandIndex(words []word, w wrapper) int {
	operands := w.operands
	for i := 1; i < len(words); i++ {
		a := words[i].knownText()
		switch {
		case a.full && a.text == "--":
			return i + 1 + operands
		case a.full && listContains(w.values, a.text):
			i++
		case strings.HasPrefix(a.text, "-"), isAssignmentText(a.text):
		case operands > 0:
			operands--
		default:
			return i
		}
	}
	return len(words)
}

// interpreterAt finds the word from which on a command line runs an interpreter: by its
// name with an option for program text behind it, since any program may have an argument
// of such a name. A container's command may be a shell alone.
func (l *line) interpreterAt() int {
	for i := 1; i < len(l.words); i++ {
		a := l.words[i].knownText()
		in := l.in.lookupInterpreter(path.Base(a.text))
		if in == nil || !a.full {
			continue
		}
		if containers[l.name] && in.shell || i+1 < len(l.words) && in.takesCode(l.words[i+1].knownText().text) {
			return i
		}
	}
	return len(l.words)
}

// gitCommand returns the command that git runs for each commit or submodule.
func gitCommand(args []word) []word {
	for i := range args[:max(0, len(args)-1)] {
		switch args[i].knownText().text + " " + args[i+1].knownText().text {
		case "bisect run", "submodule foreach":
			rest := args[i+2:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].knownText().text, "-") {
				rest = rest[1:]
			}
			return rest
		}
	}
	return nil
}

// findCommands returns the commands that find runs for each file.
func findCommands(args []word) (found [][]word) {
	for i := 0; i < len(args); i++ {
		if !listContains("-exec -execdir -ok -okdir -x -X", args[i].knownText().text) {
			continue
		}
		end := i + 1
		for end < len(args) && !listContains("; +", args[end].knownText().text) {
			end++
		}
		found = append(found, args[i+1:end])
		i = end
	}
	return found
}

// supplyXargs returns the command of xargs with what it reads: in place of its mark, or at
// the end.
func (l *line) supplyXargs(words []word, how change) []word {
	mark := ""
	at := l.words[0]
	name := suppliedName + at.Pos().String() + l.in.scope
	for i, w := range l.words[:len(l.words)-len(words)] {
		l.in.flow.gainPiece(name, w.asPiece(), how) // it may name its input
		a := w.knownText()
		if rest, ok := strings.CutPrefix(a.text, "-I"); ok && a.full {
			if mark = rest; mark == "" {
				mark = l.words[i+1].knownText().text
			}
		}
		if a.full && (a.text == "-i" || a.text == "--replace") {
			mark = "{}"
		}
		if rest, ok := strings.CutPrefix(a.text, "--replace="); ok {
			mark = rest
		}
	}
	for _, p := range l.inputs {
		l.in.flow.gainPiece(name, p, how)
	}
	item := &syntax.DblQuoted{Left: at.Pos(), Right: at.Pos(), Parts: []syntax.WordPart{
		&syntax.ParamExp{Short: true, Dollar: at.Pos(), Param: &syntax.Lit{ValuePos: at.Pos(), ValueEnd: at.End(), Value: name}},
	}}
	words = slices.Clone(words)
	for i, w := range words {
		start, end := nodeOffsets(w.Word)
		switch {
		case mark == "" || !strings.Contains(w.in.masked[start:end], mark):
		case w.knownText() == arg{mark, true}:
			words[i].Word = &syntax.Word{Parts: []syntax.WordPart{item}}
		default:
			words[i].Word = &syntax.Word{Parts: append(slices.Clone(w.Parts), item)}
		}
	}
	if mark == "" {
		words = append(words, word{&syntax.Word{Parts: []syntax.WordPart{item}}, l.in})
	}
	return words
}

// supplyParallel returns the command of parallel with the arguments that it gets, quoted. Without
// a command, they are commands.
func (l *line) supplyParallel(command, supplied []word) []word {
	how, before := quotes, append([]word{l.words[0]}, supplied...)
	if len(command) == 0 {
		how = altered
	}
	for _, mark := range []string{"{}", "{"} {
		if slices.ContainsFunc(command, func(w word) bool {
			start, end := nodeOffsets(w.Word)
			return strings.Contains(w.in.masked[start:end], mark)
		}) {
			before = append(before, word{fixedWord(l.words[0].Word, "-I"+mark), l.in})
			break
		}
	}
	p := &line{in: l.in, words: slices.Concat(before, command), inputs: l.inputs}
	return p.supplyXargs(command, how)
}

// suppliedName begins the names of variables for text that a program passes on.
const suppliedName = "()supplied"

func hasOption(args []word, names ...string) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		text := w.knownText().text
		return slices.ContainsFunc(names, func(n string) bool {
			return text == n || strings.HasPrefix(text, n+"=") || len(n) == 2 && strings.HasPrefix(text, n)
		})
	})
}

// listContains reports whether a list with spaces between its words has one.
func listContains(list, text string) bool { return slices.Contains(strings.Fields(list), text) }

// isInputName reports whether a name of a file is the standard input's, or that of
// another descriptor.
func isInputName(text string) bool {
	return text == "-" || strings.HasPrefix(text, "/dev/stdin") || strings.HasPrefix(text, "/dev/fd/") || strings.HasPrefix(text, "/proc/self/fd/")
}

// isAssignmentText reports whether a text begins like NAME=.
func isAssignmentText(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "+"), "[")
	return ok && isName(name)
}

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

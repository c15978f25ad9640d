package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a command line as some program will run it: a simple command, or the
// rest of one after env, sudo, xargs and similar programs.
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
	// In "$dir/tool" the program's name is known.
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

// findCommands returns the commands that find runs for each file.
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
var loadOptions = []string{"-r", "--require", "--import", "--preload", "--rcfile", "--init-file", "-I", "-L", "-init"}

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

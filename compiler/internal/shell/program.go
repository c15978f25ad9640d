package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// program describes the program on an interpreter's command line.
type program struct {
	code  []*syntax.Word // words with program text
	args  []*syntax.Word // arguments of the program
	file  *syntax.Word   // the file of the program
	stdin bool           // the program is read from the input
	loads []*syntax.Word // files that are run before the program
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
		case a.full && slices.Contains(in.selects, a.text):
			if n := next(); n != nil && s.isSplitWord(n) {
				operands = append(operands, n)
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

// maxCluster is the length of the longest cluster of short options to check.
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

// attached reports whether the option's value is in the same word.
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

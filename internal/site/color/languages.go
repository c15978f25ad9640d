package color

import (
	"go/scanner"
	"go/token"
	"strings"
)

// golang adds the tokens of Go code, also of parts of files.
func golang(l *list, code string) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, scanner.ScanComments)
	at := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		start := file.Offset(pos)
		end := start + len(text)
		class := Plain
		switch {
		case tok == token.COMMENT:
			class = Comment
		case tok == token.STRING || tok == token.CHAR:
			class = String
		case tok == token.INT || tok == token.FLOAT:
			class = Literal
		case tok.IsKeyword():
			class = Keyword
		default:
			continue
		}
		// The scanner leaves carriage returns out of texts, so positions may differ.
		if start < at || end > len(code) || code[start:end] != text {
			continue
		}
		l.add(Plain, code[at:start])
		l.add(class, text)
		at = end
	}
	l.add(Plain, code[at:])
}

// console adds the tokens of a session: commands after a dollar sign, and their outputs. A
// command continues on the next line after a backslash.
func console(l *list, code string) {
	command := false
	for line := range strings.Lines(code) {
		if rest, ok := strings.CutPrefix(line, "$ "); ok && !command {
			l.add(Prompt, "$ ")
			line, command = rest, true
		}
		if !command {
			l.add(Plain, line)
			continue
		}
		l.scan(shell, line)
		command = strings.HasSuffix(line, "\\\n")
	}
}

package house

import (
	"go/scanner"
	"go/token"
	"strings"
)

// CountLines counts the lines of a Go file that tokens cover, and those that only comments do.
func CountLines(content []byte) (code, comments int) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, scanner.ScanComments)
	covered, commented := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // the scanner's own
		}
		lines := covered
		if tok == token.COMMENT {
			lines = commented
		}
		first := file.Line(pos)
		for i := range strings.Count(text, "\n") + 1 {
			lines[first+i] = true
		}
	}
	for line := range covered {
		delete(commented, line)
	}
	return len(covered), len(commented)
}

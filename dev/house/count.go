package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Figures are what a reader of hand-written product code has to hold in the head. Tests and
// generated files do not count.
type Figures struct {
	// Code and Comments are numbers of lines.
	Code, Comments int
	// Lengths are the lines of each file, in ascending order.
	Lengths []int
	// Folders are the lines of code of each package.
	Folders map[string]int
	// Functions counts functions and methods, and OneWord those whose names are one word in
	// lower case.
	Functions, OneWord int
	// Unclear are functions with names that say nothing where they are called.
	Unclear []string
	// Methods and Fields count those of each type, which is FOLDER.TYPE.
	Methods, Fields map[string]int
}

// unclear are names of functions that say nothing where they are called.
var unclear = []string{"at", "of", "within", "given"}

var oneWord = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Measure returns the figures of the files below root that git knows by the patterns.
func Measure(root string, patterns ...string) (*Figures, error) {
	listed, err := exec.Command("git", append([]string{"-C", root, "ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	f := &Figures{Folders: map[string]int{}, Methods: map[string]int{}, Fields: map[string]int{}}
	for _, name := range strings.Fields(string(listed)) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			continue
		}
		code, comments := CountLines(content)
		f.Code, f.Comments = f.Code+code, f.Comments+comments
		f.Lengths = append(f.Lengths, bytes.Count(content, []byte("\n")))
		f.Folders[path.Dir(name)] += code
		f.countNames(file, name)
	}
	slices.Sort(f.Lengths)
	return f, nil
}

// countNames counts the functions of a file, and the methods and fields of its types.
func (f *Figures) countNames(file *ast.File, name string) {
	folder := path.Dir(name)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.Functions++
			if oneWord.MatchString(d.Name.Name) && d.Name.Name != "main" {
				f.OneWord++
			}
			if slices.Contains(unclear, d.Name.Name) {
				f.Unclear = append(f.Unclear, name+": "+d.Name.Name)
			}
			if d.Recv != nil {
				f.Methods[folder+"."+receiverType(d.Recv.List[0].Type)]++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					if s, ok := t.Type.(*ast.StructType); ok {
						f.Fields[folder+"."+t.Name.Name] = countFields(s)
					}
				}
			}
		}
	}
}

func countFields(s *ast.StructType) int {
	n := 0
	for _, field := range s.Fields.List {
		n += max(1, len(field.Names))
	}
	return n
}

// receiverType returns the name of the type of a receiver.
func receiverType(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiverType(x.X)
	case *ast.IndexExpr:
		return receiverType(x.X)
	case *ast.IndexListExpr:
		return receiverType(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// Small returns the packages with fewer lines of code than most, in order.
func (f *Figures) Small(most int) []string {
	var small []string
	for _, folder := range slices.Sorted(maps.Keys(f.Folders)) {
		if f.Folders[folder] < most {
			small = append(small, folder)
		}
	}
	return small
}

// Above returns the names whose counts are above most, with their counts, in order.
func Above(counts map[string]int, most int) []string {
	var above []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > most {
			above = append(above, fmt.Sprintf("%s %d", name, counts[name]))
		}
	}
	return above
}

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

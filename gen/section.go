package gen

import (
	"bytes"
	"fmt"
	"go/format"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/dave/jennifer/jen"
)

// Printing and formatting code takes several times as long as making it. So a
// file is made of sections, each a few whole declarations, and while one is
// being made, those before it are printed on the other processors.
//
// A section is printed as a Go file of its own, which changes nothing: gofmt
// sets no declaration by what is in another one. What the sections import goes
// to the head of the whole file.

// A section is some of a file's declarations.
type section struct {
	head    []byte   // what stands above the package clause
	imports []string // lines of the import declaration
	body    []byte   // the declarations
	fault   string   // why there is no text
}

// file returns the file with the given sections. Code that was handed over to be
// printed must not be changed any more, so nothing that sections share may be.
func (g fileWriter) file(write ...func(*jen.File)) []byte {
	list := make([]section, len(write))
	written := make(chan func(), len(write))
	var printers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(write)) {
		printers.Go(func() {
			for print := range written {
				print()
			}
		})
	}
	func() {
		defer close(written)
		for i := range write {
			f := g.newFile()
			write[i](f)
			written <- func() { list[i].print(f, g) }
		}
	}()
	printers.Wait()
	return g.bind(list)
}

// print makes text of a section. What does not parse is the generator's own
// fault.
func (s *section) print(f *jen.File, g fileWriter) {
	defer func() {
		if fault := recover(); fault != nil {
			s.fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
		}
	}()
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		panic(err)
	}
	var rest []byte
	s.head, rest, _ = bytes.Cut(b.Bytes(), g.packageClause())
	s.imports, s.body = cutImports(rest)
	if g.opt.LineDirectives || len(s.body) == 0 {
		return
	}
	text, err := format.Source(slices.Concat(s.head, g.packageClause(), s.body))
	if err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, s.body))
	}
	s.head, s.body, _ = bytes.Cut(text, g.packageClause())
}

func (g fileWriter) packageClause() []byte { return []byte("package " + g.opt.Package + "\n\n") }

// cutImports takes the import declaration off the text behind a package clause.
func cutImports(text []byte) (imports []string, rest []byte) {
	if block, several := bytes.CutPrefix(text, []byte("import (\n")); several {
		block, rest, _ = bytes.Cut(block, []byte("\n)\n\n"))
		return strings.Split(string(block), "\n"), rest
	}
	if line, one := bytes.CutPrefix(text, []byte("import ")); one {
		line, rest, _ = bytes.Cut(line, []byte("\n\n"))
		return []string{string(line)}, rest
	}
	return nil, text
}

// bind puts the sections of a file together.
func (g fileWriter) bind(list []section) []byte {
	var imports []string
	var bodies [][]byte
	for _, s := range list {
		if s.fault != "" {
			panic(fmt.Sprintf("generated code of %s: %s", g.source, s.fault))
		}
		imports = append(imports, s.imports...)
		if len(s.body) > 0 {
			bodies = append(bodies, s.body)
		}
	}
	head := slices.Concat(list[0].head, g.packageClause(), g.importBlock(imports))
	if g.opt.LineDirectives {
		return resolveResets(slices.Concat(head, bytes.Join(bodies, nil)), g.fileName)
	}
	return slices.Concat(head, bytes.Join(bodies, []byte("\n")))
}

// importBlock is the declaration of what is imported: the standard library, other modules,
// and the packages of the workflows that this one runs.
func (g fileWriter) importBlock(lines []string) []byte {
	slices.Sort(lines)
	lines = slices.Compact(lines)
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return []byte("import " + lines[0] + "\n\n")
	}
	own := map[string]bool{}
	for _, callee := range direct(g.program.Workflow) {
		own[g.family.importPath(callee)] = true
	}
	var groups [3]strings.Builder
	for _, line := range lines {
		path := strings.TrimSuffix(line[strings.IndexByte(line, '"')+1:], `"`)
		to := 0
		if first, _, _ := strings.Cut(path, "/"); own[path] {
			to = 2
		} else if strings.Contains(first, ".") {
			to = 1
		}
		groups[to].WriteString("\t" + line + "\n")
	}
	var parts []string
	for i := range groups {
		if groups[i].Len() > 0 {
			parts = append(parts, groups[i].String())
		}
	}
	return []byte("import (\n" + strings.Join(parts, "\n") + ")\n\n")
}

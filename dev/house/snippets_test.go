package house

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// snippetImports are the packages besides those of the module that code in comments uses.
var snippetImports = []string{
	"context", "encoding/json", "errors", "fmt", "log", "log/slog", "os", "os/exec", "path/filepath", "testing", "time",
	"github.com/spf13/cobra", "golang.org/x/tools/go/analysis/multichecker", "golang.org/x/tools/go/analysis/passes/nilness",
}

var (
	// looksLikeGo matches Go code, as opposed to tables and data.
	looksLikeGo = regexp.MustCompile(`:= |\bfunc[ (]|\w\{\n`)
	// omitted matches errors about parts that code in comments leaves out: declarations,
	// later uses, and the function around it.
	omitted = regexp.MustCompile(`^undefined: \w+$|^declared and not used: |return values|^missing return$`)
	// unknownBase matches names that code in comments may use like those of packages: of
	// variables, and of packages that wfc generates.
	unknownBase = regexp.MustCompile(`^(.|def|notes|pkg|release|result|review|triage)$`)
)

// TestSnippets type-checks the Go code in the comments on public packages, except that it
// may leave out declarations and imports.
func TestSnippets(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedTypes | packages.NeedImports, Dir: root}, append(snippetImports, "./...")...)
	if err != nil {
		t.Fatal(err)
	}
	s := snippetPackages{types: map[string]*types.Package{}, paths: map[string]string{}}
	for _, p := range pkgs {
		if public(strings.TrimPrefix(p.PkgPath, module+"/")) && p.Name != "main" {
			s.types[p.PkgPath], s.paths[p.Name] = p.Types, p.PkgPath
		}
	}
	for _, p := range pkgs {
		if s.types[p.PkgPath] == nil || !strings.HasPrefix(p.PkgPath, module) {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
				if code, ok := block.(*comment.Code); ok {
					for _, err := range s.check(code.Text) {
						t.Errorf("%s: the code in the comment on the package: %v\n%s", name, err, code.Text)
					}
				}
			}
		}
	}
}

// snippetPackages are the packages that code in comments may use, by path; paths has their
// paths by name.
type snippetPackages struct {
	types map[string]*types.Package
	paths map[string]string
}

// check returns the errors of a code block: declarations, or statements.
func (s snippetPackages) check(text string) (errs []error) {
	fset := token.NewFileSet()
	parse := func(format string, args ...any) (*ast.File, error) {
		return parser.ParseFile(fset, "", fmt.Sprintf("package p;"+format, args...), 0)
	}
	body := text
	file, err := parse("\n%s", body)
	if err != nil {
		body = "func _() {" + text + "}"
		if file, err = parse("\n%s", body); err != nil && looksLikeGo.MatchString(text) {
			return []error{err}
		} else if err != nil {
			return nil
		}
	}
	imports := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		base, ok := selector.X.(*ast.Ident)
		switch {
		case !ok || base.Obj != nil || !selector.Sel.IsExported():
		case s.paths[base.Name] != "":
			imports[s.paths[base.Name]] = true
		case !unknownBase.MatchString(base.Name):
			errs = append(errs, fmt.Errorf("unknown package %s", base.Name))
		}
		return true
	})
	lines := ""
	for path := range imports {
		lines += fmt.Sprintf("import %q;", path)
	}
	if len(file.Imports) == 0 {
		if file, err = parse("%s\n%s", lines, body); err != nil {
			return []error{err}
		}
	}
	config := types.Config{Importer: s, Error: func(err error) {
		if !omitted.MatchString(err.(types.Error).Msg) {
			errs = append(errs, err)
		}
	}}
	_, _ = config.Check("p", fset, []*ast.File{file}, nil)
	return errs
}

// Import implements types.Importer.
func (s snippetPackages) Import(path string) (*types.Package, error) {
	if p := s.types[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("unknown package")
}

package gen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A workflow that another one runs may have the name of any variable of generated code: its
// package has another name then.
func TestCalleesNamedAsVariables(t *testing.T) {
	calls := find("calls")
	check := testkit.TypeChecker(t)
	names := variables(t, calls.golden())
	if !slices.Contains(names, "item") || !slices.Contains(names, "c") {
		t.Fatalf("the variables are %q", names)
	}
	word := regexp.MustCompile(`(workflow|name): check\b`)
	for _, name := range names {
		renamed := sample{name: "calls" + name, archive: &txtar.Archive{}}
		for _, f := range calls.archive.Files {
			if f.Name == goldenFile || strings.HasPrefix(f.Name, goldenFolder) {
				continue
			}
			f.Data = word.ReplaceAll(f.Data, []byte("$1: "+name))
			if f.Name == "check.yaml" {
				f.Name = name + ".yaml"
			}
			renamed.archive.Files = append(renamed.archive.Files, f)
		}
		files := renamed.generate(gen.Options{})
		for _, f := range slices.Backward(files) { // those that a workflow runs come behind it
			check("goldens/"+renamed.name, f)
		}
	}
}

// variables returns the names of the parameters and variables of functions that a workflow
// can have, too.
func variables(t *testing.T, code []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "calls.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	add := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" && id.Name == strings.ToLower(id.Name) {
			names = append(names, id.Name)
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, e := range n.Lhs {
						add(e)
					}
				}
			case *ast.RangeStmt:
				add(n.Key)
				add(n.Value)
			case *ast.Field:
				for _, id := range n.Names {
					add(id)
				}
			case *ast.ValueSpec:
				for _, id := range n.Names {
					add(id)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unlimitedReaders are the functions that read all there is.
var unlimitedReaders = []string{"os.ReadFile", "io.ReadAll"}

// unlimitedMethods are the methods that read a line, or any other piece, however long it is.
var unlimitedMethods = []string{"ReadBytes", "ReadString"}

// contributors are the folders of `internal` and of `runtime` that no user runs.
var contributors = strings.Fields("testkit enginetest pgtest storetest gates")

// TestReads checks that programs which people run read files and their lines only with package
// wholefile, so that nothing is read whole before its size is known. Files of the kernel in
// /proc are exempt, and readers that are limited.
func TestReads(t *testing.T) {
	inspectProducts(t, func(files *token.FileSet, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		selected, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if slices.Contains(unlimitedMethods, selected.Sel.Name) {
			t.Errorf("%s: use the method Line of a limit of package wholefile in place of %s", files.Position(call.Pos()), selected.Sel.Name)
		}
		of, ok := selected.X.(*ast.Ident)
		if !ok || !slices.Contains(unlimitedReaders, of.Name+"."+selected.Sel.Name) || isLimited(call.Args[0]) {
			return
		}
		t.Errorf("%s: use package wholefile in place of %s.%s", files.Position(call.Pos()), of.Name, selected.Sel.Name)
	})
}

// inspectProducts visits the code of programs that people run, without their tests.
func inspectProducts(t *testing.T, visit func(files *token.FileSet, n ast.Node)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || rel == "dev" || rel == "examples" || rel == "runtime/internal/ent" || slices.Contains(contributors, name)) {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		ast.Inspect(f, func(n ast.Node) bool {
			visit(files, n)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 500 {
		t.Fatalf("%d files", seen)
	}
}

// isLimited reports whether an argument is a limited reader, or the path of a file in /proc.
func isLimited(arg ast.Expr) bool {
	for {
		b, ok := arg.(*ast.BinaryExpr)
		if !ok {
			break
		}
		arg = b.X
	}
	switch arg := arg.(type) {
	case *ast.BasicLit:
		return strings.HasPrefix(arg.Value, `"/proc/`)
	case *ast.CallExpr:
		if f, ok := arg.Fun.(*ast.SelectorExpr); ok {
			return f.Sel.Name == "LimitReader" || f.Sel.Name == "MaxBytesReader"
		}
	}
	return false
}

package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const (
	// apiFile has a line for each exported name, field and method that a program
	// outside the module can use.
	apiFile = "api/wfc.txt"
	// maxNames is how many exported top-level names there may be.
	maxNames = 460
)

// TestAPI compares the public surface with the API file, so that nothing is
// added, changed or removed unseen.
func TestAPI(t *testing.T) {
	lines, names := surface(t)
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join(root, apiFile)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		before := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
		t.Errorf("the public surface is not the one in %s; `make api` writes it", apiFile)
		for _, line := range difference(before, lines) {
			t.Log("removed: " + line)
		}
		for _, line := range difference(lines, before) {
			t.Log("added: " + line)
		}
	}
	t.Logf("%d exported top-level names", names)
	if names > maxNames {
		t.Errorf("%d exported top-level names, want at most %d", names, maxNames)
	}
}

// difference returns the lines of a that b lacks.
func difference(a, b []string) []string {
	have := map[string]bool{}
	for _, line := range b {
		have[line] = true
	}
	var only []string
	for _, line := range a {
		if !have[line] {
			only = append(only, line)
		}
	}
	return only
}

// surface returns a line for each exported name, field and method of the
// public packages in order, and the number of top-level names.
func surface(t *testing.T) (lines []string, names int) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports, Dir: root}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })
	for _, p := range pkgs {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, module), "/")
		if !public(path) || p.Name == "main" {
			continue
		}
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			if !ast.IsExported(name) {
				continue
			}
			names++
			for _, line := range describe(scope.Lookup(name)) {
				lines = append(lines, fmt.Sprintf("pkg %s, %s", cmp.Or(path, "."), line))
			}
		}
	}
	return lines, names
}

// public reports whether a package is for programs outside the module: it is neither internal,
// nor an example, nor a part of the program wfc.
func public(path string) bool {
	return !strings.Contains("/"+path+"/", "/internal/") && !strings.HasPrefix(path, "examples/") && !strings.HasPrefix(path, "cmd/")
}

// describe returns the lines of a top-level object.
func describe(obj types.Object) []string {
	name := types.RelativeTo(obj.Pkg())
	typed := func(t types.Type) string { return types.TypeString(t, name) }
	switch obj := obj.(type) {
	case *types.Const:
		if basic, ok := obj.Type().(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
			return []string{"const " + obj.Name() + " = " + obj.Val().String()}
		}
		return []string{"const " + obj.Name() + " " + typed(obj.Type())}
	case *types.Var:
		return []string{"var " + obj.Name() + " " + typed(obj.Type())}
	case *types.Func:
		return []string{"func " + obj.Name() + strings.TrimPrefix(typed(obj.Type()), "func")}
	case *types.TypeName:
		return describeType(obj, typed)
	}
	return nil
}

func describeType(obj *types.TypeName, typed func(types.Type) string) []string {
	if obj.IsAlias() {
		return []string{"type " + obj.Name() + " = " + typed(types.Unalias(obj.Type()))}
	}
	named := obj.Type().(*types.Named)
	head := "type " + typed(named)
	lines := []string{head}
	switch under := named.Underlying().(type) {
	case *types.Struct:
		lines[0] += " struct"
		for field := range under.Fields() {
			if field.Exported() {
				lines = append(lines, head+" struct, "+field.Name()+" "+typed(field.Type()))
			}
		}
	case *types.Interface:
		lines[0] += " interface"
		for method := range under.ExplicitMethods() {
			if method.Exported() {
				lines = append(lines, head+" interface, "+method.Name()+strings.TrimPrefix(typed(method.Type()), "func"))
			}
		}
	default:
		lines[0] += " " + typed(under)
	}
	lines = append(lines, describeMethods(named, obj.Name(), typed)...)
	slices.Sort(lines[1:])
	return lines
}

// describeMethods lists the methods of a type, with those that it has from an unexported type in
// it, as those of the type that is called name.
func describeMethods(named *types.Named, name string, typed func(types.Type) string) (lines []string) {
	for method := range named.Methods() {
		if method.Exported() {
			receiver := strings.Replace(typed(method.Signature().Recv().Type()), named.Obj().Name(), name, 1)
			lines = append(lines, "method ("+receiver+") "+method.Name()+strings.TrimPrefix(typed(method.Type()), "func"))
		}
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for field := range s.Fields() {
			if inner, ok := field.Type().(*types.Named); ok && field.Embedded() && !field.Exported() {
				lines = append(lines, describeMethods(inner, name, typed)...)
			}
		}
	}
	return lines
}

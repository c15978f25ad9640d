package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// compilerRooms are the packages between a workflow file and its generated code.
var compilerRooms = strings.Fields("./gen/... ./compiler/... ./internal/codes ./internal/explore ./internal/expr ./internal/finding ./internal/graph ./internal/ir ./internal/keytable ./internal/template ./internal/types ./internal/yamlsrc")

// TestAppends checks that the compiler and the generator append only to slices that nobody
// else holds. Otherwise an append writes into the other holder's memory if the slice has
// spare capacity, so whether it does depends on the number of elements. The rules:
//
//   - The result of append goes back to the variable or field that it extends, or append
//     extends a slice that is fresh: a literal, an allocation, a full slice expression, or
//     what a function made freshly. slices.Concat and slices.Clip make fresh slices, too.
//   - A parameter is extended only by a function that returns a slice of its type.
//   - The field of a struct that was copied is not extended.
//   - A field that is extended somewhere is set to fresh slices only, not to a parameter or
//     to a part of another slice.
func TestAppends(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedSyntax | packages.NeedTypesInfo, Dir: root}, compilerRooms...)
	if err != nil {
		t.Fatal(err)
	}
	h := holders{map[string]*heldFunc{}, map[string]bool{}}
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					f := &heldFunc{pkg: pkg, decl: d, sets: map[types.Object][]ast.Expr{}, owned: map[types.Object]bool{}, renewed: map[string]bool{}}
					f.collect(h.extended)
					h.funcs[pkg.TypesInfo.Defs[d.Name].(*types.Func).FullName()] = f
				}
			}
		}
	}
	if len(h.funcs) < 1000 {
		t.Fatalf("%d functions", len(h.funcs))
	}
	delete(h.extended, "")
	for _, f := range h.funcs {
		for at, fault := range h.faults(f) {
			t.Errorf("%s: %s", f.pkg.Fset.Position(at), fault)
		}
	}
}

// holders knows who holds the slices of functions by their full names.
type holders struct {
	funcs map[string]*heldFunc
	// extended are the fields that something extends.
	extended map[string]bool
}

type heldFunc struct {
	pkg  *packages.Package
	decl *ast.FuncDecl
	// sets are the values of each variable; nil stands for one that is not known.
	sets  map[types.Object][]ast.Expr
	owned map[types.Object]bool
	// renewed are the fields that the function sets before it extends them.
	renewed map[string]bool
	// returns are the returned values, of functions inside the function, too.
	returns []*ast.ReturnStmt
	// fresh says whether its results are fresh, once that is known. With passes, they may be
	// its parameters.
	fresh, known, passes bool
}

// collect finds the values of variables, and the fields that the function extends.
func (f *heldFunc) collect(extended map[string]bool) {
	set := func(to, value ast.Expr) {
		if id, ok := to.(*ast.Ident); ok {
			if o := f.pkg.TypesInfo.ObjectOf(id); o != nil {
				f.sets[o] = append(f.sets[o], value)
			}
		}
	}
	ast.Inspect(f.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok && i < len(n.Rhs) {
					if call, ok := n.Rhs[i].(*ast.CallExpr); ok && isIdent(call.Fun, "append") && extends(call.Args[0], to) {
						extended[f.field(field.Sel)] = true
					} else {
						f.renewed[types.ExprString(field)] = true
					}
				}
				set(to, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) > 0 {
					set(id, n.Values[min(i, len(n.Values)-1)])
				}
			}
		case *ast.RangeStmt:
			set(n.Key, nil)
			set(n.Value, nil)
		case *ast.ReturnStmt:
			f.returns = append(f.returns, n)
		}
		return true
	})
}

// isParam reports whether a variable is a parameter of the function, or of one inside it.
func (f *heldFunc) isParam(o types.Object) (found *ast.FuncType) {
	ast.Inspect(f.decl, func(n ast.Node) bool {
		if n, ok := n.(*ast.FuncType); ok {
			for _, field := range n.Params.List {
				for _, id := range field.Names {
					if f.pkg.TypesInfo.Defs[id] == o {
						found = n
					}
				}
			}
		}
		return found == nil
	})
	return found
}

// faults returns what breaks the rules.
func (h holders) faults(f *heldFunc) map[token.Pos]string {
	faults := map[token.Pos]string{}
	back := map[*ast.CallExpr]bool{}
	set := func(field *ast.Ident, e, own ast.Expr) {
		if h.extended[f.field(field)] && f.isSlice(e) && !h.isFresh(f, e, types.ExprString(own)) {
			faults[e.Pos()] = fmt.Sprintf("%s becomes the field %s, which is extended, and somebody else may hold it; use slices.Clip", types.ExprString(e), field.Name)
		}
	}
	ast.Inspect(f.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				if field, ok := n.Lhs[i].(*ast.SelectorExpr); ok {
					set(field.Sel, value, field)
				}
				if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && isIdent(call.Fun, "append") && extends(call.Args[0], n.Lhs[i]) {
					back[call] = true
					if why := f.shared(n.Lhs[i]); why != "" {
						faults[call.Pos()] = types.ExprString(call) + " extends " + why
					}
				}
			}
		case *ast.KeyValueExpr:
			if field, ok := n.Key.(*ast.Ident); ok {
				set(field, n.Value, field)
			}
		case *ast.CallExpr:
			if isIdent(n.Fun, "append") && !back[n] && !h.isFresh(f, n.Args[0], "") && !f.accumulates(base(n)) {
				faults[n.Pos()] = types.ExprString(n) + " extends a slice that somebody else may hold; use slices.Concat, or assign the result back"
			}
		}
		return true
	})
	return faults
}

// extends reports whether a value is a variable or field, or the part of it.
func extends(value, variable ast.Expr) bool {
	value = ast.Unparen(value)
	if s, ok := value.(*ast.SliceExpr); ok && !s.Slice3 {
		value = s.X
	}
	return types.ExprString(value) == types.ExprString(variable)
}

// shared says why somebody else holds a variable or field that is extended, or "".
func (f *heldFunc) shared(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if f.isParam(f.pkg.TypesInfo.ObjectOf(e)) != nil && !f.accumulates(e) {
			return "a parameter"
		}
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if !ok {
			break
		}
		o := f.pkg.TypesInfo.ObjectOf(id)
		if _, isStruct := o.Type().Underlying().(*types.Struct); !isStruct {
			break
		}
		if f.renewed[types.ExprString(e)] {
			break
		}
		for _, value := range f.sets[o] {
			switch value.(type) {
			case *ast.CompositeLit, *ast.CallExpr:
			default:
				return "a field of a copy"
			}
		}
	}
	return ""
}

// base returns the slice that calls of append extend.
func base(e ast.Expr) ast.Expr {
	for {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok || !isIdent(call.Fun, "append") {
			return e
		}
		e = call.Args[0]
	}
}

// accumulates reports whether a value is the parameter of a function that returns its type.
func (f *heldFunc) accumulates(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	fn := f.isParam(f.pkg.TypesInfo.ObjectOf(id))
	return fn != nil && fn.Results != nil && slices.ContainsFunc(fn.Results.List, func(r *ast.Field) bool {
		return types.Identical(f.pkg.TypesInfo.TypeOf(r.Type), f.pkg.TypesInfo.TypeOf(e))
	})
}

// field names a field by its place, or is "" for another name.
func (f *heldFunc) field(id *ast.Ident) string {
	o, ok := f.pkg.TypesInfo.Uses[id].(*types.Var)
	if !ok || !o.IsField() {
		return ""
	}
	at := f.pkg.Fset.Position(o.Pos())
	return fmt.Sprintf("%s %s:%d %s", f.pkg.PkgPath, filepath.Base(at.Filename), at.Line, o.Name())
}

func (f *heldFunc) isSlice(e ast.Expr) bool {
	s, ok := f.pkg.TypesInfo.TypeOf(e).Underlying().(*types.Slice)
	return ok && s.Elem() != types.Universe.Lookup("byte").Type()
}

// isFresh reports whether nobody else holds a slice. own is the variable that gets it.
func (h holders) isFresh(f *heldFunc, e ast.Expr, own string) bool {
	if e == nil {
		return false
	}
	if own != "" && types.ExprString(e) == own {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit, *ast.FuncLit:
		return true
	case *ast.SliceExpr:
		if lit, ok := e.High.(*ast.BasicLit); ok && lit.Value == "0" {
			return true // emptied to be written again
		}
		return e.Slice3 || h.isFresh(f, e.X, own)
	case *ast.Ident:
		o, ok := f.pkg.TypesInfo.ObjectOf(e).(*types.Var)
		if !ok {
			return true // nil
		}
		if o.Parent() == f.pkg.Types.Scope() || f.isParam(o) != nil {
			return false
		}
		if fresh, known := f.owned[o]; known {
			return fresh
		}
		f.owned[o] = true
		f.owned[o] = !slices.ContainsFunc(f.sets[o], func(value ast.Expr) bool { return !h.isFresh(f, value, e.Name) })
		return f.owned[o]
	case *ast.CallExpr:
		return h.makes(f, e, own)
	case *ast.TypeAssertExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return false
	}
	return true
}

// makes reports whether a call returns a fresh slice. A function that returns its argument
// does if that is fresh.
func (h holders) makes(f *heldFunc, call *ast.CallExpr, own string) bool {
	if isIdent(call.Fun, "append") {
		return h.isFresh(f, call.Args[0], own)
	}
	if f.pkg.TypesInfo.Types[call.Fun].IsType() { // a conversion
		return !f.isSlice(call.Args[0]) || h.isFresh(f, call.Args[0], own)
	}
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return true
	}
	callee, ok := f.pkg.TypesInfo.Uses[id].(*types.Func)
	if !ok {
		return true
	}
	if callee.Pkg() != nil && callee.Pkg().Path() == "slices" {
		switch callee.Name() {
		case "Clone", "Clip", "Concat", "Sorted", "SortedFunc", "Collect":
			return true
		}
		return h.isFresh(f, call.Args[0], own)
	}
	made := h.funcs[callee.FullName()]
	if made == nil {
		return true
	}
	if !made.known {
		made.known, made.fresh = true, true
		for _, r := range made.returns {
			for _, value := range r.Results {
				if made.isSlice(value) && !h.isFresh(made, value, "") {
					made.passes = true
					made.fresh = made.fresh && made.accumulates(base(value))
				}
			}
		}
	}
	if !made.fresh {
		return false
	}
	for _, arg := range call.Args {
		if made.passes && types.Identical(f.pkg.TypesInfo.TypeOf(arg), f.pkg.TypesInfo.TypeOf(call)) && !h.isFresh(f, arg, own) && !f.accumulates(arg) {
			return false
		}
	}
	return true
}

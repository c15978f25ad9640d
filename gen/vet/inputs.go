package vet

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

var inputsAnalyzer = &analysis.Analyzer{
	Name: "wfcinputs",
	Doc: `report required inputs that a call leaves out

A field of the struct Inputs that is not set has its zero value, so a workflow would run
with an empty string instead of the input that it requires.`,
	URL:       documentation + "#wfcinputs",
	Requires:  []*analysis.Analyzer{inspect.Analyzer},
	FactTypes: []analysis.Fact{new(inputsFact)},
	Run:       runInputs,
}

// An inputsFact is known of the struct Inputs and of the variable Workflow of a generated
// package.
type inputsFact struct {
	// Known are the names of all inputs.
	Known []string
	// Required are the inputs without a default, by the name of their field.
	Required map[string]string
}

func (*inputsFact) AFact() {}

// String returns the required inputs, for tests.
func (f *inputsFact) String() string {
	return "requires(" + strings.Join(slices.Sorted(maps.Values(f.Required)), ",") + ")"
}

func runInputs(pass *analysis.Pass) (any, error) {
	exportInputs(pass)
	c := &inputsCheck{pass: pass}
	for cursor := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CompositeLit)(nil), (*ast.ValueSpec)(nil), (*ast.CallExpr)(nil)) {
		if enclosing := enclosingFile(cursor); enclosing == nil || workflowOf(enclosing) != "" {
			continue
		}
		switch node := cursor.Node().(type) {
		case *ast.CompositeLit:
			c.checkLiteral(cursor, node)
		case *ast.ValueSpec:
			c.checkZeroValue(cursor, node)
		case *ast.CallExpr:
			c.checkJSONArgument(node)
		}
	}
	return nil, nil
}

func enclosingFile(c inspector.Cursor) *ast.File {
	for file := range c.Enclosing((*ast.File)(nil)) {
		return file.Node().(*ast.File)
	}
	return nil
}

// exportInputs reads the inputs of a generated package from its variable inputs.
func exportInputs(pass *analysis.Pass) {
	if !isWorkflow(pass) {
		return
	}
	scope := pass.Pkg.Scope()
	object, _ := scope.Lookup("Inputs").(*types.TypeName)
	if object == nil {
		return
	}
	structure, _ := object.Type().Underlying().(*types.Struct)
	list := declaredElements(pass, scope.Lookup("inputs"))
	if structure == nil {
		return
	}
	fact := &inputsFact{Required: map[string]string{}}
	for _, element := range list {
		if lit, ok := element.(*ast.CompositeLit); ok {
			name, required := parseInputInfo(pass, lit)
			fact.Known = append(fact.Known, name)
			if field := fieldOf(structure, name); required && field != "" {
				fact.Required[field] = name
			}
		}
	}
	pass.ExportObjectFact(object, fact)
	if workflow := scope.Lookup("Workflow"); workflow != nil {
		pass.ExportObjectFact(workflow, fact)
	}
}

// declaredElements returns the elements of the composite literal that a package variable is
// declared with.
func declaredElements(pass *analysis.Pass, object types.Object) []ast.Expr {
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok || general.Tok != token.VAR {
				continue
			}
			for _, spec := range general.Specs {
				value := spec.(*ast.ValueSpec)
				if len(value.Names) != 1 || len(value.Values) != 1 || pass.TypesInfo.Defs[value.Names[0]] != object {
					continue
				}
				if lit, ok := value.Values[0].(*ast.CompositeLit); ok {
					return lit.Elts
				}
			}
		}
	}
	return nil
}

// parseInputInfo reads a flow.InputInfo: an input without a default is required.
func parseInputInfo(pass *analysis.Pass, lit *ast.CompositeLit) (name string, required bool) {
	required = true
	for _, element := range lit.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch key, _ := pair.Key.(*ast.Ident); {
		case key == nil:
		case key.Name == "Name":
			name, _ = constantString(pass, pair.Value)
		case key.Name == "Default":
			required = false
		}
	}
	return name, required
}

// constantString returns the value of a constant string.
func constantString(pass *analysis.Pass, e ast.Expr) (string, bool) {
	v := pass.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// fieldOf returns the name of the field whose JSON name is that of an input.
func fieldOf(s *types.Struct, name string) string {
	for i := range s.NumFields() {
		tag, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if tag == name {
			return s.Field(i).Name()
		}
	}
	return ""
}

// An inputsCheck looks at the inputs that a package sets.
type inputsCheck struct {
	pass *analysis.Pass
}

// factOf returns the fact of a struct Inputs, or nil.
func (c *inputsCheck) factOf(t types.Type) *inputsFact {
	if t == nil {
		return nil
	}
	named, _ := types.Unalias(t).(*types.Named)
	fact := new(inputsFact)
	if named == nil || named.Obj().Name() != "Inputs" || !c.pass.ImportObjectFact(named.Obj(), fact) {
		return nil
	}
	return fact
}

// checkLiteral checks a struct literal. A field may also be set later, if the literal is the
// first value of a variable.
func (c *inputsCheck) checkLiteral(cursor inspector.Cursor, lit *ast.CompositeLit) {
	fact := c.factOf(c.pass.TypesInfo.TypeOf(lit))
	if fact == nil || len(lit.Elts) > 0 && !isKeyed(lit) {
		return
	}
	missing := maps.Clone(fact.Required)
	for _, element := range lit.Elts {
		if key, ok := element.(*ast.KeyValueExpr).Key.(*ast.Ident); ok {
			delete(missing, key.Name)
		}
	}
	if v := assignedVariable(c.pass, cursor); v != nil {
		c.setLater(cursor, v, missing)
	}
	c.reportMissing(lit, missing)
}

func isKeyed(lit *ast.CompositeLit) bool {
	_, ok := lit.Elts[0].(*ast.KeyValueExpr)
	return ok
}

// assignedVariable returns the variable that a literal is assigned to, or nil.
func assignedVariable(pass *analysis.Pass, cursor inspector.Cursor) types.Object {
	if address, ok := cursor.Parent().Node().(*ast.UnaryExpr); ok && address.Op == token.AND {
		cursor = cursor.Parent()
	}
	value := cursor.Node().(ast.Expr)
	switch parent := cursor.Parent().Node().(type) {
	case *ast.AssignStmt:
		if i := slices.Index(parent.Rhs, value); i >= 0 && len(parent.Lhs) == len(parent.Rhs) {
			return objectOf(pass, parent.Lhs[i])
		}
	case *ast.ValueSpec:
		if i := slices.Index(parent.Values, value); i >= 0 && len(parent.Names) == len(parent.Values) {
			return pass.TypesInfo.Defs[parent.Names[i]]
		}
	}
	return nil
}

// objectOf returns the object that an identifier defines or uses, or nil.
func objectOf(pass *analysis.Pass, e ast.Expr) types.Object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return pass.TypesInfo.ObjectOf(id)
	}
	return nil
}

// checkZeroValue checks a variable that is declared without a value.
func (c *inputsCheck) checkZeroValue(cursor inspector.Cursor, spec *ast.ValueSpec) {
	if len(spec.Values) > 0 {
		return
	}
	for _, name := range spec.Names {
		object := c.pass.TypesInfo.Defs[name]
		if object == nil {
			continue
		}
		if fact := c.factOf(object.Type()); fact != nil {
			missing := maps.Clone(fact.Required)
			c.setLater(cursor, object, missing)
			c.reportMissing(name, missing)
		}
	}
}

// setLater removes the fields of a variable that the function around sets. It removes all
// if the function takes the variable's address or assigns it as a whole, or if the variable
// belongs to no function.
func (c *inputsCheck) setLater(cursor inspector.Cursor, object types.Object, missing map[string]string) {
	function, found := functionAround(cursor)
	if !found {
		clear(missing)
		return
	}
	for n := range function.Preorder((*ast.UnaryExpr)(nil), (*ast.AssignStmt)(nil)) {
		switch n := n.Node().(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND && objectOf(c.pass, n.X) == object {
				clear(missing)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if field, ok := ast.Unparen(left).(*ast.SelectorExpr); ok && objectOf(c.pass, field.X) == object {
					delete(missing, field.Sel.Name)
				}
				if n.Tok == token.ASSIGN && objectOf(c.pass, left) == object && !isLiteral(n, i) {
					clear(missing)
				}
			}
		}
	}
}

// functionAround returns the declared function around a place.
func functionAround(cursor inspector.Cursor) (function inspector.Cursor, found bool) {
	for f := range cursor.Enclosing((*ast.FuncDecl)(nil)) {
		return f, true
	}
	return function, false
}

// isLiteral reports whether the value assigned to the i-th variable is a struct literal.
func isLiteral(n *ast.AssignStmt, i int) bool {
	if len(n.Lhs) != len(n.Rhs) {
		return false
	}
	_, ok := ast.Unparen(n.Rhs[i]).(*ast.CompositeLit)
	return ok
}

// reportMissing reports the inputs that are missing where they should be set.
func (c *inputsCheck) reportMissing(at ast.Node, missing map[string]string) {
	switch fields := slices.Sorted(maps.Keys(missing)); len(fields) {
	case 0:
	case 1:
		c.pass.Reportf(at.Pos(), "required input %s is not set", plain.NameList(fields))
	default:
		c.pass.Reportf(at.Pos(), "required inputs %s are not set", plain.NameList(fields))
	}
}

// checkJSONArgument checks the JSON object that is passed to an engine with a generated workflow, if
// it is a constant.
func (c *inputsCheck) checkJSONArgument(call *ast.CallExpr) {
	fn := calledFunction(c.pass, call)
	if fn == nil || len(call.Args) != 4 {
		return
	}
	if name := nameOf(fn); name != engine+"Run" && name != engine+"RunAsync" {
		return
	}
	fact := c.workflowFact(call.Args[1])
	given, ok := c.constantObject(call.Args[2])
	if fact == nil || !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Values(fact.Required)) {
		if _, ok := given[name]; !ok {
			c.pass.Reportf(call.Args[2].Pos(), "required input %s is missing in the JSON object", strconv.Quote(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(fact.Known, name) {
			c.pass.Reportf(call.Args[2].Pos(), "the workflow has no input %s", strconv.Quote(name))
		}
	}
}

// workflowFact returns the fact of the argument &triage.Workflow, or nil.
func (c *inputsCheck) workflowFact(arg ast.Expr) *inputsFact {
	address, ok := ast.Unparen(arg).(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return nil
	}
	var object types.Object
	switch x := ast.Unparen(address.X).(type) {
	case *ast.Ident:
		object = c.pass.TypesInfo.ObjectOf(x)
	case *ast.SelectorExpr:
		object = c.pass.TypesInfo.ObjectOf(x.Sel)
	}
	fact := new(inputsFact)
	if object == nil || object.Pkg() == nil || object.Parent() != object.Pkg().Scope() || !c.pass.ImportObjectFact(object, fact) {
		return nil
	}
	return fact
}

// constantObject returns the members of a JSON object that is a constant: nil, or the conversion of
// a constant string.
func (c *inputsCheck) constantObject(arg ast.Expr) (map[string]json.RawMessage, bool) {
	arg = ast.Unparen(arg)
	if c.pass.TypesInfo.Types[arg].IsNil() {
		return nil, true
	}
	call, ok := arg.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !c.pass.TypesInfo.Types[call.Fun].IsType() {
		return nil, false
	}
	content, ok := constantString(c.pass, call.Args[0])
	var object map[string]json.RawMessage
	return object, ok && json.Unmarshal([]byte(content), &object) == nil
}

package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

var resultAnalyzer = &analysis.Analyzer{
	Name: "wfcresult",
	Doc: `report errors and statuses of runs that the code does not check

The methods Run and Resume of an engine return no error for a run that fails, pauses or
reaches a limit: only its status shows that. The function Run of a generated package does
return an error. A flow that drops an error continues without the result.`,
	URL:       documentation + "#wfcresult",
	Requires:  []*analysis.Analyzer{inspect.Analyzer},
	FactTypes: []analysis.Fact{new(runFact)},
	Run:       runResult,
}

// engine begins the names of an engine's methods.
const engine = "runtime/engine/local.Engine."

// A runFact marks the function Run of a generated package.
type runFact struct{}

func (*runFact) AFact() {}

// String names the fact, for tests.
func (*runFact) String() string { return "run" }

// ends are the functions whose first result has a run's status. Who waits for a run may want
// nothing but to wait.
var ends = []string{engine + "Run", engine + "Resume"}

// failing are the functions of the runtime whose error says that something did not happen.
var failing = []string{
	engine + "Run", engine + "Resume", engine + "Wait", engine + "RunAsync", engine + "ResumeAsync", engine + "ResumeAll",
	engine + "Answer", engine + "Cancel", engine + "Remove",
	"runtime/engine/local.RunTyped",
	"runtime/flow.Context.Do", "runtime/flow.Context.DoAs", "runtime/flow.Context.Ask", "runtime/flow.Context.Sleep",
	"runtime/flow.Context.WithTimeout", "runtime/flow.Context.Inputs", "runtime/flow.Settle", "runtime/flow.TextOf",
}

// statusFields are the fields of a result that say how the run ended.
var statusFields = []string{"Status", "Outcome", "Reason", "Error", "RunEnd"}

func runResult(pass *analysis.Pass) (any, error) {
	if run, ok := pass.Pkg.Scope().Lookup("Run").(*types.Func); ok && isWorkflow(pass) {
		pass.ExportObjectFact(run, new(runFact))
	}
	for cursor := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
		if file := enclosingFile(cursor); file == nil || workflowOf(file) != "" {
			continue
		}
		checkResult(pass, cursor, cursor.Node().(*ast.CallExpr))
	}
	return nil, nil
}

// checkResult checks how the code uses the results of a call.
func checkResult(pass *analysis.Pass, cursor inspector.Cursor, call *ast.CallExpr) {
	fn := calledFunction(pass, call)
	if fn == nil {
		return
	}
	name := nameOf(fn)
	generated := fn.Name() == "Run" && fn.Signature().Recv() == nil && pass.ImportObjectFact(fn, new(runFact))
	if !generated && !slices.Contains(failing, name) {
		return
	}
	shown := shownName(fn)
	for paren, ok := cursor.Parent().Node().(*ast.ParenExpr); ok && paren != nil; paren, ok = cursor.Parent().Node().(*ast.ParenExpr) {
		cursor = cursor.Parent()
	}
	switch parent := cursor.Parent().Node().(type) {
	case *ast.ExprStmt:
		pass.Reportf(call.Pos(), "the error of %s is dropped", shown)
	case *ast.GoStmt, *ast.DeferStmt:
		pass.Reportf(call.Pos(), "the error of %s is dropped; call it in a function that checks the error", shown)
	case *ast.AssignStmt:
		if len(parent.Rhs) == 1 {
			checkAssigned(pass, cursor, call, parent.Lhs, shown, slices.Contains(ends, name))
		}
	case *ast.ValueSpec:
		var left []ast.Expr
		for _, id := range parent.Names {
			left = append(left, id)
		}
		checkAssigned(pass, cursor, call, left, shown, slices.Contains(ends, name))
	}
}

// shownName returns the name of a function as its callers write it.
func shownName(fn *types.Func) string {
	if recv := fn.Signature().Recv(); recv != nil {
		return typeName(recv.Type()) + "." + fn.Name()
	}
	return fn.Pkg().Name() + "." + fn.Name()
}

// checkAssigned checks the variables that results are assigned to: the last one is the
// error, and the first one, if end, has the run's status.
func checkAssigned(pass *analysis.Pass, cursor inspector.Cursor, call *ast.CallExpr, left []ast.Expr, shown string, end bool) {
	if isBlank(left[len(left)-1]) {
		pass.Reportf(call.Pos(), "the error of %s is dropped", shown)
		return
	}
	if !end || len(left) != 2 {
		return
	}
	const advice = "it returns no error for a run that failed or paused"
	if isBlank(left[0]) {
		pass.Reportf(call.Pos(), "the status of %s is dropped: %s", shown, advice)
		return
	}
	if v := objectOf(pass, left[0]); v != nil && !looksAtStatus(pass, cursor, v) {
		pass.Reportf(call.Pos(), "the status of %s is not checked: %s", shown, advice)
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// looksAtStatus reports whether the function around uses the status of a result, or passes
// the result on. A variable of no function, and one of a function around, may be used
// anywhere.
func looksAtStatus(pass *analysis.Pass, cursor inspector.Cursor, result types.Object) bool {
	body, found := functionAround(cursor)
	if !found || result.Pos() < body.Node().Pos() || result.Pos() > body.Node().End() {
		return true
	}
	for c := range body.Preorder((*ast.Ident)(nil)) {
		id := c.Node().(*ast.Ident)
		if pass.TypesInfo.Uses[id] != result {
			continue
		}
		switch parent := c.Parent().Node().(type) {
		case *ast.SelectorExpr:
			if slices.Contains(statusFields, parent.Sel.Name) || isMethod(pass, parent) {
				return true
			}
		case *ast.BinaryExpr: // compared with nil
			if parent.Op != token.EQL && parent.Op != token.NEQ {
				return true
			}
		case *ast.AssignStmt:
			if !slices.Contains(parent.Lhs, ast.Expr(id)) && !slices.ContainsFunc(parent.Lhs, isBlank) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// isMethod reports whether a selector is a method, which may look at everything.
func isMethod(pass *analysis.Pass, s *ast.SelectorExpr) bool {
	_, ok := pass.TypesInfo.Uses[s.Sel].(*types.Func)
	return ok
}

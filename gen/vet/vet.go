// Package vet checks Go code that belongs to workflows. Its analyzers work with go vet,
// golangci-lint and every other driver of golang.org/x/tools/go/analysis:
//
//   - wfcgen reports generated packages that do not fit their workflow file, and edits in
//     them.
//   - wfcinputs reports required inputs that a call leaves out.
//   - wfcresult reports errors and statuses of runs that the code does not check.
//   - wfcflow reports code in functions that take a *flow.Context, and in the functions
//     that these call, that may act differently when a run is resumed. It leaves
//     generated code out.
//
// The command `wfc vettool` runs them as go vet's tool. A linter of your own can run them
// beside other analyzers:
//
//	import (
//		"github.com/wfc-lang/wfc/gen/vet"
//		"golang.org/x/tools/go/analysis/multichecker"
//		"golang.org/x/tools/go/analysis/passes/nilness"
//	)
//
//	func main() {
//		multichecker.Main(append(vet.Analyzers(), nilness.Analyzer)...)
//	}
package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/wfc-lang/wfc/gen/internal/callees"
)

// Analyzers returns the analyzers of this package, the same ones on each call.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{generatedAnalyzer, inputsAnalyzer, resultAnalyzer, flowAnalyzer}
}

const (
	// module is the path of wfc's module, with a slash.
	module = "github.com/wfc-lang/wfc/"
	// documentation explains the analyzers.
	documentation = "https://" + module + "blob/main/docs/guide/vet.md"
)

// workflowOf returns the name of the workflow file that a Go file was generated from, or "".
func workflowOf(file *ast.File) string {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if name := callees.Workflow(c.Text); name != "" {
				return name
			}
		}
	}
	return ""
}

// handwrittenFiles returns the files of a package that wfc did not generate.
func handwrittenFiles(pass *analysis.Pass) []*ast.File {
	return slices.DeleteFunc(slices.Clone(pass.Files), func(file *ast.File) bool { return workflowOf(file) != "" })
}

// isWorkflow reports whether a package is generated: one of its files is.
func isWorkflow(pass *analysis.Pass) bool {
	return len(handwrittenFiles(pass)) < len(pass.Files)
}

// calledFunction returns the function or method that a call names, or nil. Of a generic function, it
// returns the declared one.
func calledFunction(pass *analysis.Pass, call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// nameOf returns the path of a function below wfc's module, as in "runtime/flow.Settle" and
// "runtime/engine/local.Engine.Run"; "" for a function of another module.
func nameOf(fn *types.Func) string {
	if fn.Pkg() == nil {
		return ""
	}
	path, ours := strings.CutPrefix(fn.Pkg().Path(), module)
	if !ours {
		return ""
	}
	if recv := fn.Signature().Recv(); recv != nil {
		return path + "." + typeName(recv.Type()) + "." + fn.Name()
	}
	return path + "." + fn.Name()
}

// typeName returns the name of a defined type or of a pointer to it, or "".
func typeName(t types.Type) string {
	if named := namedType(t); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// namedType returns the defined type of t or of what t points to, or nil.
func namedType(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// isType reports whether a type, or what it points to, is a type of a package of wfc.
func isType(t types.Type, path, name string) bool {
	named := namedType(t)
	return named != nil && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == module+path
}

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
//	import "golang.org/x/tools/go/analysis/multichecker"
//
//	func main() {
//		multichecker.Main(append(vet.Analyzers(), nilness.Analyzer)...)
//	}
package vet

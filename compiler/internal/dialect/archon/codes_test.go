package archon_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// resolved compiles a workflow and returns all findings, portability included.
func resolved(t testing.TB, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	if doc == nil {
		return nil, bag.Sorted()
	}
	p := archon.Frontend{}.Compile(doc, project(nil), &bag)
	return p, bag.Sorted()
}

// checked compiles a workflow and runs the checks over it.
func checked(t testing.TB, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	p, list := resolved(t, yaml)
	var bag diag.Bag
	bag.Add(list...)
	if p != nil {
		check.Run(p, &bag)
	}
	return p, bag.Sorted()
}

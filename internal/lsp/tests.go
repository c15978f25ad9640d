package lsp

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/search"
	"github.com/wfc-lang/wfc/internal/symbols"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// testFormat returns the keys of test files. wfc does not link their decoder, but it has
// the sources of the runtime, and the schema is one of its files.
var testFormat = sync.OnceValue(func() *keytable.Format {
	text, err := fs.ReadFile(wfc.Module, "runtime/internal/testfile/schema.json")
	if err != nil {
		panic(err) // a test completes keys of test files
	}
	return mustFormat(text)
})

// tests is what is known about a test file.
type tests struct {
	// workflow is the path of the tested workflow, or "" if there is none.
	workflow string
	// of is the analysis of the workflow, or nil.
	of *analysis
	// refs are the names of the workflow in the file.
	refs   []*symbols.Reference
	faults []fault
}

// A fault is a mistake in a test file.
type fault struct {
	at      source.Span
	message string
}

func (t *tests) fault(at source.Span, format string, args ...any) {
	t.faults = append(t.faults, fault{at, fmt.Sprintf(format, args...)})
}

// compileTests makes the analysis of a test file.
func (v *view) compileTests(a *analysis, read *overlay, files compiler.Files) {
	t := &tests{}
	a.tests, a.format = t, testFormat()
	var bag diag.Bag
	a.doc = yamlsrc.Parse(a.file, &bag)
	a.findings = bag.Sorted()
	defer a.addPaths(read)
	var root *yamlsrc.Node // nil for a file that is half typed
	if a.doc != nil {
		root = a.doc.Root
	}
	given := ""
	if n := root.Get("workflow"); n != nil {
		given = n.Value
	}
	t.workflow = search.TestedBy(a.path, given, func(path string) bool {
		_, err := files.Read(path)
		return err == nil
	})
	checker := &testChecker{tests: t}
	checker.decode(a)
	checker.standIns(root)
	if t.workflow == "" {
		at := source.Span{File: a.file}
		if n := root.Get("workflow"); n != nil {
			at = n.Place()
		}
		t.fault(at, "the tested workflow does not exist; write its path as `workflow: PATH`")
		return
	}
	content, err := files.Read(t.workflow)
	if err != nil || t.workflow == a.path {
		return
	}
	t.of = v.compileWith(t.workflow, source.NewFile(v.shown(t.workflow), content), read, files)
	if root != nil && t.of.index != nil {
		checker.names(root, nil)
	}
}

// A testPlace is a place in a test file whose scalars are names of the workflow: the keys
// that lead there, where * is any key or any item. keys says that the keys of the mapping
// there are the names.
type testPlace struct {
	path string
	kind symbols.Kind
	keys bool
}

var testPlaces = []testPlace{
	{"tests.*.inputs", symbols.Input, true},
	{"tests.*.agents", symbols.Node, true},
	{"tests.*.bash", symbols.Node, true},
	{"tests.*.scripts", symbols.Node, true},
	{"tests.*.answers", symbols.Node, true},
	{"tests.*.interrupt", symbols.Node, false},
	{"tests.*.expect.nodes", symbols.Node, true},
	{"tests.*.expect.prompts", symbols.Node, true},
	{"tests.*.expect.iterations", symbols.Node, true},
	{"tests.*.expect.questions", symbols.Node, true},
	{"tests.*.expect.ran", symbols.Node, false},
	{"tests.*.expect.ran.only", symbols.Node, false},
	{"tests.*.expect.skipped", symbols.Node, false},
	{"tests.*.expect.skipped.only", symbols.Node, false},
	{"tests.*.expect.failed", symbols.Node, false},
	{"tests.*.expect.failed.only", symbols.Node, false},
	{"tests.*.expect.order", symbols.Node, false},
	{"tests.*.expect.before", symbols.Node, true},
	{"tests.*.expect.before.*", symbols.Node, false},
	{"tests.*.expect.state", symbols.State, true},
}

// testPlaceOf returns the kind of the names at a path of a test file. A list of names is as
// good as one of them.
func testPlaceOf(path []string, keys bool) (symbols.Kind, bool) {
	if n := len(path); !keys && n > 0 && path[n-1] == "*" && n != 2 {
		if kind, ok := testPlaceOf(path[:n-1], false); ok {
			return kind, true
		}
	}
	for _, p := range testPlaces {
		if p.keys == keys && symbols.Matches(p.path, path) {
			return p.kind, true
		}
	}
	return 0, false
}

// at returns the innermost name at an offset of the file, or nil.
func (t *tests) at(offset int) *symbols.Reference {
	var best *symbols.Reference
	for _, r := range t.refs {
		if contains(r.Name, offset) && r.Name.IsValid() {
			return r
		}
		if contains(r.At, offset) {
			best = r
		}
	}
	return best
}

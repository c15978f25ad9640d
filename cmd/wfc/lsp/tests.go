package lsp

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/wfctest"
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

func (f fault) toDiagnostic() protocol.Diagnostic {
	return protocol.Diagnostic{Range: visibleRange(rangeOf(f.at)), Severity: protocol.SeverityError, Source: "wfc", Message: f.message}
}

func (t *tests) addFault(at source.Span, format string, args ...any) {
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
	t.addDecodeFaults(a)
	t.standIns(root)
	if t.workflow == "" {
		at := source.Span{File: a.file}
		if n := root.Get("workflow"); n != nil {
			at = n.Place()
		}
		t.addFault(at, "the tested workflow does not exist; write its path as `workflow: PATH`")
		return
	}
	content, err := files.Read(t.workflow)
	if err != nil || t.workflow == a.path {
		return
	}
	t.of = v.compileWith(t.workflow, source.NewFile(v.displayPath(t.workflow), content), read, files)
	if root != nil && t.of.index != nil {
		t.collectNames(root, nil)
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

// referenceAt returns the innermost name at an offset of the file, or nil.
func (t *tests) referenceAt(offset int) *symbols.Reference {
	var best *symbols.Reference
	for _, r := range t.refs {
		if spanContains(r.Name, offset) && r.Name.IsValid() {
			return r
		}
		if spanContains(r.At, offset) {
			best = r
		}
	}
	return best
}

// addDecodeFaults adds the faults that wfc test finds in the file, without those that the YAML
// parser has reported at the same place.
func (t *tests) addDecodeFaults(a *analysis) {
	reported := map[int]bool{}
	for _, d := range a.findings {
		reported[d.Span.Start] = true
	}
	wfctest.Faults(a.file.Content, func(line, column int, message string) {
		if strings.HasPrefix(message, "invalid YAML") && len(a.findings) > 0 {
			return // the parser of workflows knows the place
		}
		at := characterAt(a.file, line, column)
		if !reported[at] {
			t.faults = append(t.faults, fault{nodeFrom(a, at), message})
		}
	})
}

// characterAt returns the offset of a character, by its line and its column in characters.
func characterAt(f *source.File, line, column int) int {
	at := 0
	for ; line > 1 && at < len(f.Content); line-- {
		n := bytes.IndexByte(f.Content[at:], '\n')
		if n < 0 {
			return len(f.Content)
		}
		at += n + 1
	}
	for ; column > 1 && at < len(f.Content) && f.Content[at] != '\n'; column-- {
		_, size := utf8.DecodeRune(f.Content[at:])
		at += size
	}
	return at
}

// nodeFrom returns the span of the key or the scalar that starts at an offset, or the first
// key of a mapping that does; else it is the offset alone.
func nodeFrom(a *analysis, at int) source.Span {
	span := source.Span{File: a.file, Start: at, End: at}
	if a.doc == nil || a.doc.Root == nil {
		return span
	}
	var visit func(n *yamlsrc.Node)
	visit = func(n *yamlsrc.Node) {
		if n.Alias.IsValid() {
			return
		}
		if n.Span.Start == at && n.Kind == yamlsrc.Scalar {
			span = n.Span
		}
		for _, item := range n.Items {
			visit(item)
		}
		for i := range n.Pairs {
			p := &n.Pairs[i]
			if p.Merged {
				continue
			}
			if p.Key.Span.Start == at {
				span = p.Key.Span
			}
			visit(p.Value)
		}
	}
	visit(a.doc.Root)
	return span
}

// standIns checks that each command that a test expects has a stand-in in the test.
func (t *tests) standIns(root *yamlsrc.Node) {
	list := root.Get("tests")
	if list == nil {
		return
	}
	for _, test := range list.Items {
		var known []string
		if commands := test.Get("commands"); commands != nil {
			for _, p := range commands.Pairs {
				known = append(known, p.Key.Value)
			}
		}
		expected := test.Get("expect").Get("commands")
		if expected == nil {
			continue
		}
		for _, p := range expected.Pairs {
			if !slices.Contains(known, p.Key.Value) {
				t.addFault(p.Key.Span, "unknown stand-in `%s`%s", p.Key.Value, plain.DidYouMean(p.Key.Value, known))
			}
		}
	}
}

// collectNames finds the names of the workflow.
func (t *tests) collectNames(n *yamlsrc.Node, path []string) {
	if n.Alias.IsValid() || len(path) > 8 {
		return
	}
	if kind, ok := testPlaceOf(path, false); ok && n.Kind == yamlsrc.Scalar {
		t.addNameReferences(n, kind)
		return
	}
	for _, item := range n.Items {
		t.collectNames(item, append(path, "*"))
	}
	kind, named := testPlaceOf(path, true)
	for i := range n.Pairs {
		p := &n.Pairs[i]
		if p.Merged {
			continue
		}
		step := p.Key.Value
		if named {
			t.addNameReferences(p.Key, kind)
			step = "*"
		}
		t.collectNames(p.Value, append(path, step))
	}
}

var (
	// repeated are the attempts at a loop and the repetitions for a reviewer in the key of a
	// step, and iteration the numbers of iterations and items.
	repeated  = lazyregexp.New(`/(?:attempt|make)[0-9]+(#|$)`)
	iteration = lazyregexp.New(`[#@][0-9]+|\[[0-9]+\]`)
)

// addNameReferences adds the references of a name in a test.
func (t *tests) addNameReferences(n *yamlsrc.Node, kind symbols.Kind) {
	x := t.of.index
	add := func(s *symbols.Symbol, from, to int) {
		r := &symbols.Reference{Symbol: s, At: n.Span, Role: symbols.Names, Type: s.Type}
		text := n.Text()
		if at := text.Span(from, to); at.Text() == n.Value[from:to] && n.Value[from:to] == s.Name {
			r.Name = at
		}
		t.refs = append(t.refs, r)
	}
	var known []string
	switch kind {
	case symbols.Input:
		for _, s := range x.Symbols {
			if s.Kind != symbols.Argument && s.Input != nil && s.Input.Name == n.Value {
				add(s, 0, len(n.Value))
				return
			}
		}
		for _, in := range t.of.result.Workflow.Workflow.Inputs {
			known = append(known, in.Name)
		}
	case symbols.State:
		for _, s := range x.Symbols {
			if s.Kind == symbols.State {
				known = append(known, s.Name)
				if s.Name == n.Value {
					add(s, 0, len(n.Value))
					return
				}
			}
		}
	default:
		if n.Value == "*" || t.addAddressNodes(n.Value, add) {
			return
		}
		for _, s := range x.Symbols {
			if s.Kind == symbols.Node {
				known = append(known, s.Node.ID)
			}
		}
	}
	if !slices.Contains(known, n.Value) {
		t.addFault(n.Span, "unknown %s `%s`%s", kind, n.Value, plain.DidYouMean(n.Value, known))
	}
}

// addAddressNodes adds the nodes in the key of a step, such as fix, fix#2 or each[1].look. It
// reports whether there is one.
func (t *tests) addAddressNodes(address string, add func(s *symbols.Symbol, from, to int)) bool {
	// The offsets of the characters that are left in the address.
	var kept []int
	for i := range len(address) {
		kept = append(kept, i)
	}
	rest := address
	for _, pattern := range []func() *regexp.Regexp{repeated, iteration} {
		for {
			at := pattern().FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}
			start, end := at[0], at[1]
			if len(at) > 2 && at[2] >= 0 {
				end = at[2] // what follows the number stays
			}
			rest, kept = rest[:start]+rest[end:], slices.Delete(kept, start, end)
		}
	}
	var best *symbols.Symbol
	nodes := map[string]*symbols.Symbol{}
	for _, s := range t.of.index.Symbols {
		if s.Kind != symbols.Node {
			continue
		}
		id := s.Node.ID
		nodes[id] = s
		tail, ok := strings.CutPrefix(rest, id)
		if ok && (tail == "" || tail[0] == '/') && (best == nil || len(id) > len(best.Node.ID)) {
			best = s
		}
	}
	if best == nil {
		return false
	}
	id := best.Node.ID
	for end := 1; end <= len(id); end++ {
		if end < len(id) && id[end] != '.' {
			continue
		}
		if s := nodes[id[:end]]; s != nil && s.Name != "" {
			start := end - len(s.Name)
			add(s, kept[start], kept[end-1]+1)
		}
	}
	return true
}

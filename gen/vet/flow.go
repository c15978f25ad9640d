package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

var flowAnalyzer = &analysis.Analyzer{
	Name: "wfcflow",
	Doc: `report code in hand-written flows that may act differently when a run is resumed

A flow is a function with a *flow.Context. When a run is resumed, the engine executes its
flow again with the recorded results of its steps. So a flow must take the same path each
time: neither it nor the functions that it calls may use the clock, random numbers, the
machine or the network, start goroutines, wait for channels, or depend on the order of a
map. The comment //wfc:deterministic above a function allows flows to call it.`,
	URL:       documentation + "#wfcflow",
	Requires:  []*analysis.Analyzer{inspect.Analyzer},
	FactTypes: []analysis.Fact{new(variesFact)},
	Run:       runFlow,
}

// deterministic is the comment that excepts a function.
const deterministic = "//wfc:deterministic"

// A variesFact is known of a function that may act differently each time.
type variesFact struct {
	// Why says what it does, as in "calls time.Now" or "starts a goroutine".
	Why string
	// Instead is what a flow does instead, or "".
	Instead string
}

func (*variesFact) AFact() {}

// String is the fact, for tests.
func (f *variesFact) String() string { return "varies(" + f.Why + ")" }

// A flowCheck looks at the functions of a package.
type flowCheck struct {
	pass *analysis.Pass
	// varies has the functions of the package that may act differently each time.
	varies map[*types.Func]*variesFact
}

func runFlow(pass *analysis.Pass) (any, error) {
	if !isOwn(pass) {
		return nil, nil
	}
	c := &flowCheck{pass: pass, varies: map[*types.Func]*variesFact{}}
	files := handwrittenFiles(pass)
	c.findVaryingFunctions(files)
	for fn, fact := range c.varies {
		pass.ExportObjectFact(fn, fact)
	}
	for cursor := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if file := enclosingFile(cursor); file == nil || workflowOf(file) != "" {
			continue
		}
		switch fn := cursor.Node().(type) {
		case *ast.FuncDecl:
			if fn.Body != nil && c.isFlow(fn) && !isExcepted(fn) {
				c.reportVariations(fn.Body)
			}
		case *ast.FuncLit:
			if c.isFlow(fn) && !c.inFlow(cursor) {
				c.reportVariations(fn.Body)
			}
		}
	}
	return nil, nil
}

// isOwn reports whether a package belongs to a module under development. Other modules and the
// standard library are not analysed: effects names their functions that matter.
func isOwn(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	if strings.HasPrefix(path, module+"runtime/") {
		return false
	}
	if pass.Module == nil || pass.Module.Path == "" { // the standard library, or no module at all
		first, _, _ := strings.Cut(path, "/")
		return strings.Contains(first, ".")
	}
	return pass.Module.Version == ""
}

// isFlow reports whether a function receives the context of a flow.
func (c *flowCheck) isFlow(function ast.Node) bool {
	var t *ast.FuncType
	switch fn := function.(type) {
	case *ast.FuncDecl:
		t = fn.Type
	case *ast.FuncLit:
		t = fn.Type
	}
	return slices.ContainsFunc(t.Params.List, func(field *ast.Field) bool {
		t := c.pass.TypesInfo.TypeOf(field.Type)
		return t != nil && isType(t, "runtime/flow", "Context")
	})
}

// inFlow reports whether a function literal is part of a flow, which is checked as a whole.
func (c *flowCheck) inFlow(cursor inspector.Cursor) bool {
	for around := range cursor.Parent().Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if c.isFlow(around.Node()) {
			return true
		}
	}
	return false
}

// isExcepted reports whether a function has the comment of exceptions.
func isExcepted(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(comment *ast.Comment) bool {
		return comment.Text == deterministic || strings.HasPrefix(comment.Text, deterministic+" ")
	})
}

// findVaryingFunctions finds the functions that may act differently each time: those that do so
// themselves and those that call them.
func (c *flowCheck) findVaryingFunctions(files []*ast.File) {
	type function struct {
		object *types.Func
		body   *ast.BlockStmt
	}
	var all []function
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || isExcepted(fn) || c.isFlow(fn) {
				continue
			}
			if object, ok := c.pass.TypesInfo.Defs[fn.Name].(*types.Func); ok {
				all = append(all, function{object, fn.Body})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range all {
			if c.varies[fn.object] != nil {
				continue
			}
			c.visitVariations(fn.body, false, func(_ token.Pos, f *variesFact) bool {
				c.varies[fn.object], changed = f, true
				return false
			})
		}
	}
}

// reportVariations reports what a flow does that may differ each time.
func (c *flowCheck) reportVariations(body *ast.BlockStmt) {
	c.visitVariations(body, true, func(at token.Pos, f *variesFact) bool {
		advice := ""
		if f.Instead != "" {
			advice = "; " + f.Instead
		}
		c.pass.Reportf(at, "a flow %s, so it may act differently when the run is resumed%s", f.Why, advice)
		return true
	})
}

// visitVariations calls found for each place of a function that may act differently each time, until
// found returns false. flows says whether function literals in it that are flows count.
func (c *flowCheck) visitVariations(body *ast.BlockStmt, flows bool, found func(at token.Pos, f *variesFact) bool) {
	goOn := true
	say := func(at token.Pos, why, instead string) {
		goOn = goOn && found(at, &variesFact{Why: why, Instead: instead})
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if !goOn {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return flows || !c.isFlow(n)
		case *ast.GoStmt:
			say(n.Pos(), "starts a goroutine", "use `flow.Spawn`, which keeps the order")
		case *ast.SelectStmt:
			say(n.Pos(), "waits for channels", "use `flow.Spawn` and outputs of tasks")
			return false
		case *ast.SendStmt:
			say(n.Pos(), "sends on a channel", "use `flow.Spawn` and outputs of tasks")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				say(n.Pos(), "receives from a channel", "use `flow.Spawn` and outputs of tasks")
			}
		case *ast.RangeStmt:
			if why := c.rangeProblem(body, n); why != "" {
				say(n.Pos(), why, "sort the keys first, as in `slices.Sorted(maps.Keys(m))`")
			}
		case *ast.CallExpr:
			if why, instead := c.callProblem(n); why != "" {
				say(n.Pos(), why, instead)
			}
		}
		return goOn
	})
}

// callProblem says what is wrong with a call, or "".
func (c *flowCheck) callProblem(call *ast.CallExpr) (why, instead string) {
	fn := calledFunction(c.pass, call)
	if fn == nil || fn.Pkg() == nil {
		return "", ""
	}
	if e := effectOf(fn); e != nil {
		return fmt.Sprintf("calls %s, which depends on %s", shownName(fn), e.why), e.instead
	}
	fact := c.varies[fn]
	if fact == nil && fn.Pkg() != c.pass.Pkg {
		fact = new(variesFact)
		if !c.pass.ImportObjectFact(fn, fact) {
			return "", ""
		}
	}
	if fact == nil {
		return "", ""
	}
	return fmt.Sprintf("calls %s, which %s", shownName(fn), fact.Why), fact.Instead
}

// rangeProblem says what is wrong with a loop over a map or over its keys or values, or "". A loop
// that does the same in each order is none: one that fills a map, counts, or collects what
// the function sorts.
func (c *flowCheck) rangeProblem(body *ast.BlockStmt, loop *ast.RangeStmt) string {
	dependent := func(statement ast.Stmt) bool { return !c.isOrderIndependent(body, statement) }
	if !c.isUnordered(loop.X) || loop.Key == nil || !slices.ContainsFunc(loop.Body.List, dependent) {
		return ""
	}
	return "depends on the order of a map"
}

// isUnordered reports whether the elements of a loop come in no order.
func (c *flowCheck) isUnordered(x ast.Expr) bool {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		fn := calledFunction(c.pass, call)
		return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "maps" && (fn.Name() == "Keys" || fn.Name() == "Values" || fn.Name() == "All")
	}
	t := c.pass.TypesInfo.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// isOrderIndependent reports whether a statement of a loop has the same effect in each order.
func (c *flowCheck) isOrderIndependent(body *ast.BlockStmt, statement ast.Stmt) bool {
	switch s := statement.(type) {
	case *ast.IncDecStmt:
		return true
	case *ast.ExprStmt: // delete(m, k)
		return c.callsBuiltin(s.X, "delete")
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return false
		}
		if index, ok := s.Lhs[0].(*ast.IndexExpr); ok {
			_, ok := c.pass.TypesInfo.TypeOf(index.X).Underlying().(*types.Map)
			return ok
		}
		if s.Tok == token.ADD_ASSIGN {
			basic, ok := c.pass.TypesInfo.TypeOf(s.Lhs[0]).Underlying().(*types.Basic)
			return ok && basic.Info()&types.IsInteger != 0
		}
		return c.callsBuiltin(s.Rhs[0], "append") && c.sortsList(body, objectOf(c.pass, s.Lhs[0]))
	}
	return false
}

func (c *flowCheck) callsBuiltin(e ast.Expr, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	b, ok := objectOf(c.pass, call.Fun).(*types.Builtin)
	return ok && b.Name() == name
}

// sortsList reports whether a function sorts a list.
func (c *flowCheck) sortsList(body *ast.BlockStmt, list types.Object) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 && list != nil && objectOf(c.pass, call.Args[0]) == list {
			fn := calledFunction(c.pass, call)
			found = found || fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "sort" || fn.Pkg().Path() == "slices" && strings.HasPrefix(fn.Name(), "Sort"))
		}
		return !found
	})
	return found
}

// An effect is a part of the standard library whose results differ from call to call, or
// from machine to machine.
type effect struct {
	path string
	// names are functions and, as in "Rand.Int", methods; nil means all but those of except.
	names, except []string
	// why completes the sentence "F depends on".
	why string
	// instead is what a flow does instead.
	instead string
}

const (
	byAction = "do it in a step, as in `c.Do(flow.Bash{…})`, so that its result is recorded"
	byInput  = "pass it to the run as an input"
)

// effects are what flow code must not use. A flow is executed again when its run is resumed,
// and must then take the same way.
var effects = []effect{
	{path: "time", names: []string{"Now", "Since", "Until"}, why: "the clock", instead: "take the time from `c.Scheduler().Now`, which is recorded"},
	{path: "time", names: []string{"Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}, why: "the clock", instead: "use `c.Sleep`, which survives a restart"},
	{path: "time", names: []string{"LoadLocation"}, why: "the machine's time zones", instead: byInput},
	{path: "math/rand", why: "random numbers", instead: byAction, except: []string{"New", "NewSource", "NewZipf"}},
	{path: "math/rand/v2", why: "random numbers", instead: byAction, except: []string{"New", "NewPCG", "NewChaCha8", "NewZipf"}},
	{path: "crypto/rand", why: "random numbers", instead: byAction},
	{path: "os", why: "the machine", instead: byAction, except: []string{
		"IsExist", "IsNotExist", "IsPathSeparator", "IsPermission", "IsTimeout", "NewSyscallError", "Expand", "SameFile",
		"PathError.Error", "PathError.Unwrap", "PathError.Timeout", "LinkError.Error", "LinkError.Unwrap", "SyscallError.Error", "SyscallError.Unwrap", "SyscallError.Timeout",
	}},
	{path: "os/exec", why: "the machine", instead: byAction, except: []string{"Error.Error", "Error.Unwrap", "ExitError.Error"}},
	{path: "os/user", why: "the machine", instead: byInput},
	{path: "os/signal", why: "the process", instead: byAction},
	{path: "io/ioutil", why: "the machine", instead: byAction, except: []string{"NopCloser", "ReadAll"}},
	{path: "path/filepath", names: []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}, why: "the machine", instead: byAction},
	{path: "net", why: "the network", instead: byAction, except: []string{
		"CIDRMask", "IPv4", "IPv4Mask", "JoinHostPort", "ParseCIDR", "ParseIP", "ParseMAC", "SplitHostPort",
	}},
	{path: "net/http", why: "the network", instead: byAction, except: []string{
		"CanonicalHeaderKey", "DetectContentType", "StatusText", "ParseTime", "ParseHTTPVersion",
		"Header.Add", "Header.Clone", "Header.Del", "Header.Get", "Header.Set", "Header.Values",
	}},
	{path: "database/sql", why: "the database", instead: byAction, except: []string{"Named"}},
	{path: "syscall", why: "the machine", instead: byAction, except: []string{"Errno.Error", "Errno.Is"}},
	{path: "runtime", names: []string{"NumCPU", "NumGoroutine", "GOMAXPROCS", "ReadMemStats"}, why: "the machine", instead: byInput},
}

// effectOf returns what a function of the standard library depends on, or nil.
func effectOf(fn *types.Func) *effect {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = typeName(recv.Type()) + "." + name
	}
	for i := range effects {
		e := &effects[i]
		switch {
		case e.path != fn.Pkg().Path() || slices.Contains(e.except, name):
		case e.names == nil && isSource(e.path, name):
		case e.names == nil || slices.Contains(e.names, name):
			return e
		}
	}
	return nil
}

// isSource reports whether a method is one of a source of random numbers: the seed decides
// what it returns, and functions that make one without a seed do not exist.
func isSource(path, name string) bool {
	return strings.HasPrefix(path, "math/rand") && strings.Contains(name, ".")
}

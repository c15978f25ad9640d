package jinja

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// lowerArgs lowers the arguments of a call.
func (l *lowerer) lowerArgs(list []argument) []expr.Arg {
	var args []expr.Arg
	for _, a := range list {
		arg := expr.Arg{Name: a.name, Stars: a.stars, Value: l.requireValue(l.lowerExpr(a.value))}
		t := arg.Value.Type()
		switch {
		case a.stars == 1:
			l.reportNotIterable(arg.Value, "take arguments from")
		case a.stars == 2 && !isOpen(t) && kindOf(t) != objectKind:
			l.faults.add(codes.TemplateType.New(arg.Value.Span(), "`**` needs a dict, got "+describeType(t)))
		}
		args = append(args, arg)
	}
	return args
}

// checkArguments reports arguments that a function does not take.
func (f *faults) checkArguments(at place, what string, s pynames.Signature, list []argument) {
	given, stars := 0, false
	byName := map[string]bool{}
	for _, a := range list {
		switch {
		case a.stars > 0:
			stars = true
		case a.name != "":
			byName[a.name] = true
			f.reportKeyword(what, s, a, given)
		default:
			given++
		}
	}
	places := 0
	for _, p := range s.Params {
		if !p.KeywordOnly {
			places++
		}
	}
	if given > places && !s.Rest {
		extra := list[0]
		n := 0
		for _, a := range list {
			if a.stars == 0 && a.name == "" {
				if n == places {
					extra = a
					break
				}
				n++
			}
		}
		f.add(finding.TemplateArguments(f.placeSpan(extra.value.where()), what+" takes "+atMost(places)+", got "+finding.Count(given, "argument")))
	}
	for i, p := range s.Params {
		if p.Default == "" && i >= given && !byName[p.Name] && !stars {
			d := finding.TemplateArguments(f.placeSpan(at), what+" needs the argument `"+p.Name+"`")
			if p.PositionalOnly {
				d = finding.TemplateArguments(f.placeSpan(at), what+" needs an argument")
			}
			f.add(d)
			return
		}
	}
}

func atMost(n int) string {
	if n == 0 {
		return "no argument"
	}
	return "at most " + finding.Count(n, "argument")
}

// reportKeyword reports a keyword argument that a function does not take.
func (f *faults) reportKeyword(what string, s pynames.Signature, a argument, given int) {
	if s.Keywords {
		return
	}
	var known []string
	for i, p := range s.Params {
		if p.PositionalOnly {
			continue
		}
		if p.Name == a.name {
			if i < given && !p.KeywordOnly {
				f.add(finding.TemplateArguments(f.placeSpan(a.at), what+" gets `"+a.name+"` twice, by place and by name"))
			}
			return
		}
		known = append(known, p.Name)
	}
	d := finding.TemplateArguments(f.placeSpan(a.at), what+" has no argument `"+a.name+"`")
	if near := plain.Nearest(a.name, known); near != "" {
		finding.Meant(d, f.placeSpan(a.at), near, near)
	} else if len(known) > 0 {
		d.WithHelp("use one of `" + strings.Join(known, "`, `") + "`")
	}
	f.add(d)
}

// lowerCall lowers a call. block says that it is that of a call block.
func (l *lowerer) lowerCall(n *callNode, block bool) expr.Expr {
	e := &expr.Call{At: l.placeSpan(n.place), Typ: types.Any}
	if f, ok := n.fn.(*nameNode); ok {
		if bad := l.unknownFunction(n, f); bad != nil {
			l.lowerArgs(n.args)
			return bad
		}
	}
	e.Fn = l.lowerExpr(n.fn)
	e.Args = l.lowerArgs(n.args)
	switch fn := e.Fn.(type) {
	case *expr.Bad:
		return fn
	case *expr.Global:
		if s, ok := pynames.Globals.Find(fn.Name); ok {
			l.checkArguments(n.fn.where(), "`"+fn.Name+"`", s, n.args)
		}
		return e
	case *expr.Attr:
		if m, ok := methodOf(fn.X.Type(), fn.Name); ok {
			l.fitMethod(fn, m, n)
			e.Typ = m.result
			return e
		}
		if m, ok := listMethods[fn.Name]; ok && m.changes && isOpen(fn.X.Type()) {
			l.mutable = true
		}
	case *expr.Local:
		if l.localCall(e, fn, n, block) {
			return e
		}
	}
	if t := e.Fn.Type(); !isOpen(t) {
		d := codes.TemplateType.New(l.placeSpan(n.fn.where()), describeValue(e.Fn)+" is not a function")
		if before, ok := strings.CutSuffix(describeValue(e.Fn), ","); ok {
			d = codes.TemplateType.New(l.placeSpan(n.fn.where()), before+", is not a function")
		}
		l.faults.add(d)
		return &expr.Bad{At: e.At}
	}
	return e
}

// localCall checks the call of a variable: a macro, or `loop`.
func (l *lowerer) localCall(e *expr.Call, fn *expr.Local, n *callNode, block bool) bool {
	if l.loopOf(fn) != nil {
		l.faults.add(codes.TemplateUnsupported.New(l.placeSpan(n.fn.where()), "recursive loops are not supported").
			WithHelp("use a recursive macro"))
		return true
	}
	v := l.variableNamed(fn.Of.Name)
	if v == nil || v.decl != fn.Of {
		return false
	}
	if fn.Of.Name == "caller" && v.macro == nil && l.isCaller(v) {
		e.Typ = types.Text
		return true
	}
	if v.macro == nil {
		return false
	}
	e.Typ = types.Text
	if !l.isInsideMacro(v.macro) {
		l.fitMacro(v, n, block)
	}
	return true
}

// isCaller reports whether a variable is the caller of a macro.
func (vs *variables) isCaller(v *variable) bool {
	for f := vs.frame; f != nil; f = f.outer {
		if f.macro != nil && f.macro.Caller == v.decl {
			return true
		}
	}
	return false
}

// isInsideMacro reports whether the body of a macro is being lowered, so that its parameters are
// not known yet.
func (vs *variables) isInsideMacro(m *template.Macro) bool {
	for f := vs.frame; f != nil; f = f.outer {
		if f.macro == m {
			return true
		}
	}
	return false
}

// fitMacro reports arguments that a macro does not take. Those that are missing
// are undefined in it.
func (f *faults) fitMacro(v *variable, n *callNode, block bool) {
	m, what := v.macro, "the macro `"+v.decl.Name+"`"
	s := pynames.Signature{Rest: m.Varargs != nil, Keywords: m.Kwargs != nil}
	for _, p := range m.Params {
		s.Params = append(s.Params, pynames.Param{Name: p.Var.Name, Default: "-"})
	}
	if m.Caller != nil {
		s.Params = append(s.Params, pynames.Param{Name: "caller", Default: "-", KeywordOnly: true})
	} else if block && m.Kwargs == nil {
		f.add(finding.TemplateArguments(f.placeSpan(n.fn.where()), what+" does not use the content of the `call` block").
			WithRelated(v.decl.At, "call `caller()` in the macro"))
	}
	f.checkArguments(n.fn.where(), what, s, n.args)
}

// fitMethod reports arguments that a method does not take.
func (l *lowerer) fitMethod(fn *expr.Attr, m method, n *callNode) {
	if m.changes {
		l.mutable = true
	}
	given, stars := 0, false
	for _, a := range n.args {
		switch {
		case a.stars > 0:
			stars = true
		case a.name == "":
			given++
		case !m.anyKeywords && !slices.Contains(m.keywords, a.name):
			l.faults.add(finding.TemplateArguments(l.placeSpan(a.at), "the method `"+fn.Name+"` has no argument `"+a.name+"`"))
			stars = true
		}
	}
	switch {
	case stars:
	case given < m.least:
		l.faults.add(finding.TemplateArguments(fn.NameSpan, "the method `"+fn.Name+"` needs "+finding.Count(m.least, "argument")))
	case given > m.most:
		l.faults.add(finding.TemplateArguments(fn.NameSpan, "the method `"+fn.Name+"` takes "+atMost(m.most)+", got "+finding.Count(given, "argument")))
	}
}

// pythonFunctions are functions of Python and what templates have for them.
var pythonFunctions = map[string]string{
	"len": "x | length", "str": "x | string", "int": "x | int", "float": "x | float", "list": "x | list", "sorted": "x | sort",
	"sum": "x | sum", "min": "x | min", "max": "x | max", "abs": "x | abs", "round": "x | round", "reversed": "x | reverse",
	"print": "{{ x }}", "enumerate": "loop.index", "bool": "true if x else false", "map": "x | map", "filter": "x | select",
	"set": "x | unique", "tojson": "x | tojson", "join": "x | join(', ')", "upper": "x | upper", "lower": "x | lower",
	"defined": "x is defined", "default": "x | default(y)",
}

// unknownFunction reports the call of a name that means nothing; nil when it does
// mean something.
func (l *lowerer) unknownFunction(n *callNode, f *nameNode) expr.Expr {
	instead := pythonFunctions[f.name]
	if _, isFilter := pynames.Filters.Find(f.name); instead == "" && isFilter {
		instead = "x | " + f.name
	}
	if instead == "" || l.isGuarded(f) {
		return nil
	}
	if _, ok := l.lookupName(f.name, f.place, l.frame, false); ok {
		return nil
	}
	at := l.placeSpan(f.place)
	l.faults.add(finding.JinjaUndefined(at, f.name, nil).WithHelp("write `" + instead + "`"))
	return &expr.Bad{At: l.placeSpan(n.place)}
}

// globalFunction returns one of the functions that templates find.
func (l *lowerer) globalFunction(name string, at place) (expr.Expr, bool) {
	s, ok := pynames.Globals.Find(name)
	if !ok {
		return nil, false
	}
	if s.Refused != "" {
		l.faults.add(codes.TemplateUnsupported.New(l.placeSpan(at), "`"+name+"` is not supported: "+s.Refused))
		return &expr.Bad{At: l.placeSpan(at)}, true
	}
	return &expr.Global{At: l.placeSpan(at), Name: name}, true
}

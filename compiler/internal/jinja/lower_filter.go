package jinja

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/types"
)

// lowerFilter lowers a filter on a value.
func (l *lowerer) lowerFilter(n *filterNode, x expr.Expr) expr.Expr {
	at := l.placeSpan(n.place)
	s, ok := pynames.Filters.Find(n.name)
	args := l.lowerArgs(n.args)
	switch {
	case !ok:
		l.reportUnknown("filter", n.name, n.at, pynames.Filters)
		return &expr.Bad{At: at}
	case s.Refused != "":
		l.faults.add(codes.TemplateUnsupported.New(l.placeSpan(n.at), "the filter `"+n.name+"` is not supported: "+s.Refused))
		return &expr.Bad{At: at}
	}
	mark := l.faults.mark()
	l.checkArguments(n.at, "the filter `"+n.name+"`", s, n.args)
	l.byName(s, n.args)
	if x.Type() == types.Invalid {
		return &expr.Bad{At: at}
	}
	if problem := filterProblem(n.name, x, args); problem != "" && l.faults.mark() == mark {
		l.faults.add(codes.TemplateType.New(l.placeSpan(n.at), problem).WithRelated(x.Span(), describeType(x.Type())))
		return &expr.Bad{At: at}
	}
	return &expr.Filter{At: at, X: x, Name: n.name, NameSpan: l.placeSpan(n.at), Args: args, Typ: l.filterType(n.name, x, args)}
}

// reportUnknown reports a filter or a test that does not exist.
func (f *faults) reportUnknown(kind, name string, at place, all []pynames.Signature) {
	candidates := plain.Texts(all, func(s pynames.Signature) string { return s.Name })
	d := finding.JinjaUnknownFilter(f.placeSpan(at), kind, name, candidates)
	if len(d.Help) == 0 {
		if help := otherFilters[name]; help != "" {
			d.WithHelp(help)
		}
	}
	f.add(d)
}

// otherFilters are filters of other systems, with what templates write.
var otherFilters = map[string]string{
	"to_json": "write `tojson`", "json": "write `tojson`", "to_nice_json": "write `tojson(indent=4)`", "split": "write `x.split(…)`",
	"strip": "write `trim`", "size": "write `length`", "len": "write `length`", "str": "write `string`", "quote": "remove the filter: values in scripts need no quoting",
	"startswith": "write `x.startswith(…)`", "endswith": "write `x.endswith(…)`", "contains": "write `y in x`", "bool": "write `x == 'true'`", "keys": "write `x.keys()`", "values": "write `x.values()`",
	"defined": "write `x is defined`", "none": "write `x is none`",
}

// byName checks the filter or test that a filter such as map applies by its name.
func (f *faults) byName(s pynames.Signature, list []argument) {
	if s.NameKind == "" || len(list) <= s.NameArgument {
		return
	}
	for _, a := range list[:s.NameArgument+1] {
		if a.name != "" || a.stars > 0 {
			return
		}
	}
	lit, ok := list[s.NameArgument].value.(*literalNode)
	if !ok || lit.typ != types.Text {
		return
	}
	all := pynames.Filters
	if s.NameKind == "test" {
		all = pynames.Tests
	}
	switch found, ok := all.Find(lit.text); {
	case !ok:
		at := lit.place
		if at.end-at.start == len(lit.text)+2 {
			at = place{at.start + 1, at.end - 1} // without the quotes
		}
		f.reportUnknown(s.NameKind, lit.text, at, all)
	case found.Refused != "":
		f.add(codes.TemplateUnsupported.New(f.placeSpan(lit.place), "the filter `"+lit.text+"` is not supported: "+found.Refused))
	}
}

// filterInputs says what filters need: "i" a value with items, "n" a number, "d"
// an object, "l" a value with a length.
const filterInputs = " batch:i first:i groupby:i join:i last:i list:i map:i max:i min:i reject:i rejectattr:i select:i selectattr:i slice:i sort:i sum:i unique:i reverse:i length:i count:i abs:n round:n dictsort:d items:d xmlattr:d "

// filterProblem returns why a filter must fail on a value, or "".
func filterProblem(name string, x expr.Expr, args []expr.Arg) string {
	t := x.Type()
	if isOpen(t) {
		return ""
	}
	i := strings.Index(filterInputs, " "+name+":")
	if i < 0 {
		return ""
	}
	what := "the filter `" + name + "` needs "
	switch filterInputs[i+len(name)+2] {
	case 'i':
		if isNumeric(t) || t == types.Null {
			return what + "a list or a string, got " + describeType(t)
		}
	case 'n':
		if !isNumeric(t) {
			return what + "a number, got " + describeType(t)
		}
	case 'd':
		if kindOf(t) != objectKind {
			return what + "an object, got " + describeType(t)
		}
	}
	return ""
}

// filterType is the type of a filter's result, Any if that depends on values.
func (l *lowerer) filterType(name string, x expr.Expr, args []expr.Arg) types.Type {
	t := x.Type()
	switch name {
	case "length", "count", "wordcount":
		return types.Int
	case "capitalize", "center", "e", "escape", "filesizeformat", "forceescape", "format", "indent", "join", "lower", "pprint", "replace",
		"safe", "string", "striptags", "title", "tojson", "trim", "truncate", "upper", "urlencode", "urlize", "wordwrap", "xmlattr":
		return types.Text
	case "default", "d":
		if len(args) == 0 {
			return joinTypes(t, types.Text)
		}
		if args[0].Name == "" && args[0].Stars == 0 {
			return joinTypes(t, args[0].Value.Type())
		}
	case "abs":
		if types.IsNumber(t) {
			return t
		}
	case "round":
		// Python's round of a whole number by a method other than the common one
		// is whole, by that a float; only floats are sure.
		if t == types.Float {
			return types.Float
		}
	case "int":
		if len(args) == 0 {
			return types.Int
		}
	case "float":
		if len(args) == 0 || types.IsNumber(args[0].Value.Type()) && args[0].Value.Type() == types.Float {
			return types.Float
		}
	}
	return l.listFilterType(name, x, args)
}

func (l *lowerer) listFilterType(name string, x expr.Expr, args []expr.Arg) types.Type {
	elem := l.itemType(x)
	switch name {
	case "list":
		if elem != types.Any && !l.mutable {
			return &types.List{Elem: elem}
		}
	case "sort":
		if kindOf(x.Type()) == listKind && !l.mutable {
			return x.Type()
		}
	}
	return types.Any
}

// lowerTest lowers a test.
func (l *lowerer) lowerTest(n *testNode) expr.Expr {
	at := l.placeSpan(n.place)
	var x expr.Expr
	if n.name == "defined" || n.name == "undefined" {
		x = l.lowerAsked(n.x)
	} else {
		x = l.requireValue(l.lowerExpr(n.x))
	}
	args := l.lowerArgs(n.args)
	s, ok := pynames.Tests.Find(n.name)
	if !ok {
		l.unknownTest(n)
		return &expr.Bad{At: at}
	}
	mark := l.faults.mark()
	l.checkArguments(n.at, "the test `"+n.name+"`", s, n.args)
	if l.faults.mark() == mark && n.name == "divisibleby" && len(args) == 1 && isZero(args[0].Value) {
		l.faults.add(codes.TemplateType.New(args[0].Value.Span(), "this divides by zero"))
	}
	return &expr.Test{At: at, X: x, Name: n.name, NameSpan: l.placeSpan(n.at), Not: n.not, Args: args}
}

// unknownTest reports a test that does not exist. Behind `is` other languages
// have any value.
func (l *lowerer) unknownTest(n *testNode) {
	if _, ok := l.lookupName(n.name, n.at, l.frame, false); ok {
		op := "=="
		if n.not {
			op = "!="
		}
		l.faults.add(finding.JinjaUnknownFilter(l.placeSpan(n.at), "test", n.name, nil).WithHelp("compare values with `" + op + "`"))
		return
	}
	l.reportUnknown("test", n.name, n.at, pynames.Tests)
}

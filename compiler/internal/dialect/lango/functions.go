package lango

import (
	"fmt"
	"strings"
	"text/template/parse"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// A function is one that Go's templates have.
type function struct {
	// least and most are how many arguments it takes; most is -1 for any number.
	least, most int
	make        func(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr
}

// describeArity says in words how many arguments a function takes.
func (f function) describeArity() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("%d or more arguments", f.least)
	case f.least == f.most && f.least == 1:
		return "1 argument"
	case f.least == f.most:
		return fmt.Sprintf("%d arguments", f.least)
	}
	return fmt.Sprintf("%d to %d arguments", f.least, f.most)
}

// functions are those of Go's templates that results and constants can be given to.
var functions = map[string]function{
	"and":      {1, -1, compileLogic(expr.And)},
	"or":       {1, -1, compileLogic(expr.Or)},
	"not":      {1, 1, compileNot},
	"eq":       {2, -1, compileEqual},
	"ne":       {2, 2, compileRelation(expr.NotEqual)},
	"lt":       {2, 2, compileRelation(expr.Less)},
	"le":       {2, 2, compileRelation(expr.LessEqual)},
	"gt":       {2, 2, compileRelation(expr.Greater)},
	"ge":       {2, 2, compileRelation(expr.GreaterEqual)},
	"print":    {0, -1, compileText},
	"println":  {0, -1, compileText},
	"html":     {1, -1, compileText},
	"js":       {1, -1, compileText},
	"urlquery": {1, -1, compileText},
	"printf":   {1, -1, compilePrintf},
	"len":      {1, 1, compileLength},
	"slice":    {1, 3, compileSlice},
}

// compileLogic is `and` or `or`: one of the arguments. If their types differ, only the
// truth of the result can be used.
func compileLogic(op expr.LogicOp) func(*prompt, *parse.IdentifierNode, []expr.Expr) expr.Expr {
	return func(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
		e := args[0]
		for _, y := range args[1:] {
			t := e.Type()
			if t != y.Type() {
				t = types.Any
			}
			e = &expr.Either{At: p.actionSpan(f.Pos), Op: op, X: e, Y: y, Typ: t}
		}
		return e
	}
}

func compileNot(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
	return &expr.Negation{At: p.actionSpan(f.Pos), X: args[0]}
}

// compileEqual compares the first argument with each of the others.
func compileEqual(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
	var all expr.Expr
	for _, y := range args[1:] {
		e := compileRelation(expr.Equal)(p, f, []expr.Expr{args[0], y})
		if isBad(e) {
			return e
		}
		all = expr.Join(p.actionSpan(f.Pos), expr.Or, all, e)
	}
	return all
}

func compileRelation(op expr.RelationOp) func(*prompt, *parse.IdentifierNode, []expr.Expr) expr.Expr {
	return func(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
		x, y := args[0].Type(), args[1].Type()
		switch {
		case x != y || x == types.Any:
			return p.reportBad(f.Pos, fmt.Sprintf("`%s` compares values of the same type, got %s and %s", f.Ident, typeWithArticle(x), typeWithArticle(y)))
		case x == types.Bool && op != expr.Equal && op != expr.NotEqual:
			return p.reportBad(f.Pos, fmt.Sprintf("`%s` cannot order booleans", f.Ident))
		}
		return &expr.Relation{At: p.actionSpan(f.Pos), X: args[0], Links: []expr.Link{{Op: op, Y: args[1]}}}
	}
}

// compileText is a function that makes a text of its arguments.
func compileText(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
	return p.goCall(f, args, types.Text)
}

func compileLength(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
	if !types.IsText(args[0].Type()) {
		return p.reportBad(f.Pos, "`len` needs a string, got "+typeWithArticle(args[0].Type()))
	}
	return p.goCall(f, args, types.Int)
}

// compileSlice is a part of a text, between two offsets in bytes.
func compileSlice(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
	for i, a := range args {
		if want := types.Type(types.Int); i > 0 && a.Type() != want || i == 0 && !types.IsText(a.Type()) {
			return p.reportBad(f.Pos, fmt.Sprintf("`slice` needs a string and two integers, but argument %d is %s", i+1, typeWithArticle(a.Type())))
		}
	}
	return p.goCall(f, args, types.Text)
}

// compilePrintf checks the format's verbs against the arguments where the format is known.
func compilePrintf(p *prompt, f *parse.IdentifierNode, args []expr.Expr) expr.Expr {
	format, ok := args[0].(*expr.Literal)
	if !types.IsText(args[0].Type()) {
		return p.reportBad(f.Pos, "the first argument of `printf` must be a string, got "+typeWithArticle(args[0].Type()))
	}
	if ok {
		if problem := describeMisuse(format.Text, args[1:]); problem != "" {
			return p.reportBad(f.Pos, problem)
		}
	}
	return p.goCall(f, args, types.Text)
}

// describeMisuse describes a verb of a format that would print an error of Go's, or returns
// "".
func describeMisuse(format string, args []expr.Expr) string {
	samples := make([]any, len(args))
	for i, a := range args {
		switch a.Type() {
		case types.Int:
			samples[i] = int64(1)
		case types.Float:
			samples[i] = 1.5
		case types.Bool:
			samples[i] = true
		default:
			samples[i] = "a"
		}
	}
	printed := fmt.Sprintf(format, samples...)
	if !strings.Contains(printed, "%!") || strings.Contains(fmt.Sprint(samples...), "%!") {
		return ""
	}
	return fmt.Sprintf("the format %q does not match its arguments: it prints %q", format, printed)
}

func (p *prompt) goCall(f *parse.IdentifierNode, args []expr.Expr, t types.Type) expr.Expr {
	for _, a := range args {
		if a.Type() == types.Any {
			return p.reportBad(f.Pos, unknownKind)
		}
	}
	return &expr.GoCall{At: p.actionSpan(f.Pos), Func: f.Ident, Args: args, Typ: t}
}

// typeWithArticle is a type with its article, for messages.
func typeWithArticle(t types.Type) string {
	switch t {
	case types.Int:
		return "an integer"
	case types.Float:
		return "a number"
	case types.Bool:
		return "a boolean"
	case types.Any:
		return "a value of unknown type"
	}
	return "a string"
}

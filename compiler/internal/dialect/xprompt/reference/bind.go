package reference

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// values are the values of the names in a prompt's body.
type values struct {
	// named are those of its inputs.
	named map[string]expr.Expr
	// given are the positional arguments as they are written.
	given [][]template.Part
	at    source.Span
	// reported are the references in arguments that have been reported.
	reported []string
}

// errNoWord is the fault of a word that the format's successor refuses; in the format itself it
// is a word.
var errNoWord = errors.New("it is empty")

// bindArguments finds out which argument each input of a prompt gets; ok is false when
// they do not fit, which has been reported.
func (e *expander) bindArguments(f *flat, r *ref, p *prompt) (*values, bool) {
	v := &values{named: map[string]expr.Expr{}, at: f.textSpan(r.start, r.end)}
	ok := true
	fault := func(start, end int, near, format string, args ...any) {
		ok = false
		e.library.bag.Add(finding.PromptCall(f.textSpan(start, end), p.name, fmt.Sprintf(format, args...), near))
	}
	surplus, last := false, lastUnnamed(r.args)
	outer := *e
	outer.noted = &v.reported
	for at, a := range r.args {
		parts := outer.expandParts(f.partsOfArg(a), f.source)
		in := p.inputNamed(a.name)
		switch {
		case a.name == "":
			i := len(v.given)
			v.given = append(v.given, parts)
			if end := len(p.inputs) - 1; end >= 0 && i >= end && p.inputs[end].repeatable {
				i = end
			}
			if i >= len(p.inputs) {
				// Prompts that are reached from prompts may go without a list of
				// their inputs.
				if (p.declared || len(e.chain) == 0) && !surplus {
					surplus = true
					fault(a.start, a.end, "", "takes only %s", describePositional(len(p.inputs)))
				}
				continue
			}
			in = p.inputs[i]
		case in == nil:
			fault(a.start, a.start+len(a.name), plain.Nearest(a.name, p.inputNames()), "has no input `%s`", a.name)
			continue
		}
		if isNull := e.library.Successor && isNullArgument(parts); isNull && !in.repeatable {
			continue // the default counts
		} else if isNull && a.name == "" && at < last {
			fault(a.start, a.end, "", "cannot combine null with other values of `%s`", in.name)
		} else if isNull {
			continue
		}
		if _, named := v.named[in.name]; named && a.name == "" && !in.repeatable {
			continue // the name goes before the place
		}
		x, err := argumentValue(parts, in, p, f.textSpan(a.start, a.end))
		if word, ok := x.(*expr.Literal); ok && err == nil && e.library.Successor && in.typ == types.Word && word.Text == "" {
			err = errNoWord
		}
		if err != nil {
			fault(a.start, a.end, "", "needs %s as `%s`: %v", DescribeType(in.typ), in.name, err)
			x = &expr.Bad{At: f.textSpan(a.start, a.end)}
		}
		if in.repeatable {
			list, ok := v.named[in.name].(*expr.ListOf)
			if !ok {
				list = &expr.ListOf{At: v.at, Typ: &types.List{Elem: in.typ}}
			}
			list.Items = append(list.Items, x)
			x = list
		}
		v.named[in.name] = x
	}
	e.changed = e.changed || outer.changed
	if missing := e.applyDefaults(v, p); len(missing) > 0 && ok {
		fault(r.start, r.nameEnd, "", "needs %s", joinNames(missing))
	}
	return v, ok
}

// lastUnnamed is the index of the last argument without a name.
func lastUnnamed(args []arg) int {
	for i := len(args) - 1; i >= 0; i-- {
		if args[i].name == "" {
			return i
		}
	}
	return -1
}

// isNullArgument reports whether an argument is the word null, by which the format's
// successor passes no value.
func isNullArgument(parts []template.Part) bool {
	text, constant := foldConstants(parts).Constant()
	return constant && text == "null"
}

func describePositional(n int) string {
	switch n {
	case 0:
		return "no unnamed arguments"
	case 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func joinNames(names []string) string {
	what := "the argument `"
	if len(names) > 1 {
		what = "the arguments `"
	}
	return what + strings.Join(names, "`, `") + "`"
}

// applyDefaults gives the inputs without an argument their defaults, and returns the
// names of those that have none.
func (e *expander) applyDefaults(v *values, p *prompt) (missing []string) {
	for _, in := range p.inputs {
		if v.named[in.name] != nil {
			continue
		}
		switch {
		case in.required:
			missing = append(missing, in.name)
		case in.null && in.repeatable: // loops over it stay possible
			v.named[in.name] = &expr.Literal{At: v.at, Text: "null", Typ: &types.Optional{Elem: in.valueType()}}
		case in.null:
			v.named[in.name] = &expr.Literal{At: v.at, Text: "null", Typ: types.Null}
		default:
			v.named[in.name] = &expr.Literal{At: v.at, Text: in.text, Typ: in.valueType()}
		}
	}
	return missing
}

// argumentValue is the value that an input gets; it fails if that can never be one of its
// type.
func argumentValue(parts []template.Part, in *input, p *prompt, at source.Span) (expr.Expr, error) {
	t := foldConstants(parts)
	if text, constant := t.Constant(); constant {
		value, err := ConvertText(text, in.typ)
		return &expr.Literal{At: at, Text: value, Typ: in.typ}, err
	}
	if len(t.Parts) == 1 {
		if h, ok := t.Parts[0].(*template.Hole); ok {
			if s, ok := h.Expr.(*expr.Str); ok && types.Identical(s.X.Type(), in.typ) {
				return s.X, nil
			}
		}
	}
	x := &expr.Rendered{At: at, Text: t}
	if in.typ == types.Text {
		return x, nil
	}
	return &expr.Convert{At: at, X: x, To: in.typ, What: "the argument `" + in.name + "` of #" + p.name}, nil
}

// foldConstants is a template of parts in which constant holes are text.
func foldConstants(parts []template.Part) *template.Template {
	return template.Fold(&template.Template{Parts: parts})
}

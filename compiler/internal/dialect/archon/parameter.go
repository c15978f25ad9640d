package archon

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A parameter is an input of another workflow, which a node gives a value. Its default
// decides its type. The original engine has no types: it passes every value on.
type parameter struct {
	workflow string
	*ir.Input
	// child says that the workflow runs as a child run, whose inputs have types: an integer
	// cannot be another number, and a string can be any value, lists and objects as JSON.
	child bool
}

// A valueKind names a kind of JSON values in messages; "" is one that only the run knows.
type valueKind string

const (
	stringKind  valueKind = "a string"
	boolKind    valueKind = "a bool"
	integerKind valueKind = "an integer"
	numberKind  valueKind = "a number"
	listKind    valueKind = "a list"
	objectKind  valueKind = "an object"
	nullKind    valueKind = "null"
)

// inputKind is the kind of the input's values, or "" if it has every value.
func (p parameter) inputKind() valueKind {
	of, hasDefault := p.Default.(*expr.Literal)
	switch {
	case !hasDefault || isOptional(p.Input) || p.Type == types.Any && of.Text == "null":
		return ""
	case p.Type == types.Int && !p.child:
		return numberKind
	}
	return kindOf(of, of.Typ)
}

// checkValue returns the finding that the input can never have a value, whose type is known, or
// nil. Strings that only the run knows can be values of every kind.
func (p parameter) checkValue(value expr.Expr, typ types.Type, at source.Span) *diag.Diagnostic {
	want, have := p.inputKind(), kindOf(value, typ)
	if kindFits(want, have, p.child, value) {
		return nil
	}
	return finding.ArgumentType(at, p.workflow, p.Name, string(want), string(have), p.Span)
}

// convertLiteral is a constant as a value of the input's type: of a string the number or bool that it
// has.
func (p parameter) convertLiteral(lit *expr.Literal) *expr.Literal {
	if !types.IsText(lit.Typ) {
		return lit
	}
	text := lit.Text
	switch p.inputKind() {
	case integerKind:
		n, _ := strconv.ParseInt(text, 10, 64)
		text = strconv.FormatInt(n, 10)
	case numberKind:
		n, _ := strconv.ParseFloat(text, 64)
		text = strconv.FormatFloat(n, 'g', -1, 64)
	case boolKind:
	default:
		return lit
	}
	return &expr.Literal{At: lit.At, Text: text, Typ: p.Type}
}

// checkItems returns the finding that the input can never have an item of a list, whose type
// is known, or nil. A string can be every item: it is JSON, unless the item is a string.
func (p parameter) checkItems(list expr.Expr, typ types.Type, at source.Span) *diag.Diagnostic {
	if p.inputKind() == stringKind {
		return nil
	}
	lit, constant := list.(*expr.Literal)
	if !constant {
		if of, ok := typ.(*types.List); ok {
			return p.checkValue(list, of.Elem, at)
		}
		return nil
	}
	var items []json.RawMessage
	_ = json.Unmarshal([]byte(lit.Text), &items) // a value that is not a list has its own finding
	for _, item := range items {
		text, typ := string(item), types.Type(types.Any)
		if json.Unmarshal(item, &text) == nil && item[0] == '"' {
			typ = types.Text
		}
		if fault := p.checkValue(&expr.Literal{Text: text, Typ: typ}, typ, at); fault != nil {
			return fault
		}
	}
	return nil
}

func kindFits(want, have valueKind, child bool, value expr.Expr) bool {
	if want == "" || have == "" || want == have {
		return true
	}
	text, constant := value.(*expr.Literal)
	_, composed := value.(*expr.Joined)
	_, output := value.(*expr.Output)
	switch isText := have == stringKind; want {
	case stringKind:
		return child || output || have != listKind && have != objectKind
	case listKind, objectKind:
		return isText && (!constant || kindOfJSON(text.Text) == want)
	case boolKind:
		return isText && !composed && (!constant || text.Text == "true" || text.Text == "false")
	case integerKind:
		return have == numberKind && !constant || isText && !composed && (!constant || isInteger(text.Text))
	default:
		return have == integerKind || isText && !composed && (!constant || isNumber(text.Text))
	}
}

// kindOf is the kind of a value of a type.
func kindOf(value expr.Expr, typ types.Type) valueKind {
	typ = types.WithoutNull(typ)
	switch typ.(type) {
	case *types.List:
		return listKind
	case *types.Struct:
		return objectKind
	}
	switch lit, constant := value.(*expr.Literal); {
	case typ == types.Bool:
		return boolKind
	case typ == types.Int:
		return integerKind
	case types.IsNumber(typ):
		return numberKind
	case types.IsText(typ):
		return stringKind
	case typ == types.Null:
		return nullKind
	case constant && typ == types.Any:
		return kindOfJSON(lit.Text)
	}
	return ""
}

// kindOfJSON is the kind of a value in JSON, or "" if the text is not JSON.
func kindOfJSON(text string) valueKind {
	text = trimSpace(text)
	if !json.Valid([]byte(text)) {
		return ""
	}
	switch text[0] {
	case '[':
		return listKind
	case '{':
		return objectKind
	case '"':
		return stringKind
	case 't', 'f':
		return boolKind
	case 'n':
		return nullKind
	}
	if isInteger(text) {
		return integerKind
	}
	return numberKind
}

// checkInner reports a reference inside a list or a mapping, which stays as it is.
func (r *reader) checkInner(v value) {
	if ref := innerReference(v.Node); ref != nil {
		r.Bag.Add(finding.InnerReference(ref.Place(), v.Path))
	}
}

// innerReference returns a string inside a value that has a reference to a node or an
// input, or nil.
func innerReference(n *yamlsrc.Node) *yamlsrc.Node {
	if start, _ := nextReference(n.Value, 0); start >= 0 {
		return n
	}
	for _, item := range n.Items {
		if found := innerReference(item); found != nil {
			return found
		}
	}
	for _, p := range n.Pairs {
		if found := innerReference(p.Value); found != nil {
			return found
		}
	}
	return nil
}

// isInteger and isNumber report whether a run reads a string as such a number.
func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && !strings.ContainsFunc(text, func(c rune) bool { return !slices.Contains([]rune("0123456789+-.eE"), c) })
}

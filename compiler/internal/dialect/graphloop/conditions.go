package graphloop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A condition is one of the file's conditions.
type condition struct {
	// place describes its place in words.
	place string
	// isEdge says that it is that of an edge, which leaves from, or START when
	// from is nil.
	isEdge bool
	from   *nodeDecl
	text   source.Text
	set    func(expr.Expr)

	term *term
	// parsed says that it has no syntax errors.
	parsed bool
	// ok says that it has no findings.
	ok bool
}

// addCondition notes a condition that is parsed once everything is named. The
// result represents it until then, and for good when it is not a text.
func (d *decoder) addCondition(v value, c *condition) expr.Expr {
	bad := &expr.Bad{At: v.Place()}
	if !d.isQuoted(v) {
		return bad
	}
	c.text = v.Node.Text()
	d.conditions = append(d.conditions, c)
	return bad
}

// isQuoted reports whether every YAML reader reads a condition as a string, and
// reports the fault otherwise.
func (d *decoder) isQuoted(v value) bool {
	n := v.Node
	switch {
	case n.Kind != yamlsrc.Scalar:
		d.Bag.Add(finding.GuardNotText(v.Place(), v.Path, decode.KindOf(n)).WithHelp("put the condition in quotes"))
		return false
	case n.Style != yamlsrc.Plain:
		return true
	case n.Value == "" || n.Tag != yamlsrc.TagString || isOldBoolean(n.Value):
		d.Bag.Add(d.notText(v))
		return false
	}
	quoted := `"` + n.Value + `"`
	if strings.ContainsAny(n.Value, `"\`) || strings.ContainsAny(n.Place().Text(), "\n") {
		quoted = strconv.Quote(n.Value)
	}
	d.Bag.Add(codes.UnquotedCondition.New(v.Place(), fmt.Sprintf("`%s` should be in quotes", v.Path)).
		WithSureSourceFix("put it in quotes", v.Place(), quoted))
	return true
}

func (d *decoder) notText(v value) *diag.Diagnostic {
	n := v.Node
	if tag := n.Tag; strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!") {
		return finding.GuardNotText(v.Place(), v.Path, "a YAML tag").WithHelp("put it in quotes: otherwise `!` starts a YAML tag")
	}
	kind := decode.KindOf(n)
	if isOldBoolean(n.Value) {
		kind = "a boolean in many YAML parsers"
	}
	x := finding.GuardNotText(v.Place(), v.Path, kind)
	switch {
	case n.Value == "":
		x.WithHelp("remove the key to take the edge always")
	case n.Place().Text() == n.Value:
		x.WithSourceFix("put it in quotes", n.Place(), `"`+n.Value+`"`)
	}
	return x
}

// isOldBoolean reports whether YAML 1.1 treats a word as a boolean.
func isOldBoolean(word string) bool {
	return slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false"}, strings.ToLower(word))
}

// nameConditions parses all conditions and resolves their names.
func (d *decoder) nameConditions() {
	for _, c := range d.conditions {
		var outputs []string
		if c.isEdge {
			outputs = c.from.outputNames()
		}
		c.term, c.parsed = parseCondition(c.text, outputs, d.Bag)
		c.ok = c.parsed
		n := namer{d, c}
		n.resolveTerm(c.term)
	}
}

// A namer gives meaning to the names of one condition.
type namer struct {
	*decoder
	c *condition
}

// markFaulty marks a term and its condition as faulty.
func (n namer) markFaulty(t *term) {
	t.kind, n.c.ok = badTerm, false
}

func (n namer) resolveTerm(t *term) {
	switch t.kind {
	case nameTerm:
		n.resolveName(t)
	case dottedTerm:
		n.reportDotted(t)
	case stateTerm:
		var ok bool
		if t.variable, t.measure, ok = n.state.lookUp(t.text, t.at, false); !ok || t.variable != nil && t.variable.bad {
			n.markFaulty(t)
		}
	case outputTerm:
		n.resolveOutput(t)
	}
	for i, arg := range t.args {
		if t.kind == compareTerm && arg.kind == nameTerm && t.args[1-i].kind != nameTerm && t.args[1-i].kind != badTerm && n.reportUnquoted(t, arg, t.args[1-i]) {
			continue
		}
		n.resolveTerm(arg)
	}
}

// reportUnquoted reports a bare name that a condition compares with a value: it is probably a string
// without quotes, or a variable without `state.`. If the value is a constant itself, the name can't be
// one: two constants always compare alike. It reports false if the name means something.
func (n namer) reportUnquoted(compare, t, value *term) bool {
	constantValue := slices.Contains([]termKind{textTerm, numberTerm, boolTerm, nullTerm}, value.kind)
	label := n.c.isEdge && n.c.from != nil && n.c.from.node.Label(t.text) != nil
	constant := slices.Contains([]string{"true", "false", "null"}, strings.ToLower(t.text))
	if label || constant || n.state.byName[t.text] != nil || automatic[t.text].known || n.byID[t.text] != nil {
		return false
	}
	n.markFaulty(t)
	x := finding.ConditionSyntax(t.at, "`"+t.text+"` is neither a variable nor a string in quotes")
	switch near := plain.Nearest(t.text, n.state.stateNames()); {
	case near != "":
		finding.Meant(x, t.at, "state."+near, "state."+near)
	case n.c.isEdge && n.c.from != nil && compare.op == expr.ValueEqual && value.kind == textTerm && n.c.from.node.Label(value.text) != nil:
		x.WithFix("name the output `"+value.text+"` alone", compare.at, value.text)
	case !constantValue && (compare.op == expr.ValueEqual || compare.op == expr.ValueNotEqual):
		x.WithFix("write the string as `'"+t.text+"'`", t.at, "'"+t.text+"'")
	case value.kind == textTerm:
		x.WithHelp("write a variable as `state.NAME`, and a node's output as `outputs.NODE`")
	default:
		x.WithHelp("write a number as digits, and a variable with `state.` before its name")
	}
	n.Bag.Add(x)
	return true
}

// resolveName gives meaning to a bare name: on an edge an output of the node that it
// leaves, or a declared variable that is true or false.
func (n namer) resolveName(t *term) {
	if !n.c.isEdge {
		n.reportMisplaced(t)
		return
	}
	from := n.c.from
	if from != nil && from.node.Label(t.text) != nil {
		t.node = from
		return
	}
	if v := n.state.byName[t.text]; v != nil && v.initial != nil && v.initial.Tag == yamlsrc.TagBool {
		t.kind, t.variable = stateTerm, v
		return
	}
	if v := n.state.byName[t.text]; v != nil && v.bad {
		n.markFaulty(t)
		return
	}
	defer n.markFaulty(t)
	switch {
	case from == nil:
		n.Bag.Add(finding.UnknownOutput(t.at, "no node has ended at START: `"+t.text+"` is not an output", t.text, nil))
	case from.labelsKnown:
		x := finding.UnknownOutput(t.at, "`"+from.node.ID+"` has no output `"+t.text+"`", t.text, from.outputNames())
		n.explainMeanings(x, t)
		n.Bag.Add(x)
	}
}

// explainMeanings adds other possible meanings of a name.
func (n namer) explainMeanings(x *diag.Diagnostic, t *term) {
	switch lower := strings.ToLower(t.text); {
	case lower == "true" || lower == "false" || lower == "null":
		x.WithHelp("write the constant as `" + lower + "`")
	case n.state.byName[t.text] != nil || automatic[t.text].known:
		x.WithHelp("write the variable as `state." + t.text + "`")
	case n.byID[t.text] != nil:
		x.WithHelp("write the last output of that node as `outputs." + t.text + " == '…'`")
	}
}

// reportMisplaced reports a bare name where there is no node whose output it could be.
func (n namer) reportMisplaced(t *term) {
	defer n.markFaulty(t)
	x := finding.UnknownOutput(t.at, "`"+t.text+"` has no meaning in "+n.c.place+": only edges name outputs", t.text, nil)
	n.explainMeanings(x, t)
	if len(x.Help) == 0 {
		x.WithHelp("write `outputs.NODE == '" + t.text + "'`")
	}
	n.Bag.Add(x)
}

// reportDotted reports a name with a point in it.
func (n namer) reportDotted(t *term) {
	defer n.markFaulty(t)
	written := t.text + "." + t.member
	x := finding.ConditionSyntax(t.at, "`"+written+"` must start with `state` or `outputs`")
	switch near := plain.Nearest(t.text, []string{"state", "outputs"}); {
	case n.byID[t.text] != nil:
		meant := "outputs." + t.text + " == '" + t.member + "'"
		finding.Meant(x, t.at, meant, meant)
	case near != "":
		finding.Meant(x, t.at, near+"."+t.member, near+"."+t.member)
	}
	n.Bag.Add(x)
}

// resolveOutput finds the node whose last output is read.
func (n namer) resolveOutput(t *term) {
	if t.node = n.byID[t.text]; t.node != nil {
		return
	}
	n.markFaulty(t)
	n.Bag.Add(finding.UnknownNodeInCondition(t.at, t.at, t.text, n.nodeIDs()))
}

// lastLabel reads the output that a node last had; ended says that it has had
// one for certain.
func (d *decoder) lastLabel(n *nodeDecl, at source.Span, ended bool) *expr.LastLabel {
	var typ types.Type = &types.Enum{Values: n.outputNames()}
	if !ended {
		typ = &types.Optional{Elem: typ}
	}
	return &expr.LastLabel{At: at, Node: n.node.ID, Typ: typ}
}

package xprompt

import (
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A stepDecl is a step as it is written.
type stepDecl struct {
	at   value
	name string
	// nameAt is the place of the name, or else the start of the step.
	nameAt source.Span
	// id is the node's; it differs from the name of a step whose name is taken.
	id string
	// parent is the parallel that the step belongs to, or nil.
	parent *stepDecl

	prompt, bash, python, parallel *value
	// part is the key prompt_part, finally and artifact are those keys if they are set.
	part, finally, artifact *value
	// unknown says that keys may be missing, which has been reported.
	unknown      bool
	output, cond *value
	forVars      *value
	again        *againDecl
	partsDecl
	// hitl is that key if it is true.
	hitl     *value
	children []*stepDecl

	spec *ir.OutputSpec
	// form is the declared answer of a prompt that the step refers to.
	form *ir.OutputSpec
	// node is the step's node once it is made.
	node *ir.Node
}

// A partsDecl says how a step treats the parts that it repeats or runs in parallel.
type partsDecl struct {
	join     *value
	mode     ir.JoinMode
	failFast *value
	// cancels is the value of fail_fast.
	cancels bool
}

// works are the keys of which each step needs one.
var works = append([]string{"use", "prompt_part"}, actions...)

var stepLevel = level{Where: "on a step", Name: "the step", Foreign: decode.ForeignTo(Name, decode.OnStep), AnyOf: [][]string{works},
	Clash: "Two of them are an error, except that keys beside `use` replace those of its file, and that `agent` has no effect beside `prompt`."}

var stepFields = append([]field[stepDecl]{
	{Name: "name", Shape: decode.FilledString.OrNull(),
		Doc:  "Name by which later templates read the output of the step.",
		Read: func(*decoder, value, *stepDecl) {}}, // read first
	{Name: "prompt", Shape: decode.FullString,
		Doc:  "Template of a prompt for an agent. `#name` inserts another prompt.",
		Read: func(d *decoder, v value, s *stepDecl) { s.prompt = d.readProgram(v) }},
	{Name: "bash", Shape: decode.FullString,
		Doc:  "Template of a bash script. Values become variables of the script.",
		Read: func(d *decoder, v value, s *stepDecl) { s.bash = d.readProgram(v) }},
	{Name: "python", Shape: decode.FullString,
		Doc:  "Template of a Python script. Values become variables of the script.",
		Read: func(d *decoder, v value, s *stepDecl) { s.python = d.readProgram(v) }},
	{Name: "parallel", Shape: decode.ListOf(decode.Object(&stepLevel)).AtLeast(2),
		Doc:  "Steps that run at the same time. They cannot have loops or `hitl`.",
		Read: func(_ *decoder, v value, s *stepDecl) { s.parallel = &v }},
	{Name: "output", Shape: decode.MapOf(decode.Any).AtLeast(1).Else(decode.ListOf(decode.MapOf(decode.Any).AtLeast(1)).AtLeast(1)).OrNull(),
		Examples: []string{`{"title": "line", "score": "int"}`},
		Doc: "Form of the output: an object such as `{title: line, score: int}` names the fields and their types, `[{title: line}]` means a list of such objects, " +
			"and `{type: json_schema, schema: …}` is a JSON Schema.",
		Read: func(d *decoder, v value, s *stepDecl) {
			s.output = &v
			s.spec = d.readOutput(v)
		}},
	{Name: "if", Shape: decode.FullString, Examples: []string{`"{{ plan.risky }}"`},
		Doc:  "Template that decides once whether the step runs.",
		Read: func(d *decoder, v value, s *stepDecl) { s.cond = d.readCondition(v) }},
	{Name: "for", Shape: decode.MapOf(decode.FilledString.Else(decode.ListOf(decode.Any)).Else(decode.MapOf(decode.Any))).AtLeast(1), Examples: []string{`{"file": "{{ list.files }}"}`},
		Doc:  "Variables with the lists that they iterate over together; another value is one item.",
		Read: func(d *decoder, v value, s *stepDecl) { s.forVars = &v }},
	{Name: "while", Shape: decode.FullString.Else(decode.Object(&whileLevel)),
		Doc:  "Repeats the step while a condition is true.",
		Read: readWhile},
	{Name: "repeat", Shape: decode.Object(&repeatLevel),
		Doc:  "Repeats the step until a condition is true.",
		Read: readRepeat},
	{Name: "join", Shape: decode.OneOf(joins...),
		Doc: "How the outputs of a loop or of parallel steps become one output. `array`: a list; `object`: an object with the names of the children; " +
			"`text`: lines of `key=value`; `lastOf`: the last output. If absent, `array` for `for` and `object` for `parallel`.",
		Read: readJoin},
	{Name: "fail_fast", Shape: decode.Bool, Default: "true",
		Doc: "Whether the failure of a parallel step cancels the others.",
		Read: func(d *decoder, v value, s *stepDecl) {
			s.failFast = &v
			s.cancels, _ = d.Flag(v)
		}},
	{Name: "hitl", Shape: decode.Bool,
		Doc: "Asks a person to accept, edit or reject the output, or to have the step repeated.",
		Read: func(d *decoder, v value, s *stepDecl) {
			if review, _ := d.Flag(v); review {
				s.hitl = &v
			}
		}},
	{Name: "hidden", Shape: decode.Bool,
		Doc:  "Has no effect: every step is shown.",
		Read: func(d *decoder, v value, _ *stepDecl) { d.Bag.Add(noEffect(v, "every step is shown")) }},
}, successorStepFields...)

// noEffect notes a key of the original that has no effect here.
func noEffect(v value, why string) *diag.Diagnostic {
	x := finding.NoEffect(v.Head(), v.Key.Value, why)
	x.Severity = diag.Note
	return x
}

// readProgram reads the text of a program or of a prompt; an empty one is reported
// and counts as written.
func (d *decoder) readProgram(v value) *value {
	if !v.Node.IsNull() && v.Node.Kind != yamlsrc.Scalar {
		d.WrongKind(v, "a string")
		return &v
	}
	if v.Node.Value == "" || v.Node.IsNull() {
		d.Empty(v)
	}
	return &v
}

// readCondition reads the text of a condition. An empty one counts as missing.
func (d *decoder) readCondition(v value) *value {
	switch {
	case v.Node.Kind != yamlsrc.Scalar:
		d.WrongKind(v, "a string")
		return nil
	case v.Node.IsNull(), v.Node.Value == "":
		d.Bag.Add(finding.NoEffect(v.Head(), v.Path, "it is empty"))
		return nil
	}
	return &v
}

// readStep decodes a step, the one of the index in its list; nil when it is not a
// step at all.
func (d *decoder) readStep(v value, index int, parent *stepDecl) *stepDecl {
	if !d.IsMapping(v) {
		return nil
	}
	v, whole := d.importStep(v)
	s := &stepDecl{at: v, parent: parent, name: "step_" + strconv.Itoa(index), nameAt: v.FirstKey(), partsDecl: partsDecl{cancels: true}, unknown: !whole}
	if p := v.Node.Pair("name"); p != nil {
		d.readStepName(stepLevel.Value(v, p), s)
	}
	decode.Fields(d, stepLevel, v, stepFields, s)
	d.checkAction(s)
	d.checkLoops(s)
	if s.parallel != nil {
		d.readChildren(s)
	}
	if parent != nil {
		d.checkChild(s)
	}
	d.checkSuccessor(s)
	d.checkJoin(s)
	return s
}

func (d *decoder) readStepName(v value, s *stepDecl) {
	if v.Node.IsNull() {
		return
	}
	name, ok := d.Filled(v)
	if !ok {
		return
	}
	s.nameAt = v.Place()
	if d.checkName("step", name, v.Place()) {
		s.name = name
	}
}

// checkAction reports a step that does nothing or more than one thing.
func (d *decoder) checkAction(s *stepDecl) {
	var have []string
	for _, a := range actions {
		if s.at.Node.Pair(a) != nil && (a != "agent" || s.at.Node.Pair("prompt") == nil) {
			have = append(have, a)
		}
	}
	if s.part != nil {
		if len(have) == 0 {
			d.checkPart(s)
			return
		}
		have = append([]string{"prompt_part"}, have...)
		s.part = nil
	}
	if len(have) == 1 || len(have) == 0 && (s.unknown || d.Meant(s.at, works...)) {
		return
	}
	at := s.nameAt
	if len(have) > 1 {
		at = s.at.Node.Pair(have[1]).Key.Span
	}
	d.Bag.Add(finding.StepAction(at, s.name, have))
	if len(have) > 1 { // the checks below use the first
		for _, a := range have[1:] {
			*s.actionField(a) = nil
		}
	}
}

// actionField is where the value of an action key is kept.
func (s *stepDecl) actionField(key string) **value {
	switch key {
	case "prompt", "agent":
		return &s.prompt
	case "bash":
		return &s.bash
	case "python":
		return &s.python
	}
	return &s.parallel
}

// wholeSpan is the place of the whole step.
func (s *stepDecl) wholeSpan() source.Span { return s.at.Node.Place() }

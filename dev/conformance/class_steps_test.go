package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// A workflow of steps goes another way once one step does: so differences of
// xprompt are told one by one, by the steps that they begin at, and those that
// follow from them are not looked at further. A case deviates when all of its
// differences are explained.

// A stepDifference is a difference with the step that it is about, and the reason
// of that step's failure. typed says that it is none when inputs are texts.
type stepDifference struct {
	difference
	step, reason string
	typed        bool
}

func stepDifferences(c *recorded, diffs []difference) []stepDifference {
	list := make([]stepDifference, len(diffs))
	for i, d := range diffs {
		list[i] = stepDifference{difference: d, typed: c.typed[d.what]}
		for _, kind := range []string{"step ", "output of ", "prompts of ", "reviews of "} {
			if step, ok := strings.CutPrefix(d.what, kind); ok {
				list[i].step, list[i].reason = step, c.reasons[step]
			}
		}
	}
	return list
}

// A stepRule explains differences that begin at a step.
type stepRule struct {
	name     string
	explains func(s *stepStory, d stepDifference) bool
}

// stepRules are in the order in which they are asked.
var stepRules = []stepRule{
	{"condition or list that breaks", (*stepStory).breaks},
	{"arguments that nobody takes", (*stepStory).refusesArguments},
	{"values as code", refusedOnly("value-as-name", "value-as-command", "value-misplaced", "value-as-code", "shell-arithmetic-type", "shell-arithmetic-variable",
		"statement-cuts", "script-value-in-format")},
	{"mistakes that the engine takes", refusedOnly("unknown-value", "wrong-value", "duplicate-key", "reference-order", "loop-lists", "wrong-argument", "invalid-import", "misplaced-node")},
	{"typed inputs", func(_ *stepStory, d stepDifference) bool { return d.typed }},
	{"defaults of outputs", transformed(giveDefaults)},
	{"approved in every output", transformed(approve)},
	{"lines of joined texts", transformed(joinLines)},
	{"lists of prompts", transformed(bareList)},
	{"replies that are checked", (*stepStory).checksReplies},
	{"forms of prompts", (*stepStory).holdsForms},
	{"asked once", (*stepStory).asksOnce},
	{"answers that count", (*stepStory).answersCount},
	{"bound, not spliced", (*stepStory).bound},
	{"random numbers", (*stepStory).random},
	{"skipped for good", (*stepStory).skipsForGood},
	{"fields of skipped steps", (*stepStory).readsSkipped},
}

// A stepStory is a case of steps with what classes ask of it.
type stepStory struct {
	in   xpromptCase
	want xpromptEnd
	// steps are those of the file, in order.
	steps []*stepFact
	// refused are the errors of a workflow that does not compile.
	refused []*diag.Diagnostic
}

// A stepFact is a step as it is written and as it is compiled.
type stepFact struct {
	name string
	stepText
	// node is nil when the workflow does not compile. inner are the node itself
	// and those inside it.
	node  *ir.Node
	inner []*ir.Node
	// edited says that somebody has edited the output.
	edited bool
	// status and output are those recorded.
	status, fault string
	output        json.RawMessage
}

// newStepStory returns nil for cases of something else.
func newStepStory(c *recorded) *stepStory {
	s := &stepStory{}
	if c.Op != "steps" || c.decode(&s.in, &s.want) != nil {
		return nil
	}
	r := compileXprompt(s.in.YAML, s.in.Files)
	s.refused = errorsOf(r)
	for i, t := range stepTexts(s.in.YAML) {
		f := &stepFact{name: t.name, stepText: t}
		if r.Workflow != nil && len(s.refused) == 0 {
			if nodes := r.Workflow.Workflow.Body.All(); i < len(nodes) {
				f.node = nodes[i]
				ir.Walk(&ir.Sequence{Nodes: nodes[i : i+1]}, func(n *ir.Node) { f.inner = append(f.inner, n) })
			}
		}
		if i < len(s.want.Steps) {
			f.name, f.status, f.output, f.fault = s.want.Steps[i].Name, s.want.Steps[i].Status, s.want.Steps[i].Output, s.want.Steps[i].Error
		}
		f.edited = strings.Contains(string(s.in.HITL[f.name]), `"edit"`)
		s.steps = append(s.steps, f)
	}
	return s
}

// stepClass is the class of the differences of which one begins by a rule.
func stepClass(name string) func(*recorded, []difference) bool {
	return func(c *recorded, diffs []difference) bool {
		s := newStepStory(c)
		return s != nil && s.explained(name, stepDifferences(c, diffs))
	}
}

// explained reports whether all differences begin by a rule or follow from such,
// and one of them begins by this one.
func (s *stepStory) explained(name string, diffs []stepDifference) bool {
	begun, by := map[string]bool{}, false
	var rest []stepDifference
	for _, d := range diffs {
		begins := false
		for _, r := range stepRules {
			if (!begins || r.name == name) && r.explains(s, d) {
				begins, by = true, by || r.name == name
			}
		}
		if begins {
			begun[d.step] = true
		} else {
			rest = append(rest, d)
		}
	}
	if !by {
		return false
	}
	for more := true; more; {
		more = false
		for i, d := range rest {
			if s.follows(d, begun) {
				begun[d.step], more = true, true
				rest = slices.Delete(rest, i, i+1)
				break
			}
		}
	}
	return len(rest) == 0
}

// follows reports whether a difference is one of, or behind, the steps at which
// others have begun: of the run's end, of a step that reads one of those, or of one
// that was not come to.
func (s *stepStory) follows(d stepDifference, begun map[string]bool) bool {
	if d.step == "" {
		return d.what == "run" && !strings.HasPrefix(d.got, "refused")
	}
	if begun[d.step] {
		return true
	}
	for _, f := range s.steps {
		switch {
		case f.name == d.step:
			return false
		case !begun[f.name]:
		case d.want == "pending" || d.got == "pending" || d.got == notAsked || d.want == notAsked:
			return true
		case s.mentions(d.step, f.name):
			return true
		}
	}
	return false
}

// mentions reports whether a step's text has a name in it.
func (s *stepStory) mentions(step, name string) bool {
	f := s.fact(step)
	return f != nil && regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).MatchString(f.text)
}

func (s *stepStory) fact(step string) *stepFact {
	for _, f := range s.steps {
		if f.name == step {
			return f
		}
	}
	return nil
}

// breaks: the engine takes a condition that breaks for false and a list that does
// not exist for one item; wfc refuses the workflow, or the step fails.
func (s *stepStory) breaks(d stepDifference) bool {
	if d.what == "run" && strings.HasPrefix(d.got, "refused: ") && len(s.refused) > 0 {
		return !slices.ContainsFunc(s.refused, func(e *diag.Diagnostic) bool { return !s.swallowed(e) })
	}
	f := s.fact(d.step)
	return f != nil && d.got == "failed" && f.tests() && (d.reason == "template" || d.reason == "reference" || d.reason == "items")
}

// swallowed reports whether an error stands where the engine takes any for false,
// in a step that it did not come to, or is a name that nothing has.
func (s *stepStory) swallowed(e *diag.Diagnostic) bool {
	for _, f := range s.steps {
		if !f.holds(e.Span) {
			continue
		}
		for _, test := range f.conditions {
			if test.Start <= e.Span.Start && e.Span.End <= test.End {
				// What the engine takes for a broken condition of a step that ran
				// after all is a fault of wfc.
				return f.key(test) != "if" || f.status == "skipped"
			}
		}
		return f.status == "skipped" || f.status == "pending"
	}
	return false
}

// refusedOnly explains a workflow that is refused for nothing but these codes.
func refusedOnly(slugs ...string) func(*stepStory, stepDifference) bool {
	alone := refusedFor(slugs...)
	return func(_ *stepStory, d stepDifference) bool {
		return d.what == "run" && alone(nil, []difference{d.difference})
	}
}

// refusesArguments: what no input takes, or what is not there, is refused before
// the run.
func (s *stepStory) refusesArguments(d stepDifference) bool {
	return d.what == "run" && slices.Contains([]string{"refused: unknown argument", "refused: too many arguments", "refused: missing argument"}, d.got)
}

// checksReplies: a prompt's reply is converted and validated by the step's output.
func (s *stepStory) checksReplies(d stepDifference) bool {
	f := s.fact(d.step)
	if f == nil || !f.prompts() {
		return false
	}
	if d.what == "step "+d.step {
		return d.got == "failed" && d.reason == "output"
	}
	if d.what != "output of "+d.step {
		return false
	}
	want, got := decoded(string(f.output)), decoded(d.got)
	return alike(f.apply(want, nil), got) && !alike(f.unchecked(want), got)
}

// holdsForms: the form that a prompt promises is asked for otherwise, and a reply
// without it fails the step also where somebody would look at it.
func (s *stepStory) holdsForms(d stepDifference) bool {
	f := s.fact(d.step)
	if f == nil || !slices.ContainsFunc(f.inner, func(n *ir.Node) bool { return n.Schema != "" }) {
		return false
	}
	// Those that the engine sent, without its words about the form, and those that wfc
	// sent first.
	const words, again = "\n\n---\nOUTPUT FORMAT REQUIREMENTS:", "\n\n--- CORRECTION ---"
	switch d.what {
	case "prompts of " + d.step:
		var want, got []string
		for prompt := range strings.SplitSeq(d.want, between) {
			prompt, _, told := strings.Cut(prompt, words)
			if !told {
				return false
			}
			want = append(want, strings.TrimSpace(prompt))
		}
		for prompt := range strings.SplitSeq(d.got, between) {
			if !strings.Contains(prompt, again) {
				got = append(got, strings.TrimSpace(prompt))
			}
		}
		return slices.Equal(want, got)
	case "step " + d.step:
		return d.got == "failed" && d.reason == "output"
	}
	return false
}

// asksOnce: somebody is asked about a loop once, after it.
func (s *stepStory) asksOnce(d stepDifference) bool {
	f := s.fact(d.step)
	return f != nil && d.what == "reviews of "+d.step && f.loops() && f.has("hitl") && d.got == "1"
}

// answersCount: feedback has a prompt made again, rerun a program; a list can be
// accepted, and an output that was edited is what the step says of it.
func (s *stepStory) answersCount(d stepDifference) bool {
	f := s.fact(d.step)
	if f == nil || !f.has("hitl") {
		return false
	}
	if strings.Contains(f.fault, "list indices must be integers") {
		return d.got == "completed"
	}
	answer := string(s.in.HITL[d.step])
	return strings.Contains(answer, `"feedback"`) || strings.Contains(answer, `"rerun"`) || strings.Contains(answer, `"edit"`) && d.what == "reviews of "+d.step
}

// bound: what stands in values is not taken for the program's own: quotes,
// backslashes, blanks and the signs of the shell.
func (s *stepStory) bound(d stepDifference) bool {
	f := s.fact(d.step)
	if f == nil || f.has("prompt") || !strings.Contains(f.text, "{{") {
		return false
	}
	if d.what == "step "+d.step {
		broken := regexp.MustCompile(`(?i)syntax error|unterminated|unexpected|SyntaxError|NameError|not found|EOL|EOF`)
		return d.want == "failed" && d.got == "completed" && broken.MatchString(f.fault)
	}
	if d.what != "output of "+d.step {
		return false
	}
	const quotes = "'\"\\"
	bare := func(text string) string {
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(quotes, r) {
				return -1
			}
			return r
		}, text)
		return strings.Join(strings.Fields(text), " ")
	}
	count := func(text, signs string) (n int) {
		for _, r := range text {
			if strings.ContainsRune(signs, r) {
				n++
			}
		}
		return n
	}
	if bare(d.want) == bare(d.got) {
		return count(d.want, quotes+" ") < count(d.got, quotes+" ")
	}
	// The value has signs of the shell that its program has not printed.
	const signs = "$`;&|<>*?~#("
	return f.has("bash") && count(d.want, signs) < count(d.got, signs)
}

// random: bash has random numbers, sh has none.
func (s *stepStory) random(d stepDifference) bool {
	f := s.fact(d.step)
	return f != nil && f.has("bash") && regexp.MustCompile(`\bRANDOM\b`).MatchString(f.text)
}

// skipsForGood: `if: false` skips, and so does a condition of a parallel's step.
func (s *stepStory) skipsForGood(d stepDifference) bool {
	f := s.fact(d.step)
	return f != nil && (d.what == "step "+d.step && d.got == "skipped" && f.falsy || d.what == "output of "+d.step && f.childCondition)
}

// readsSkipped: a field of a skipped step is false in a condition, which goes on
// from there; to the engine the condition breaks.
func (s *stepStory) readsSkipped(d stepDifference) bool {
	f := s.fact(d.step)
	if f == nil || d.what != "step "+d.step || d.want != "skipped" || d.got != "completed" {
		return false
	}
	return slices.ContainsFunc(s.steps, func(other *stepFact) bool {
		return other.status == "skipped" && other != f && regexp.MustCompile(`\b`+regexp.QuoteMeta(other.name)+`\.`).MatchString(f.condition())
	})
}

// A transform is what one rule makes of a recorded output.
type transform func(f *stepFact, v any) any

// transforms are all of them, in the order in which they are made.
var transforms = []struct {
	name string
	make transform
}{{"list", bareList}, {"convert", convert}, {"defaults", giveDefaults}, {"approve", approve}, {"lines", joinLines}}

// transformed explains an output that is the recorded one as the rules make it, of
// which this one changes something.
func transformed(rule transform) func(*stepStory, stepDifference) bool {
	return func(s *stepStory, d stepDifference) bool {
		f := s.fact(d.step)
		if f == nil || f.node == nil || d.what != "output of "+d.step {
			return false
		}
		want, got := decoded(string(f.output)), any(nil)
		if json.Unmarshal([]byte(d.got), &got) != nil {
			return false
		}
		before := jsonText(want)
		return alike(f.apply(want, nil), got) && jsonText(rule(f, decoded(before))) != before
	}
}

// apply makes of a recorded output what the rules make of it.
func (f *stepFact) apply(v any, _ transform) any {
	v = decoded(jsonText(v))
	for _, t := range transforms {
		v = t.make(f, v)
	}
	return v
}

// unchecked is apply without the conversion of replies.
func (f *stepFact) unchecked(v any) any {
	v = decoded(jsonText(v))
	for _, t := range transforms {
		if t.name != "convert" {
			v = t.make(f, v)
		}
	}
	return v
}

// spec is what the step says of its output, or of that of a round.
func (f *stepFact) spec() *ir.OutputSpec {
	for _, n := range f.inner {
		if n.Spec != nil {
			return n.Spec
		}
	}
	return nil
}

func (f *stepFact) prompts() bool { return f.has("prompt") }

// bareList: an array output of a prompt is the list.
func bareList(f *stepFact, v any) any {
	object, ok := v.(map[string]any)
	spec := f.spec()
	if !ok || spec == nil || !f.prompts() || len(object) != 1 {
		return v
	}
	if _, list := spec.Type.(*types.List); list && object["_data"] != nil {
		return object["_data"]
	}
	return v
}

// objects calls do with the objects of an output that its spec is about.
func (f *stepFact) objects(v any, do func(map[string]any, *types.Struct)) {
	spec := f.spec()
	if spec == nil {
		return
	}
	t := spec.Type
	if l, ok := t.(*types.List); ok {
		t = l.Elem
	}
	fields, ok := t.(*types.Struct)
	if !ok {
		return
	}
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			do(v, fields)
		}
	}
	visit(v)
}

// giveDefaults: fields that are not there have their defaults.
func giveDefaults(f *stepFact, v any) any {
	f.objects(v, func(object map[string]any, _ *types.Struct) {
		for _, d := range f.spec().Defaults {
			if _, there := object[d.Field]; !there {
				object[d.Field] = decoded(d.JSON)
			}
		}
	})
	return v
}

// convert: texts in a prompt's reply are read as values of the field's types.
func convert(f *stepFact, v any) any {
	if !f.prompts() && !f.edited {
		return v
	}
	f.objects(v, func(object map[string]any, fields *types.Struct) {
		for _, field := range fields.Fields {
			text, ok := object[field.Name].(string)
			kind := strings.TrimSuffix(field.Type.String(), " or nothing")
			if !ok || !slices.Contains([]string{"int", "float", "bool"}, kind) {
				continue
			}
			if value, problem := inputJSON(&ir.Input{Type: field.Type}, text); problem == "" {
				object[field.Name] = decoded(string(value))
			}
		}
	})
	return v
}

// approve: an output that somebody has accepted says so.
func approve(f *stepFact, v any) any {
	if object, ok := v.(map[string]any); ok && f.has("hitl") {
		object["approved"] = true
	}
	return v
}

// joinLines: what is joined to a text are lines of key=value.
func joinLines(f *stepFact, v any) any {
	text, ok := v.(string)
	if !ok || f.join != "text" {
		return v
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		value, err := py.Loads(line) // which keeps the order
		object, isObject := value.(*py.Dict)
		if err != nil || !isObject {
			lines = append(lines, line)
			continue
		}
		_ = object.Each(func(key, value py.Value) error {
			name, _ := py.Text(key)
			text, err := py.Text(value)
			lines = append(lines, name+"="+text)
			return err
		})
	}
	return strings.Join(lines, "\n")
}

package xprompt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// defaultMax is how often a loop runs that does not say.
const defaultMax = 100

// An againDecl is a while or a repeat as it is written.
type againDecl struct {
	key   value
	until bool
	cond  *value
	max   int
}

var (
	whileLevel  = level{Where: "under `while:`", Name: "`while`", Prefix: "while."}
	repeatLevel = level{Where: "under `repeat:`", Name: "`repeat`", Prefix: "repeat."}
)

var maxField = field[againDecl]{Name: "max", Shape: decode.Integer.AtLeast(1).OrQuoted(), Default: strconv.Itoa(defaultMax),
	Doc:  "Maximum iterations, after which the step fails.",
	Read: readMax}

var whileFields = []field[againDecl]{
	{Name: "condition", Shape: decode.FullString, Required: true,
		Doc:  "Template that is evaluated after each iteration; the loop continues while it is true.",
		Read: func(d *decoder, v value, a *againDecl) { a.cond = d.readCondition(v) }},
	maxField,
}

var repeatFields = []field[againDecl]{
	{Name: "until", Shape: decode.FullString, Required: true,
		Doc:  "Template that is evaluated after each iteration; the loop ends when it is true.",
		Read: func(d *decoder, v value, a *againDecl) { a.cond = d.readCondition(v) }},
	maxField,
}

// readMax reads the number of rounds, also when it is written as a text.
func readMax(d *decoder, v value, a *againDecl) {
	n := 0
	text, err := reference.ConvertText(v.Node.Value, types.Int)
	if err == nil {
		n, err = strconv.Atoi(text)
	}
	switch {
	case v.Node.Kind != yamlsrc.Scalar || err != nil || v.Node.Tag == yamlsrc.TagFloat:
		d.WrongKind(v, "an integer of 1 or more")
	case n < 1 || n > math.MaxInt32:
		d.Bag.Add(finding.OutOfRange(v.Place(), v.Path, v.Node.Value, "an integer of 1 or more"))
	default:
		a.max = n
	}
}

func readWhile(d *decoder, v value, s *stepDecl) {
	a := &againDecl{key: v, max: defaultMax}
	if v.Node.Kind == yamlsrc.Mapping {
		decode.Fields(d, whileLevel, v, whileFields, a)
		d.Missing(v, v.Head(), whileLevel, decode.Required(whileFields)...)
	} else if v.Node.Kind != yamlsrc.Scalar || v.Node.Tag == yamlsrc.TagBool || v.Node.IsNull() {
		d.WrongKind(v, "a condition, or a mapping with `condition` and `max`")
	} else {
		a.cond = d.readCondition(v)
	}
	s.setAgain(a)
}

func readRepeat(d *decoder, v value, s *stepDecl) {
	a := &againDecl{key: v, until: true, max: defaultMax}
	if decode.Fields(d, repeatLevel, v, repeatFields, a) {
		d.Missing(v, v.Head(), repeatLevel, decode.Required(repeatFields)...)
	}
	s.setAgain(a)
}

func (s *stepDecl) setAgain(a *againDecl) {
	s.again = cmp.Or(s.again, a)
}

// checkLoops reports loops that do not go together, and keeps the first of them.
func (d *decoder) checkLoops(s *stepDecl) {
	var have []*yamlsrc.Node
	for _, p := range s.at.Node.Pairs {
		if slices.Contains([]string{"for", "while", "repeat"}, p.Key.Value) {
			have = append(have, p.Key)
		}
	}
	switch {
	case len(have) > 1:
		d.Bag.Add(finding.StepLoops(have[1].Span, s.name, have[0].Value, have[1].Value))
		if have[0].Value == "for" {
			s.again = nil
		} else {
			s.forVars = nil
		}
	case s.parallel != nil && s.again != nil:
		d.Bag.Add(finding.StepLoops(s.again.key.Head(), s.name, "parallel", s.again.key.Key.Value))
		s.again = nil
	}
	if s.forVars != nil && !d.HasPairs(*s.forVars) {
		s.forVars = nil
	}
}

var joins = []string{"array", "object", "text", "lastOf"}

func readJoin(d *decoder, v value, s *stepDecl) {
	s.join = &v
	name, ok := d.Choice(v)
	if ok {
		s.mode = ir.JoinMode(slices.Index(joins, name))
	}
}

// checkJoin reports settings that need a loop or a parallel that the step lacks.
func (d *decoder) checkJoin(s *stepDecl) {
	if s.join == nil && s.parallel != nil && s.forVars == nil {
		s.mode = ir.JoinObject
	}
	if s.join != nil && s.forVars == nil && s.parallel == nil {
		why := "it joins the outputs of a `for` or a `parallel`"
		if s.again != nil {
			why = "the output of a `" + s.again.key.Key.Value + "` is that of its last iteration"
		}
		d.Bag.Add(finding.NoEffect(s.join.Head(), "join", why))
	}
	if s.failFast != nil && s.parallel == nil {
		d.Bag.Add(finding.NoEffect(s.failFast.Head(), "fail_fast", "it applies only to a `parallel`"))
	}
}

// loopVars are the names of the variables of a for.
func (s *stepDecl) loopVars() []string {
	if s.forVars == nil {
		return nil
	}
	return plain.Texts(s.forVars.Node.Pairs, func(p yamlsrc.Pair) string { return p.Key.Value })
}

// readChildren decodes the steps of a parallel.
func (d *decoder) readChildren(s *stepDecl) {
	v := *s.parallel
	if s.hitl != nil {
		d.Bag.Add(finding.MisplacedStep(s.hitl.Head(), fmt.Sprintf("`hitl` cannot be on the parallel step `%s`", s.name)).
			WithHelp("ask for the review in a step after it"))
		s.hitl = nil
	}
	if s.output != nil {
		d.Bag.Add(finding.NoEffect(s.output.Head(), "output", "a parallel combines the outputs of its steps").
			WithHelp("declare the outputs of its steps"))
		s.output, s.spec = nil, nil
	}
	if s.parent != nil {
		return // reported as a parallel in a parallel
	}
	if !d.IsList(v) {
		return
	}
	if n := len(v.Node.Items); n < 2 {
		d.Bag.Add(finding.MisplacedStep(v.Head(), fmt.Sprintf("parallel `%s` needs at least two steps, got %d", s.name, n)))
	}
	for i, item := range v.Node.Items {
		c := d.readStep(v.Item(item), i, s)
		if c == nil {
			continue
		}
		c.id = c.name
		if other := s.findChild(c.name); other != nil {
			d.Bag.Add(finding.DuplicateStep(c.nameAt, c.name, other.nameAt, true))
			continue
		}
		s.children = append(s.children, c)
	}
}

// findChild returns the step of a parallel that has a name, or nil.
func (s *stepDecl) findChild(name string) *stepDecl {
	for _, c := range s.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// checkChild reports keys that a step of a parallel cannot have.
func (d *decoder) checkChild(s *stepDecl) {
	for _, key := range []string{"for", "while", "repeat", "parallel"} {
		if p := s.at.Node.Pair(key); p != nil {
			d.Bag.Add(finding.MisplacedStep(p.Key.Span, fmt.Sprintf("`%s` cannot be on a step of a parallel", key)).
				WithHelp("repeat the parallel as a whole, with `for`"))
		}
	}
	if s.hitl != nil {
		d.Bag.Add(finding.MisplacedStep(s.hitl.Head(), "`hitl` cannot be on a step of a parallel").
			WithHelp("ask for the review in a step after the parallel"))
	}
	s.forVars, s.again, s.hitl = nil, nil, nil
}

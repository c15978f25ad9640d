package ir

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// Sequences of steps: steps that repeat others, steps that run others in parallel,
// outputs that are built from printed text, and reviews by users.
//
// For a step whose action is a ForEach, a Repeat or a Fork, the Output of its node
// is the type of the joined parts. The nodes inside have their own types: the one
// that a ForEach or a Repeat repeats has the id of the step itself.

// A ForEach runs its body for each item of a list, one after the other. An item's
// part of step `fix` is `fix[2]`. The first failure ends it.
type ForEach struct {
	// Vars are its variables, at least one. Their lists have equal length, or the
	// step fails.
	Vars []LoopVar
	Body *Node
	Join JoinMode
}

// A LoopVar is a variable of a ForEach.
type LoopVar struct {
	Var *expr.Declared
	// Items is the list. A value of type list is used as it is. A text is read as
	// JSON; a text that is not JSON, and every other value, is a list of one item.
	// An undefined value fails the step.
	Items expr.Expr
	Span  source.Span
}

// A Repeat runs its body, then tests its condition, and so on. The third round of
// step `fix` is `fix#3`. Its value is that of its last round.
type Repeat struct {
	// Cond is tested after each round; Until says whether it ends the loop when
	// it is true, or when it is false.
	Cond     expr.Expr
	CondText string `fingerprint:"omit"`
	Until    bool
	// Max is the number of rounds after which the step fails.
	Max int
	// Previous is the value of the round before, under the step's own name; in the
	// first round it is undefined.
	Previous *expr.Declared
	Body     *Node
	// Span is the key that makes the step a loop.
	Span source.Span
}

// A Fork runs its nodes side by side and waits for all of them. The part of child
// `b` of step `a` is `a/b`. Children do not see each other's outputs.
type Fork struct {
	Nodes []*Node
	// FailFast ends the others when one fails.
	FailFast bool
	Join     JoinMode
}

// JoinMode selects how the outputs of a step's parts are joined.
type JoinMode int

const (
	// JoinArray: the list of the outputs, without those that are empty objects
	// and lists.
	JoinArray JoinMode = iota
	// JoinObject: of a Fork an object of the outputs by the children's names; of a
	// ForEach one object of all fields, of which later ones replace earlier ones.
	JoinObject
	// JoinText: the outputs as lines of text.
	JoinText
	// JoinLast: the last of the outputs.
	JoinLast
)

var joinNames = [...]string{"array", "object", "text", "lastOf"}

func (m JoinMode) String() string { return joinNames[m] }

// Parsing selects how a node's output is built from the result of its action.
type Parsing int

const (
	// Plain: it is the text.
	Plain Parsing = iota
	// Printed is for the output of programs: JSON, or lines of key=value, or else
	// the text as the field _output.
	Printed
	// Replied is for replies of agents: JSON or YAML, in a fenced block or alone,
	// or else the text as the field _raw.
	Replied
	// Strict is for the output of programs with a schema: one JSON document that
	// satisfies Node.Schema.
	Strict
)

// A Review asks a person to accept, edit or reject a step's output before the run
// continues, or to have it made again: by a prompt with the person's feedback, by a
// program unchanged. A rejection cancels the run. The first question of step `plan`
// is `plan/review#1` about `plan/make1`; the next output is `plan/make2`.
type Review struct {
	Span source.Span
}

// A Schedule says when a workflow is to run.
type Schedule struct {
	// Cron is a cron expression of five fields.
	Cron string
	// Zone is the time zone that it names, or "" for that of the machine.
	Zone string
	Span source.Span
}

// A Target is a channel that a result is delivered to: "slack", "slack:C123".
type Target struct {
	Name string
	Span source.Span
}

// OutputSpec describes the fields of a step's output.
type OutputSpec struct {
	// Type is a types.Struct, open to further fields, or a types.List of such.
	Type types.Type
	// Defaults are the values of fields that are not there, by name, as JSON.
	Defaults []FieldDefault
	// Schema is a JSON Schema that the output must satisfy, or "".
	Schema string
}

// A FieldDefault is the value of a field that is not there.
type FieldDefault struct {
	Field string
	JSON  string
}

func (*ForEach) Kind() string { return "for" }

func (a *Repeat) Kind() string {
	if a.Until {
		return "repeat"
	}
	return "while"
}

func (*Fork) Kind() string { return "parallel" }

// LoopText describes the items or the end of a loop, for users; "" for other
// actions.
func LoopText(a Action) string {
	switch a := a.(type) {
	case *ForEach:
		return strings.Join(plain.Texts(a.Vars, func(v LoopVar) string { return v.Var.Name }), ", ")
	case *Repeat:
		return a.CondText
	}
	return ""
}

// Reviewed reports whether a person reviews the output of the node, or each iteration of its
// loop.
func (n *Node) Reviewed() bool {
	loop, ok := n.Action.(*Loop)
	return n.Review != nil || ok && loop.Gate != nil
}

// AlwaysAccepted returns the reviewed step of a sequence whose acceptance is the whole
// condition, if the condition holds whenever a step behind it comes to it; else nil. A
// rejection cancels the run, and a value that an input gives counts as accepted, so only a
// condition of the reviewed step could make the condition false.
func (b *Sequence) AlwaysAccepted(cond expr.Expr) *Node {
	id := acceptedStepID(cond)
	for _, n := range b.Nodes {
		if n.ID == id && n.Review != nil && n.When == nil && !n.SkipOnTimeout {
			return n
		}
	}
	return nil
}

// acceptedStepID returns the id of the step whose acceptance is the whole condition, or "".
func acceptedStepID(e expr.Expr) string {
	for {
		switch x := e.(type) {
		case *expr.Approved:
			return x.Node
		case *expr.Attr: // a review sets this field of an object
			if step, ok := x.X.(*expr.StepValue); ok && x.Name == "approved" {
				return step.Node
			}
			return ""
		case *expr.Holds:
			e = x.X
		case *expr.Str:
			e = x.X
		default:
			return ""
		}
	}
}

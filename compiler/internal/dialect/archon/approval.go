package archon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// approvalDecl holds the keys under `approval:`.
type approvalDecl struct {
	message *value
	capture bool
	rework  *reworkDecl
	// decisions are the ids of decisions, and decisionsAt their place.
	decisions   []string
	decisionsAt *value
}

// reworkDecl holds the keys under `approval.on_reject:`.
type reworkDecl struct {
	prompt   *value
	attempts int
}

// defaultRejections is the number of rejections that cancels a run when
// on_reject does not say.
const defaultRejections = 3

var (
	approvalLevel = level{Where: "under `approval:`", Name: "`approval`", Prefix: "approval."}
	reworkLevel   = level{Where: "under `approval.on_reject:`", Name: "`approval.on_reject`", Prefix: "approval.on_reject."}
)

var approvalFields = []field[approvalDecl]{
	{Name: "message", Shape: decode.FullString, Required: true,
		Doc:  "Question to a person.",
		Read: func(d *decoder, v value, a *approvalDecl) { a.message = decode.Keep(v, d.NonEmpty) }},
	{Name: "capture_response", Shape: decode.Bool, Default: "false",
		Doc:  "Whether the output is the approval's comment (without one, `Approved`) or empty.",
		Read: func(d *decoder, v value, a *approvalDecl) { a.capture, _ = d.Flag(v) }},
	{Name: "on_reject", Shape: decode.Object(&reworkLevel),
		Doc:  "Prompt that runs after a rejection, before the gate asks again; deprecated since 0.10 for `decisions`. Without it a rejection cancels the run.",
		Read: func(d *decoder, v value, a *approvalDecl) { a.rework = d.readRework(v) }},
	{Name: "decisions", Shape: decode.ListOf(decode.Object(&decisionLevel)).AtLeast(1),
		Doc:  "Decisions to choose from; one is `approve`. The output has the fields `decision` and `text`.",
		Read: func(d *decoder, v value, a *approvalDecl) { d.readDecisions(v, a) }},
}

var reworkFields = []field[reworkDecl]{
	{Name: "prompt", Shape: decode.FullString, Required: true,
		Doc:  "Prompt for the rework. `$REJECTION_REASON` is the person's reason. The reply is shown with the next question; other nodes can't read it.",
		Read: func(d *decoder, v value, r *reworkDecl) { r.prompt = decode.Keep(v, d.NonEmpty) }},
	{Name: "max_attempts", Shape: decode.Integer.From(1, 10), Default: strconv.Itoa(defaultRejections),
		Doc:  "Number of the rejection that cancels the run.",
		Read: func(d *decoder, v value, r *reworkDecl) { r.attempts, _ = d.Whole(v) }},
}

func (d *decoder) readRework(v value) *reworkDecl {
	r := reworkDecl{attempts: defaultRejections}
	if !readLevel(d, v, reworkLevel, reworkFields, &r) {
		return nil
	}
	if r.attempts == 1 {
		d.Bag.Add(finding.ReworkNeverRuns(v.Node.Get("max_attempts").Place()))
	}
	return &r
}

// readApproval decodes an approval; the result is nil when it is not a mapping.
func (d *decoder) readApproval(v value) *approvalDecl {
	var a approvalDecl
	if !readLevel(d, v, approvalLevel, approvalFields, &a) {
		return nil
	}
	d.checkDecisions(v, &a)
	return &a
}

// checkDecisions compares the decisions of a gate with its older keys. Newer rules have them
// in place of on_reject.
func (r *reader) checkDecisions(v value, a *approvalDecl) {
	rework, capture := v.Node.Pair("on_reject"), v.Node.Pair("capture_response")
	if a.decisionsAt == nil {
		if rework != nil && r.rules.Holds(formats.GateDecisions) {
			r.Bag.Add(finding.DeprecatedKey(rework.Key.Span, "approval.on_reject", "0.10",
				"offer `decisions` with `approve` and `reject`, and add a node for the rework whose `when` is `decision == 'reject'` of this gate"))
		}
		return
	}
	if rework != nil {
		r.Bag.Add(finding.InvalidDecision(a.decisionsAt.Key.Span, "a gate with decisions has no `on_reject`").
			WithRelated(rework.Key.Span, "this is the other one"))
	}
	if capture != nil {
		r.Bag.Add(finding.NoEffect(capture.Key.Span, "approval.capture_response", "the output of a gate with decisions has the person's words in `text`"))
	}
}

// decisionDecl holds the keys of a decision.
type decisionDecl struct{ id *value }

var decisionLevel = level{Where: "in a decision", Name: "the decision", Prefix: "approval.decisions."}

var decisionFields = []field[decisionDecl]{
	{Name: "id", Shape: decode.FilledString, Required: true,
		Doc:  "Name, in lower-case letters, digits and hyphens between them: `ask-again`.",
		Read: func(d *decoder, v value, a *decisionDecl) { a.id = decode.Keep(v, d.Filled) }},
	{Name: "label", Shape: decode.FilledString,
		Doc:  "Name for people.",
		Read: func(d *decoder, v value, _ *decisionDecl) { d.Filled(v) }},
}

// readDecisions reads the decisions of a gate.
func (d *decoder) readDecisions(v value, a *approvalDecl) {
	a.decisionsAt = &v
	if !d.HasItems(v) {
		return
	}
	complete := true
	for _, item := range v.Node.Items {
		at := value{Node: item, Key: v.Key, Path: v.Path}
		var one decisionDecl
		if !decode.Fields(d, decisionLevel, at, decisionFields, &one) || !d.Missing(at, at.FirstKey(), decisionLevel, "id") || one.id == nil {
			complete = false
			continue
		}
		switch id := trimSpace(one.id.Node.Value); {
		case !isKebab(id):
			d.Bag.Add(finding.InvalidDecision(one.id.Place(), "`"+id+"` is not made of lower-case letters and digits with hyphens between them"))
			complete = false
		case slices.Contains(a.decisions, id):
			d.Bag.Add(finding.InvalidDecision(one.id.Place(), "`"+id+"` appears twice"))
		default:
			a.decisions = append(a.decisions, id)
		}
	}
	if complete && !slices.Contains(a.decisions, approveDecision) {
		d.Bag.Add(finding.InvalidDecision(v.Key.Span, "one of them must be `approve`"))
	}
}

// approveDecision is the decision that every gate has.
const approveDecision = "approve"

// decisionSchema describes the output of a gate with decisions, and decisionOutput is its
// type.
func decisionSchema(ids []string) string {
	return `{"type":"object","properties":{"decision":{"type":"string","enum":["` + strings.Join(ids, `","`) +
		`"]},"text":{"type":"string"}},"required":["decision","text"]}`
}

func decisionOutput(ids []string) types.Type {
	return &types.Struct{Fields: []*types.Field{
		{Name: "decision", Type: &types.Enum{Values: ids}, Required: true},
		{Name: "text", Type: types.Text, Required: true},
	}}
}

// buildApproval makes the node's action of an approval.
func (d *decoder) buildApproval(n *ir.Node, a *approvalDecl) {
	approval := &ir.Approval{Capture: a.capture, MaxRejections: 1}
	if a.decisionsAt != nil && len(a.decisions) > 0 {
		approval.Decisions = a.decisions
		n.Output, n.Schema = decisionOutput(a.decisions), decisionSchema(a.decisions)
		n.SchemaSpan = a.decisionsAt.Key.Span
	}
	approval.Gate.Message = &template.Template{}
	if a.message != nil {
		text := a.message.Node.Text()
		approval.Gate.Message = template.Literal(text)
		d.addSurface(messageSurface, n, text).setTemplate = func(t *template.Template) { approval.Gate.Message = t }
	}
	if r := a.rework; r != nil && r.prompt != nil {
		approval.MaxRejections = r.attempts
		approval.Rework = &ir.Prompt{Agent: d.buildAgent(nil)}
		approval.Rework.Agent.FreshSession = true
		d.addPrompt(reworkSurface, n, approval.Rework, r.prompt.Node.Text())
	}
	n.Action = approval
}

package archon

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// approvalDecl holds the keys under `approval:`.
type approvalDecl struct {
	message *value
	capture bool
	rework  *reworkDecl
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
	{Name: "message", Shape: decode.String, Required: true,
		Doc:  "Question to a person.",
		Read: func(d *decoder, v value, a *approvalDecl) { a.message = decode.Keep(v, d.NonEmpty) }},
	{Name: "capture_response", Shape: decode.Bool,
		Doc:  "Whether the output of the node is the comment that comes with the approval. If false or absent, the output is empty.",
		Read: func(d *decoder, v value, a *approvalDecl) { a.capture, _ = d.Flag(v) }},
	{Name: "on_reject", Shape: decode.Object(&reworkLevel),
		Doc:  "Prompt that runs after a rejection, before the gate asks again. Without it a rejection cancels the run.",
		Read: func(d *decoder, v value, a *approvalDecl) { a.rework = d.readRework(v) }},
	unsupported[approvalDecl]("decisions", afterNine, "use `on_reject`"),
}

var reworkFields = []field[reworkDecl]{
	{Name: "prompt", Shape: decode.String, Required: true,
		Doc:  "Prompt for the rework. `$REJECTION_REASON` is the reason that the person gives.",
		Read: func(d *decoder, v value, r *reworkDecl) { r.prompt = decode.Keep(v, d.NonEmpty) }},
	{Name: "max_attempts", Shape: decode.Integer.With("from 1 to 10"),
		Doc:  "Number of rejections of which the last cancels the run, without running the prompt again; 3 if absent.",
		Read: func(d *decoder, v value, r *reworkDecl) { r.attempts, _ = d.Whole(v, 1, 10) }},
}

func (d *decoder) readRework(v value) *reworkDecl {
	r := reworkDecl{attempts: defaultRejections}
	if !decode.Fields(d, reworkLevel, v, reworkFields, &r) {
		return nil
	}
	d.missing(v, reworkLevel, decode.Required(reworkFields)...)
	if r.attempts == 1 {
		d.Bag.Add(finding.ReworkNeverRuns(v.Node.Get("max_attempts").Place()))
	}
	return &r
}

// readApproval decodes an approval; the result is nil when it is not a mapping.
func (d *decoder) readApproval(v value) *approvalDecl {
	var a approvalDecl
	if !decode.Fields(d, approvalLevel, v, approvalFields, &a) {
		return nil
	}
	d.missing(v, approvalLevel, decode.Required(approvalFields)...)
	return &a
}

// buildApproval makes the node's action of an approval.
func (d *decoder) buildApproval(n *ir.Node, a *approvalDecl) {
	approval := &ir.Approval{CaptureResponse: a.capture, MaxRejections: 1}
	approval.Gate.Message = &template.Template{}
	if a.message != nil {
		text := a.message.Node.Text()
		approval.Gate.Message = template.Literal(text)
		d.addSurface(messageSurface, n, text).setTemplate = func(t *template.Template) { approval.Gate.Message = t }
	}
	if r := a.rework; r != nil && r.prompt != nil {
		approval.MaxRejections = r.attempts
		approval.Rework = &ir.Prompt{Agent: d.agent(nil)}
		approval.Rework.Agent.FreshSession = true
		d.addPrompt(reworkSurface, n, approval.Rework, r.prompt.Node.Text())
	}
	n.Action = approval
}

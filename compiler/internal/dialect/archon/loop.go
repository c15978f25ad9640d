package archon

import (
	"math"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// loopDecl holds the keys under `loop:`. Missing or faulty texts are nil.
type loopDecl struct {
	prompt, until, untilBash, gateMessage *value
	max                                   int
	fresh, interactive                    bool
	// undecided says that interactive is neither true nor false.
	undecided bool
}

var loopLevel = level{Where: "under `loop:`", Name: "`loop`", Prefix: "loop."}

var loopFields = []field[loopDecl]{
	{Name: "prompt", Shape: decode.String, Required: true,
		Doc:  "Prompt of each iteration.",
		Read: func(d *decoder, v value, l *loopDecl) { l.prompt = decode.Keep(v, d.NonEmpty) }},
	{Name: "until", Shape: decode.String, Required: true,
		Doc:  "Signal: the loop ends when the reply contains it as a word or in a tag, such as `<promise>DONE</promise>`.",
		Read: func(d *decoder, v value, l *loopDecl) { l.until = decode.Keep(v, d.NonEmpty) }},
	{Name: "max_iterations", Shape: decode.Integer.With("of at least 1"), Required: true,
		Doc:  "Maximum number of iterations; the node fails if the loop has not ended by then.",
		Read: func(d *decoder, v value, l *loopDecl) { l.max, _ = d.Whole(v, 1, math.MaxInt32) }},
	{Name: "fresh_context", Shape: decode.Bool,
		Doc:  "Starts each iteration with a new conversation.",
		Read: func(d *decoder, v value, l *loopDecl) { l.fresh, _ = d.Flag(v) }},
	{Name: "until_bash", Shape: decode.String,
		Doc:  "Bash script that ends the loop when it exits with 0.",
		Read: func(d *decoder, v value, l *loopDecl) { l.untilBash = decode.Keep(v, d.Text) }},
	{Name: "interactive", Shape: decode.Bool,
		Doc: "Asks a person after each iteration.",
		Read: func(d *decoder, v value, l *loopDecl) {
			set, ok := d.Flag(v)
			l.interactive, l.undecided = set, !ok
		}},
	{Name: "gate_message", Shape: decode.String,
		Doc:  "Question of an interactive loop; required there.",
		Read: func(d *decoder, v value, l *loopDecl) { l.gateMessage = decode.Keep(v, d.Text) }},
	unsupported[loopDecl]("command", sinceSix, "write the text of the command file in `prompt`"),
	unsupported[loopDecl]("until_field", afterNine, "use `until` or `until_bash`"),
	unsupported[loopDecl]("signal_completes", sinceSix, ""),
}

// readLoop decodes a loop; the result is nil if there is nothing to repeat. It
// reports everything else that is missing, and checks the rest.
func (d *decoder) readLoop(v value) *loopDecl {
	var l loopDecl
	if !decode.Fields(d, loopLevel, v, loopFields, &l) {
		return nil
	}
	d.missing(v, loopLevel, decode.Required(loopFields)...)
	d.checkGate(v, &l)
	if l.until != nil && trim(l.until.Node.Value) == "" {
		d.Bag.Add(finding.BlankSignal(l.until.Place()))
	}
	if l.prompt == nil {
		return nil
	}
	return &l
}

// checkGate compares the two keys of a loop that asks a person.
func (d *decoder) checkGate(v value, l *loopDecl) {
	gate := l.gateMessage
	switch {
	case l.interactive && v.Node.Pair("gate_message") == nil:
		d.Bag.Add(finding.MissingKey(v.Node.Pair("interactive").Key.Span, "gate_message", "an interactive loop").
			WithHelp("write the question that a person reads at the gate"))
	case l.interactive && gate != nil && gate.Node.Value == "":
		d.Empty(*gate)
	case !l.interactive && !l.undecided && gate != nil:
		d.Bag.Add(finding.NoEffect(gate.Key.Span, gate.Path, "the loop is not `interactive: true`"))
	}
}

// buildLoop makes the node's action of a loop.
func (d *decoder) buildLoop(n *ir.Node, l *loopDecl) {
	prompt := &ir.Prompt{Agent: d.agent(nil)}
	d.addPrompt(loopPromptSurface, n, prompt, l.prompt.Node.Text())
	body := &ir.Node{
		ID: n.ID, IDSpan: n.IDSpan, Span: l.prompt.Node.Span,
		Action: prompt, Output: types.Text, IdleTimeout: n.IdleTimeout,
	}
	loop := &ir.Loop{
		Body:         &ir.Sequence{Nodes: []*ir.Node{body}},
		Strict:       d.env.Settings.UntilStrict,
		Max:          l.max,
		FreshSession: l.fresh,
	}
	if l.until != nil && trim(l.until.Node.Value) != "" {
		loop.Signal, loop.SignalSpan = l.until.Node.Value, l.until.Place()
	}
	if b := l.untilBash; b != nil && trim(b.Node.Value) != "" {
		text := b.Node.Text()
		loop.Until = &ir.Bash{Script: text.Value, Original: template.Literal(text)}
		d.addSurface(untilBashSurface, n, text).setBash = func(b *ir.Bash) { loop.Until = b }
	}
	if l.interactive && l.gateMessage != nil {
		loop.Gate = &ir.Gate{Message: template.Literal(l.gateMessage.Node.Text())}
	}
	n.Action = loop
}

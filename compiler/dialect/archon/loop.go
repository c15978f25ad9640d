package archon

import (
	"math"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/template"
	"github.com/wfc-lang/wfc/compiler/types"
)

// loopDecl is what stands under `loop:`. Texts are nil when they are missing
// or wrong.
type loopDecl struct {
	prompt, until, untilBash, gateMessage *value
	max                                   int
	fresh, interactive                    bool
	// undecided says that interactive is neither true nor false.
	undecided bool
}

var loopLevel = level{where: "under `loop:`", name: "`loop`", prefix: "loop."}

var loopFields = []field[loopDecl]{
	{"prompt", func(d *decoder, v value, l *loopDecl) { l.prompt = d.filledValue(v) }},
	{"until", func(d *decoder, v value, l *loopDecl) { l.until = d.filledValue(v) }},
	{"max_iterations", func(d *decoder, v value, l *loopDecl) { l.max, _ = d.whole(v, 1, math.MaxInt32) }},
	{"fresh_context", func(d *decoder, v value, l *loopDecl) { l.fresh, _ = d.flag(v) }},
	{"until_bash", func(d *decoder, v value, l *loopDecl) { l.untilBash = d.textValue(v) }},
	{"interactive", func(d *decoder, v value, l *loopDecl) {
		set, ok := d.flag(v)
		l.interactive, l.undecided = set, !ok
	}},
	{"gate_message", func(d *decoder, v value, l *loopDecl) { l.gateMessage = d.textValue(v) }},
}

// textValue returns the value if it is a text.
func (d *decoder) textValue(v value) *value {
	if _, ok := d.text(v); !ok {
		return nil
	}
	return &v
}

// filledValue returns the value if it is a text that is not empty.
func (d *decoder) filledValue(v value) *value {
	if _, ok := d.filled(v); !ok {
		return nil
	}
	return &v
}

// readLoop decodes a loop; the result is nil when there is nothing to repeat.
// Whatever else is missing was reported, and what is there is still checked.
func (d *decoder) readLoop(v value) *loopDecl {
	var l loopDecl
	if !decodeFields(d, loopLevel, v, loopFields, &l) {
		return nil
	}
	d.missing(v, loopLevel, "prompt", "until", "max_iterations")
	d.checkGate(v, &l)
	if l.until != nil && trim(l.until.node.Value) == "" {
		d.bag.Add(diag.BlankSignal(l.until.place()))
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
	case l.interactive && v.node.Pair("gate_message") == nil:
		d.bag.Add(diag.MissingKey(v.node.Pair("interactive").Key.Span, "gate_message", "an interactive loop").
			WithHelp("it is what the person at the gate reads"))
	case l.interactive && gate != nil && gate.node.Value == "":
		d.fault(*gate, diag.EmptyValue(gate.place(), gate.path))
	case !l.interactive && !l.undecided && gate != nil:
		d.bag.Add(diag.NoEffect(gate.key.Span, gate.path, "the loop is not `interactive: true`"))
	}
}

// buildLoop makes the node's action of a loop.
func (d *decoder) buildLoop(n *ir.Node, l *loopDecl) {
	prompt := &ir.Prompt{Agent: d.agent(nil)}
	d.addPrompt(loopPromptSurface, n, prompt, l.prompt.node.Text())
	body := &ir.Node{
		ID: n.ID, IDSpan: n.IDSpan, Span: l.prompt.node.Span,
		Action: prompt, Output: types.Text, IdleTimeout: n.IdleTimeout,
	}
	loop := &ir.Loop{
		Body:         &ir.Sequence{Nodes: []*ir.Node{body}},
		Strict:       d.env.Config.UntilStrict,
		Max:          l.max,
		FreshSession: l.fresh,
	}
	if l.until != nil && trim(l.until.node.Value) != "" {
		loop.Signal, loop.SignalSpan = l.until.node.Value, l.until.place()
	}
	if b := l.untilBash; b != nil && trim(b.node.Value) != "" {
		text := b.node.Text()
		loop.Until = &ir.Bash{Script: text.Value, Original: template.Literal(text)}
		d.addSurface(untilBashSurface, n, text).setBash = func(b *ir.Bash) { loop.Until = b }
	}
	if l.interactive && l.gateMessage != nil {
		loop.Gate = &ir.Gate{Message: template.Literal(l.gateMessage.node.Text())}
	}
	n.Action = loop
}

package archon

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// loopDecl holds the keys under `loop:`. Missing or faulty values are nil.
type loopDecl struct {
	prompt, command, until, untilBash, untilField, gateMessage *value
	max                                                        int
	fresh, interactive                                         bool
	completes                                                  *value // signal_completes, if true
	// undecided says that interactive is neither true nor false.
	undecided bool
	// nodes are the nodes of a loop_group.
	nodes *value
}

var loopLevel = level{Where: "under `loop:`", Name: "`loop`", Prefix: "loop.",
	OneOf: [][]string{{"prompt", "command"}}, AnyOf: [][]string{channels},
	Needs: []decode.Need{{Key: "interactive", Is: "true", Requires: "gate_message"}}}

var loopFields = []field[loopDecl]{
	{Name: "prompt", Shape: decode.FullString,
		Doc:  "Prompt of each iteration.",
		Read: func(d *decoder, v value, l *loopDecl) { l.prompt = decode.Keep(v, d.NonEmpty) }},
	{Name: "command", Shape: decode.FilledString,
		Doc:  "Command file whose text is the prompt of each iteration.",
		Read: func(d *decoder, v value, l *loopDecl) { l.command = decode.Keep(v, d.Filled) }},
	{Name: "until", Shape: decode.FullString,
		Doc:  "Signal: the loop ends when the reply contains it as a word or in a tag, such as `<promise>DONE</promise>`.",
		Read: func(d *decoder, v value, l *loopDecl) { l.until = d.readLoopEnd(v, d.NonEmpty) }},
	{Name: "max_iterations", Shape: decode.Integer.AtLeast(1), Required: true,
		Doc:  "Maximum iterations, after which the node fails.",
		Read: func(d *decoder, v value, l *loopDecl) { l.max, _ = d.Whole(v) }},
	{Name: "fresh_context", Shape: decode.Bool,
		Doc:  "Starts each iteration with new conversations.",
		Read: func(d *decoder, v value, l *loopDecl) { l.fresh, _ = d.Flag(v) }},
	{Name: "until_bash", Shape: decode.String,
		Doc:  "Bash script that ends the loop when it exits with 0.",
		Read: func(d *decoder, v value, l *loopDecl) { l.untilBash = d.readLoopEnd(v, d.Text) }},
	{Name: "interactive", Shape: decode.Bool,
		Doc: "Asks a person after the first iteration, and after each later one that does not complete the loop.",
		Read: func(d *decoder, v value, l *loopDecl) {
			set, ok := d.Flag(v)
			l.interactive, l.undecided = set, !ok
		}},
	{Name: "gate_message", Shape: decode.FullString,
		Doc:  "Question of an interactive loop.",
		Read: func(d *decoder, v value, l *loopDecl) { l.gateMessage = decode.Keep(v, d.Text) }},
	{Name: "until_field", Shape: decode.FilledString,
		Doc:  "Required bool field of the node's `output_format`: the loop ends when it is true.",
		Read: func(d *decoder, v value, l *loopDecl) { l.untilField = decode.Keep(v, d.Filled) }},
	{Name: "signal_completes", Shape: decode.Bool,
		Doc: "Whether an interactive loop ends without a question when its first iteration completes it.",
		Read: func(d *decoder, v value, l *loopDecl) {
			if on, ok := d.Flag(v); ok && on {
				l.completes = &v
			}
		}},
}

// readLoop decodes a loop; the result is nil if there is nothing to repeat. It
// reports everything else that is missing, and checks the rest.
func (d *decoder) readLoop(v value) *loopDecl {
	var l loopDecl
	if !readLevel(d, v, loopLevel, loopFields, &l) {
		return nil
	}
	d.checkChannels(v)
	d.checkGate(v, &l)
	d.checkSignal(&l)
	prompt, command := v.Node.Pair("prompt"), v.Node.Pair("command")
	switch {
	case prompt != nil && command != nil:
		d.Bag.Add(finding.SeveralModes(command.Key.Span, "`loop`", []string{"prompt", "command"}).WithRelated(prompt.Key.Span, "also this"))
		return nil
	case prompt == nil && command == nil:
		d.reportMissing(v, loopLevel, "prompt")
	}
	if l.prompt == nil && l.command == nil {
		return nil
	}
	return &l
}

// checkSignal reports a signal of spaces.
func (r *reader) checkSignal(l *loopDecl) {
	if l.until != nil && trimSpace(l.until.Node.Value) == "" {
		r.Bag.Add(finding.BlankSignal(l.until.Place()))
	}
}

// channels are the keys that end a loop.
var channels = []string{"until", "until_bash", "until_field"}

// readLoopEnd reads a key that ends a loop. By the newer rules it must not be blank; before,
// it is read as given.
func (r *reader) readLoopEnd(v value, before func(value) (string, bool)) *value {
	if r.rules.Holds(formats.BlankChannels) {
		before = r.Filled
	}
	return decode.Keep(v, before)
}

// checkChannels reports a loop that nothing ends. Before version 0.9, every loop had a
// signal.
func (r *reader) checkChannels(v value) {
	switch {
	case v.Node.Pair("until") != nil:
	case !r.rules.Holds(formats.OptionalSignal) && !hasAny(v.Node, channels[2:]) || !hasAny(v.Node, channels):
		r.reportMissing(v, loopLevel, "until")
	}
}

// checkGate compares the two keys of a loop that asks a person.
func (r *reader) checkGate(v value, l *loopDecl) {
	gate := l.gateMessage
	switch {
	case l.interactive && v.Node.Pair("gate_message") == nil:
		r.Bag.Add(finding.MissingKey(v.Node.Pair("interactive").Key.Span, "gate_message", "an interactive loop").
			WithHelp("write the question that a person reads at the gate"))
	case l.interactive && gate != nil && gate.Node.Value == "":
		r.Empty(*gate)
	case !l.interactive && !l.undecided:
		r.reportIneffective(gate, "the loop is not `interactive: true`")
		r.reportIneffective(l.completes, "the loop is not `interactive: true`")
	}
}

// buildLoop makes the node's action of a loop.
func (d *decoder) buildLoop(decl *nodeDecl, l *loopDecl) {
	var own *agentDecl
	if d.rules.Holds(formats.LoopAgents) {
		own = decl.agent.chosenModel()
	}
	n, prompt := decl.node, &ir.Prompt{Agent: d.buildAgent(own)}
	at, text := l.prompt, source.Text{}
	if l.command != nil {
		at, prompt.Command = l.command, trimSpace(l.command.Node.Value)
		file, fault := d.library.loadCommand(*l.command, prompt.Command)
		if fault != nil {
			d.reportFaults(decl, (*ir.Loop)(nil).Kind(), fault)
			return
		}
		text = file
	} else {
		text = l.prompt.Node.Text()
	}
	d.addPrompt(loopPromptSurface, n, prompt, text)
	body := &ir.Node{
		ID: n.ID, IDSpan: n.IDSpan, Span: at.Node.Span,
		Action: prompt, Result: ir.Result{Output: types.Text}, Policy: ir.Policy{IdleTimeout: n.IdleTimeout},
	}
	if d.rules.Holds(formats.CheckedLoops) && decl.agent.schema != nil {
		d.setSchema(decl)
		body.Output, body.Schema, body.SchemaSpan = n.Output, n.Schema, n.SchemaSpan
	}
	loop := d.newLoop(l)
	loop.Body = &ir.Sequence{Nodes: []*ir.Node{body}}
	if b := l.untilBash; b != nil && trimSpace(b.Node.Value) != "" {
		text := b.Node.Text()
		loop.Until = &ir.Bash{Script: text.Value, Original: template.Literal(text)}
		d.addSurface(untilBashSurface, n, text).setBash = func(b *ir.Bash) { loop.Until = b }
	}
	if l.untilField != nil {
		loop.Field = d.untilField(n, *l.untilField)
	}
	n.Action = loop
}

// newLoop returns the loop without its body and its test.
func (a *agents) newLoop(l *loopDecl) *ir.Loop {
	loop := &ir.Loop{Strict: a.env.Settings.Archon.LooseUntil, Max: l.max, FreshSession: l.fresh}
	if l.until != nil && trimSpace(l.until.Node.Value) != "" {
		loop.Signal, loop.SignalSpan = l.until.Node.Value, l.until.Place()
	}
	switch {
	case l.completes != nil:
		loop.Pass = ir.PassCompleted
	case a.rules.Holds(formats.FinalApproval):
		loop.Pass = ir.PassApproved
	}
	if l.interactive && l.gateMessage != nil {
		loop.Gate = &ir.Gate{Message: template.Literal(l.gateMessage.Node.Text())}
	}
	return loop
}

// untilField returns the name of the field that ends the loop of a node, and reports one
// that cannot.
func (r *reader) untilField(n *ir.Node, v value) string {
	name, why := trimSpace(v.Node.Value), ""
	s, object := n.Output.(*types.Struct)
	switch {
	case n.Output == types.Invalid:
		return ""
	case n.Schema == "":
		why = "the node has no `output_format`"
	case !object || s.Field(name) == nil:
		why = "the `output_format` declares no field `" + name + "`"
	case !s.Field(name).Required:
		why = "the field `" + name + "` is not `required`"
	case s.Field(name).Type != types.Bool && s.Field(name).Type != types.Any:
		why = "the field `" + name + "` is " + s.Field(name).Type.String() + ", not a boolean"
	default:
		return name
	}
	r.Bag.Add(finding.UntilField(v.Place(), name, why, n.SchemaSpan))
	return ""
}

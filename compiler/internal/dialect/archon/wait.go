package archon

import (
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// waitDecl holds the keys under `wait:`.
type waitDecl struct {
	duration, deadline      time.Duration
	until, event, attention *value
}

// longestWait is the longest time that a node may wait, in milliseconds.
const longestWait = 1000 * 365 * 24 * 60 * 60 * 1000

// waitKinds are the keys for the kinds of waits.
var waitKinds = []string{"duration_ms", "until", "event", "attention"}

var waitLevel = level{Where: "under `wait:`", Name: "`wait`", Prefix: "wait.",
	OneOf: [][]string{waitKinds}, Needs: []decode.Need{{Key: "event", Requires: "deadline_ms"}}}

var waitFields = []field[waitDecl]{
	{Name: "duration_ms", Shape: decode.Integer.From(1, longestWait).In("milliseconds"),
		Doc:  "Waits for this time, once the run reaches the node.",
		Read: func(d *decoder, v value, w *waitDecl) { w.duration = d.waitTime(v) }},
	{Name: "until", Shape: decode.FilledString,
		Doc:  "Waits until this time, in UTC: `2027-01-31T09:00:00Z`. References insert values.",
		Read: func(d *decoder, v value, w *waitDecl) { w.until = decode.Keep(v, d.Filled) }},
	{Name: "event", Shape: decode.FilledString,
		Doc:  "Waits for the event of this name, which the command `signal` reports.",
		Read: func(d *decoder, v value, w *waitDecl) { w.event = decode.Keep(v, d.Filled) }},
	{Name: "deadline_ms", Shape: decode.Integer.From(1, longestWait).In("milliseconds"),
		Doc:  "Time for the event, after which the output's `status` is `expired`; required with `event`.",
		Read: func(d *decoder, v value, w *waitDecl) { w.deadline = d.waitTime(v) }},
	{Name: "attention", Shape: decode.FilledString,
		Doc:  "Message to a person. Waits until somebody ends the wait with the command `wake`.",
		Read: func(d *decoder, v value, w *waitDecl) { w.attention = decode.Keep(v, d.Filled) }},
}

// waitTime reads a time in milliseconds. Go's durations end at 292 years, which is as
// good as the 1,000 years that the format allows.
func (r *reader) waitTime(v value) time.Duration {
	ms, _ := r.Whole(v)
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(int64(ms), most)) * time.Millisecond
}

// readWait decodes a wait; the result is nil if it is not a mapping that says for what
// to wait.
func (d *decoder) readWait(v value) *waitDecl {
	var w waitDecl
	if !decode.Fields(d, waitLevel, v, waitFields, &w) {
		return nil
	}
	var kinds []*value
	for _, key := range waitKinds {
		if p := v.Node.Pair(key); p != nil {
			kinds = append(kinds, &value{Node: p.Value, Key: p.Key, Path: key})
		}
	}
	event, deadline := v.Node.Pair("event"), v.Node.Pair("deadline_ms")
	switch {
	case len(kinds) == 0:
		if !d.Meant(v, waitKinds...) {
			d.Bag.Add(finding.WaitFor(v.Head(), nil))
		}
		return nil
	case len(kinds) > 1:
		names := plain.Texts(kinds, func(k *value) string { return k.Path })
		d.Bag.Add(finding.WaitFor(kinds[1].Key.Span, names))
		return nil
	case event != nil && deadline == nil:
		d.reportMissing(v, waitLevel, "deadline_ms")
	case event == nil && deadline != nil:
		d.Bag.Add(finding.NotOnWait(deadline.Key.Span, "deadline_ms` without an `event"))
	}
	return &w
}

// buildWait makes the node's action of a wait.
func (d *decoder) buildWait(n *nodeDecl, w *waitDecl) {
	wait := &ir.Wait{For: w.duration, Deadline: w.deadline}
	if w.event != nil {
		wait.Event = trimSpace(w.event.Node.Value)
	}
	if w.until != nil {
		text := w.until.Node.Text().TrimFunc(isSpace)
		wait.Until = template.Literal(text)
		if !strings.Contains(text.Value, "$") {
			if _, ok := scalar.UTC(text.Value); !ok {
				d.Bag.Add(finding.InvalidTime(w.until.Place(), text.Value))
			}
		}
		d.addSurface(messageSurface, n.node, text).setTemplate = func(t *template.Template) { wait.Until = t }
	}
	if w.attention != nil {
		text := w.attention.Node.Text()
		wait.Attention = template.Literal(text)
		d.addSurface(messageSurface, n.node, text).setTemplate = func(t *template.Template) { wait.Attention = t }
	}
	n.node.Action = wait
	n.node.Output, n.node.Schema = waitOutput(), waitSchema
}

// checkWait reports keys that a wait cannot have.
func (r *reader) checkWait(n *nodeDecl) {
	for _, v := range []*value{n.retryAt, n.always, n.agent.schema} {
		if v != nil {
			r.Bag.Add(finding.NotOnWait(v.Key.Span, v.Path))
		}
	}
	n.node.Retry, n.node.AlwaysRun = nil, false
}

// waitSchema describes the output of a wait, and waitOutput is its type.
const waitSchema = `{"title":"wait","type":"object","properties":{"status":{"type":"string","enum":["satisfied","expired"]},` +
	`"waited_ms":{"type":"integer"},"event":{"type":"string"},"payload":{}},"required":["status","waited_ms"]}`

func waitOutput() types.Type {
	return &types.Struct{Fields: []*types.Field{
		{Name: "status", Type: &types.Enum{Values: []string{"satisfied", "expired"}}, Required: true},
		{Name: "waited_ms", Type: types.Int, Required: true},
		{Name: "event", Type: types.Text},
		{Name: "payload", Type: types.Any},
	}}
}

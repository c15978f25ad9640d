package testrun

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// Transcript returns the transcript of the run: its prompts, scripts with their values,
// questions and outputs, in order, and how the steps and the run ended.
func (o *Observed) Transcript() string {
	var b strings.Builder
	for _, e := range o.Entries {
		o.writeEntry(&b, e)
	}
	for _, m := range o.Messages {
		fmt.Fprintf(&b, "deliver to %s\n", strings.Join(m.Targets, ", "))
		writeBlock(&b, "", o.clean(m.Text))
	}
	for _, w := range o.Warnings {
		fmt.Fprintln(&b, "warning")
		writeBlock(&b, "", w)
	}
	b.WriteString("steps:\n")
	for _, r := range o.Steps {
		node, ok := o.names.nodeOf(r.Key)
		if !ok || node.Key != r.Key {
			continue
		}
		fmt.Fprintf(&b, "  %s: %s", r.Key, r.Status)
		if r.Reason != "" {
			fmt.Fprintf(&b, " (%s)", r.Reason)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "run: %s", o.End.Status)
	for _, detail := range []string{o.End.Reason, o.End.Error} {
		if detail != "" {
			fmt.Fprintf(&b, ": %s", strings.ReplaceAll(detail, "\n", "\n  "))
		}
	}
	if o.Elapsed > 0 {
		fmt.Fprintf(&b, ", after %v", o.Elapsed)
	}
	b.WriteByte('\n')
	if len(o.End.Outputs) > 0 {
		fmt.Fprintf(&b, "outputs: %s\n", o.End.Outputs)
	}
	return b.String()
}

func (o *Observed) writeEntry(b *strings.Builder, e *Entry) {
	if e.Question != nil {
		o.writeQuestion(b, e)
		return
	}
	head := fmt.Sprintf("%s (%s", e.Step, e.Action.Payload.Kind())
	if e.Attempt > 1 {
		head += fmt.Sprintf(", attempt %d", e.Attempt)
	}
	head += ")"
	source, bindings, env, script := scriptOf(e.Action.Payload)
	_, prompt := e.Action.Payload.(flow.Prompt)
	if script || prompt || e.Killed {
		fmt.Fprintln(b, head)
	}
	switch {
	case script:
		o.writeScript(b, source, bindings, env)
	case prompt:
		for _, t := range e.Turns {
			writeBlock(b, "> ", t.Prompt)
			if t.Failure != "" {
				writeBlock(b, "! ", o.clean(t.Failure))
			} else {
				writeBlock(b, "< ", o.clean(t.Reply))
			}
		}
	}
	switch {
	case e.Killed:
		fmt.Fprintln(b, "  the process was killed")
	case e.Result.Failure != nil && (len(e.Turns) == 0 || e.Turns[len(e.Turns)-1].Failure == ""):
		writeBlock(b, "! ", e.Result.Failure.Message)
	case e.Result.Status == flow.Completed && len(e.Turns) == 0 && script:
		writeBlock(b, "= ", e.Result.Text)
	}
	if cost := e.Result.Meta.CostUSD; cost > 0 {
		fmt.Fprintf(b, "  cost: %s USD\n", formatAmount(cost))
	}
}

func (o *Observed) writeQuestion(b *strings.Builder, e *Entry) {
	fmt.Fprintf(b, "%s (question)\n", e.Step)
	writeBlock(b, "? ", o.clean(e.Question.Message))
	switch {
	case e.Result.Status == "":
		fmt.Fprintln(b, "  no answer")
	case e.Result.Failure != nil:
		writeBlock(b, "! ", e.Result.Failure.Message)
	default:
		writeBlock(b, "= ", strings.TrimSpace(e.Result.Meta.Choice+" "+e.Result.Text))
	}
}

func (o *Observed) writeScript(b *strings.Builder, text string, bindings []flow.Binding, env []flow.Variable) {
	writeBlock(b, "$ ", strings.TrimRight(o.clean(text), "\n"))
	for _, v := range bindings {
		writeBlock(b, "  "+v.Name+" = ", o.clean(v.Value))
	}
	for _, v := range env {
		if v.Value == "" {
			continue
		}
		writeBlock(b, "  env "+v.Name+" = ", o.clean(v.Value))
	}
}

// writeBlock writes a text with a mark before its first line, and its other lines below that.
func writeBlock(b *strings.Builder, mark, text string) {
	indent := strings.Repeat(" ", len(mark))
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			mark = indent
		}
		b.WriteString(strings.TrimRight("  "+mark+line, " "))
		b.WriteByte('\n')
	}
}

// compareSnapshot compares the transcript with the golden one.
func compareSnapshot(t *testfile.Test, want, got string) []Failure {
	if want == got {
		return nil
	}
	if want == "" {
		return []Failure{{Place: t.SnapshotAt, What: "missing golden transcript of this test; --update writes it"}}
	}
	return []Failure{{
		Place: t.SnapshotAt, What: "the transcript differs from the golden one; --update rewrites it",
		Diff: udiff.Unified("golden", "this run", want, got),
	}}
}

// A StepEnd is the end of a step in a report.
type StepEnd struct {
	// Step is the address of the step, and Node that of its node.
	Step string `json:"step"`
	Node string `json:"node"`
	Kind string `json:"kind"`
	// Status is "waiting" for a step that did not end.
	Status string `json:"status"`
	// Reason and Error say why the step did not complete.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
	Output string `json:"output,omitempty"`
	// Texts are the prompts, scripts and questions of the step with their values, in order.
	Texts []string `json:"texts,omitempty"`
	// Agent, Model and Options are those of its prompt; "" is the default.
	Agent   string                     `json:"agent,omitempty"`
	Model   string                     `json:"model,omitempty"`
	Options map[string]json.RawMessage `json:"options,omitempty"`
}

// StepEnds returns the ends of all steps of nodes, those of child runs last.
func (o *Observed) StepEnds() []StepEnd {
	list := []StepEnd{}
	for _, r := range o.Steps {
		node, ok := o.names.nodeOf(r.Key)
		if !ok || ofKernel(r.Kind) {
			continue
		}
		s := StepEnd{Step: r.Key, Node: node.Key, Kind: r.Kind, Status: string(r.Status), Reason: r.Reason, Output: r.Text}
		if f := r.Failure; f != nil {
			s.Error = f.Message
			s.Reason = cmp.Or(s.Reason, f.Reason)
		}
		for _, e := range o.Entries {
			if e.Step != r.Key {
				continue
			}
			if text := resolvedOf(e); text != nil {
				s.Texts = append(s.Texts, o.clean(text.String()))
			}
			if p, ok := e.Action.Payload.(flow.Prompt); ok {
				s.Agent, s.Model = p.Agent, p.Model
				for _, option := range p.Options {
					if s.Options == nil {
						s.Options = map[string]json.RawMessage{}
					}
					s.Options[option.Name] = json.RawMessage(option.Value)
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// ofKernel reports whether a step of this kind is one of the kernel itself, such as a
// reading of the clock.
func ofKernel(kind string) bool {
	return kind == "now" || kind == "sleep" || kind == (graphstate.State{}).Kind()
}

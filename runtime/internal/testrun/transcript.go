package testrun

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// Transcript returns the transcript of the run: its prompts, scripts with their values,
// questions and outputs, in order, and how the steps and the run ended.
func (o *Observed) Transcript() string {
	var b strings.Builder
	for _, e := range o.Entries {
		o.write(&b, e)
	}
	for _, m := range o.Messages {
		fmt.Fprintf(&b, "deliver to %s\n", strings.Join(m.Targets, ", "))
		block(&b, "", o.clean(m.Text))
	}
	for _, w := range o.Warnings {
		fmt.Fprintln(&b, "warning")
		block(&b, "", w)
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

func (o *Observed) write(b *strings.Builder, e *Entry) {
	if e.Question != nil {
		o.writeQuestion(b, e)
		return
	}
	head := fmt.Sprintf("%s (%s", e.Step, e.Action.Payload.Kind())
	if e.Attempt > 1 {
		head += fmt.Sprintf(", attempt %d", e.Attempt)
	}
	head += ")"
	switch p := e.Action.Payload.(type) {
	case flow.Prompt:
		fmt.Fprintln(b, head)
		for _, t := range e.Turns {
			block(b, "> ", t.Prompt)
			if t.Failure != "" {
				block(b, "! ", o.clean(t.Failure))
			} else {
				block(b, "< ", o.clean(t.Reply))
			}
		}
	case flow.Bash:
		fmt.Fprintln(b, head)
		o.script(b, p.Script, p.Bindings, p.Env)
	case flow.Script:
		fmt.Fprintln(b, head)
		o.script(b, p.Source, p.Bindings, p.Env)
	default:
		if e.Killed {
			fmt.Fprintln(b, head)
		}
	}
	switch {
	case e.Killed:
		fmt.Fprintln(b, "  the process was killed")
	case e.Result.Failure != nil && (len(e.Turns) == 0 || e.Turns[len(e.Turns)-1].Failure == ""):
		block(b, "! ", e.Result.Failure.Message)
	case e.Result.Status == flow.Completed && len(e.Turns) == 0 && isProgram(e.Action.Payload):
		block(b, "= ", e.Result.Text)
	}
	if cost := e.Result.Meta.CostUSD; cost > 0 {
		fmt.Fprintf(b, "  cost: %s USD\n", amount(cost))
	}
}

func isProgram(p flow.Payload) bool {
	switch p.(type) {
	case flow.Bash, flow.Script:
		return true
	}
	return false
}

func (o *Observed) writeQuestion(b *strings.Builder, e *Entry) {
	fmt.Fprintf(b, "%s (question)\n", e.Step)
	block(b, "? ", o.clean(e.Question.Message))
	switch {
	case e.Result.Status == "":
		fmt.Fprintln(b, "  no answer")
	case e.Result.Failure != nil:
		block(b, "! ", e.Result.Failure.Message)
	default:
		block(b, "= ", strings.TrimSpace(e.Result.Meta.Choice+" "+e.Result.Text))
	}
}

func (o *Observed) script(b *strings.Builder, text string, bindings []flow.Binding, env []flow.Variable) {
	block(b, "$ ", strings.TrimRight(o.clean(text), "\n"))
	for _, v := range bindings {
		block(b, "  "+v.Name+" = ", o.clean(v.Value))
	}
	for _, v := range env {
		if v.Value == "" {
			continue
		}
		block(b, "  env "+v.Name+" = ", o.clean(v.Value))
	}
}

// block writes a text with a mark before its first line, and its other lines below that.
func block(b *strings.Builder, mark, text string) {
	indent := strings.Repeat(" ", len(mark))
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			mark = indent
		}
		b.WriteString(strings.TrimRight("  "+mark+line, " "))
		b.WriteByte('\n')
	}
}

// Snapshot returns the transcript as golden files keep it.
func (o *Observed) Snapshot() string { return o.Transcript() }

// compareSnapshot compares the transcript with the golden one.
func compareSnapshot(t *testfile.Test, want, got string) []Failure {
	if want == got {
		return nil
	}
	if want == "" {
		return []Failure{{Place: t.SnapshotAt, What: "there is no golden transcript of this test yet; --update writes it"}}
	}
	return []Failure{{
		Place: t.SnapshotAt, What: "the transcript differs from the golden one; --update rewrites it",
		Diff: udiff.Unified("golden", "this run", want, got),
	}}
}

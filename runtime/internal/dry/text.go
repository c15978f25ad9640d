package dry

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Write writes the plan for a person.
func (p *Plan) Write(w io.Writer) error {
	out := &printer{w: bufio.NewWriter(w)}
	out.common = commonVariables(p.Steps)
	out.printHead(p)
	for _, s := range p.Steps {
		out.printStep(s)
	}
	if len(p.Unused) > 0 {
		out.writeLine(0, "")
		out.writeLine(0, "unused output for %s: the plan does not reach it", strings.Join(p.Unused, ", "))
	}
	return out.w.Flush()
}

// printer writes indented lines. Its writer keeps the first error.
type printer struct {
	w *bufio.Writer
	// margin is the indentation of all lines: that of a plan inside a plan.
	margin int
	// common are the variables that all programs get, which are shown once.
	common []Value
}

func (o *printer) writeLine(indent int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != "" {
		begin := strings.Repeat(" ", o.margin+indent)
		text = begin + plain.Indented(text, begin+"  ")
	}
	fmt.Fprintln(o.w, text)
}

// writeText writes a text in full, each line indented.
func (o *printer) writeText(indent int, title, text string) {
	if text == "" {
		return
	}
	o.writeLine(indent, "%s:", title)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		o.writeLine(indent+2, "%s", printableLine(line))
	}
}

// printableLine shows control characters rather than sending them to a terminal.
func printableLine(line string) string {
	return plain.Text(strings.TrimSuffix(line, "\r"))
}

func (o *printer) printValues(indent int, title string, values []Value) {
	if len(values) == 0 {
		return
	}
	o.writeLine(indent, "%s:", title)
	for _, v := range values {
		text := v.Value
		if text != plain.Line(text) || strings.TrimSpace(text) != text {
			text = strconv.Quote(text)
		}
		o.writeLine(indent+2, "%s", strings.TrimSuffix(v.Name+" = "+text, " "))
	}
}

func (o *printer) printHead(p *Plan) {
	from := ""
	if p.Source != "" {
		from = " from " + p.Source
	}
	o.writeLine(0, "plan of workflow %s%s; nothing is performed", p.Workflow, from)
	o.writeLine(0, "%s", endOfRun(p.Verdict.Status))
	for _, r := range p.Verdict.Reasons {
		o.writeLine(2, "%s", strings.TrimSpace(r))
	}
	o.writeLine(0, "inputs: %s", p.Inputs)
	o.writeLine(0, "folder: %s", p.WorkDir)
	o.printValues(0, "environment of each script", o.common)
	o.writeLine(0, "")
	o.writeLine(0, "Nodes with the same number can run side by side. Values in ‹ › are known only at run time.")
}

// commonVariables returns the variables that all of several programs have.
func commonVariables(steps []*Step) []Value {
	var list []Value
	programs := 0
	for _, s := range steps {
		for _, a := range s.Actions {
			if a.Script == "" {
				continue
			}
			if programs++; programs == 1 {
				list = slices.Clone(a.Env)
			}
			list = slices.DeleteFunc(list, func(v Value) bool { return !slices.Contains(a.Env, v) })
		}
	}
	if programs < 2 {
		return nil
	}
	return list
}

// specialVariables returns the variables that not all programs have.
func (o *printer) specialVariables(env []Value) []Value {
	return slices.DeleteFunc(slices.Clone(env), func(v Value) bool { return slices.Contains(o.common, v) })
}

func (o *printer) printStep(s *Step) {
	const indent = 5
	o.writeLine(0, "")
	title := fmt.Sprintf("%-3d  %s (%s): %s", s.Stage, s.ID, s.Kind, s.Decision)
	if s.Repeats != "" {
		title += ", " + s.Repeats
	}
	if s.Decision != Runs {
		title += ": " + strings.Join(s.Why, "; ")
	}
	o.writeLine(0, "%s", title)
	if after := append(s.After[:len(s.After):len(s.After)], s.Order...); len(after) > 0 {
		rule := ""
		if s.Rule != "" {
			rule = " (" + s.Rule + ")"
		}
		o.writeLine(indent, "after %s%s", strings.Join(after, ", "), rule)
	}
	if s.When != "" && s.Decision != Skipped {
		o.writeLine(indent, "when %s", s.When)
	}
	for _, note := range s.Notes {
		o.writeLine(indent, "%s", note)
	}
	for _, a := range s.Actions {
		if len(s.Actions) == 1 && a.Key == s.ID {
			o.printAction(indent, a)
			break
		}
		o.writeLine(indent, "%s (%s)", a.Key, a.Kind)
		o.printAction(indent+2, a)
	}
	if s.Cancels != "" {
		o.writeText(indent, "cancels the run", s.Cancels)
	}
	o.writeText(indent, "fails", s.Failure)
}

func (o *printer) printAction(indent int, a *Action) {
	if a.Kind == (flow.Prompt{}).Kind() {
		o.printPrompt(indent, a)
	}
	if len(a.Schema) > 0 {
		o.writeLine(indent, "the answer is JSON with a schema")
	}
	if a.Runtime != "" {
		name := ""
		if a.Name != "" {
			name = ", " + a.Name
		}
		o.writeLine(indent, "runtime %s%s", a.Runtime, name)
	}
	if len(a.Deps) > 0 {
		o.writeLine(indent, "packages %s", strings.Join(a.Deps, ", "))
	}
	if a.Dir != "" {
		o.writeLine(indent, "in %s", a.Dir)
	}
	if a.Test {
		o.writeLine(indent, "its exit code decides")
	}
	o.printLimits(indent, a)
	o.writeText(indent, "prompt", a.Text)
	o.writeText(indent, "script", a.Script)
	if a.Kind == "wait" {
		o.printWait(indent, a)
	} else {
		o.writeText(indent, "question", a.Message)
	}
	if a.Workflow != "" {
		o.printChild(indent, a)
	}
	o.printValues(indent, "values", a.Bindings)
	o.printValues(indent, "environment", o.specialVariables(a.Env))
	if len(a.Payload) > 0 {
		o.writeText(indent, "data", string(a.Payload))
	}
	o.printResult(indent, a)
}

// printWait writes the event, time or person that a step waits for.
func (o *printer) printWait(indent int, a *Action) {
	switch a.Wait {
	case flow.WaitTime:
		o.writeLine(indent, "waits until %s: %s", a.Message, plain.ShortSpan(time.Duration(a.Timeout)))
	case flow.WaitEvent:
		o.writeLine(indent, "waits for the event `%s`, at most %s", printableLine(a.Message), plain.ShortSpan(time.Duration(a.Timeout)))
	default:
		o.writeText(indent, "waits for a person", a.Message)
	}
}

// printChild writes the plan of a run of another workflow.
func (o *printer) printChild(indent int, a *Action) {
	where := ""
	if a.Worktree {
		where = " in a separate git worktree"
	}
	p := a.Plan
	if p == nil {
		o.writeLine(indent, "runs the workflow %s%s", a.Workflow, where)
		return
	}
	o.writeLine(indent, "runs the workflow %s%s; %s", a.Workflow, where, endOfRun(p.Verdict.Status))
	for _, r := range p.Verdict.Reasons {
		o.writeLine(indent+2, "%s", strings.TrimSpace(r))
	}
	o.writeLine(indent, "inputs: %s", p.Inputs)
	o.margin += indent
	for _, s := range p.Steps {
		o.printStep(s)
	}
	o.margin -= indent
}

// endOfRun says how a run ends, without the reasons.
func endOfRun(verdict string) string {
	switch verdict {
	case string(flow.Completed):
		return "the run completes"
	case Undecided:
		return "how the run ends is undecided:"
	case string(flow.Cancelled):
		return "the run is cancelled:"
	}
	return "the run fails:"
}

func (o *printer) printPrompt(indent int, a *Action) {
	agent := "no agent is named"
	if a.Agent != "" {
		agent = "agent " + a.Agent
	}
	switch {
	case a.Behind != "":
		agent += " (" + a.Behind + ")"
	case a.Agent != "":
		agent += " (not set up)"
	}
	if a.Model != "" {
		agent += ", model " + a.Model
	}
	switch {
	case a.Fork:
		agent += ", resumes a copy of the " + strings.Trim(a.Session, "‹›")
	case a.Session != "":
		agent += ", resumes the " + strings.Trim(a.Session, "‹›")
	case a.FreshSession:
		agent += ", new session"
	case a.Persist:
		agent += ", resumes the session of the last run"
	}
	o.writeLine(indent, "%s", agent)
	o.writeText(indent, "system prompt", a.System)
	for _, option := range a.Options {
		o.writeLine(indent, "option %s: %s", option.Name, outputText(json.RawMessage(option.Value)))
	}
}

func (o *printer) printLimits(indent int, a *Action) {
	var list []string
	if a.Timeout > 0 && a.Wait == "" {
		list = append(list, "timeout "+plain.ShortSpan(time.Duration(a.Timeout)))
	}
	if a.IdleTimeout > 0 {
		list = append(list, "idle timeout "+plain.ShortSpan(time.Duration(a.IdleTimeout)))
	}
	if r := a.Retry; r != nil {
		text := fmt.Sprintf("up to %d more attempts", r.Max)
		if r.Max == 1 {
			text = "up to 1 more attempt"
		}
		if r.Delay > 0 {
			text += " after " + plain.ShortSpan(time.Duration(r.Delay))
		}
		if r.All {
			text += " on any failure"
		}
		list = append(list, text)
	}
	if len(list) > 0 {
		o.writeLine(indent, "%s", strings.Join(list, ", "))
	}
}

// mostOutput is how many characters of a scripted output are shown.
const mostOutput = 200

func (o *printer) printResult(indent int, a *Action) {
	choice := a.Result.Choice
	switch a.Result.Source {
	case Assumed:
		choice = cmp.Or(choice, "answered")
		o.writeLine(indent, "taken as: %s", choice)
	case Scripted:
		text := a.Result.Text
		if runes := []rune(text); len(runes) > mostOutput {
			text = string(runes[:mostOutput]) + "…"
		}
		title := "scripted output"
		switch {
		case a.Result.Status == flow.Failed:
			title = "scripted failure"
		case choice != "":
			title = "scripted answer: " + choice
		}
		if text == "" {
			o.writeLine(indent, "%s", title)
			return
		}
		o.writeText(indent, title, text)
	}
}

package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/reply"
)

// AskAgent gives a prompt to an agent and takes the label from the reply, as reply.Label
// does: usually from a line [OUTPUT:name]; a node with a single label needs none. If the
// label is not clear, AskAgent asks once more, for the label alone.
func (w *Walk[N, S, L, R]) AskAgent(c *flow.Context, p flow.Prompt) (NodeResult, error) {
	n := w.newJob(c)
	if memory := c.Node().State().Memory; memory != "" && c.Scheduler().Run().Graph.Remembers(p.Agent) {
		p.Text += "\n\n## Memory from previous iterations\n\n" + memory
	}
	r, err := c.Do(p)
	if o, over, err := n.handleEnd("", r, err); over {
		o.Agent, o.promised = true, err == nil && hasAgreedPromise(c, r.Text)
		return o, err
	}
	promise := hasAgreedPromise(c, r.Text)
	label, unclear := reply.Label(r.Text, n.Labels)
	if unclear == nil || promise {
		n.journalCompletion("", r, label)
		return NodeResult{Label: label, Text: r.Text, Agent: true, promised: promise}, nil
	}
	text := r.Text
	r, err = c.DoAs("/again", flow.Prompt{
		Agent: p.Agent, Model: p.Model, Options: p.Options, Session: r.Meta.Session,
		Text: labelRequest(text, r.Meta.Session != "", unclear, n.Labels),
	})
	if o, over, err := n.handleEnd("/again", r, err); over {
		o.Text, o.Agent = text, true
		return o, err
	}
	if label, unclear = reply.Label(r.Text, n.Labels); unclear != nil {
		f := &flow.Failure{Reason: kernel.ReasonUndetermined, ExitCode: -1, Message: fmt.Sprintf("%v, even after the agent was asked again", unclear)}
		n.journalFailure("/again", f, r)
		return NodeResult{}, f
	}
	n.journalCompletion("/again", r, label)
	return NodeResult{Label: label, Text: text, Agent: true}, nil
}

// labelRequest asks an agent for the label of its answer. It repeats the answer for an
// agent that has no memory of it.
func labelRequest(answer string, remembers bool, unclear error, labels []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Which output your answer stands for cannot be told: %v.", unclear)
	if !remembers {
		fmt.Fprintf(&b, " This was your answer:\n\n%s\n\n", answer)
	} else {
		b.WriteString(" ")
	}
	b.WriteString("Answer with one line, and nothing else. It is one of these:")
	for _, l := range labels {
		fmt.Fprintf(&b, "\n[OUTPUT:%s]", l)
	}
	return b.String()
}

// hasAgreedPromise reports whether an agent ended the run: whether the first promise in its text
// is the agreed one, apart from spaces.
func hasAgreedPromise(c *flow.Context, text string) bool {
	o := c.Scheduler().Run().Graph
	if o == nil || o.Promise == "" {
		return false
	}
	_, rest, ok := strings.Cut(text, "<promise>")
	said, _, closed := strings.Cut(rest, "</promise>")
	return ok && closed && strings.Join(strings.Fields(said), " ") == strings.Join(strings.Fields(o.Promise), " ")
}

// RunScript runs a script and takes the label from its output and exit code, as
// reply.ScriptLabel does.
func (w *Walk[N, S, L, R]) RunScript(c *flow.Context, b flow.Bash) (NodeResult, error) {
	n := w.newJob(c)
	b.TextOnFailure = true
	r, err := c.Do(b)
	exit := 0
	if f := (*flow.Failure)(nil); errors.As(err, &f) && r.Status == flow.Failed && (f.Reason == "exit" || f.Reason == "signal") {
		exit, err = max(f.ExitCode, 1), nil
	}
	if o, over, err := n.handleEnd("", r, err); over {
		return o, err
	}
	label, unclear := reply.ScriptLabel(r.Text, exit, n.Labels)
	if unclear != nil {
		if exit == 0 {
			r.Failure = &flow.Failure{Reason: kernel.ReasonUndetermined, ExitCode: -1, Message: unclear.Error()}
		} else {
			r.Failure.Message += "; " + unclear.Error()
		}
		n.journalFailure("", r.Failure, r)
		return NodeResult{}, r.Failure
	}
	n.journalCompletion("", r, label)
	return NodeResult{Label: label, Text: r.Text}, nil
}

// AskPerson lets a person choose the label, and repeats the question after other answers.
// If nobody answers within the node's Timeout, the label is its TimeoutLabel; if that is "",
// the run pauses.
func (w *Walk[N, S, L, R]) AskPerson(c *flow.Context, message string) (NodeResult, error) {
	n := w.newJob(c)
	q := flow.Question{Message: message, Choices: n.Labels, Timeout: n.Timeout}
	w.showLastWords(&q)
	for i := 1; ; i++ {
		c.Node().Begin(flow.Waiting)
		suffix := fmt.Sprintf("#%d", i)
		r, err := c.Ask(suffix, q)
		switch f := (*flow.Failure)(nil); {
		case errors.As(err, &f) && f.Reason == "timeout" && n.TimeoutLabel != "":
			r.Meta.From = f.Reason
			n.journalCompletion(suffix, r, n.TimeoutLabel)
			return NodeResult{Label: n.TimeoutLabel, Text: n.TimeoutLabel}, nil
		case errors.As(err, &f) && f.Reason == "timeout":
			return NodeResult{}, &kernel.StopError{Reason: f.Reason, Message: fmt.Sprintf("node `%s` waits for a person: %s", c.Node().State().Key, f.Message)}
		case err != nil:
			return NodeResult{}, err
		case r.Failure != nil:
			return NodeResult{}, r.Failure // see journalHandledFailure
		}
		text := personAnswer(r)
		for _, answer := range []string{r.Meta.Choice, r.Text} {
			if label, ok := kernel.Match(answer, n.Labels); ok {
				return NodeResult{Label: label, Text: text}, nil
			}
		}
		q.Message = notUnderstood(text, n.Labels) + "\n\n" + message
	}
}

// personAnswer is a person's answer.
func personAnswer(r flow.Result) string {
	return cmp.Or(r.Text, r.Meta.Choice)
}

// notUnderstood is the first line of a question that is asked again.
func notUnderstood(answer string, choices []string) string {
	return fmt.Sprintf("`%s` is not one of: %s.", answer, strings.Join(choices, ", "))
}

// A job is the work of a node that ends with one of its labels.
type job[N ~string, R any] struct {
	*Node[N, R]
	c *flow.Context
}

// newJob returns the job of the node whose context c is.
func (w *Walk[N, S, L, R]) newJob(c *flow.Context) *job[N, R] { return &job[N, R]{w.nodeOf(c), c} }

// handleEnd handles the end of an action whose text does not decide the label: it failed, it
// took too long, or the journal has its label.
func (n *job[N, R]) handleEnd(suffix string, r flow.Result, err error) (o NodeResult, over bool, _ error) {
	var f *flow.Failure
	switch {
	case errors.As(err, &f) && f.Reason == "timeout" && n.TimeoutLabel != "":
		r.Failure = nil
		n.journalCompletion(suffix, r, n.TimeoutLabel)
		return NodeResult{Label: n.TimeoutLabel, Text: r.Text}, true, nil
	case err != nil:
		return NodeResult{}, true, err
	case r.Status == flow.Completed && r.Failure != nil:
		return NodeResult{}, true, r.Failure // see journalHandledFailure
	case slices.Contains(n.Labels, r.Meta.Choice):
		return NodeResult{Label: r.Meta.Choice, Text: r.Text}, true, nil
	}
	return NodeResult{}, false, nil
}

// journalCompletion journals a step of the node with its label, as completed even if its action
// failed: its end is known and has its effect once. A later process finds the label there.
func (n *job[N, R]) journalCompletion(suffix string, r flow.Result, label string) {
	if _, ok := n.c.Scheduler().Recorded(n.c.Key() + suffix); ok {
		return
	}
	r.Meta.Choice = label
	n.c.Scheduler().Settle(flow.Record{Key: n.c.Key() + suffix, Status: flow.Completed, Text: r.Text, Meta: r.Meta})
}

// journalFailure journals a step whose action completed without a useful text, so that a later
// process performs it again.
func (n *job[N, R]) journalFailure(suffix string, f *flow.Failure, r flow.Result) {
	n.c.Scheduler().Settle(flow.Record{Key: n.c.Key() + suffix, Status: flow.Failed, Text: r.Text, Failure: f, Meta: r.Meta})
}

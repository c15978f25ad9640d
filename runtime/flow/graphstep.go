package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Ending is how a node ended.
type Ending struct {
	// Label is which of its outputs that is.
	Label string
	// Text is what the node gave: an agent's reply, what a script printed, a
	// person's words; of other nodes it is the label.
	Text string
	// Agent says that an agent gave the text.
	Agent bool
	// Promised says that the agent ended the run; see GraphOptions.Promise. The
	// label is "" when there was no telling.
	Promised bool
	// open says that nobody knows the label; see Unknown.
	open bool
}

// Pass is the ending of a node that does nothing.
func Pass(label string) (Ending, error) { return Ending{Label: label, Text: label}, nil }

// Decide is the ending of a decision.
func Decide(holds bool, yes, no string) (Ending, error) {
	if holds {
		return Pass(yes)
	}
	return Pass(no)
}

// Labels are the outputs that a node may have, in order, and how what it gave
// says which one it is.
type Labels struct {
	Names []string
	// Timeout is the label of a node that took too long, or "": then it fails.
	Timeout string
	// Reply finds the label of an agent's reply, Script that of what a script
	// printed and its exit code. The error says why there is no telling.
	Reply  func(text string, labels []string) (string, error)
	Script func(printed string, exit int, labels []string) (string, error)
}

func (l *Labels) has(name string) bool { return slices.Contains(l.Names, name) }

// unknown is the ending of a node of which nobody knows what it gives: its only
// label, if it has one, is known all the same.
func (l *Labels) unknown(r Result) Ending {
	if len(l.Names) == 1 {
		return Ending{Label: l.Names[0], Text: r.Text}
	}
	return Ending{Text: r.Text, open: true}
}

// ReasonUndetermined is the reason of the failure of a node that gave something
// of which nobody can tell which output it is.
const ReasonUndetermined = "output_undetermined"

// AskAgent has an agent answer. When the answer does not say which label it is,
// the agent is asked once more for that alone.
func AskAgent(c *Context, p Prompt, l Labels) (Ending, error) {
	if c.node.memory != "" && c.engine.Run().Graph.Remembers(p.Agent) {
		p.Text += "\n\n## Memory from previous iterations\n\n" + c.node.memory
	}
	r, err := c.Do(p)
	if e, over, err := c.ended("", r, err, &l); over {
		e.Agent, e.Promised = true, err == nil && c.promised(r.Text)
		return e, err
	}
	promise := c.promised(r.Text)
	label, why := l.Reply(r.Text, l.Names)
	if why == nil || promise {
		c.labelled("", r, label)
		return Ending{Label: label, Text: r.Text, Agent: true, Promised: promise}, nil
	}
	text := r.Text
	again := Prompt{Agent: p.Agent, Model: p.Model, Options: p.Options, Session: r.Meta.Session, Text: labelRequest(text, r.Meta.Session != "", why, l.Names)}
	r, err = c.DoAs("/again", again)
	if e, over, err := c.ended("/again", r, err, &l); over {
		e.Text, e.Agent = text, true
		return e, err
	}
	if label, why = l.Reply(r.Text, l.Names); why != nil {
		f := &Failure{Reason: ReasonUndetermined, ExitCode: -1, Message: fmt.Sprintf("%v, also when the agent was asked again", why)}
		c.failed("/again", f, r)
		return Ending{}, f
	}
	c.labelled("/again", r, label)
	return Ending{Label: label, Text: text, Agent: true}, nil
}

// labelRequest asks an agent which label its answer was. An agent that has no
// memory of the answer is shown it.
func labelRequest(answer string, remembers bool, why error, labels []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Which output your answer stands for cannot be told: %v.", why)
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

// RunScript runs a script whose exit code says which label it is.
func RunScript(c *Context, b Bash, l Labels) (Ending, error) {
	b.KeepOutput = true
	r, err := c.Do(b)
	exit := 0
	if f := (*Failure)(nil); errors.As(err, &f) && r.Status == Failed && (f.Reason == "exit" || f.Reason == "signal") {
		exit, err = max(f.ExitCode, 1), nil
	}
	if e, over, err := c.ended("", r, err, &l); over {
		return e, err
	}
	label, why := l.Script(r.Text, exit, l.Names)
	if why != nil {
		if exit == 0 {
			r.Failure = &Failure{Reason: ReasonUndetermined, ExitCode: -1, Message: why.Error()}
		} else {
			r.Failure.Message += "; " + why.Error()
		}
		c.failed("", r.Failure, r)
		return Ending{}, r.Failure
	}
	c.labelled("", r, label)
	return Ending{Label: label, Text: r.Text}, nil
}

// ended deals with the end of an action that needs no more telling: one that
// failed for good, that took too long, or whose label the journal has.
func (c *Context) ended(suffix string, r Result, err error, l *Labels) (e Ending, over bool, _ error) {
	var f *Failure
	switch {
	case errors.As(err, &f) && f.Reason == "timeout" && l.Timeout != "":
		r.Failure = nil
		c.labelled(suffix, r, l.Timeout)
		return Ending{Label: l.Timeout, Text: r.Text}, true, nil
	case err != nil:
		return Ending{}, true, err
	case r.Unknown != nil:
		return l.unknown(r), true, nil
	case r.Status == Completed && r.Failure != nil:
		return Ending{}, true, r.Failure // see overlook
	case l.has(r.Meta.Choice):
		return Ending{Label: r.Meta.Choice, Text: r.Text}, true, nil
	}
	return Ending{}, false, nil
}

// labelled journals which label a step of the node stands for: as a step that
// has completed, although its action may have failed, for its end is known and
// what follows from it is done once. A later process finds the label there.
func (c *Context) labelled(suffix string, r Result, label string) {
	if _, ok := c.engine.Recorded(c.key + suffix); ok {
		return
	}
	r.Meta.Choice = label
	c.engine.Settle(Record{Key: c.key + suffix, Status: Completed, Text: r.Text, Meta: r.Meta})
}

// failed journals that a step whose action completed is of no use, so that a
// later process performs it again.
func (c *Context) failed(suffix string, f *Failure, r Result) {
	c.engine.Settle(Record{Key: c.key + suffix, Status: Failed, Text: r.Text, Failure: f, Meta: r.Meta})
}

// overlook journals the failure of the node's last step as one that the flow has
// taken into account: it is not performed again, and fails again in a replay.
func (c *Context) overlook(f *Failure) {
	if c.node.last == "" {
		return // it failed without a step, and does so again
	}
	if _, ok := c.engine.Recorded(c.node.last); !ok {
		c.engine.Settle(Record{Key: c.node.last, Status: Completed, Failure: f})
	}
}

// promised reports whether an agent ended the run: whether the first promise in
// its text is the one that was agreed on, blanks aside.
func (c *Context) promised(text string) bool {
	o := c.engine.Run().Graph
	if o == nil || o.Promise == "" {
		return false
	}
	_, rest, ok := strings.Cut(text, "<promise>")
	said, _, closed := strings.Cut(rest, "</promise>")
	return ok && closed && strings.Join(strings.Fields(said), " ") == strings.Join(strings.Fields(o.Promise), " ")
}

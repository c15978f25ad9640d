package sim_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// work is the payload of the tests' actions: what it needs to be performed.
type work struct {
	Text string
	// Fails is how many attempts fail before one completes.
	Fails int
	Class flow.Class
	Takes time.Duration
}

func (work) Kind() string { return "work" }

// perform performs a work.
func perform(a sim.Attempt) sim.Performance {
	w := a.Payload.(work)
	if a.Number <= w.Fails {
		return sim.Performance{Takes: w.Takes, Result: flow.Result{Status: flow.Failed,
			Failure: &flow.Failure{Message: "no luck in " + a.Key, Class: w.Class}}}
	}
	return sim.Performance{Takes: w.Takes, Result: flow.Result{Status: flow.Completed, Text: w.Text, Meta: flow.Meta{CostUSD: 1}}}
}

// shape is what the code of a node does.
type shape int

const (
	acts    shape = iota // one action
	decides              // no action
	naps                 // a sleep, then an action
	asks                 // a question to a person
	repeats              // three actions, one after the other
	races                // two actions, of which the slower one is cancelled
	garbles              // an action whose output has not its declared form
	loops                // three iterations, ended by what the third one says
	tests                // three iterations, ended by a test of its own
	talks                // two iterations and a person's word between them
	groups               // three iterations of three nodes
	gates                // a gate that is rejected, reworked and passed
	breaks               // a condition that cannot be decided
	ends                 // cancels the run, after all nodes before it
	shapes
)

// dagNode describes a node of a random workflow.
type dagNode struct {
	shape shape
	after []int
	order []int
	rule  int
	// within is the number of the node whose block it is in, counted from 1; 0 is none.
	within int
	// when makes the node run only if the hash of the texts before it is even.
	when  bool
	fails int
	class flow.Class
	retry flow.Retry
	takes time.Duration
	// again makes nodes of some shapes ones that always run.
	again bool
}

type dag []dagNode

var rules = []struct {
	name string
	rule flow.Rule
}{
	{"", nil}, {"one_success", flow.OneSuccess}, {"none_failed_min_one_success", flow.NoneFailedMinOneSuccess}, {"all_done", flow.AllDone},
}

// keys are the keys of the nodes.
var keys = func() (keys [64]string) {
	for i := range keys {
		keys[i] = fmt.Sprintf("n%02d", i)
	}
	return keys
}()

func key(i int) string { return keys[i] }

// digest is the text of node i when the nodes it comes after have these texts.
func digest(i int, texts []string) string {
	h := fnv.New32a()
	fmt.Fprint(h, i, strings.Join(texts, "|"))
	return fmt.Sprintf("%s:%08x", key(i), h.Sum32())
}

func even(text string) bool { return text[len(text)-1]%2 == 0 }

// output are the outputs of the workflow: the texts of its nodes.
type output struct{ Texts []string }

// definition makes a workflow of the description.
func (d dag) definition() *flow.Definition {
	def := &flow.Definition{Name: "dag"}
	for i, n := range d {
		info := flow.NodeInfo{Key: key(i), Kind: "node"}
		for _, k := range n.after {
			info.After = append(info.After, key(k))
		}
		def.Nodes = append(def.Nodes, info)
	}
	def.Flow = func(c *flow.Context) (any, error) {
		tasks := make([]*flow.Task[string], len(d))
		for i, n := range d {
			tasks[i] = flow.Spawn(c, n.node(i, tasks))
		}
		err := flow.Settle(c)
		var out output
		for _, t := range tasks {
			out.Texts = append(out.Texts, t.Final().Text)
		}
		return out, err
	}
	return def
}

// node makes the flow's form of node i.
func (n dagNode) node(i int, tasks []*flow.Task[string]) flow.Node[string] {
	node := flow.Node[string]{Key: key(i), Kind: "node", Rule: rules[n.rule].rule, Retry: n.retry, AlwaysRun: n.always()}
	switch n.shape {
	case loops, tests, talks, groups:
		node.Retry = flow.Retry{} // it is the whole loop's
	}
	for _, k := range n.after {
		node.After = append(node.After, tasks[k])
	}
	for _, k := range n.order {
		node.Order = append(node.Order, tasks[k])
	}
	if n.within > 0 {
		node.Include, node.Order = tasks[n.within-1], append(node.Order, tasks[n.within-1])
	}
	text := func() string {
		var texts []string
		for _, k := range n.after {
			texts = append(texts, tasks[k].Final().Text)
		}
		return digest(i, texts)
	}
	switch {
	case n.shape == breaks:
		node.When = func() (bool, error) { return false, errors.New("undecidable") }
	case n.when:
		node.When = func() (bool, error) { return even(text()), nil }
	}
	if n.shape == garbles {
		node.Decode = func(text string) (string, error) {
			if even(text) {
				return text, nil
			}
			return "", errors.New("odd")
		}
	}
	node.Run = func(c *flow.Context) (string, error) { return n.run(c, text()) }
	return node
}

// run is the code of a node.
func (n dagNode) run(c *flow.Context, text string) (string, error) {
	w := work{Text: text, Fails: n.fails, Class: n.class, Takes: n.takes}
	switch n.shape {
	case decides:
		return text, nil
	case ends:
		c.CancelRun("because " + text)
		return text, nil
	case naps:
		if err := c.Sleep("#nap", n.takes); err != nil {
			return "", err
		}
	case asks:
		r, err := c.Ask("#ask", flow.Question{Message: text})
		return r.Text + text, err
	case repeats:
		for k := range 2 {
			if _, err := c.DoAs(fmt.Sprint("#", k), w); err != nil {
				return "", err
			}
		}
	case loops, tests, talks, groups:
		return n.loop(c, text)
	case gates:
		return n.gate(c, text)
	case races:
		if err := n.race(c, w); err != nil {
			return "", err
		}
	}
	r, err := c.Do(w)
	return r.Text, err
}

// race begins two actions and cancels what is left when the first has ended.
func (n dagNode) race(c *flow.Context, w work) error {
	sub, cancel := c.Scheduler().Scope()
	defer cancel()
	slow := w
	slow.Takes += 1000 * time.Hour
	sub.Do(flow.Action{Key: c.Key() + "#slow", Payload: slow})
	return c.Scheduler().AwaitAny(sub.Do(flow.Action{Key: c.Key() + "#fast", Payload: w}))
}

// answers are given to all questions, at times that differ.
func (d dag) answers() (all []sim.Answer) {
	for i, n := range d {
		all = append(all, n.said(i)...)
	}
	return all
}

// expect is the reference: it evaluates the nodes one after the other, without
// a notion of time, scheduling or journal.
func (d dag) expect() (steps []flow.Record, end flow.RunState) {
	cancelled, completed := "", false
	var failed []string
	for i, n := range d {
		r := flow.Record{Key: key(i)}
		var texts []string
		var states []flow.Status
		for _, k := range n.after {
			texts, states = append(texts, steps[k].Text), append(states, steps[k].Status)
			if steps[k].Status != flow.Completed {
				texts[len(texts)-1] = ""
			}
		}
		text := digest(i, texts)
		rule := rules[n.rule].rule
		if rule == nil {
			rule = flow.AllSuccess
		}
		switch {
		case cancelled != "":
			r.Status, r.Reason = flow.Skipped, kernel.SkipCancelled
		case n.within > 0 && steps[n.within-1].Status != flow.Completed:
			r.Status, r.Reason = flow.Skipped, kernel.SkipRule
		case len(states) > 0 && !rule(states):
			r.Status, r.Reason = flow.Skipped, kernel.SkipRule
		case n.shape == breaks:
			r.Status, r.Failure = flow.Failed, &flow.Failure{Message: "undecidable"}
		case n.when && !even(text):
			r.Status, r.Reason = flow.Skipped, kernel.SkipCondition
		default:
			n.end(i, text, &r)
		}
		switch r.Status {
		case flow.Completed:
			completed = true
			if n.shape == ends {
				cancelled, r.Reason = "because "+text, "because "+text
			}
		case flow.Failed:
			failed = append(failed, fmt.Sprintf("node `%s`: %s", r.Key, r.Failure.Message))
		}
		steps = append(steps, r)
	}
	switch {
	case cancelled != "":
		end.Status, end.Reason = flow.Cancelled, cancelled
	case len(failed) > 0:
		end.Status, end.Error = flow.Failed, strings.Join(failed, "; ")
	case !completed:
		end.Status, end.Error = flow.Failed, (&kernel.NodesError{}).Error()
	default:
		end.Status = flow.Completed
	}
	return steps, end
}

// end is the end of a node that runs.
func (n dagNode) end(i int, text string, r *flow.Record) {
	tries := 1
	if n.retry.All || n.class == flow.ClassTransient {
		tries += n.retry.Retries
	}
	if n.class == flow.ClassFatal {
		tries = 1
	}
	r.Status, r.Text = flow.Completed, text
	works := n.shape != decides && n.shape != asks && n.shape != ends
	switch {
	case n.shape == asks:
		r.Text = "yes " + text
	case n.shape == loops, n.shape == tests, n.shape == talks, n.shape == groups, n.shape == gates:
		out, broken := n.parted(i, tries, text)
		r.Text = out
		if broken != "" {
			message := "no luck in " + broken
			if n.shape != gates {
				message = "iteration 2: " + message
			}
			if n.shape == groups {
				message = "iteration 2: node `right` failed: no luck in " + broken
			}
			r.Status, r.Failure = flow.Failed, &flow.Failure{Message: message, Class: n.class}
		}
	case works && n.fails >= tries:
		at := key(i)
		if n.shape == repeats {
			at += "#0"
		}
		r.Status, r.Text, r.Failure = flow.Failed, "", &flow.Failure{Message: "no luck in " + at, Class: n.class}
	case n.shape == garbles && !even(text):
		r.Status, r.Failure = flow.Failed, &flow.Failure{Reason: "output", Message: fmt.Sprintf("the output of node `%s` does not have its declared form: odd", key(i))}
	}
}

// agrees compares an outcome with the reference.
func (d dag) agrees(o *sim.Result) error {
	steps, end := d.expect()
	return agree(o, steps, end)
}

// agree compares an outcome with what is expected of it.
func agree(o *sim.Result, steps []flow.Record, end flow.RunState) error {
	if len(o.Faults) > 0 {
		return errors.New(o.Faults[0])
	}
	for _, want := range steps {
		got := o.Step(want.Key)
		if got.Status != want.Status || got.Reason != want.Reason || got.Text != want.Text {
			return fmt.Errorf("node %s: %+v instead of %+v", want.Key, got, want)
		}
		if (got.Failure == nil) != (want.Failure == nil) || got.Failure != nil && *got.Failure != *want.Failure {
			return fmt.Errorf("node %s: failure %+v instead of %+v", want.Key, got.Failure, want.Failure)
		}
	}
	if o.End.Status != end.Status || o.End.Reason != end.Reason || o.End.Error != end.Error {
		return fmt.Errorf("the run ended as %+v instead of %+v", o.End, end)
	}
	return nil
}

package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

func said(key, choice, text string) sim.Answer {
	return sim.Answer{Key: key, After: 90 * time.Minute, Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Choice: choice, By: "ann"}}}
}

func TestGraphAsksPeople(t *testing.T) {
	both := []bool{false, true}
	for _, c := range []struct {
		name    string
		node    gnode
		answers []sim.Answer
		want    string
	}{
		{"a choice", gnode{}, []sim.Answer{said("a@1#1", "no", "")}, "a:no"},
		{"words that are a choice", gnode{}, []sim.Answer{said("a@1#1", "", " Yes! ")}, "a:yes"},
		{"a letter", gnode{}, []sim.Answer{said("a@1#1", "", "y")}, "a:yes"},
		{"a beginning", gnode{}, []sim.Answer{said("a@1#1", "", "DEF")}, "a:defer"},
		{"a choice with words", gnode{}, []sim.Answer{said("a@1#1", "yes", "but be quick")}, "a:yes"},
		{"first none of them", gnode{}, []sim.Answer{said("a@1#1", "", "perhaps"), said("a@1#2", "", "d"), said("a@1#3", "", "no")}, "a:defer"},
		{"nobody, with a default", gnode{timeout: time.Hour, otherwise: "defer"}, []sim.Answer{said("a@1#1", "yes", "")}, "a:defer"},
		{"nobody, with an output for it", gnode{timeout: time.Hour, labels: []string{"yes", "timeout"}}, []sim.Answer{said("a@1#1", "yes", "")}, "a:timeout"},
		{"somebody in time", gnode{timeout: 2 * time.Hour, otherwise: "defer"}, []sim.Answer{said("a@1#1", "yes", "")}, "a:yes"},
	} {
		for _, attended := range both {
			t.Run(fmt.Sprint(c.name, attended), func(t *testing.T) {
				c.node.id, c.node.kind = "a", "human"
				if c.node.labels == nil {
					c.node.labels = []string{"yes", "no", "defer"}
				}
				c.node.handle = map[string]func(*ggraph, graph.NodeResult){"": note("TEXT")}
				w := newWorld(chained(c.node), nil)
				w.Answers, w.Attended = c.answers, attended
				if !attended && strings.HasPrefix(c.name, "nobody") {
					// The run is paused when the time is over: an answer counts for as
					// long as no process has seen that it is late.
					w.Answers = nil
					if o, _ := w.run(t); o.End.Status != flow.Paused {
						t.Errorf("%+v", o.End)
					}
					return
				}
				o, out := w.run(t)
				if o.End.Status != flow.Completed || w.trace() != c.want || len(out.Memory.Notes) != 1 {
					t.Errorf("%+v, %s", o.End, w.trace())
				}
				if c.name == "a choice with words" && out.Memory.Notes[0] != "but be quick" {
					t.Errorf("%q", out.Memory.Notes)
				}
				if q := o.Step("a@1#2").Question; c.name == "first none of them" && !strings.HasPrefix(q.Message, "`perhaps` is not one of: yes, no, defer.\n\nwhich") {
					t.Errorf("%+v", q)
				}
			})
		}
	}
}

// A question that nobody answers in time, and that has nothing for that, stops
// the run; it is asked again when that is resumed.
func TestGraphStopsWhenNobodyAnswers(t *testing.T) {
	w := newWorld(chained(gnode{id: "a"}, gnode{id: "b", kind: "human", labels: []string{"yes", "no"}, timeout: time.Hour}), nil)
	w.Attended = true
	o, _ := w.run(t)
	if o.End.Status != flow.Paused || o.End.Reason != "timeout" {
		t.Fatalf("%+v", o.End)
	}
	if last := w.lastSaved(); last.Status != kernel.StateStopped || last.Reason != "timeout" || last.Next != "b" || last.Node != "b" {
		t.Errorf("%+v", last)
	}
	w.Answers = []sim.Answer{{Key: "b@2#1", After: time.Minute, Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "yes"}}}}
	o = resume(w.World, 1, o)
	if out := outputsOf(t, o); o.End.Status != flow.Completed || out.Label != "yes" || o.Effects["a@1"] != 0 {
		t.Errorf("%+v", o.End)
	}
}

// between is three nodes; b has interrupts.
func between(before, after []graph.Interrupt[string, ggraph]) gspec {
	return chained(gnode{id: "a", handle: map[string]func(*ggraph, graph.NodeResult){"": count}}, gnode{id: "b", before: before, after: after}, gnode{id: "c"})
}

func ask(i graph.Interrupt[string, ggraph]) []graph.Interrupt[string, ggraph] {
	i.Message = "go on?"
	return []graph.Interrupt[string, ggraph]{i}
}

func TestGraphInterrupts(t *testing.T) {
	const before, after = "b@2/before#1", "b@2/after#1"
	skips := graph.Interrupt[string, ggraph]{SkipTo: "c"}
	never := graph.Interrupt[string, ggraph]{Required: true, When: func(*ggraph) bool { return false }}
	for _, c := range []struct {
		name          string
		before, after []graph.Interrupt[string, ggraph]
		answers       []sim.Answer
		attended      bool
		want          string
		status        flow.Status
	}{
		{"yes before", ask(graph.Interrupt[string, ggraph]{Required: true}), nil, []sim.Answer{said(before, "yes", "")}, false, "a b c", flow.Completed},
		{"another word for yes", ask(graph.Interrupt[string, ggraph]{Required: true}), nil, []sim.Answer{said(before, "", "Proceed")}, true, "a b c", flow.Completed},
		{"yes after", nil, ask(graph.Interrupt[string, ggraph]{Required: true}), []sim.Answer{said(after, "continue", "")}, false, "a b c", flow.Completed},
		{"no before", ask(graph.Interrupt[string, ggraph]{Required: true}), nil, []sim.Answer{said(before, "no", "")}, false, "a", flow.Paused},
		{"no after", nil, ask(graph.Interrupt[string, ggraph]{Required: true}), []sim.Answer{said(after, "", "stop")}, true, "a b", flow.Paused},
		{"nobody, required", ask(graph.Interrupt[string, ggraph]{Required: true}), nil, nil, false, "a", flow.Paused},
		{"nobody, not required", ask(skips), ask(graph.Interrupt[string, ggraph]{}), nil, false, "a b c", flow.Completed},
		{"skip before", ask(skips), nil, []sim.Answer{said(before, "skip", "")}, true, "a c", flow.Completed},
		{"skip before, to the end", ask(graph.Interrupt[string, ggraph]{SkipTo: graph.End}), nil, []sim.Answer{said(before, "skip", "")}, true, "a", flow.Completed},
		{"skip after", nil, ask(graph.Interrupt[string, ggraph]{}), []sim.Answer{said(after, "skip", "")}, true, "a b c", flow.Completed},
		{"skip where that is not offered", ask(graph.Interrupt[string, ggraph]{Required: true}), nil, []sim.Answer{said(before, "", "skip"), said("b@2/before#2", "", "yes")}, true, "a b c", flow.Completed},
		{"never", ask(never), ask(never), nil, false, "a b c", flow.Completed},
		{"two", append(ask(never), append(ask(skips), ask(skips)...)...), nil, []sim.Answer{said(before, "yes", ""), said("b@2/before#2", "skip", "")}, true, "a c", flow.Completed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(between(c.before, c.after), nil)
			w.Answers, w.Attended = c.answers, c.attended
			o, out := w.run(t)
			if got := strings.Join(out.Executed, " "); o.End.Status != c.status || c.status == flow.Completed && got != c.want {
				t.Errorf("%+v, %s", o.End, got)
			}
			if got := strings.ReplaceAll(w.trace(), ":done", ""); got != c.want {
				t.Errorf("%s", got)
			}
		})
	}
}

// A person who says no stops the run. When it is resumed the question is asked
// again, as often as that happens.
func TestGraphStopAndGoOn(t *testing.T) {
	w := newWorld(between(ask(graph.Interrupt[string, ggraph]{Required: true}), nil), nil)
	w.Attended = true
	w.Answers = []sim.Answer{said("b@2/before#1", "no", "not on Friday")}
	o, _ := w.run(t)
	if last := w.lastSaved(); o.End.Reason != kernel.ReasonStopped || last.Status != kernel.StateStopped || last.Next != "b" || !strings.Contains(last.Error, "ann answered `not on Friday`") {
		t.Fatalf("%+v %+v", o.End, last)
	}
	if b := o.Step("b"); b.Status != flow.Pending {
		t.Errorf("b is %+v", b)
	}
	w.Answers = append(w.Answers, said("b@2/before#2", "stop", ""))
	for point := range 12 {
		second := resume(w.World, 1, o, point)
		if len(second.Faults) > 0 || second.End.Reason != kernel.ReasonStopped || second.Step("b@2/before#3").Key != "" || second.Effects["b@2"] > 0 {
			t.Fatalf("crash at %d: %+v %v", point, second.End, second.Faults)
		}
		if point > 0 {
			continue
		}
		third := w.World
		third.Answers = append(w.Answers, said("b@2/before#3", "yes", ""))
		if end := resume(third, 1, second); end.End.Status != flow.Completed || end.Effects["a@1"] > 0 || len(end.Faults) > 0 {
			t.Errorf("%+v %v", end.End, end.Faults)
		}
	}
}

// An interrupt may be answered while no process is there, and by several people
// in a row.
func TestGraphAnswersWhileNobodyWorks(t *testing.T) {
	w := newWorld(between(ask(graph.Interrupt[string, ggraph]{Required: true}), ask(graph.Interrupt[string, ggraph]{Required: true})), nil)
	w.Answers = []sim.Answer{said("b@2/before#1", "", "yes"), said("b@2/after#1", "", "yes")}
	whole := sim.Run(w.World, 1)
	if whole.Processes != 3 || whole.End.Status != flow.Completed {
		t.Fatalf("%d processes, %+v", whole.Processes, whole.End)
	}
	w.run(t)
}
